/*
 * What access entries and access policies of EKS let people and programs do. Source: awsdocs/amazon-eks-user-guide,
 * latest/ug/manage-access/k8s-access (creating-access-entries.adoc, access-policy-reference.adoc).
 */

import { EKS_ACCESS_POLICIES } from "../../../rules/aws/eks-access-policies";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { own, text, texts } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { knownBlocks, listed } from "../../facts/terraform-values";
import type { FleetWarning } from "../cloud-spokes";

/** An access policy of an entry. */
export interface EntryPolicy {
  /** Its ARN, a late one as reference. */
  readonly arn: string;
  /**
   * Why EKS refuses the association.
   *
   * @defaultValue - it does not
   */
  readonly problem?: string | undefined;
  /** Where it is associated. */
  readonly source: Source;
}

const ARN = /^arn:([a-z-]+):eks::aws:cluster-access-policy\/(.+)$/;

/** Beginnings of names that EKS keeps for itself. Source: CreateAccessEntry in the EKS API reference. */
const RESERVED = /^(?:system|eks|aws|amazon|iam):/;
const SCOPES: readonly string[] = ["cluster", "namespace"];

/** An entry that EKS refuses to make; `undefined` where nothing speaks against it. */
export function refusedEntry(entry: TerraformResource, terraform: Terraform): Answer | undefined {
  const user = terraform.text(entry, "user_name");
  const groups = texts(own(entry.values, "kubernetes_groups")).map((each) =>
    terraform.resolve(each, entry.scope),
  );
  const group = groups.find((each) => each.startsWith("system:"));
  if (entry.adopted || (group === undefined && !RESERVED.test(user))) return undefined;
  return broken(
    `EKS refuses the access entry: its ${group === undefined ? `user ${user}` : `group ${group}`} begins with a word that EKS keeps for itself`,
    group === undefined
      ? "leave user_name to EKS"
      : "take groups of another name, and bind them by RBAC of the spoke; AmazonEKSClusterAdminPolicy is what system:masters is",
    "InvalidParameterException",
    seen("access entry", entry.source),
  );
}

/** A policy as it is associated. */
export function policyOf(association: TerraformResource, terraform: Terraform): EntryPolicy {
  const [scope] = knownBlocks(own(association.values, "access_scope")) ?? [];
  const type = terraform.resolve(text(own(scope, "type")), association.scope);
  const namespaces = listed(own(scope, "namespaces"));
  const isOther = type !== "" && !isLateText(type) && !SCOPES.includes(type);
  return {
    arn: terraform.text(association, "policy_arn"),
    source: association.source,
    problem: isOther
      ? `EKS knows no access scope of type ${type}`
      : type === "namespace" && namespaces.length === 0
        ? "its access scope names no namespace"
        : undefined,
  };
}

/**
 * True for the type of entries that let somebody in by rights of their own; the others are for nodes. `undefined` where
 * only apply tells it.
 */
export function isStandard(type: string): boolean | undefined {
  return isLateText(type) ? undefined : type === "" || type === "STANDARD";
}

/** Whether one of the policies gives rights; `undefined` without policies. */
export function judgedPolicies(
  policies: readonly EntryPolicy[],
  partition: string | undefined,
): Answer | undefined {
  if (policies.length === 0) return undefined;
  const refused = policies.filter(({ problem }) => problem !== undefined);
  const [first] = refused;
  if (first && refused.length === policies.length)
    return broken(
      `EKS refuses the access policy of the entry: ${first.problem ?? ""}`,
      "give the scope the type cluster, or the type namespace with namespaces",
      "InvalidParameterException",
      ...refused.map(({ source }) => seen("access policy", source)),
    );
  const taken = policies.filter(({ problem }) => problem === undefined);
  return takenPolicies(taken, partition);
}

function takenPolicies(policies: readonly EntryPolicy[], partition: string | undefined): Answer {
  const read = policies.map(({ arn, source }) => {
    const [, of, name = arn] = ARN.exec(arn) ?? [];
    const isForeign = of !== undefined && partition !== undefined && of !== partition;
    return { name, source, isForeign, isKnown: EKS_ACCESS_POLICIES.some((each) => each === name) };
  });
  const evidence = read.map(({ source }) => seen("access policy", source));
  const names = read.map(({ name }) => (isLateText(name) ? "one that Terraform tells" : name)).join(", ");
  if (read.some(({ isKnown, isForeign }) => isKnown && !isForeign))
    return pass(`access policies of the entry: ${names}`, ...evidence);
  return read.every(({ isForeign }) => isForeign)
    ? broken(
        `the access policies of the entry, ${names}, are of another partition than the role`,
        `write arn:${partition ?? "aws"}:eks::aws:cluster-access-policy/…`,
        "The policyArn parameter format is not valid",
        ...evidence,
      )
    : unknown(
        `what the access policies of the entry, ${names}, allow is not known here`,
        `associate one of ${EKS_ACCESS_POLICIES.join(", ")}, or give the entry groups`,
        ...evidence,
      );
}

/** What somebody should know of the policies of an entry. */
export function policyWarnings(
  policies: readonly EntryPolicy[],
  cluster: string,
  impersonates: Source | undefined,
): readonly FleetWarning[] {
  const wide = policies.filter(
    ({ arn }) => arn.slice(arn.lastIndexOf("/") + 1) === "AmazonEKSClusterAdminPolicy",
  );
  const [first] = policies;
  return [
    ...wide.map(({ source }) => ({
      id: "wide-policy",
      reason: `AmazonEKSClusterAdminPolicy lets the controller do everything in EKS cluster ${cluster}`,
      evidence: [seen("access policy", source)],
      remedy: "take a narrower policy, or groups with RBAC",
    })),
    // Access policies are of the IAM principal alone: grant-k8s-access.adoc of the EKS user guide.
    ...(impersonates && first
      ? [
          {
            id: "policy-impersonated",
            reason: `access policies in EKS cluster ${cluster} do not count while the controller acts as somebody else, as it is told to`,
            evidence: [seen("acts as service accounts", impersonates), seen("access policy", first.source)],
            remedy: "give the entry groups, and bind what the controller acts as by RBAC of the spoke",
          },
        ]
      : []),
  ];
}
