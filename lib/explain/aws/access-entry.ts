/*
 * What access entries and access policies of EKS let people and programs do. Source: awsdocs/amazon-eks-user-guide,
 * latest/ug/manage-access/k8s-access (creating-access-entries.adoc, access-policy-reference.adoc).
 */

import { type Known, type Ternary, is, map, or, orElse, same, shown } from "../../model/known";
import { EKS_ACCESS_POLICIES } from "../../rules/aws/eks-access-policies";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { FleetWarning } from "../cloud";
import type { Resource } from "../read/block";
import type { Source } from "../read/source";
import { arnFields } from "./place";

/** Beginnings of names that EKS keeps for itself. Source: CreateAccessEntry in the EKS API reference. */
const RESERVED = /^(?:system|eks|aws|amazon|iam):/;
const SCOPES: readonly string[] = ["cluster", "namespace"];
const POLICY = "cluster-access-policy/";

/** The groups of an entry; none where it states none. */
export function groupsOf(entry: Resource): Known<readonly Known<string>[]> {
  return entry.list("kubernetes_groups");
}

/** An entry that EKS refuses to make; `undefined` where nothing speaks against it. */
export function refusedEntry(entry: Resource): Answer | undefined {
  if (entry.adopted) return undefined;
  const user = orElse(entry.text("user_name"), () => "") ?? "";
  const groups = orElse(groupsOf(entry), () => []).map((each) => orElse(each, () => ""));
  const group = groups.find((each) => each.startsWith("system:"));
  if (group === undefined && !RESERVED.test(user)) return undefined;
  return broken(
    `EKS refuses the access entry: its ${group === undefined ? `user ${user}` : `group ${group}`} begins with a word that EKS keeps for itself`,
    group === undefined
      ? "leave user_name to EKS"
      : "take groups of another name, and bind them by RBAC of the spoke; AmazonEKSClusterAdminPolicy is what system:masters is",
    "InvalidParameterException",
    seen("access entry", entry.source),
  );
}

/** Whether entries of the type let someone in by rights of their own; the others are for nodes. */
export function isStandard(entry: Resource): Ternary {
  return or(...[undefined, "", "STANDARD"].map((type) => is(entry.text("type"), type)));
}

/** Why EKS refuses an association; `undefined` where it does not. */
function problemOf(association: Resource): string | undefined {
  const [scope] = orElse(association.blocks("access_scope"), () => []);
  const type = (scope && orElse(scope.text("type"), () => "")) ?? "";
  if (type !== "" && !SCOPES.includes(type)) return `EKS knows no access scope of type ${type}`;
  const names = scope && orElse(scope.list("namespaces"), () => undefined);
  return type === "namespace" && names?.length === 0 ? "its access scope names no namespace" : undefined;
}

/** Whether one of the policies gives rights; `undefined` without policies. */
export function judgedPolicies(policies: readonly Resource[], partition: Known<string>): Answer | undefined {
  const problems = policies.map(problemOf);
  const taken = policies.filter((_, place) => problems[place] === undefined);
  if (taken.length > 0 || policies.length === 0) return taken[0] && takenPolicies(taken, partition);
  return broken(
    `EKS refuses the access policy of the entry: ${problems[0] ?? ""}`,
    "give the scope the type cluster, or the type namespace with namespaces",
    "InvalidParameterException",
    ...policies.map(({ source }) => seen("access policy", source)),
  );
}

/** The name at the end of the ARN of an access policy; the whole where it is none. */
function nameOf(policy: Resource): Known<string> {
  const arn = policy.stated("policy_arn");
  return map(arnFields(arn)?.[5] ?? arn, (end) => (end.startsWith(POLICY) ? end.slice(POLICY.length) : end));
}

function takenPolicies(policies: readonly Resource[], partition: Known<string>): Answer {
  const read = policies.map((each) => {
    const of = arnFields(each.stated("policy_arn"))?.[1];
    return { name: nameOf(each), isForeign: of !== undefined && same(of, partition) === "no" };
  });
  const evidence = policies.map(({ source }) => seen("access policy", source));
  const names = read.map(({ name }) => shown(name)).join(", ");
  const isOne = ({ name }: { readonly name: Known<string> }): boolean =>
    EKS_ACCESS_POLICIES.some((each) => is(name, each) === "yes");
  if (read.some((each) => isOne(each) && !each.isForeign))
    return pass(`access policies of the entry: ${names}`, ...evidence);
  return read.every(({ isForeign }) => isForeign)
    ? broken(
        `the access policies of the entry, ${names}, are of another partition than the role`,
        `write arn:${orElse(partition, () => "aws")}:eks::aws:cluster-access-policy/…`,
        "The policyArn parameter format is not valid",
        ...evidence,
      )
    : unknown(
        `what the access policies of the entry, ${names}, allow is not known here`,
        `associate one of ${EKS_ACCESS_POLICIES.join(", ")}, or give the entry groups`,
        ...evidence,
      );
}

/** What people should know of the policies of an entry. */
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
