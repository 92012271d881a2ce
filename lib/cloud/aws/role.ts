/*
 * IAM roles for service accounts. Names of IAM roles are unique within an account, regardless of path and case.
 */

import { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import { type IamRoleConfig, IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { type TerraformProvider, type ITerraformDependable, Annotations, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { isLate } from "../../model/late";
import { Subject } from "../../model/subject";
import { type OidcProviderArn, parseOidcProviderArn } from "../../rules/aws/arn";
import { rolePath, tagArguments, derivedRoleName } from "../../rules/aws/names";
import { partitionOf, otherPartition } from "../../rules/aws/partitions";
import { policyText, type PolicyDocument, type PolicyStatement } from "../../rules/aws/policy-document";
import { requireAudience } from "../../rules/aws/provider";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { accountOfRole, expectedRoleArn, trustSizeWarning, permissionsBoundary } from "../../rules/aws/role";
import { type AwsFederatedTrust, subjectPattern, trustPolicy } from "../../rules/aws/trust";
import { terraformText } from "../../rules/terraform-text";
import { waitFor } from "../shared/across-stacks";
import { keepNames } from "../shared/kept-names";
import { attributeOf } from "../shared/references";
import { type IOidcProvider } from "./provider-props";
import {
  type OnceInAccount,
  declareInAccount,
  declaredInAccount,
  declareOnce,
  declaredOnce,
  onceKey,
} from "./once";
import { checkProviderPlace } from "./place";
import { type RoleTrust, type RolePlace } from "./role-props";

interface RoleIdentity {
  readonly name: string;
  readonly partition: string | undefined;
  readonly account: string | undefined;
  readonly provider: TerraformProvider | undefined;
}

function refuseTakenName(construct: Construct, role: RoleIdentity): void {
  const known = declaredOnce(construct, stackKey(role)) ?? declaredInAccount(construct, inAccount(role));
  if (known)
    fail("aws-conflict", {
      problem: `name of an IAM role is already used by ${known.node.path} in the same account; IAM ignores case`,
      value: role.name,
      allowed: "one role with that name per account, whatever its path",
      remedy:
        "give one of the two another roleName; with pullRoles() use another namePrefix, or rename one of the clusters",
    });
}

function stackKey({ name, provider }: RoleIdentity): string {
  return onceKey(provider, "role", name.toLowerCase());
}

function inAccount({ name, account }: RoleIdentity): OnceInAccount {
  return { kind: "role", account, name: name.toLowerCase() };
}

interface FederatedRole {
  readonly trusts: readonly RoleTrust[];
  readonly anyAudience: boolean;
  readonly name: string;
  readonly partition: string | undefined;
  readonly describe: (trusts: readonly AwsFederatedTrust[]) => string;
  /** Further statements of the trust policy, not for holders of tokens. */
  readonly others?: readonly PolicyStatement[];
}

/** A checked role that is not yet declared. */
export interface FederatedRoleSettings {
  readonly role: IamRoleConfig;
  readonly identity: RoleIdentity;
  /** ARN of the role; if account or partition is unknown, only its length is about right. */
  readonly expectedArn: string;
  /** What must exist before the role and is not referenced in the trust policy. */
  readonly dependencies: readonly ITerraformDependable[];
  readonly warning: string | undefined;
}

const USUAL_PARTITION = "aws";

export function expectedArn(
  { path = ROOT }: Pick<RolePlace, "path">,
  { name, partition = USUAL_PARTITION, account }: Omit<RoleIdentity, "provider">,
): string {
  return expectedRoleArn(partition, account, rolePath(path), name);
}

export function federatedRoleSettings(
  construct: Construct,
  federated: FederatedRole,
  place: RolePlace,
): FederatedRoleSettings {
  const { name, partition } = federated;
  const { provider } = place;
  const account = accountOfRole(
    place.account,
    federated.trusts.map(({ oidcProvider }) => oidcProvider.arn),
  );
  const trusts = federated.trusts.map((trust) => federatedTrust(trust, federated, account));
  const trustDocument = trustPolicy(trusts, federated.others);
  const identity: RoleIdentity = { name, partition, account, provider };
  checkProviderPlace(construct, identity);
  const settings: FederatedRoleSettings = {
    identity,
    expectedArn: expectedArn(place, identity),
    dependencies: trusted(federated.trusts),
    warning: trustSizeWarning(trusts, trustDocument),
    role: {
      name,
      assumeRolePolicy: policyText(trustDocument),
      description: terraformText(federated.describe(trusts)),
      ...roleArguments(place, identity),
    },
  };
  refuseTakenName(construct, identity);
  return settings;
}

function roleArguments(
  { path, permissionsBoundary: boundary, provider, ...place }: RolePlace,
  { partition, account }: RoleIdentity,
): Partial<IamRoleConfig> {
  const tags = tagArguments(place.tags);
  return {
    ...(path === undefined || path === "/" ? {} : { path }),
    ...(boundary === undefined
      ? {}
      : { permissionsBoundary: permissionsBoundary(boundary, partition, account) }),
    ...(tags && { tags }),
    provider,
  };
}

function federatedTrust(
  trust: RoleTrust,
  { partition, anyAudience }: FederatedRole,
  account: string | undefined,
): AwsFederatedTrust {
  const { arn, issuer, conditionPrefix, audiences } = trust.oidcProvider;
  if (!isLate(arn)) requireSameAccount(parseOidcProviderArn(arn), partition, account);
  const audience = validateAudience(trust.audience ?? defaultAwsAudience);
  if (!anyAudience) requireAudience(audience, audiences);
  return {
    issuer,
    oidcProviderArn: arn,
    conditionPrefix,
    audience,
    subjects: (trust.serviceAccounts ?? []).map((serviceAccount) => Subject.of(serviceAccount)),
    subjectPatterns: (trust.wildcards ?? []).map(({ pattern }) => subjectPattern(pattern)),
    ...(anyAudience ? { anyAudience } : {}),
  };
}

/** STS only looks for the OIDC provider in the role's own account. */
function requireSameAccount(
  oidc: OidcProviderArn,
  partition: string | undefined,
  account: string | undefined,
): void {
  if (partition !== undefined && oidc.partition !== partition)
    fail("aws-mismatch", otherPartition("the OIDC provider", oidc.partition, partition));
  if (account !== undefined && oidc.account !== account)
    fail("aws-mismatch", {
      problem: "the OIDC provider is in another account than the IAM role that trusts it",
      value: oidc.account,
      allowed: account,
      remedy: "declare an OIDC provider of the issuer in the role's account; STS does not look elsewhere",
    });
}

/** A literal ARN in the trust policy is not a reference, so the dependency is declared; a late one is a reference. */
function trusted(trusts: readonly RoleTrust[]): ITerraformDependable[] {
  const literalOnes = trusts.filter(({ oidcProvider }) => !isLate(oidcProvider.arn));
  return [...new Set(literalOnes.flatMap(({ oidcProvider }) => oidcProvider.dependencies))];
}

/** Name of the partition; `undefined` if neither a region nor a literal OIDC provider tells it. */
export function partitionOfProviders(
  region: string | undefined,
  oidcProviders: readonly IOidcProvider[],
): string | undefined {
  if (region !== undefined) return partitionOf(region).name;
  const known = oidcProviders.find(({ arn }) => !isLate(arn));
  return known && parseOidcProviderArn(known.arn).partition;
}

interface DeclaredRole {
  readonly resource: IamRole;
  readonly roleName: string;
  readonly arn: string;
  /** Length of the ARN in characters, also of a late one. */
  readonly arnLength: number;
  readonly dependencies: readonly ITerraformDependable[];
}

export interface InlinePolicy {
  readonly name: string;
  readonly document: PolicyDocument;
}

interface Adoption {
  /** Whether an import block is written. */
  readonly adopt: boolean;
}

export function declareRole(
  construct: Construct,
  settings: FederatedRoleSettings,
  { adopt }: Adoption = { adopt: false },
): DeclaredRole {
  const { name, account, partition, provider } = settings.identity;
  const resource = new IamRole(construct, "Resource", settings.role);
  waitFor(resource, settings.dependencies);
  if (adopt) resource.importFrom(name, provider);
  declareOnce(construct, stackKey(settings.identity));
  declareInAccount(construct, inAccount(settings.identity));
  if (settings.warning !== undefined) Annotations.of(construct).addWarning(settings.warning);
  const known = account !== undefined && partition !== undefined;
  if (known || adopt) keepRole(resource, settings);
  return {
    resource,
    roleName: name,
    arn: known ? settings.expectedArn : resource.arn,
    arnLength: settings.expectedArn.length,
    dependencies: [resource],
  };
}

/** Policies, annotations and Secrets contain the ARN as text, and import blocks the name. */
function keepRole(
  resource: IamRole,
  { identity: { name }, role: { path = ROOT } }: FederatedRoleSettings,
): void {
  keepNames(resource, {
    names: { name, path },
    defaults: { path: ROOT },
    statedBy: "roleName, or namePrefix, overrides or naming of many roles; path",
  });
}

const ROOT = "/";

export function declareInlinePolicy(
  construct: Construct,
  { resource, roleName }: DeclaredRole,
  { name, document }: InlinePolicy,
  { adopt }: Adoption = { adopt: false },
): IamRolePolicy {
  const { provider } = resource;
  const policy = new IamRolePolicy(construct, "Policy", {
    name,
    policy: policyText(document),
    role: attributeOf(resource, "name"),
    provider,
  });
  if (adopt) {
    policy.importFrom(`${roleName}:${name}`, provider);
    keepNames(policy, { names: { name }, statedBy: "naming, or policyName of adopt" });
  }
  return policy;
}

export function roleNameOfPath(construct: Construct): string {
  const stack = TerraformStack.of(construct);
  const path = construct.node.scopes.slice(stack.node.scopes.length).map(({ node }) => node.id);
  return derivedRoleName([stack.node.id, ...path]);
}
