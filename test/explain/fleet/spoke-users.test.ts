/*
 * As whom a self-managed spoke takes the hub's tokens, and whether it lets that user in.
 * Source: KEP-3331; kubernetes:staging/src/k8s.io/apiserver/pkg/authentication/cel.
 */

import { expect, it } from "vitest";
import type { Verdict } from "../../../lib/explain";
import { allSpokes } from "../../fixtures/explain/all-spokes";
import { type Artefacts, explained } from "../../fixtures/explain/artefacts";
import { put } from "../../fixtures/explain/documents";
import { type Damage, authentication, both } from "../../fixtures/explain/fleet-damages";

const SUBJECT = "system:serviceaccount:kueue-system:kueue-controller-manager";
const USER = `hub-eks:${SUBJECT}`;
const NONE = put(["jwt", 0, "userValidationRules"], []);

const claims = (...rules: readonly object[]): Damage =>
  both(authentication(NONE), authentication(put(["jwt", 0, "claimValidationRules"], rules)));
const users = (...expressions: readonly string[]): Damage =>
  authentication(
    put(
      ["jwt", 0, "userValidationRules"],
      expressions.map((expression) => ({ expression })),
    ),
  );
const named = (expression: string): Damage =>
  authentication(put(["jwt", 0, "claimMappings", "username"], { expression }));
const issued =
  (issuer: string, discoveryURL?: string): Damage =>
  (all) => {
    const known = "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF";
    const other: Artefacts = new Map([...all].map(([path, text]) => [path, text.replaceAll(known, issuer)]));
    return discoveryURL === undefined
      ? other
      : authentication(put(["jwt", 0, "issuer", "discoveryURL"], discoveryURL))(other);
  };

const artefacts = allSpokes("eks", "kueue");

it.each<[string, Damage, Verdict]>([
  ["the claim sub as it must be", claims({ claim: "sub", requiredValue: SUBJECT }), "allowed"],
  ["the claim sub of another", claims({ claim: "sub", requiredValue: `${SUBJECT}x` }), "denied"],
  ["a claim that only the token tells", claims({ claim: "jti", requiredValue: "x" }), "unknown"],
  ["an expression for the claim sub", claims({ expression: `claims.sub == '${SUBJECT}'` }), "allowed"],
  ["an expression for another", claims({ expression: "claims.sub == 'x'" }), "denied"],
  ["the claim sub among others", claims({ expression: `claims.sub in ['x', '${SUBJECT}']` }), "allowed"],
  [
    "the namespace in the token",
    claims({ expression: "claims['kubernetes.io'].namespace == 'kueue-system'" }),
    "allowed",
  ],
  ["the issuer in the token", claims({ expression: "claims.iss == 'https://other.example'" }), "denied"],
  ["one of two users", users(`user.username == 'x' || user.username == '${USER}'`), "allowed"],
  ["neither of two users", users("user.username == 'x' || user.username == 'y'"), "denied"],
  ["the beginning of a user", users("user.username.startsWith('hub-eks:')"), "allowed"],
  ["no user of the system", users("!user.username.startsWith('system:')"), "allowed"],
  ["no group of the system", users("user.groups.all(group, !group.startsWith('system:'))"), "allowed"],
  ["a group of no one", users("'admins' in user.groups"), "denied"],
  ["two rules", users(`user.username == '${USER}'`, "user.username.endsWith('x')"), "denied"],
  ["what only the token tells", users("user.uid == 'x'"), "unknown"],
  ["no expression", users("user.username =="), "unknown"],
  ["a function that API servers do not have", users("user.username.extract('{a}') != 'x'"), "unknown"],
  ["a name by expression", named("'hub-eks:' + claims.sub"), "allowed"],
  ["another name by expression", named("'other:' + claims.sub"), "denied"],
  ["a name that only the token tells", named("'hub-eks:' + claims.jti"), "unknown"],
  // The hub's own server is another one on the spoke.
  ["the default issuer", issued("https://kubernetes.default.svc"), "denied"],
  ["the default issuer of kubeadm", issued("https://kubernetes.default.svc.cluster.local"), "denied"],
  [
    "the default issuer of a cluster's own domain",
    issued("https://kubernetes.default.svc.corp.example"),
    "denied",
  ],
  ["a host of the like name", issued("https://kubernetes.default.svc-keys.example"), "allowed"],
  ["an issuer of a private network", issued("https://oidc.corp.internal:6443"), "allowed"],
  [
    "the default issuer with a discovery URL",
    issued("https://kubernetes.default.svc", "https://keys.example/openid"),
    "unknown",
  ],
])("%s", (_, damage, verdict) => {
  expect(explained(damage(artefacts), { spoke: "own" }).map((result) => result.verdict)).toEqual([verdict]);
});

it.each<[string, Damage, readonly string[]]>([
  ["nothing of a rule for one user", users(`user.username == '${USER}'`), []],
  ["nothing of a rule for one subject", claims({ claim: "sub", requiredValue: SUBJECT }), []],
  ["no rule", claims(), ["subject-unpinned"]],
  ["a rule that all users keep", users("!user.username.startsWith('system:')"), ["subject-unpinned"]],
])("warns of %s", (_, damage, ids) => {
  const [result] = explained(damage(artefacts), { spoke: "own" });
  expect(result?.warnings?.map(({ id }) => id)).toEqual(ids);
});
