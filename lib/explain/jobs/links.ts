/*
 * Links that several jobs share, and answers that several links share.
 */

import { grouped } from "../../model/grouped";
import { type Known, known, partsOf, same, shown } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { once } from "../../model/once";
import type { RbacPolicy } from "../../rules/rbac/evaluate";
import { type Answer, badness, broken, pass, seen, unknown, worstOf } from "../answer";
import type { AccessIdentity, TokenQuestion, TrustAnswer } from "../cloud";
import type { ClusterFacts } from "../read/cluster-record";
import type { ClusterArtefacts } from "../read/clusters";
import type { CredentialFileFact } from "../read/component-facts";
import type { ServiceAccountFact } from "../read/service-accounts";
import { regenerated } from "../shared/near-miss";
import { trustOfCandidates } from "./candidates";
import { type Source, sourceText } from "../read/source";
import { type Step, stepsOf } from "../run";

/** The answer if a needed fact is missing, because an earlier link could not determine it. */
export function missing(what: string): Answer {
  return unknown(`${what} is not known`, "see the earlier checks");
}

/** The answer if a value that bind wrote into an object's documents is not the one of the state or configuration. */
export function misfilled(
  artefacts: ClusterArtefacts,
  object: { readonly documents: readonly Source[] } | undefined,
): Answer | undefined {
  for (const source of object?.documents ?? []) {
    const found = artefacts.misfilled.get(sourceText(source));
    if (found === undefined) continue;
    const reason = `${found.what}: the outputs belong to another cluster, or are old`;
    const where = seen("what bind wrote", source);
    return found.isCertain
      ? broken(reason, "run bind again with the outputs of this state", undefined, where)
      : unknown(reason, "run bind again with the outputs of this configuration after apply", where);
  }
  return undefined;
}

/** The worst answer for the tokens of all issuers that the cluster accepts, by what this or another stack states. */
export function trustOfEveryIssuer(
  token: TokenQuestion,
  cluster: AcceptedIssuers,
  trust: (token: TokenQuestion) => TrustAnswer,
  trusted?: () => readonly Known<string>[] | undefined,
): TrustAnswer {
  const { additionalIssuers = [], issuersElsewhere = [], candidates } = cluster;
  if (candidates || partsOf(token.issuer) === undefined)
    return trustOfCandidates(token, candidates ?? [], trust, trusted);
  const first = trust(token);
  if (additionalIssuers.length + issuersElsewhere.length === 0) return first;
  const ofFurther = (issuer: Known<string>): TrustAnswer => trust({ ...token, issuer, further: true });
  const further = additionalIssuers.map(ofFurther);
  const elsewhere = issuersElsewhere.map((issuer) => doubted(ofFurther(issuer), issuer));
  const worst = (of: (answer: TrustAnswer) => Answer): Answer =>
    worstOf(of(first), further.map(of), elsewhere.map(of));
  return {
    issuer: worst(({ issuer }) => issuer),
    audience: worst(({ audience }) => audience),
    subject: worst(({ subject }) => subject),
  };
}

/** Pods of one service account may use tokens for different audiences; each of them must be accepted. */
export function trustOfAll(
  identity: AccessIdentity,
  token: TokenQuestion,
  audiences: readonly Known<string>[],
  { cluster }: ClusterArtefacts,
): TrustAnswer {
  const trust = (own: TokenQuestion): TrustAnswer =>
    trustOfEveryIssuer(
      own,
      cluster,
      (each) => identity.trust(each),
      () => identity.trusted?.(),
    );
  const first = trust(token);
  const others = audiences.slice(1).map((audience) => trust({ ...token, audience }));
  const bad = ({ audience, subject }: TrustAnswer): number => Math.max(badness(audience), badness(subject));
  return others.reduce((worst, each) => (bad(each) > bad(worst) ? each : worst), first);
}

/** Issuers other than the one that signs, and the clusters of which one may be meant. */
type AcceptedIssuers = Pick<ClusterFacts, "additionalIssuers" | "issuersElsewhere" | "candidates">;

/** The stacks do not say whether the cluster has already moved, or whether two clusters have the same name. */
function doubted(trust: TrustAnswer, issuer: Known<string>): TrustAnswer {
  const failed = [trust.issuer, trust.audience, trust.subject].find(({ status }) => status === "fail");
  if (failed === undefined) return trust;
  const doubt = unknown(
    `another stack also states the issuer ${shown(issuer)} for this cluster, whose tokens are refused here: ${failed.reason}`,
    "state the same issuers in every stack of the cluster, with additionalIssuers while it moves",
    failed.evidence,
  );
  const answer = (each: Answer): Answer =>
    each === failed ? doubt : each.status === "fail" ? PASSED_ON : each;
  return { issuer: answer(trust.issuer), audience: answer(trust.audience), subject: answer(trust.subject) };
}

const PASSED_ON = pass("see the earlier check");

/** What the links of an exchange look at. */
export interface TrustFacts {
  readonly artefacts: ClusterArtefacts;
  /** What the cloud or spoke says about the token; `undefined` if it is not known which one is asked. */
  readonly trust: TrustAnswer | undefined;
}

const { link } = stepsOf<TrustFacts>();

/** The exchange of a token, once the identity to act as is known. */
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

const filesByNamespace = once(({ credentialFiles }: ClusterArtefacts) =>
  grouped(credentialFiles, ({ configMap }) => namespacedName(configMap).namespace),
);

