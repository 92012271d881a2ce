import type { IamRoleConfig } from "@cdktf/provider-aws/lib/iam-role/index.js";
import type { IamRolePolicyConfig } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import { type ITerraformDependable, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { isLate } from "../../model/late";
import { Subject } from "../../model/subject";
import { type OidcProviderArn, parseOidcProviderArn } from "../../rules/aws/arn";
import { requireAudience } from "../../rules/aws/oidc-provider";
import { permissionsBoundary } from "../../rules/aws/permissions-boundary";
import { policyText, terraformText } from "../../rules/aws/policy-text";
import { defaultAwsAudience } from "../../rules/aws/pull-annotation";
import { pullPermissions } from "../../rules/aws/pull-permissions";
import {
  accountOfRole,
  expectedRoleArn,
  partitionOfGrants,
  pullRoleDescription,
  trustSizeWarning,
} from "../../rules/aws/pull-role";
import { derivedRoleName, roleName, rolePath } from "../../rules/aws/role-name";
import { type AwsFederatedTrust, subjectPattern, trustPolicy } from "../../rules/aws/trust-policy";
import { type EcrSource, ecrSource } from "./ecr-source";
import { checkOwnerPolicies } from "./owner-policies";
import type { PullRoleProps, PullRoleTrust } from "./pull-role-props";
import { type RoleIdentity, refuseTakenName } from "./taken-role-names";

/** A pull role, checked and computed, not yet declared. */
export interface PullRoleSettings {
  /** Arguments of the role. */
  readonly role: IamRoleConfig;
  /** Arguments of its inline policy, without the role. */
  readonly policy: Omit<IamRolePolicyConfig, "role">;
  /** Its name, and where it is one. */
  readonly identity: RoleIdentity;
  /** ARN of the role; of the right length only where the account is not known. */
  readonly expectedArn: string;
  /** What it pulls from. */
  readonly sources: readonly EcrSource[];
  /** What must exist before the role, where the trust holds no reference to it. */
  readonly dependencies: readonly ITerraformDependable[];
  /** Text of a warning; `undefined` where there is none. */
  readonly warning: string | undefined;
}

const POLICY_NAME = "image-pulls";

/** Checks everything before anything is declared. */
export function pullRoleSettings(construct: Construct, props: PullRoleProps): PullRoleSettings {
  const { provider } = props;
  const sources = props.sources.map(ecrSource);
  const grants = sources.map(({ grant }) => grant);
  const partition = partitionOfGrants(grants).name;
  const account = accountOfRole(
    props.account,
    props.trusts.map(({ oidcProvider }) => oidcProvider.arn),
  );
  const trusts = props.trusts.map((trust) => federatedTrust(trust, partition, account));
  const trustDocument = trustPolicy(trusts);
  const name = props.roleName === undefined ? defaultName(construct) : roleName(props.roleName);
  const identity: RoleIdentity = { name, partition, account, provider };
  const expectedArn = expectedRoleArn(partition, account, rolePath(props.path ?? "/"), name);
  const settings: PullRoleSettings = {
    identity,
    expectedArn,
    sources,
    dependencies: trusted(props),
    warning: trustSizeWarning(trusts, trustDocument),
    role: {
      name,
      assumeRolePolicy: policyText(trustDocument),
      ...roleArguments(props, identity, trusts),
    },
    policy: {
      name: POLICY_NAME,
      policy: policyText(pullPermissions(grants)),
      ...(provider ? { provider } : {}),
    },
  };
  refuseTakenName(construct, identity);
  checkOwnerPolicies(construct, [{ arn: expectedArn, sources }], identity);
  return settings;
}

function roleArguments(
  props: PullRoleProps,
  { partition, account }: RoleIdentity,
  trusts: readonly AwsFederatedTrust[],
): Omit<IamRoleConfig, "assumeRolePolicy"> {
  const { path, permissionsBoundary: boundary, tags, provider } = props;
  const wildcards = props.trusts.flatMap((trust) => trust.wildcards ?? []);
  return {
    description: terraformText(pullRoleDescription(props.description, trusts, wildcards)),
    ...(path === undefined || path === "/" ? {} : { path }),
    ...(boundary === undefined
      ? {}
      : { permissionsBoundary: permissionsBoundary(boundary, partition, account) }),
    ...(tags ? { tags: { ...tags } } : {}),
    ...(provider ? { provider } : {}),
  };
}

function federatedTrust(
  trust: PullRoleTrust,
  partition: string,
  account: string | undefined,
): AwsFederatedTrust {
  const { arn, issuer, conditionPrefix, audiences } = trust.oidcProvider;
  if (!isLate(arn)) requireSameAccount(parseOidcProviderArn(arn), partition, account);
  const audience = validateAudience(trust.audience ?? defaultAwsAudience);
  requireAudience(audience, audiences);
  return {
    issuer,
    oidcProviderArn: arn,
    conditionPrefix,
    audience,
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
