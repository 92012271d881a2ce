import type { IamRoleConfig } from "@cdktf/provider-aws/lib/iam-role/index.js";
import type { IamRolePolicyConfig } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import { type ITerraformDependable, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { isLate } from "../../model/late";
import { Subject } from "../../model/subject";
import { type OidcProviderArn, accountId, parseOidcProviderArn, roleArn } from "../../rules/aws/arn";
import { policyText, terraformText } from "../../rules/aws/policy-text";
import { defaultAwsAudience } from "../../rules/aws/pull-annotation";
import { pullPermissions } from "../../rules/aws/pull-permissions";
import { partitionOfGrants, pullRoleDescription, trustSizeWarning } from "../../rules/aws/pull-role";
import { derivedRoleName, roleName, rolePath } from "../../rules/aws/role-name";
import { type AwsFederatedTrust, subjectPattern, trustPolicy } from "../../rules/aws/trust-policy";
import { ecrSource } from "./ecr-source";
import { declaredOnce, onceKey } from "./once-per-stack";
import type { PullRoleProps, PullRoleTrust } from "./pull-role-props";

/** A pull role, checked and computed, not yet declared. */
export interface PullRoleSettings {
  /** Arguments of the role. */
  readonly role: IamRoleConfig;
  /** Arguments of its inline policy, without the role. */
  readonly policy: Omit<IamRolePolicyConfig, "role">;
  /** Name of the role. */
  readonly roleName: string;
  /** ARN of the role; `undefined` where only Terraform knows it. */
  readonly arn: string | undefined;
  /** What must exist before the role, where the trust holds no reference to it. */
  readonly dependencies: readonly ITerraformDependable[];
  /** What the role is known by in its stack. */
  readonly key: string;
  /** Text of a warning; `undefined` where there is none. */
  readonly warning: string | undefined;
}

const POLICY_NAME = "image-pulls";

/** Checks everything before anything is declared. */
export function pullRoleSettings(construct: Construct, props: PullRoleProps): PullRoleSettings {
  const grants = props.sources.map((source) => ecrSource(source).grant);
  const partition = partitionOfGrants(grants).name;
  const account = props.account === undefined ? undefined : accountId(props.account);
  const trusts = props.trusts.map((trust) => federatedTrust(trust, partition, account));
  const wildcards = props.trusts.flatMap((trust) => trust.wildcards ?? []);
  const name = props.roleName === undefined ? defaultName(construct) : roleName(props.roleName);
  const path = rolePath(props.path ?? "/");
  const description = pullRoleDescription(props.description, trusts, wildcards);
  const trustDocument = trustPolicy(trusts);
  const key = onceKey(props.provider, "role", name);
  const known = declaredOnce(construct, key);
  if (known) fail("name-taken", "name of an IAM role", name, known.node.path);
  return {
    roleName: name,
    arn: account === undefined ? undefined : roleArn({ partition, account, path, name }),
    key,
    dependencies: trusted(props),
    warning: trustSizeWarning(trusts, trustDocument),
    role: {
      name,
      assumeRolePolicy: policyText(trustDocument),
      description: terraformText(description),
      ...(path === "/" ? {} : { path }),
      ...(props.permissionsBoundary === undefined ? {} : { permissionsBoundary: props.permissionsBoundary }),
      ...(props.tags ? { tags: { ...props.tags } } : {}),
      ...(props.provider ? { provider: props.provider } : {}),
    },
    policy: {
      name: POLICY_NAME,
      policy: policyText(pullPermissions(grants)),
      ...(props.provider ? { provider: props.provider } : {}),
    },
  };
}

function federatedTrust(
  trust: PullRoleTrust,
  partition: string,
  account: string | undefined,
): AwsFederatedTrust {
  const { arn, issuer, conditionPrefix } = trust.oidcProvider;
  if (!isLate(arn)) requireSameAccount(parseOidcProviderArn(arn), partition, account);
  return {
    issuer,
    oidcProviderArn: arn,
    conditionPrefix,
    audience: validateAudience(trust.audience ?? defaultAwsAudience),
    subjects: (trust.serviceAccounts ?? []).map((account) => Subject.of(account)),
    subjectPatterns: (trust.wildcards ?? []).map(({ pattern }) => subjectPattern(pattern)),
  };
}

/** STS looks the OIDC provider up in the role's own account, so one of another account is never found. */
function requireSameAccount(oidc: OidcProviderArn, partition: string, account: string | undefined): void {
  if (oidc.partition !== partition)
    fail("aws-partition-mismatch", "the OIDC provider", oidc.partition, partition);
  if (account !== undefined && oidc.account !== account)
    fail("aws-oidc-account-mismatch", oidc.account, account);
}

/** A literal ARN in the trust is no reference, so Terraform is told the order; a late one is a reference already. */
function trusted({ trusts }: PullRoleProps): ITerraformDependable[] {
  const literalOnes = trusts.filter(({ oidcProvider }) => !isLate(oidcProvider.arn));
  return [...new Set(literalOnes.flatMap(({ oidcProvider }) => oidcProvider.dependencies))];
}

function defaultName(construct: Construct): string {
  const stack = TerraformStack.of(construct);
  const path = construct.node.scopes.slice(stack.node.scopes.length).map(({ node }) => node.id);
  return derivedRoleName([stack.node.id, ...path]);
}