/** The credential files in a service account's namespace. */
export function filesBeside(artefacts: ClusterArtefacts, key: string): readonly CredentialFileFact[] {
  return filesByNamespace(artefacts).get(namespacedName(key).namespace) ?? [];
}

/** The last question of every job. */
export const UNDERSTOOD = {
  id: "all-understood",
  question: "Is everything understood that bears on the identity?",
} as const;

/** Its answer, by what Terraform and the objects of the cluster hold; `titles` are those of the chain besides the service account. */
export function understood(
  { cluster, open, perhaps }: ClusterArtefacts,
  identity: Pick<AccessIdentity, "understood"> | undefined,
  key: string,
  titles: readonly string[] = [],
  otherwise: Answer = missing("the identity"),
): Answer {
  const answer = identity?.understood(cluster) ?? otherwise;
  if (answer.status !== "pass") return answer;
  const unread = perhaps.naming(namespacedName(key));
  if (unread)
    return unknown(
      `what is not read names the service account ${key}, and may hold another version of it`,
      "give explain what is applied (of Terraform, what `terraform show -json` prints), or leave out what is not",
      seen("not read", unread),
    );
  return open.answer([`ServiceAccount ${key}`, ...titles]) ?? answer;
}

/** OpenShift's API server writes the issuer of Authentication/cluster into tokens, whatever is recorded. */
function issuerConfirmed(answer: Answer, { authentication, cluster }: ClusterArtefacts): Answer {
  if (answer.status !== "pass" || authentication === undefined || cluster.issuer === undefined) return answer;
  const { issuer, source, title } = authentication;
  if (same<string | undefined>(cluster.issuer, issuer) === "yes") return answer;
  const says =
    same<string | undefined>(issuer, known(undefined)) === "yes"
      ? "Authentication/cluster was read without serviceAccountIssuer, so tokens have the issuer https://kubernetes.default.svc unless the cluster has another, which the manifest leaves unchanged"
      : `${title} has ${shown(issuer)}`;
  return unknown(
    `the cloud trusts the recorded issuer ${shown(cluster.issuer)}, but ${says}: which issuer the cluster's tokens have is not known`,
    "write exactly the trusted issuer into spec.serviceAccountIssuer, or leave out the manifest if it is another cluster's",
    seen("serviceAccountIssuer", source),
  );
}

/** Whether the service account is among the objects of the cluster; another team's may be written elsewhere. */
export function accountWritten(
  { refused, perhaps, serviceAccounts }: ClusterArtefacts,
  key: string,
  account: ServiceAccountFact | undefined,
  mayBeElsewhere: boolean,
  log: string,
): Answer {
  if (account?.patch)
    return unknown(
      `a kustomization, or a patch with $patch, was read that changes ${key}; whether it is applied is not known`,
      "give explain the manifests as kustomize writes them (kubectl kustomize)",
      seen("kustomization or patch", account.patch),
    );
  if (account?.source)
    return pass(
      () => `the service account ${key} exists`,
      () => seen("ServiceAccount", account.source),
    );
  if (account)
    return pass(
      `the service account ${key} exists, as every namespace has one of that name; no manifest annotates it`,
    );
  const { namespace, name } = namespacedName(key);
  const refusals = refused.get(`ServiceAccount ${key}`) ?? [];
  const unread = perhaps.declaring("ServiceAccount", name);
  const again = regenerated(key, serviceAccounts.keys());
  if (refusals.length === 0 && (mayBeElsewhere || unread))
    return unknown(
      `the service account ${key} is not among what was read${again?.near ?? ""}`,
      again?.remedy ?? "also give explain its manifest",
      unread ? [seen("not read", unread)] : [],
    );
  return broken(
    `the service account ${key} is in none of the manifests${refusals.length > 0 ? " that the API server accepts" : ""}${again?.near ?? ""}`,
    again?.remedy ??
      `add a ServiceAccount ${name} with its annotations in namespace ${namespace}, or name the manifest that has it`,
    `${log}: serviceaccounts "${name}" not found`,
    refusals.map(({ reason, source }) => seen(reason, source)),
  );
}

/** The answer by what RBAC grants; unknown if that depends on which folder is applied last. */
export function inAnyOrder(
  { rbac, rbacOtherwise }: Pick<ClusterArtefacts, "rbac" | "rbacOtherwise">,
  judge: (rbac: RbacPolicy) => Answer,
): Answer {
  const answer = judge(rbac);
  return rbacOtherwise.some((other) => judge(other).status !== answer.status) ? CONTESTED : answer;
}

const CONTESTED = unknown(
  "two folders declare the same role or binding differently, and what RBAC grants here depends on which is applied last",
  "declare each role and binding once",
);

/** If nothing grants it for certain, a role or binding with a late value, or one that was not read, may still do so. */
export function unlessPerhaps(
  { rbacPerhaps, perhaps }: Pick<ClusterArtefacts, "rbacPerhaps" | "perhaps">,
  answer: Answer,
): Answer {
  const [doubtful] = rbacPerhaps;
  const elsewhere = perhaps.declaring("RoleBinding");
  if (answer.status !== "fail" || (doubtful ?? elsewhere) === undefined) return answer;
  return unknown(
    `${answer.reason}, unless ${doubtful ? `a role or binding with ${doubtful.what}` : "an object that was not read"} allows it`,
    doubtful?.remedy ?? "also give explain its manifest",
    answer.evidence,
    seen(doubtful ? "role or binding" : "not read", doubtful?.source ?? elsewhere),
  );
}
