import type { IamRoleConfig } from "@cdktf/provider-aws/lib/iam-role/index.js";
import type { ITerraformDependable, TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { isLate } from "../../model/late";
import { Subject } from "../../model/subject";
import { type OidcProviderArn, parseOidcProviderArn, requireAudience } from "../../rules/aws/provider";
import {
  accountOfRole,
  expectedRoleArn,
  trustSizeWarning,
  permissionsBoundary,
  type AwsFederatedTrust,
  subjectPattern,
  trustPolicy,
} from "../../rules/aws/trust";
import { partitionOf, otherPartition } from "../../rules/aws/partitions";
import { policyText } from "../../rules/aws/statement";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { rolePath, tagArguments } from "../../rules/aws/names";
import { terraformText } from "../../rules/terraform-text";
import type { IOidcProvider } from "./oidc-provider-props";
import type { RoleTrust } from "./role-trust";
import { type RoleIdentity, refuseTakenName } from "./taken-role-names";
import { PROVIDER } from "../shared/kinds";
import { type ObjectKind, object, optional, record, text } from "../../model/shape";

/** What every role of service accounts can be given; as the props of each role state it. */
export interface RolePlace {
  /**
   * Account that the role is declared in.
   *
   * @defaultValue - that of a literal OIDC provider's ARN
   */
  readonly account?: string;
  /**
   * Path of the role.
   *
   * @defaultValue "/"
   */
  readonly path?: string;
  /**
   * ARN of the policy that bounds the role's permissions.
   *
   * @defaultValue - none
   */
  readonly permissionsBoundary?: string;
  /**
   * Tags of the role.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Terraform provider of the role.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

/** The kind of {@link RolePlace}. */
export const ROLE_PLACE: ObjectKind<RolePlace> = object({
  account: optional(text),
  path: optional(text),
  permissionsBoundary: optional(text),
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});

/** A role of service accounts, whatever it is for. */
export interface FederatedRole {
  /** Whose tokens it accepts. */
  readonly trusts: readonly RoleTrust[];
  /** True where the audience is not compared. */
  readonly anyAudience: boolean;
  /** Its name, as IAM accepts it. */
  readonly name: string;
  /** Name of its partition; `undefined` where it is not known at synth. */
  readonly partition: string | undefined;
  /** Its description, made of the trusts. */
  readonly describe: (trusts: readonly AwsFederatedTrust[]) => string;
}

/** A role, checked and computed, not yet declared. */
export interface FederatedRoleSettings {
  /** Arguments of the role. */
  readonly role: IamRoleConfig;
  /** Its name, and where it is one. */
  readonly identity: RoleIdentity;
  /** ARN of the role; of about the right length only where account or partition are not known. */
  readonly expectedArn: string;
  /** What must exist before the role, where the trust holds no reference to it. */
  readonly dependencies: readonly ITerraformDependable[];
  /** Text of a warning; `undefined` where there is none. */
  readonly warning: string | undefined;
}

const USUAL_PARTITION = "aws";

/** Checks everything before anything is declared. */
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
  const trustDocument = trustPolicy(trusts);
  const identity: RoleIdentity = { name, partition, account, provider };
  const path = rolePath(place.path ?? "/");
  const settings: FederatedRoleSettings = {
    identity,
    expectedArn: expectedRoleArn(partition ?? USUAL_PARTITION, account, path, name),
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
  { path, permissionsBoundary: boundary, tags, provider }: RolePlace,
  { partition, account }: RoleIdentity,
): Partial<IamRoleConfig> {
  return {
    ...(path === undefined || path === "/" ? {} : { path }),
    ...(boundary === undefined
      ? {}
      : { permissionsBoundary: permissionsBoundary(boundary, partition, account) }),
    ...tagged(tags),
    ...(provider ? { provider } : {}),
  };
}

function tagged(tags: RolePlace["tags"]): Pick<IamRoleConfig, "tags"> {
  const checked = tagArguments(tags);
  return checked ? { tags: checked } : {};
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

/** STS looks the OIDC provider up in the role's own account, so one of another account is never found. */
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
      remedy: "declare an OIDC provider of the issuer in the role's account, STS looks for no other",
    });
}

/** A literal ARN in the trust is no reference, so Terraform is told the order; a late one is a reference already. */
function trusted(trusts: readonly RoleTrust[]): ITerraformDependable[] {
  const literalOnes = trusts.filter(({ oidcProvider }) => !isLate(oidcProvider.arn));
  return [...new Set(literalOnes.flatMap(({ oidcProvider }) => oidcProvider.dependencies))];
}

/** Name of the partition; `undefined` where neither a region nor a literal OIDC provider tells it. */
export function partitionOfProviders(
  region: string | undefined,
  oidcProviders: readonly IOidcProvider[],
): string | undefined {
  if (region !== undefined) return partitionOf(region).name;
  const known = oidcProviders.find(({ arn }) => !isLate(arn));
  return known && parseOidcProviderArn(known.arn).partition;
}
