/*
 * What access entries and access policies of EKS let people and programs do. Source: awsdocs/amazon-eks-user-guide,
 * latest/ug/manage-access/k8s-access (creating-access-entries.adoc, access-policy-reference.adoc).
 */

import {
  type Known,
  type Ternary,
  is,
  anyOf,
  map,
  orElse,
  same,
  shown,
  withoutPrefix,
} from "../../model/known";
import { powerOfAccessPolicy } from "../../rules/aws/powers";
import { EKS_ACCESS_POLICIES } from "../../rules/aws/spoke";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { Granted } from "../cloud";
import type { FleetWarning } from "../result";
import type { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { shownEach } from "../shared/not-read";
import { arnFields } from "./place";

/** Beginnings of names that EKS keeps for itself. Source: CreateAccessEntry in the EKS API reference. */
const RESERVED = /^(?:system|eks|aws|amazon|iam):/;

/** Why EKS refuses to create an access entry; `undefined` if no reason is known. */
export function refusedEntry(entry: Resource): Answer | undefined {
  if (entry.adopted) return undefined;
  const user = orElse(entry.text("user_name"), () => "") ?? "";
  const groups = orElse(entry.list("kubernetes_groups"), () => []).map((each) => orElse(each, () => ""));
  const kept = groups.find((each) => each.startsWith("system:")) ?? (RESERVED.test(user) ? user : undefined);
  return kept === undefined
    ? undefined
    : broken(
        `EKS refuses the access entry: ${kept} begins with a prefix that EKS reserves`,
        "let EKS set user_name, and rename the group; AmazonEKSClusterAdminPolicy gives the rights of system:masters",
        "InvalidParameterException",
        seen("access entry", entry.source),
      );
}

/** Whether the entry admits a principal with the rights of the entry; other types of entries are for nodes. */
export function isStandard(entry: Resource): Ternary {
  return anyOf([undefined, "", "STANDARD"].map((type) => is(entry.text("type"), type)));
}

/** Whether at least one of the access policies grants rights; `undefined` without access policies. */
export function judgedPolicies(policies: readonly Resource[], partition: Known<string>): Answer | undefined {
  if (policies.length === 0) return undefined;
  const evidence = policies.map(({ source }) => seen("access policy", source));
  const names = policies.map((each) => shown(nameOf(each))).join(", ");
  return policies.some((each) => counts(each, partition))
    ? pass(`access policies of the entry: ${names}`, evidence)
    : unknown(
        `what the entry's access policies (${names}) allow is not known here`,
        `associate one of ${EKS_ACCESS_POLICIES.join(", ")} in the role's partition, scoped to the cluster or to namespaces, or give the entry groups`,
        evidence,
      );
}

/** True for a policy that is known to grant rights and that EKS accepts. */
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

/** The name at the end of an access policy's ARN; the whole text if it is not an ARN. */
function nameOf(policy: Resource): Known<string> {
  const arn = policy.stated("policy_arn");
  return withoutPrefix(arnFields(arn)?.[5] ?? arn, "cluster-access-policy/");
}

/** What access policies let principals do in clusters, and as whom access entries let them in. */
export function grantedAccess(
  terraform: Terraform,
  isDeclared: (principal: Known<string>) => boolean,
): readonly Granted[] {
  const entries = terraform.ofType("aws_eks_access_entry").filter(({ adopted }) => !adopted);
  const asWhom = entries.map((entry): Granted => {
    const [user, type] = ["user_name", "type"].map((name) => orElse(entry.text(name), () => undefined));
    const names = [
      ...shownEach(entry.list("kubernetes_groups")).map((group) => `group ${group}`),
      ...(user ? [`user ${user}`] : []),
      ...(type && type !== "STANDARD" ? [`a node of type ${type}`] : []),
    ];
    const where = `in EKS cluster ${shown(entry.stated("cluster_name"))}`;
    const rights = names.map((name) => ({ text: `${name} ${where}`, source: entry.source }));
    return { to: shown(entry.stated("principal_arn")), isHeld: false, isOwn: true, rights: () => rights };
  });
  const policies = terraform.ofType("aws_eks_access_policy_association").map((association): Granted => {
    const principal = association.stated("principal_arn");
    const scopes = orElse(association.blocks("access_scope"), () => []);
    const namespaces = scopes.map((scope) =>
      shown(map(scope.list("namespaces"), (all) => all.map(shown).sort().join(", "))),
    );
    const within = namespaces.filter(Boolean).map((names) => ` in the namespaces ${names}`);
    const text = `${shown(nameOf(association))} in EKS cluster ${shown(association.stated("cluster_name"))}${within.join("")}`;
    const right = { text, power: powerOfAccessPolicy(text), source: association.source };
    return { to: shown(principal), isHeld: false, isOwn: isDeclared(principal), rights: () => [right] };
  });
  return [...asWhom, ...policies];
}

export function policyWarnings(
  policies: readonly Resource[],
  cluster: string,
  impersonates: Source | undefined,
): readonly FleetWarning[] {
  const wide = policies.filter((each) => is(nameOf(each), "AmazonEKSClusterAdminPolicy") === "yes");
  const warnings = wide.map(({ source }): FleetWarning => ({
    id: "wide-policy",
    reason: `AmazonEKSClusterAdminPolicy lets the controller do everything in EKS cluster ${cluster}`,
    evidence: [seen("access policy", source)],
    remedy: "use a narrower access policy, or groups that RBAC binds",
  }));
  const [first] = policies;
  // Access policies apply to the IAM principal alone: grant-k8s-access.adoc of the EKS user guide.
  if (impersonates && first)
    warnings.push({
      id: "policy-impersonated",
      reason: `access policies in EKS cluster ${cluster} have no effect on the controller, which is configured to impersonate others there`,
      evidence: [seen("acts as service accounts", impersonates), seen("access policy", first.source)],
      remedy: "give the entry groups, and bind the impersonated users by RBAC of the spoke",
    });
  return warnings;
}

/** True where an entry is replaced together with its role. */
export function isTied(entry: Resource): boolean {
  if (entry.adopted) return true;
  const [lifecycle] = orElse(entry.blocks("lifecycle"), () => []);
  const triggers = lifecycle?.list("replace_triggered_by");
  return triggers !== undefined && orElse(triggers, () => undefined)?.length !== 0;
}
