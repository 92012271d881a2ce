/*
 * The permissions of a workload's role, and what its pods need. Sources: "IAM and AWS STS quotas" in the IAM user guide;
 * aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go, which OpenShift runs with the prefix `eks.amazonaws.com`.
 */

import { noArn } from "./arn";
import { otherPartition } from "./partitions";
import { fail } from "../../errors";
import { Duration } from "../../model/duration";
import type { AccessRights, PodFragment } from "../../model/workloads";
import { roleDescription } from "./names";
import { MANAGED_BY_AWS, managedPolicyArn } from "./role";
import {
  isTextList,
  identityStatements,
  requireSidsOnce,
  isWide,
  isWideManagedPolicy,
  tooWide,
} from "./statement";
import { defaultAwsAudience } from "./pull";
import {
  type PolicyDocument,
  type PolicyStatement,
  checkedPolicy,
  policyDocument,
  statementEntries,
} from "./policy-document";

export interface AccessPermissions {
  readonly statements: readonly PolicyStatement[];
  readonly managedPolicyArns: readonly string[];
  /** Why a statement may give access to everything; `undefined` if none does. */
  readonly wideReason: string | undefined;
}

const PREFIX = "eks.amazonaws.com/";
const MANAGED_MAX = 25;
const MANAGED_DEFAULT = 10;
const SHORTEN =
  "move statements into a managed policy of your own (`managedPolicyArns`), or combine resources with a pattern";

export function accessPermissions(permissions: AccessPermissions): AccessPermissions {
  const { statements, managedPolicyArns, wideReason } = permissions;
  identityStatements(statements, "statements");
  if (!Array.isArray(managedPolicyArns) || (managedPolicyArns.length > 0 && !isTextList(managedPolicyArns)))
    fail("aws-invalid", noArn("the managed policy", managedPolicyArns, "a list of ARNs"));
  if (statements.length === 0 && managedPolicyArns.length === 0)
    fail("aws-missing", {
      problem: "awsAccess() permits nothing",
      allowed: "at least one entry in `statements` or `managedPolicyArns`",
      remedy: "state what the service account may do",
    });
  const wide = statements.find(isWide) ?? managedPolicyArns.find(isWideManagedPolicy);
  if (wide && wideReason === undefined) fail("aws-unsafe", tooWide(wide));
  if (wideReason !== undefined) roleDescription(wideReason, "wideReason");
  for (const arn of managedPolicyArns) managedPolicyArn(arn, "the managed policy");
  accessPolicy([permissions]);
  return permissions;
}

/** The permissions in the form of a CredentialsRequest: an entry for each resource, and the managed policies. */
export function accessRights({ statements, managedPolicyArns }: AccessPermissions): AccessRights {
  return {
    ...(statements.length > 0 && { statementEntries: statementEntries(statements) }),
    ...(managedPolicyArns.length > 0 && { managedPolicyArns }),
  };
}

export function accessPolicy(
  permissions: readonly Pick<AccessPermissions, "statements">[],
): PolicyDocument | undefined {
  const statements = permissions.flatMap((one) => one.statements);
  if (statements.length === 0) return undefined;
  requireSidsOnce(statements);
  return checkedPolicy("permission policy of the IAM role", policyDocument(statements), SHORTEN);
}

/** The managed policies of a role, without duplicates; checks partition and account as far as they are known. */
export function managedPolicies(
  permissions: readonly AccessPermissions[],
  partition: string | undefined,
  account: string | undefined,
): readonly string[] {
  const arns = [...new Set(permissions.flatMap(({ managedPolicyArns }) => managedPolicyArns))].sort();
  for (const arn of arns) {
    const its = managedPolicyArn(arn, "the managed policy");
    if (its && partition !== undefined && its.partition !== partition)
      fail("aws-mismatch", otherPartition("a managed policy", its.partition, partition));
    if (its && account !== undefined && ![account, MANAGED_BY_AWS].includes(its.account))
      fail("aws-mismatch", {
        problem: "the managed policy belongs to another account than the IAM role",
        value: arn,
        allowed: `a policy of account ${account}, or one that AWS manages`,
        remedy: "declare the policy in the role's account, or use `statements`",
      });
  }
  return arns.length > MANAGED_MAX
    ? fail("aws-limit", {
        problem: "the IAM role has too many managed policies",
        value: arns.length,
        allowed: `${MANAGED_MAX}, the greatest value of the IAM quota (default ${MANAGED_DEFAULT})`,
        remedy: "move permissions into `statements`",
      })
    : arns;
}

export function managedPoliciesWarnings(arns: readonly string[]): readonly string[] {
  return arns.length <= MANAGED_DEFAULT
    ? []
    : [
        `${arns.length} managed policies, over the default of ${MANAGED_DEFAULT} per IAM role: ask AWS to raise quota ` +
          `L-0DA4ABF3 (managed policies per role, at most ${MANAGED_MAX}), or put permissions into \`statements\``,
      ];
}

export function accessAnnotations(roleArn: string, audience: string): Readonly<Record<string, string>> {
  return {
    [`${PREFIX}role-arn`]: roleArn,
    ...(audience === defaultAwsAudience ? {} : { [`${PREFIX}audience`]: audience }),
  };
}

interface PodTokenProps {
  /** ARN of the role; may be late. */
  readonly roleArn: string;
  readonly audience: string;
  /**
   * Region of the STS endpoint.
   *
   * @defaultValue - the container's own setting
   */
  readonly region?: string;
}

// Different from the webhook's own names, so that both volumes fit in a pod if the webhook runs after all.
const VOLUME = "aws-token";
const DIRECTORY = "/var/run/secrets/workload-identity/aws";
const FILE = "token";
const LIFETIME = Duration.hours(1);

/** Variables, mount and volume with which SDKs and plugins present the service account's token to STS. */
export function podToken({ roleArn, audience, region }: PodTokenProps): PodFragment {
  const token = { audience, expirationSeconds: LIFETIME.totalSeconds, path: FILE };
  return {
    labels: {},
    env: [
      { name: "AWS_ROLE_ARN", value: roleArn },
      { name: "AWS_WEB_IDENTITY_TOKEN_FILE", value: `${DIRECTORY}/${FILE}` },
      { name: "AWS_STS_REGIONAL_ENDPOINTS", value: "regional" },
      ...(region === undefined ? [] : [{ name: "AWS_REGION", value: region }]),
    ],
    volumeMounts: [{ name: VOLUME, mountPath: DIRECTORY, readOnly: true }],
    volumes: [{ name: VOLUME, projected: { sources: [{ serviceAccountToken: token }] } }],
  };
}
