/*
 * Workloads that get a role from EKS Pod Identity: which association is theirs, and whether the role trusts EKS. An
 * association overrides an annotation of the service account.
 *
 * Sources: EKS user guide, "Learn how EKS Pod Identity grants pods access to AWS services" and "Enable or disable session
 * tags"; aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go, `buildPodPatchConfig`.
 */

import { grouped } from "../../model/grouped";
import {
  type Known,
  type Ternary,
  and,
  is,
  isBlank,
  isKnown,
  known,
  orElse,
  same,
  shown,
  whyNot,
  whyText,
} from "../../model/known";
import { isEksIssuer } from "../../rules/aws/cluster";
import { POD_IDENTITY_AUDIENCE, SESSION_POLICY_MAX } from "../../rules/aws/pod-identity";
import type { Policy } from "../../rules/aws/policy/document";
import { readPolicy } from "../../rules/aws/policy/policy";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AccountQuestion, AccountReading, Granted } from "../cloud";
import { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { resourcesIn } from "../shared/references";
import { ASK_AGAIN } from "../shared/words";
import { type NamedRole, type Roles, inSession, isRoleArn } from "./identity";
import { regionOf } from "./place";
import { AssociationTrust, type RoleTrusts, keyOf } from "./pod-identity-trust";
import { associatedPods, inOnePlace, isNamed } from "./pods";

const ASSOCIATION = "aws_eks_pod_identity_association";
const CLUSTER = "aws_eks_cluster";

/** Which service accounts get roles from associations, whether or not they were read. */
export function associatedRoles(terraform: Terraform): readonly Granted[] {
  return terraform
    .ofType(ASSOCIATION)
    .filter(({ adopted }) => !adopted)
    .map((each) => {
      const [cluster, role] = [each.stated("cluster_name"), each.stated("role_arn")].map(shown);
      const limits = ["target_role_arn", "policy"].filter((name) => !isBlank(each.text(name)));
      const more = limits.map((name) => `, with ${name} ${shown(each.text(name))}`).join("");
      const right = { text: `the role ${role} by EKS Pod Identity${more}`, source: each.source };
      const to = `service account ${shown(keyOf(each))} of EKS cluster ${cluster}`;
      return { to, isHeld: false, isOwn: true, rights: () => [right] };
    });
}

/** The role that an association gives, and the judge of its trust. */
interface AssociatedRole {
  readonly named: NamedRole;
  readonly trusts: RoleTrusts;
  readonly session: Policy | undefined;
  readonly label: string;
  readonly arns: readonly Known<string>[];
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
    return (this.#byKey ??= grouped(
      this.#terraform.ofType(ASSOCIATION).filter(({ adopted }) => !adopted),
      (each) => orElse(keyOf(each), () => OPEN),
    ));
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
    associations: readonly (readonly [Resource, Ternary])[],
    question: AccountQuestion,
    isAnnotated: boolean,
  ): ReturnType<PodIdentities["reading"]> {
    const { key, source } = question.account;
    const where = seen("EKS Pod Identity association", association.source);
    const roles = this.#given(association);
    const why = roles.arns.map(whyNot).find((each) => each !== undefined && each.kind !== "apply");
    const rival = associations.find(([each, isIts]) => isRival(association, each, isIts))?.[0];
    const also = isAnnotated
      ? [seen("the association overrides the annotation of the service account", source)]
      : [];
    const stray = roles.arns.find((each) => !isRoleArn(each));
    const answer =
      ((why && unknown(`the role of the association is not known: ${whyText(why)}`, ASK_AGAIN, where)) ||
        (rival && twice(key, rival, where))) ??
      refusedPolicy(association, roles.session, where) ??
      followed(association, roles.named, where) ??
      (stray !== undefined
        ? broken(`${shown(stray)} is not an ARN of an IAM role`, "name the role's ARN", undefined, where)
        : pass(`EKS Pod Identity gives ${key} the role ${roles.label}`, where, also));
    return {
      answer,
      role: why ? undefined : roles,
      pods: associatedPods(this.#terraform, association, question),
      audiences: [known(POD_IDENTITY_AUDIENCE)],
    };
  }

  /** The role as which pods act: the target if the association has one. */
  #given(association: Resource): AssociatedRole {
    const arn = association.stated("role_arn");
    const first = this.#roles.named(arn);
    const hasTarget = !isBlank(association.text("target_role_arn"));
    const target = hasTarget ? association.stated("target_role_arn") : arn;
    const last = hasTarget ? this.#roles.named(target) : first;
    const session = isBlank(association.text("policy"))
      ? undefined
      : readPolicy(association.stated("policy"), "identity", SESSION_POLICY_MAX);
    return {
      named: last.role && session ? { ...last, role: inSession(last.role, session) } : last,
      trusts: new AssociationTrust(association, hasTarget ? first : undefined),
      session,
      label: hasTarget ? `${last.label}, which it assumes as ${first.label}` : first.label,
      arns: [arn, target],
    };
  }
}

/** The cluster's name in EKS, as recorded; a name that is only recorded as a label is taken for it. */
function nameIn({ name, cloudName }: AccountQuestion["cluster"]): string | undefined {
  return cloudName ?? name;
}

/** Key of the associations whose service account is not known. */
const OPEN = "";

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
  const names = ["role_arn", "target_role_arn"].filter((each) => !isBlank(association.text(each)));
  return association.scope.isLiteral && names.some((each) => typeof association.written([each]) !== "string")
    ? unknown(
        `EKS Pod Identity gives the role only after apply; the plan says that it refers to ${label}`,
        ASK_AGAIN,
        where,
      )
    : undefined;
}

/** Why EKS or AWS STS refuses the session policy; `undefined` if neither does. */
function refusedPolicy(
  association: Resource,
  session: Policy | undefined,
  where: Evidence,
): Answer | undefined {
  const isTagless = is(association.flag("disable_session_tags"), true);
  if (session === undefined || (session.kind !== "refused" && isTagless === "yes")) return undefined;
  const remedy = "set disable_session_tags to true, and write a policy that IAM accepts";
  if (session.kind !== "refused" && isTagless === "unknown")
    return unknown(
      "whether sessions have tags, beside which EKS refuses a policy, is not known",
      remedy,
      where,
    );
  const why = session.kind === "refused" ? session.why : "EKS accepts none beside session tags";
  return broken(`AWS refuses the session policy: ${why}`, remedy, "InvalidParameterException", where);
}
