/*
 * What an access entry of an EKS cluster can allow. Sources: awsdocs/amazon-eks-user-guide,
 * latest/ug/manage-access/k8s-access; the EKS API reference.
 */

import { checkedText } from "../names";
import { type Problem, fail } from "../../errors";
import { namespaceName } from "../../model/kubernetes-name";
import { literal } from "../../model/late";
import {
  type Kind,
  type ObjectKind,
  checkGiven,
  choice,
  list,
  object,
  optional,
  text,
} from "../../model/shape";

/** EKS access policies for people and programs; all others are for nodes and AWS services. */
export type EksAccessPolicyName =
  | "AmazonEKSAdminPolicy"
  | "AmazonEKSAdminViewPolicy"
  | "AmazonEKSClusterAdminPolicy"
  | "AmazonEKSEditPolicy"
  | "AmazonEKSViewPolicy";

/** The names of access policies for people and programs, sorted. */
export const EKS_ACCESS_POLICIES: readonly EksAccessPolicyName[] = [
  "AmazonEKSAdminPolicy",
  "AmazonEKSAdminViewPolicy",
  "AmazonEKSClusterAdminPolicy",
  "AmazonEKSEditPolicy",
  "AmazonEKSViewPolicy",
];

/** An access policy, and where it applies. */
export interface EksPolicyGrant {
  /** Name of the access policy. */
  readonly policy: EksAccessPolicyName;
  /**
   * Namespaces in which it applies, by exact name: EKS supports wildcards, this library does not.
   *
   * @defaultValue - the whole cluster
   */
  readonly namespaces?: readonly string[];
}

export const EKS_POLICY_GRANT: ObjectKind<EksPolicyGrant> = object({
  policy: choice(EKS_ACCESS_POLICIES),
  namespaces: optional(list(text)),
});

/** What an access entry allows. */
export interface EksAccess {
  readonly accessPolicies: readonly EksPolicyGrant[];
  readonly kubernetesGroups: readonly string[];
}

/** How an EKS cluster authenticates principals. */
export type EksAuthenticationMode = "API" | "API_AND_CONFIG_MAP" | "CONFIG_MAP";

/** All modes of a cluster, usable or not. */
export const EKS_AUTHENTICATION_MODES: readonly EksAuthenticationMode[] = [
  "API",
  "API_AND_CONFIG_MAP",
  "CONFIG_MAP",
];
const MODE: Kind<string> = choice<string>(EKS_AUTHENTICATION_MODES);
const CLUSTER_NAME = /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/;
const GROUP_MAX = 253;

/**
 * Checks what an access entry allows; returns policies, namespaces and groups sorted, without duplicates.
 */
export function eksAccess({ accessPolicies, kubernetesGroups }: EksAccess): EksAccess {
  if (accessPolicies.length + kubernetesGroups.length === 0)
    return fail("aws-missing", {
      problem: "access entries of the EKS cluster would admit the controllers but allow them nothing",
      allowed: "at least one entry in `accessPolicies` or `kubernetesGroups`",
      remedy:
        "name an access policy, for example AmazonEKSEditPolicy for certain namespaces, or a group to which RBAC on the cluster grants permissions",
    });
  const known = new Map<string, EksPolicyGrant>();
  for (const grant of accessPolicies) {
    if (known.has(grant.policy))
      fail("aws-conflict", {
        problem: "the access policy is stated twice, but EKS associates it with an access entry only once",
        value: grant.policy,
        allowed: "each access policy once, for the whole cluster or for a list of namespaces",
        remedy: "put the namespaces of both into one list",
      });
    known.set(grant.policy, policyGrant(grant));
  }
  for (const group of kubernetesGroups) checkGroup(group);
  return {
    accessPolicies: [...known.values()].sort((a, b) => (a.policy < b.policy ? -1 : 1)),
    kubernetesGroups: [...new Set(kubernetesGroups)].sort(),
  };
}

/** ARN of an access policy: `arn:<partition>:eks::aws:cluster-access-policy/<name>`. */
export function accessPolicyArn(partition: string, policy: EksAccessPolicyName): string {
  return `arn:${partition}:eks::aws:cluster-access-policy/${policy}`;
}

export function eksClusterName(name: unknown): string {
  return checkedText("aws-invalid", name, {
    what: "name of the EKS cluster",
    problem: "the name of the EKS cluster is missing, or not one that EKS accepts",
    pattern: CLUSTER_NAME,
    allowed: "1 to 100 letters, digits, - and _, beginning with a letter or digit, known at synth",
    remedy: "use the name that `aws eks list-clusters` prints",
  });
}

export function requireAccessEntries(cluster: string, mode: string): void {
  checkGiven(`EKS cluster ${cluster}`, MODE, mode, "authenticationMode");
  if (mode === "CONFIG_MAP") fail("aws-unsupported", withoutAccessEntries(cluster, mode));
}

/** The problem of a cluster that knows principals only from its ConfigMap. */
export function withoutAccessEntries(cluster: string, mode: string): Problem {
  return {
    problem: `the EKS cluster ${cluster} does not support access entries`,
    value: mode,
    allowed: "API, API_AND_CONFIG_MAP",
    remedy: "set access_config.authentication_mode of the cluster",
  };
}

function policyGrant({ policy, namespaces }: EksPolicyGrant): EksPolicyGrant {
  if (namespaces === undefined) return { policy };
  if (namespaces.length === 0)
    return fail("aws-missing", {
      problem: "the access policy is limited to an empty list of namespaces",
      value: policy,
      allowed: "at least one namespace; without `namespaces` the policy applies in the whole cluster",
      remedy: "name the namespaces, or remove the access policy",
    });
  return { policy, namespaces: [...new Set(namespaces.map(namespaceName))].sort() };
}

function checkGroup(group: string): void {
  literal(group, "Kubernetes group of the access entry");
  const usable =
    typeof group === "string" &&
    group.trim() === group &&
    group !== "" &&
    group.length <= GROUP_MAX &&
    !group.startsWith("system:");
  if (!usable)
    fail("aws-invalid", {
      problem: "the Kubernetes group is not one that an access entry can have",
      value: group,
      allowed: "1 to 253 characters, not beginning with system:",
      remedy: "use your own group, for example fleet-controllers, and bind it on the cluster",
    });
}
