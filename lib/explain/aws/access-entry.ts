/*
 * What access entries and access policies of EKS let people and programs do. Source: awsdocs/amazon-eks-user-guide,
 * latest/ug/manage-access/k8s-access (creating-access-entries.adoc, access-policy-reference.adoc).
 */

import { type Known, type Ternary, is, or, orElse, same, shown, withoutPrefix } from "../../model/known";
import { EKS_ACCESS_POLICIES } from "../../rules/aws/spoke";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { FleetWarning } from "../cloud";
import type { Resource } from "../read/block";
import type { Source } from "../read/source";
import { arnFields } from "./place";

/** Beginnings of names that EKS keeps for itself. Source: CreateAccessEntry in the EKS API reference. */
const RESERVED = /^(?:system|eks|aws|amazon|iam):/;

export function groupsOf(entry: Resource): Known<readonly Known<string>[]> {
  return entry.list("kubernetes_groups");
}

/** An entry that EKS refuses to make; `undefined` where nothing speaks against it. */
export function refusedEntry(entry: Resource): Answer | undefined {
  if (entry.adopted) return undefined;
  const user = orElse(entry.text("user_name"), () => "") ?? "";
  const groups = orElse(groupsOf(entry), () => []).map((each) => orElse(each, () => ""));
  const kept = groups.find((each) => each.startsWith("system:")) ?? (RESERVED.test(user) ? user : undefined);
  return kept === undefined
    ? undefined
    : broken(
        `EKS refuses the access entry: ${kept} begins with a word that EKS keeps for itself`,
        "leave user_name to EKS, and take groups of another name; AmazonEKSClusterAdminPolicy is what system:masters is",
        "InvalidParameterException",
        seen("access entry", entry.source),
      );
}

/** Whether entries of the type let someone in by their own rights; the others are for nodes. */
export function isStandard(entry: Resource): Ternary {
  return or(...[undefined, "", "STANDARD"].map((type) => is(entry.text("type"), type)));
}

/** Whether one of the policies gives rights; `undefined` without policies. */
export function judgedPolicies(policies: readonly Resource[], partition: Known<string>): Answer | undefined {
  if (policies.length === 0) return undefined;
  const evidence = policies.map(({ source }) => seen("access policy", source));
  const names = policies.map((each) => shown(nameOf(each))).join(", ");
  return policies.some((each) => counts(each, partition))
    ? pass(`access policies of the entry: ${names}`, ...evidence)
    : unknown(
        `what the access policies of the entry, ${names}, allow is not known here`,
        `associate one of ${EKS_ACCESS_POLICIES.join(", ")} of the role's partition, for the cluster or for namespaces, or give the entry groups`,
        ...evidence,
      );
}

/** True for a policy that is known to give rights, and that EKS takes. */
function counts(policy: Resource, partition: Known<string>): boolean {
  const of = arnFields(policy.stated("policy_arn"))?.[1];
  const [scope] = orElse(policy.blocks("access_scope"), () => []);
  const type = (scope && orElse(scope.text("type"), () => "")) ?? "";
  const namespaces = scope && orElse(scope.list("namespaces"), () => undefined);
  return (
    EKS_ACCESS_POLICIES.some((each) => is(nameOf(policy), each) === "yes") &&
    (of === undefined || same(of, partition) !== "no") &&
    ["", "cluster", "namespace"].includes(type) &&
    !(type === "namespace" && namespaces?.length === 0)
  );
}

/** The name at the end of the ARN of an access policy; the whole where it is none. */
function nameOf(policy: Resource): Known<string> {
  const arn = policy.stated("policy_arn");
  return withoutPrefix(arnFields(arn)?.[5] ?? arn, "cluster-access-policy/");
}

export function policyWarnings(
  policies: readonly Resource[],
  cluster: string,
  impersonates: Source | undefined,
): readonly FleetWarning[] {
  const wide = policies.filter((each) => is(nameOf(each), "AmazonEKSClusterAdminPolicy") === "yes");
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
            reason: `access policies in EKS cluster ${cluster} do not count while the controller acts as others there, as it is configured to`,
            evidence: [seen("acts as service accounts", impersonates), seen("access policy", first.source)],
            remedy: "give the entry groups, and bind what the controller acts as by RBAC of the spoke",
          },
        ]
      : []),
  ];
}

/** True where an entry is replaced together with its role. */
export function isTied(entry: Resource): boolean {
  if (entry.adopted) return true;
  const [lifecycle] = orElse(entry.blocks("lifecycle"), () => []);
  const triggers = lifecycle?.list("replace_triggered_by");
  return triggers !== undefined && orElse(triggers, () => undefined)?.length !== 0;
}
