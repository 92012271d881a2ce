/*
 * As whom a self-managed spoke takes the hub's tokens, and whether its rules admit that user.
 * Source: KEP-3331; kubernetes:staging/src/k8s.io/apiserver/pkg/authentication/cel.
 */

import { expect, it } from "vitest";
import { put } from "../../../fixtures/explain/documents";
import { entered, fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { type Damage, authentication, both } from "../../../fixtures/explain/fleet-damages";

const ID = "subject-admitted";
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
const username = (value: object): Damage =>
  authentication(put(["jwt", 0, "claimMappings", "username"], value));

const REFUSED = `the spoke does not admit ${USER}`;
const OPEN = "the result of a rule is not known";
const UNMADE = "how the user's name is made cannot be determined";

fleetChecks(ID, "rules for claims", spokeOf("own"), [
  ["a value", claims({ claim: "sub", requiredValue: SUBJECT }), "unknown", OPEN],
  ["an expression", claims({ expression: "claims.sub == 'x'" }), "unknown", OPEN],
  ["a claim that may be there", claims({ expression: "!has(claims.team)" }), "unknown", OPEN],
]);

fleetChecks(ID, "rules for users", spokeOf("own"), [
  ["as written", [], "pass"],
  ["of another", users("user.username in ['x']"), "fail", REFUSED],
  ["one of two users", users(`user.username == 'x' || user.username == '${USER}'`), "pass"],
  ["neither of two users", users("user.username == 'x' || user.username == 'y'"), "fail", REFUSED],
  ["the beginning of a user", users("user.username.startsWith('hub-eks:')"), "pass"],
  ["no user of the system", users("!user.username.startsWith('system:')"), "pass"],
  ["no group of the system", users("user.groups.all(group, !group.startsWith('system:'))"), "pass"],
  ["a group of no one", users("'admins' in user.groups"), "fail", REFUSED],
  ["two rules", users(`user.username == '${USER}'`, "user.username.endsWith('x')"), "fail", REFUSED],
  ["what only the token tells", users("user.uid == 'x'"), "unknown", `${OPEN}: user.uid == 'x'`],
  [
    "what only the token tells, among others",
    users(`user.uid != '' && user.username in ['${USER}']`),
    "unknown",
    OPEN,
  ],
  ["a text put together with it", users(`user.username == '${USER}' + user.uid`), "unknown", OPEN],
  ["no expression", users("user.username =="), "unknown", OPEN],
  ["a function that API servers do not have", users("user.username.extract('{a}') != 'x'"), "unknown", OPEN],
]);

fleetChecks(ID, "the user's name", spokeOf("own"), [
  ["by expression", username({ expression: "'hub-eks:' + claims.sub" }), "unknown", UNMADE],
  ["with another prefix", username({ claim: "sub", prefix: "x:" }), "fail", `does not admit x:${SUBJECT}`],
  ["of another claim", username({ claim: "email", prefix: "hub-eks:" }), "unknown", UNMADE],
]);

it.each<[string, Damage, readonly string[]]>([
  ["nothing of a rule for one user", users(`user.username == '${USER}'`), []],
  ["no rule", claims(), ["subject-unpinned"]],
  ["a rule that all users keep", users("!user.username.startsWith('system:')"), ["subject-unpinned"]],
])("warns of %s", (_, damage, ids) => {
  const { verdict, warnings } = entered(spokeOf("own"), damage);
  expect([verdict, warnings?.map(({ id }) => id)]).toEqual(["allowed", ids]);
});
