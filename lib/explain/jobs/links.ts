/*
 * Links that several jobs have, and what several links say.
 */

import { type Known, known, same, shown } from "../../model/known";
import type { RbacPolicy } from "../../rules/rbac/evaluate";
import { type Answer, broken, pass, seen, unknown, worstOf } from "../answer";
import type { TokenQuestion, TrustAnswer } from "../cloud";
import type { ClusterFacts } from "../read/cluster-record";
import type { ClusterArtefacts } from "../read/facts";
import type { ServiceAccountFact } from "../read/service-accounts";
import { type Source, sourceText } from "../read/source";
import { type Step, stepsOf } from "../run";

/** The answer where a fact that must be there is not, since a link before could not tell. */
export function missing(what: string): Answer {
  return unknown(`${what} is not known`, "see the checks before");
}

/** What bind was given for an object's documents and is none of what the state has in its place. */
export function misfilled(
  artefacts: ClusterArtefacts,
  object: { readonly documents: readonly Source[] } | undefined,
): Answer | undefined {
  for (const source of object?.documents ?? []) {
    const said = artefacts.misfilled.get(sourceText(source));
    if (said !== undefined)
      return broken(
        `${said}: the outputs were of another cluster, or old`,
        "run bind again with the outputs of this state",
        undefined,
        seen("what bind wrote", source),
      );
  }
  return undefined;
}

/** The worst that is said of a token of each issuer that the cluster accepts, as far as this or another stack says. */
export function trustOfEveryIssuer(
  token: TokenQuestion,
  { additionalIssuers = [], issuersElsewhere = [] }: AcceptedIssuers,
  trust: (token: TokenQuestion) => TrustAnswer,
): TrustAnswer {
  const own = trust(token);
  if (additionalIssuers.length + issuersElsewhere.length === 0) return own;
  const ofFurther = (issuer: Known<string>): TrustAnswer => trust({ ...token, issuer, further: true });
  const further = additionalIssuers.map(ofFurther);
  const elsewhere = issuersElsewhere.map((issuer) => doubted(ofFurther(issuer), issuer));
  const worst = (of: (answer: TrustAnswer) => Answer): Answer =>
    worstOf(of(own), ...further.map(of), ...elsewhere.map(of));
  return {
    issuer: worst(({ issuer }) => issuer),
    audience: worst(({ audience }) => audience),
    subject: worst(({ subject }) => subject),
  };
}

/** Issuers besides the one that signs. */
export type AcceptedIssuers = Pick<ClusterFacts, "additionalIssuers" | "issuersElsewhere">;

/** Whether the cluster has moved already, or two clusters have one name, the stacks do not say. */
function doubted(said: TrustAnswer, issuer: Known<string>): TrustAnswer {
  const failed = [said.issuer, said.audience, said.subject].find(({ status }) => status === "fail");
  if (failed === undefined) return said;
  const doubt = unknown(
    `another stack states the issuer ${shown(issuer)} for this cluster as well, whose tokens are refused here: ${failed.reason}`,
    "state the same issuers in every stack of the cluster, with additionalIssuers while it moves",
    ...failed.evidence,
  );
  const answer = (each: Answer): Answer =>
    each === failed ? doubt : each.status === "fail" ? PASSED_ON : each;
  return { issuer: answer(said.issuer), audience: answer(said.audience), subject: answer(said.subject) };
}

const PASSED_ON = pass("see the check before");

/** What the links of an exchange look at. */
export interface TrustFacts {
  readonly artefacts: ClusterArtefacts;
  /** What cloud or spoke say of the token; `undefined` where it is not known who is asked. */
  readonly trust: TrustAnswer | undefined;
}

const { link } = stepsOf<TrustFacts>();

/** The exchange of a token, once it is known whom to act as. */
export const TRUST_LINKS: readonly Step<TrustFacts>[] = [
  link({
    id: "issuer-trusted",
    question: "Does the cloud trust the issuer of the cluster's tokens?",
    per: ["artefacts", "trust"],
    run: ({ artefacts, trust }) => (trust ? issuerConfirmed(trust.issuer, artefacts) : missing("the cloud")),
  }),
  link({
    id: "audience-accepted",
    question: "Does the cloud accept the audience of the token?",
    per: ["artefacts", "trust"],
    run: ({ trust }) => trust?.audience ?? missing("the cloud"),
  }),
  link({
    id: "subject-admitted",
    question: "Does the cloud admit the service account?",
    per: ["artefacts", "trust"],
    run: ({ trust }) => trust?.subject ?? missing("the cloud"),
  }),
];

/** OpenShift's API server writes into tokens what Authentication/cluster says, whatever is recorded. */
function issuerConfirmed(answer: Answer, { authentication, cluster }: ClusterArtefacts): Answer {
  if (answer.status !== "pass" || authentication === undefined || cluster.issuer === undefined) return answer;
  const { issuer, source } = authentication;
  if (same<string | undefined>(cluster.issuer, issuer) === "yes") return answer;
  const says =
    same<string | undefined>(issuer, known(undefined)) === "yes"
      ? "Authentication/cluster was read without serviceAccountIssuer, so that tokens are of https://kubernetes.default.svc unless the cluster has one that the manifest leaves as it is"
      : `Authentication/cluster says ${shown(issuer)}`;
  return unknown(
    `the cloud trusts ${shown(cluster.issuer)}, which is recorded, and ${says}: whose tokens the cluster issues is not known`,
    "write exactly the issuer into spec.serviceAccountIssuer, or leave the manifest of another cluster out",
    seen("serviceAccountIssuer", source),
  );
}

/** Whether the service account is among the objects of the cluster; one of another team may be written elsewhere. */
export function accountWritten(
  { refused }: ClusterArtefacts,
  key: string,
  account: ServiceAccountFact | undefined,
  mayBeElsewhere: boolean,
  log: string,
): Answer {
  if (account?.source)
    return pass(
      () => `the service account ${key} exists`,
      () => seen("ServiceAccount", account.source),
    );
  if (account)
    return pass(
      `the service account ${key} exists, as every namespace has one of that name; no manifest annotates it`,
    );
  const [namespace = "", name = ""] = key.split("/");
  const refusals = refused.get(`ServiceAccount ${key}`) ?? [];
  if (refusals.length === 0 && mayBeElsewhere)
    return unknown(`the service account ${key} is not among what was read`, "also give explain its manifest");
  return broken(
    `the service account ${key} is in none of the manifests${refusals.length > 0 ? " that the API server takes" : ""}`,
    `add a ServiceAccount ${name} with its annotations in namespace ${namespace}, or name the manifest that has it`,
    `${log}: serviceaccounts "${name}" not found`,
    ...refusals.map(({ reason, source }) => seen(reason, source)),
  );
}

/** The answer by what RBAC grants; unknown where that depends on which folder is applied last. */
export function inAnyOrder(
  { rbac, rbacOtherwise }: Pick<ClusterArtefacts, "rbac" | "rbacOtherwise">,
  judge: (rbac: RbacPolicy) => Answer,
): Answer {
  const answer = judge(rbac);
  return rbacOtherwise.some((other) => judge(other).status !== answer.status) ? CONTESTED : answer;
}

const CONTESTED = unknown(
  "two folders declare one role or binding differently, and what RBAC grants here depends on which is applied last",
  "declare each role and binding once",
);
