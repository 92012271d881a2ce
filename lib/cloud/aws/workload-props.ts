import type { Construct } from "constructs";
import { fail } from "../../errors";
import { type ObjectKind, anyObject, list, object, optional, text } from "../../model/shape";
import { ACCESS, type IAccess } from "../../model/workloads";
import type { PolicyStatement } from "../../rules/aws/policy-document";
import type { AccessPermissions } from "../../rules/aws/workload";
import {
  type PodIdentity,
  type PodIdentityCluster,
  POD_IDENTITY,
  type WorkloadPodIdentity,
  WORKLOAD_POD_IDENTITY,
} from "./pod-identity";
import {
  type AccountRolesProps,
  ACCOUNT_ROLES_PROPS,
  type TrustingRoleProps,
  TRUSTING_ROLE_PROPS,
} from "./role-props";

/** What exists of a {@link WorkloadRole}, besides the role itself; what is not named is created. */
export interface WorkloadRoleAdoption {
  /**
   * Name of the inline policy, which it keeps.
   *
   * @defaultValue - the inline policy is created, with the name `access`
   */
  readonly policyName?: string;
  /**
   * ARNs of the managed policies that are attached already.
   *
   * @defaultValue - all managed policies are attached
   */
  readonly managedPolicyArns?: readonly string[];
}

const WORKLOAD_ROLE_ADOPTION: ObjectKind<WorkloadRoleAdoption> = object({
  policyName: optional(text),
  managedPolicyArns: optional(list(text)),
});

/** Settings of a {@link WorkloadRole}. */
export interface WorkloadRoleProps extends TrustingRoleProps {
  /** Permissions of its own policies; empty for a role that only gets access elsewhere, as in an EKS cluster. */
  readonly access: readonly AwsAccess[];
  /**
   * Service accounts of EKS clusters that get the role by EKS Pod Identity; `trusts` may then be empty. Needs `account`
   * and `region` of the clusters.
   *
   * @defaultValue - none
   */
  readonly podIdentities?: readonly PodIdentity[];
  /**
   * Any region of the partition, because IAM has none; with `podIdentities` the region of the clusters.
   *
   * @defaultValue - the partition of a literal OIDC provider's ARN; otherwise the ARN is known after apply
   */
  readonly region?: string;
  /**
   * States that the role exists, and what exists of it: import blocks take it over. Needs `roleName`.
   *
   * @defaultValue - the role is created
   */
  readonly adopt?: WorkloadRoleAdoption;
}

export const WORKLOAD_ROLE_PROPS: ObjectKind<WorkloadRoleProps> = object({
  ...TRUSTING_ROLE_PROPS.shape,
  access: list(ACCESS),
  podIdentities: optional(list(POD_IDENTITY)),
  region: optional(text),
  adopt: optional(WORKLOAD_ROLE_ADOPTION),
});

/** Properties of {@link workloadRoles}; the names of the roles end with `_access`. */
export interface WorkloadRolesProps extends AccountRolesProps {
  /**
   * The EKS cluster, its name in EKS, or an object with more settings: pods get credentials by EKS Pod Identity, with
   * an association per service account instead of annotations and an OIDC provider. Needs `account` and `region` of the
   * cluster, and the add-on `eks-pod-identity-agent` on its nodes; pods on Fargate and on Windows get no credentials.
   *
   * @defaultValue - IAM roles for service accounts (IRSA)
   */
  readonly podIdentity?: PodIdentityCluster | WorkloadPodIdentity;
}

export const WORKLOAD_ROLES_PROPS: ObjectKind<WorkloadRolesProps> = object({
  ...ACCOUNT_ROLES_PROPS.shape,
  podIdentity: optional(WORKLOAD_POD_IDENTITY),
});

/** What a service account may do in AWS, returned by `awsAccess()`. */
export interface AwsAccess extends IAccess<Construct>, AccessPermissions {}

/** Settings of {@link awsAccess}. */
export interface AwsAccessProps {
  /**
   * Statements of the role's inline policy; those of a role have at most 10,240 characters in total.
   *
   * @defaultValue - none; then `managedPolicyArns` must permit something
   */
  readonly statements?: readonly PolicyStatement[];
  /**
   * ARNs of managed policies, of the account or of AWS; may be late.
   *
   * @defaultValue - none
   */
  readonly managedPolicyArns?: readonly string[];
  /**
   * Why a statement permits every action, or every action of a service, on every resource, or why an administrator
   * policy of AWS is attached; becomes part of the role's description.
   *
   * @defaultValue - such a statement is refused
   */
  readonly wideReason?: string;
}

export const AWS_ACCESS_PROPS: ObjectKind<AwsAccessProps> = object({
  statements: optional(list(anyObject)),
  managedPolicyArns: optional(list(text)),
  wideReason: optional(text),
});

/** Refuses what would import nothing, or another role than the one meant. */
export function checkAdoption(
  { policyName, managedPolicyArns = [] }: WorkloadRoleAdoption,
  name: string | undefined,
  hasPolicy: boolean,
  attached: readonly string[],
): void {
  if (name === undefined)
    fail("aws-missing", {
      problem: "the IAM role to adopt has no name",
      remedy: "state its name as `roleName`",
    });
  const inline = policyName === undefined || hasPolicy ? [] : [policyName];
  const [unused] = [...inline, ...managedPolicyArns.filter((arn) => !attached.includes(arn))];
  if (unused !== undefined)
    fail("aws-unused", {
      problem: "`adopt` names a policy that `access` does not have, so nothing would be imported",
      value: unused,
      allowed: `the name of the inline policy if there are statements; ${attached.join(", ") || "no managed policy"}`,
      remedy: "add its permissions to `access`, or remove it from `adopt`",
    });
}
