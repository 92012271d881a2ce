/*
 * Workloads that get a role from EKS Pod Identity: which association is theirs, and whether the role trusts EKS. An
 * association overrides an annotation of the service account.
 *
 * Sources: EKS user guide, "Learn how EKS Pod Identity grants pods access to AWS services" and "Enable or disable session
 * tags"; aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go, `buildPodPatchConfig`.
 */

import { push } from "../../model/grouped";
import {
  type Known,
  type Ternary,
  and,
  is,
  isBlank,
  isKnown,
  joined,
  known,
  orElse,
  same,
  shown,
  whyNot,
  whyText,
} from "../../model/known";
import { SERVICE_ACCOUNT_PREFIX } from "../../model/namespaced-name";
import { isEksIssuer } from "../../rules/aws/cluster";
import {
  POD_IDENTITY_ACTIONS,
  POD_IDENTITY_AUDIENCE,
  POD_IDENTITY_SERVICE,
} from "../../rules/aws/pod-identity";
import type { Policy } from "../../rules/aws/policy/document";
import { admitsEveryone, decidePodIdentity } from "../../rules/aws/policy/trust";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AccountQuestion, AccountReading, TrustAnswer } from "../cloud";
import { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { ASK_AGAIN } from "../shared/words";
import { type NamedRole, type Role, type Roles, isRoleArn, misplaced } from "./identity";
import { accountOf, regionOf } from "./place";
import { associatedPods, inOnePlace, isNamed } from "./pods";
import type { TrustQuestion } from "./trust-links";
import { resourcesIn } from "../shared/references";
import { sameAnswers } from "../shared/same-answers";

const ASSOCIATION = "aws_eks_pod_identity_association";
const CLUSTER = "aws_eks_cluster";
const DENIED = "AccessDeniedException";

/** Judges whether a service account may assume a role. */
export interface RoleTrusts {
  of(question: TrustQuestion): TrustAnswer;
  isWide(question: TrustQuestion): boolean;
  /** As in {@link AccessIdentity}. */
  issuersOf?(role: Role): readonly Known<string>[] | undefined;
}

/** A role, and the judge of its trust. */
export interface AssociatedRole {
  readonly named: NamedRole;
  readonly trusts: RoleTrusts;
}

export class PodIdentities {
  readonly #terraform: Terraform;
  readonly #roles: Roles;
  #byKey: ReadonlyMap<string, readonly Resource[]> | undefined;

  constructor(terraform: Terraform, roles: Roles) {
    this.#terraform = terraform;
    this.#roles = roles;
  }

  /** What an association gives a workload; `undefined` if it has none. */
  reading(
    question: AccountQuestion,
    isAnnotated: boolean,
  ): (Omit<AccountReading, "identity"> & { readonly role: AssociatedRole | undefined }) | undefined {
    const { account, declared, cluster } = question;
    const name = nameIn(cluster);
    const judged = (this.#associations().get(account.key) ?? []).map(
      (each) => [each, this.#isOf(each, cluster)] as const,
    );
    const first = judged.find(([, isIts]) => isIts === "yes")?.[0];
    if (first) return this.#associated(first, judged, question, isAnnotated);
    const open = this.#associations().get(OPEN) ?? [];
    const perhaps = [
      ...judged.flatMap(([each, isIts]) => (isIts === "unknown" ? [each] : [])),
      ...open.filter((each) => is(keyOf(each), account.key) !== "no" && this.#isOf(each, cluster) !== "no"),
    ].find((each) => {
      if (isAnnotated) return name === undefined || is(each.stated("cluster_name"), name) !== "no";
      // If the cluster is recorded, it belongs to another, unless nothing else gives the workload the declared role.
      return declared || (isKnown(keyOf(each)) && name === undefined);
    });
    if (perhaps === undefined) return undefined;
    const answer = unknown(
      `whether an EKS Pod Identity association is for this service account in this cluster is not known: ${wordsOf(perhaps)}`,
      "state the cluster's name in EKS as `cloudName`, or also give explain the Terraform of the cluster, or what `terraform show -json` prints",
      seen("EKS Pod Identity association", perhaps.source),
    );
    return { answer, pods: answer, audiences: [], role: undefined };
  }

  #associations(): ReadonlyMap<string, readonly Resource[]> {
    const associations = new Map<string, Resource[]>();
    for (const each of this.#byKey ? [] : this.#terraform.ofType(ASSOCIATION)) {
      const key = orElse(keyOf(each), () => OPEN);
      if (!each.adopted) push(associations, key, each);
    }
    return (this.#byKey ??= associations);
  }

  /** Decided by the cluster's resource if it was read, otherwise by the recorded name. */
  #isOf(association: Resource, cluster: AccountQuestion["cluster"]): Ternary {
    const { issuer } = cluster;
    const name = nameIn(cluster);
    const clusterName = association.stated("cluster_name");
    const region = regionOf(association);
    const url = issuer === undefined ? undefined : orElse(issuer, () => undefined);
    if (url !== undefined && !isEksIssuer({ hostPath: url.replace("https://", "") })) return "no";
    const [, ofIssuer] = /^https:\/\/oidc[.-]eks\.([a-z0-9-]+)\./.exec(url ?? "") ?? [];
    if (ofIssuer !== undefined && is(region, ofIssuer) === "no") return "no";
    const makers = issuer === undefined ? [] : resourcesIn(issuer);
    const declared = makers.find(({ type }) => type === CLUSTER);
    if (declared) return inOnePlace(declared, association) === "no" ? "no" : isNamed(declared, clusterName);
    // An issuer that another resource creates is not known to be an EKS issuer.
    if (makers.length > 0) return "unknown";
    if (name !== undefined && is(clusterName, name) === "yes") return "yes";
    return "unknown";
  }

  #associated(
    association: Resource,
    all: readonly (readonly [Resource, Ternary])[],
    question: AccountQuestion,
    isAnnotated: boolean,
  ): ReturnType<PodIdentities["reading"]> {
    const arn = association.stated("role_arn");
    const named = this.#roles.named(arn);
    const where = seen("EKS Pod Identity association", association.source);
    const rival = all.find(([each, isIts]) => isRival(association, each, isIts))?.[0];
    const also = isAnnotated
      ? [seen("the association overrides the annotation of the service account", question.account.source)]
      : [];
    const why = whyNot(arn);
    const isOpen = why !== undefined && why.kind !== "apply";
    const answer =
      ((isOpen && unknown(`the role of the association is not known: ${whyText(why)}`, ASK_AGAIN, where)) ||
        (rival && twice(question.account.key, rival, where))) ??
      beyond(association, where) ??
      followed(association, named, where) ??
      (isRoleArn(arn)
        ? pass(`EKS Pod Identity gives ${question.account.key} the role ${named.label}`, where, also)
        : broken(`${shown(arn)} is not an ARN of an IAM role`, "name the role's ARN", undefined, where));
    return {
      answer,
      role: isOpen ? undefined : { named, trusts: new AssociationTrust(association) },
      pods: associatedPods(this.#terraform, association, question),
      audiences: [known(POD_IDENTITY_AUDIENCE)],
    };
  }
}

/** The cluster's name in EKS, as recorded; a name that is only recorded as a label is taken for it. */
function nameIn({ name, cloudName }: AccountQuestion["cluster"]): string | undefined {
  return cloudName ?? name;
}

/** Key of the associations whose service account is not known. */
const OPEN = "";

/** `namespace/name`. */
function keyOf(association: Resource): Known<string> {
  return joined(association.stated("namespace"), "/", association.stated("service_account"));
}

/** What is known about whom an association is for, as a clause. */
function wordsOf(association: Resource): string {
  const [key, cluster] = [keyOf(association), association.stated("cluster_name")];
  const why = [key, cluster].map(whyNot).find((each) => each !== undefined && each.kind !== "apply");
  return why ? whyText(why) : `it is for ${shown(key)} in EKS cluster ${shown(cluster)}`;
}

/** Whether another association of the service account may be for the same cluster. One that was read twice is not. */
function isRival(association: Resource, other: Resource, isIts: Ternary): boolean {
  if (association === other || isIts === "no") return false;
  const roles = [association, other].map((each) => each.stated("role_arn")) as [Known<string>, Known<string>];
  if (association.address === other.address && same(...roles) !== "no") return false;
  const isOfOne = and(
    same(association.stated("cluster_name"), other.stated("cluster_name")),
    inOnePlace(association, other),
  );
  // Where both have the recorded name, which of the two clusters is meant is not known.
  return isIts === "yes" || isOfOne !== "no";
}

function twice(key: string, rival: Resource, where: Evidence): Answer {
  return unknown(
    `two EKS Pod Identity associations are for ${key}, and EKS accepts only one in a cluster`,
    "remove one of the two, or also give explain what `terraform show -json` prints",
    where,
    seen("another association", rival.source),
  );
}

/** What a plan does not know yet is followed by a reference, which hides what functions make of it. */
function followed(association: Resource, { label }: NamedRole, where: Evidence): Answer | undefined {
  return association.scope.isLiteral && typeof association.written(["role_arn"]) !== "string"
    ? unknown(
        `EKS Pod Identity gives the role only after apply; the plan says that it refers to ${label}`,
        ASK_AGAIN,
        where,
      )
    : undefined;
}

/** Settings that change as whom, or with what rights, the pods act. */
function beyond(association: Resource, where: Evidence): Answer | undefined {
  const name = ["target_role_arn", "policy"].find((each) => !isBlank(association.text(each)));
  return name === undefined
    ? undefined
    : unknown(
        `the association sets ${name}, so its pods act with rights other than those of its role, which explain does not judge`,
        `remove ${name}, or check by hand which of the role's rights it leaves`,
        where,
      );
}

/** The trust that EKS Pod Identity needs from a role, for one association. */
class AssociationTrust implements RoleTrusts {
  readonly #association: Resource;

  constructor(association: Resource) {
    this.#association = association;
  }

  get subject(): Known<string> {
    const [namespace, name] = [
      this.#association.stated("namespace"),
      this.#association.stated("service_account"),
    ];
    return joined(SERVICE_ACCOUNT_PREFIX, namespace, ":", name);
  }

  isWide(): boolean {
    return false;
  }

  /** EKS hands out the role, and no issuer's token is exchanged for it. */
  issuersOf(): readonly Known<string>[] {
    return [];
  }

  of(question: TrustQuestion): TrustAnswer {
    const { role } = question;
    const where = seen("trust policy of the IAM role", role.resource.source);
    const before = misplaced(role, question.partition) ?? this.#obstacle(question, role.trust, where);
    if (before) return sameAnswers(before);
    const { subject } = this;
    const refused = (presumes: boolean, action: string): Answer | undefined =>
      this.#refusal(question, role.trust, { presumes, action }, where);
    const [assume, tag] = POD_IDENTITY_ACTIONS;
    const tagged = "the trust policy lets EKS tag the session with cluster, namespace and service account";
    const admitted = `the trust policy admits ${shown(question.subject)} of ${shown(this.#cluster(question))}`;
    return {
      issuer: refused(true, assume) ?? pass(`the trust policy admits ${POD_IDENTITY_SERVICE}`, where),
      audience: refused(true, tag) ?? pass(tagged, where),
      subject:
        same(question.subject, subject) === "no"
          ? broken(
              `the association is for ${shown(keyOf(this.#association))}`,
              "declare an association for the service account",
              undefined,
              seen("EKS Pod Identity association", this.#association.source),
            )
          : (refused(false, assume) ?? refused(false, tag) ?? pass(admitted, where)),
    };
  }

  /** Why the trust policy has no effect or cannot be judged; `undefined` if there is no such reason. */
  #obstacle({ account }: TrustQuestion, policy: Policy, where: Evidence): Answer | undefined {
    if (policy.kind === "refused")
      return broken(
        `AWS refuses the trust policy: ${policy.why}`,
        "write a trust policy that IAM accepts",
        "MalformedPolicyDocument",
        where,
      );
    if (policy.kind === "unread") return unknown(policy.why, ASK_AGAIN, where);
    if (admitsEveryone(policy))
      return unknown(
        "the trust policy admits everyone through *, and AWS does not document whether that covers AWS services",
        `write ${POD_IDENTITY_SERVICE} as the Service principal`,
        where,
      );
    const own = accountOf(this.#association);
    return same(own, account) === "no"
      ? broken(
          `the role is in account ${shown(account)}, the association in ${shown(own)}`,
          "declare the role in the cluster's account; EKS accepts no other",
          undefined,
          where,
        )
      : undefined;
  }

  #cluster({ account, partition }: TrustQuestion): Known<string> {
    const name = this.#association.stated("cluster_name");
    return joined("arn:", partition, ":eks:", regionOf(this.#association), ":", account, ":cluster/", name);
  }

  /** What keeps EKS from an action; `undefined` if nothing does. */
  #refusal(
    question: TrustQuestion,
    policy: Policy,
    { presumes, action }: { readonly presumes: boolean; readonly action: string },
    where: Evidence,
  ): Answer | undefined {
    const { outcome, reason } = decidePodIdentity(policy, { action, keys: this.#keys(question), presumes });
    if (outcome === "allowed") return undefined;
    // AWS does not document what EKS requests if sessions are not tagged.
    const isTagless = action === POD_IDENTITY_ACTIONS[1] && this.#hasTags !== "yes";
    if (outcome === "unknown" || isTagless)
      return unknown(`whether EKS Pod Identity may ${action} is not known: ${reason}`, ASK_AGAIN, where);
    return broken(
      `the trust policy does not allow ${POD_IDENTITY_SERVICE} ${action}: ${reason}`,
      `allow ${POD_IDENTITY_SERVICE} ${POD_IDENTITY_ACTIONS.join(" and ")}, for the cluster, namespace and service account`,
      DENIED,
      where,
    );
  }

  get #hasTags(): Ternary {
    return is(this.#association.flag("disable_session_tags"), false);
  }

  #keys(question: TrustQuestion): Parameters<typeof decidePodIdentity>[1]["keys"] {
    const association = this.#association;
    const tags = {
      "eks-cluster-arn": this.#cluster(question),
      "eks-cluster-name": association.stated("cluster_name"),
      "kubernetes-namespace": association.stated("namespace"),
      "kubernetes-service-account": association.stated("service_account"),
    };
    const hasTags = this.#hasTags;
    const keys = Object.entries(tags).map(([tag, value]) => [
      `aws:RequestTag/${tag}`,
      hasTags === "yes" ? value : hasTags === "no" ? null : association.stated("disable_session_tags"),
    ]);
    return {
      "aws:PrincipalIsAWSService": "true",
      "aws:PrincipalServiceName": POD_IDENTITY_SERVICE,
      "aws:SourceAccount": question.account,
      ...(Object.fromEntries(keys) as Record<string, Known<string> | null>),
    };
  }
}
