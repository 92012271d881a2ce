import type { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { type ITerraformDependable, Annotations } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import type { AccountGrant, AccountRequest } from "../../model/identity";
import {
  type IPullIdentities,
  type IPullSource,
  type PullDeclaration,
  type PullRequest,
  PULL_SOURCE,
} from "../../model/pulls";
import { checkProps, checkGiven, type ObjectKind, list, object } from "../../model/shape";
import type { Subject } from "../../model/subject";
import { roleName, derivedRoleName } from "../../rules/aws/names";
import { partitionOf, otherPartition } from "../../rules/aws/partitions";
import { pullPermissions, type EcrGrant } from "../../rules/aws/permission";
import {
  partitionOfGrants,
  pullRoleDescription,
  pullAnnotations,
  ecrCredentialProvider,
  fipsWarning,
  defaultAwsAudience,
} from "../../rules/aws/pull";
import { accountOfRole } from "../../rules/aws/role";
import {
  PULL_ROLE_ATTRIBUTES,
  type PullRoleAttributes,
  AdoptedRole,
  arnOfRoleName,
  existingRole,
  givenArn,
} from "./adopted";
import { type EcrSource, ecrSource } from "./registry-source";
import { checkOwnerPolicies, declareTogether, writeOwnerPolicies } from "./owner-policies";
import { declaredProviders } from "./provider";
import {
  type IPullRole,
  type TrustingRoleProps,
  TRUSTING_ROLE_PROPS,
  type AccountRolesProps,
  ACCOUNT_ROLES_PROPS,
  type RoleTrust,
} from "./role-props";
import { roleNameOfPath, federatedRoleSettings, declareInlinePolicy, declareRole, expectedArn } from "./role";

/** The tokens that a pull role accepts. */
export type PullRoleTrust = RoleTrust;

/** Settings of a {@link PullRole}. */
export interface PullRoleProps extends TrustingRoleProps {
  /** Registries that it may pull from, at least one, all in one partition: `ecr()`, `ecrPublic()`. */
  readonly sources: readonly EcrSource[];
}

export const PULL_ROLE_PROPS: ObjectKind<PullRoleProps> = object({
  ...TRUSTING_ROLE_PROPS.shape,
  sources: list(PULL_SOURCE),
});

/** Properties of {@link pullRoles}. */
export interface PullRolesProps extends AccountRolesProps {}

export const PULL_ROLES_PROPS: ObjectKind<PullRolesProps> = ACCOUNT_ROLES_PROPS;

const POLICY_NAME = "image-pulls";

function pullRoleSettings(construct: Construct, props: PullRoleProps) {
  const { trusts, description } = props;
  const sources = props.sources.map(ecrSource);
  const grants = sources.map(({ grant }) => grant);
  const policy = { name: POLICY_NAME, document: pullPermissions(grants) };
  const wildcards = trusts.flatMap((trust) => trust.wildcards ?? []);
  const settings = federatedRoleSettings(
    construct,
    {
      trusts,
      anyAudience: false,
      name: props.roleName === undefined ? roleNameOfPath(construct) : roleName(props.roleName),
      partition: partitionOfGrants(grants).name,
      describe: (federated) => pullRoleDescription(description, federated, wildcards),
    },
    props,
  );
  checkOwnerPolicies(construct, [{ arn: settings.expectedArn, sources }], settings.identity);
  return { ...settings, sources, policy };
}

/**
 * An IAM role with which service accounts of one or several clusters pull images, without the node's identity.
 *
 * The trust policy compares audience and subject exactly; a wildcard gets its own statement, in which only the subject
 * is compared with StringLike. The permissions only allow logging in and pulling the named repositories. A session
 * lasts one hour, the default, because the plugin does not request more.
 */
export class PullRole extends Construct implements IPullRole {
  /** Always `aws`. */
  readonly cloud: string = "aws";
  /** The Terraform resource of the role. */
  readonly resource: IamRole;
  /** The inline policy with the permissions. */
  readonly policy: IamRolePolicy;
  /** Name of the role, at most 64 characters. */
  readonly roleName: string;
  /** ARN of the role; literal if the account is known at synth, which the ARN of an OIDC provider may tell. */
  readonly arn: string;
  /** Length of the ARN in characters, also of a late one. */
  readonly arnLength: number;
  /** The annotation `eks.amazonaws.com/ecr-role-arn` for the service accounts. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The role's resource, for policies that name the literal ARN and must wait for it. */
  readonly dependencies: readonly ITerraformDependable[];

  /**
   * Warns if the trust policy exceeds the default quota, and if repositories are in other accounts without the owner's
   * policy.
   */
  constructor(scope: Construct, id: string, props: PullRoleProps) {
    checkProps(new.target.name, scope, id, PULL_ROLE_PROPS, props);
    super(scope, id);
    const settings = at(this, () => pullRoleSettings(this, props));

    const role = declareRole(this, settings);
    this.resource = role.resource;
    this.policy = declareInlinePolicy(this, role, settings.policy);

    this.roleName = role.roleName;
    this.arn = role.arn;
    this.arnLength = role.arnLength;
    this.annotations = pullAnnotations(this.arn);
    this.dependencies = role.dependencies;

    at(this, () => writeOwnerPolicies(this, this, settings.sources, settings.identity.account));
  }

  /** Returns an existing role; its ARN may be late. */
  static fromArn(scope: Construct, id: string, arn: string): IPullRole {
    return new AdoptedRole(scope, id, () => givenArn(arn), pullAnnotations);
  }

  /**
   * Returns the role of a declared pull, from `declarations.aws.grants` of ImagePulls: to grant it something, or to add
   * it to a `RepositoryPullPolicy` or `SharedRegistry`.
   */
  static ofGrant(grant: AccountGrant): IPullRole {
    const { identity, principal, annotations } = grant;
    const arn = at({ node: { path: `grant of ${grant.subject.key}` } }, () =>
      givenArn(principal?.name ?? identity),
    );
    const dependencies = (principal?.dependencies ?? []) as readonly ITerraformDependable[];
    return { cloud: "aws", arn, annotations, dependencies };
  }

  /** Returns an existing role; its ARN is literal with account and region, otherwise Terraform looks it up. */
  static fromRoleName(scope: Construct, id: string, attributes: PullRoleAttributes): IPullRole {
    checkProps("PullRole.fromRoleName()", scope, id, PULL_ROLE_ATTRIBUTES, attributes);
    return new AdoptedRole(scope, id, (adopted) => arnOfRoleName(adopted, attributes), pullAnnotations);
  }
}

/**
 * Declares one role per service account, named `<cluster>_<namespace>_<service account>`, and the OIDC provider that
 * they trust. Roles are not shared, so a service account can pull only what it was given itself.
 */
export function pullRoles(props: PullRolesProps = {}): IPullIdentities<Construct> {
  checkGiven("pullRoles()", PULL_ROLES_PROPS, props);
  return {
    cloud: "aws",
    job: "pulls",
    declare: (scope, request) => declareRoles(scope, request, props),
  };
}

function declareRoles(
  scope: Construct,
  { clusterName, issuer, accounts }: PullRequest<Construct>,
  props: PullRolesProps,
): PullDeclaration {
  const { namePrefix, oidcProvider, region: stated, audience: _, ...place } = props;
  // A role can only trust an OIDC provider of its own account, so that one's literal ARN tells the account.
  const account = accountOfRole(props.account, oidcProvider ? [oidcProvider.arn] : []);
  const plans = plannedRoles(accounts, clusterName, namePrefix);
  const grants = accounts.flatMap(({ asks }) => asks.map((source) => ecrSource(source).grant));
  const audience = validateAudience(props.audience ?? defaultAwsAudience);
  const region = regionOf(grants, stated);
  const provider = ecrCredentialProvider(grants, audience, stated);
  const acting = accounts.flatMap((each) => grantOfExisting(each, { account: props.account, region }));
  // Checks all roles first, so that a policy that is too long is found before the first role is declared.
  const partition = partitionOfGrants(grants).name;
  const expected = plans.map((plan) => ({
    arn: expectedArn(place, { name: plan.roleName, partition, account }),
    sources: plan.sources,
  }));
  checkOwnerPolicies(scope, expected, { account, provider: place.provider });
  const settings = { account, region, tags: place.tags, provider: place.provider };
  // The OIDC provider of existing roles exists with them.
  const oidcProviders =
    plans.length > 0 ? declaredProviders(scope, issuer, [audience], { ...settings, oidcProvider }) : [];
  warn(scope, grants, plans, account);
  const grantOf = ({ subject, sources: own, roleName }: PlannedRole): AccountGrant => {
    // Names of namespaces and service accounts have no `_`, so two subjects never share an id.
    const { arn, dependencies, annotations } = new PullRole(scope, `${subject.namespace}_${subject.name}`, {
      ...place,
      account,
      trusts: oidcProviders.map((each) => ({ oidcProvider: each, serviceAccounts: [subject], audience })),
      sources: own,
      roleName,
    });
    return { subject, identity: arn, principal: { name: arn, dependencies }, annotations };
  };
  const declared = declareTogether(scope, account, plans, grantOf);
  return { provider, nodeFiles: [], grants: [...declared, ...acting] };
}

interface PlannedRole {
  readonly subject: Subject;
  readonly sources: readonly EcrSource[];
  readonly roleName: string;
}

function plannedRoles(
  accounts: PullRequest<Construct>["accounts"],
  clusterName: string,
  namePrefix: string | undefined,
): readonly PlannedRole[] {
  return accounts
    .filter(({ existing }) => existing === undefined)
    .map(({ subject, asks }) => {
      const roleName = derivedRoleName([clusterName, subject.namespace, subject.name], namePrefix);
      return { subject, sources: asks.map(ecrSource), roleName };
    });
}

/** The role of a line with `as`; the owner of a repository admits it without this construct. */
function grantOfExisting(
  { subject, asks, existing }: AccountRequest<IPullSource<Construct>>,
  place: Pick<PullRolesProps, "account" | "region">,
): readonly AccountGrant[] {
  if (existing === undefined) return [];
  const { arn, dependencies } = existingRole(existing, place);
  const owned = asks.map(ecrSource).find(({ ownerPolicy = "elsewhere" }) => ownerPolicy !== "elsewhere");
  if (owned)
    fail("aws-unused", {
      problem: `ownerPolicy has no effect for ${subject.key}, which pulls with an existing role`,
      value: owned.images,
      allowed: 'ecr() without ownerPolicy, or with "elsewhere"',
      remedy: "leave it out, and admit the role with RepositoryPullPolicy if its owner's policy does not yet",
    });
  const annotations = pullAnnotations(arn);
  return [{ subject, identity: arn, principal: { name: arn, dependencies }, annotations }];
}

/** Returns a region of the partition of registries and roles. */
function regionOf(grants: readonly EcrGrant[], stated: string | undefined): string | undefined {
  const partition = partitionOfGrants(grants).name;
  if (stated === undefined) return grants.find(({ region }) => region !== undefined)?.region;
  const actual = partitionOf(stated).name;
  return actual === partition
    ? stated
    : fail("aws-mismatch", otherPartition("the region of pullRoles()", actual, partition));
}

/** Without `account` it is unknown which of several accounts is the roles' own, but at least one is not. */
function warn(
  scope: Construct,
  grants: readonly EcrGrant[],
  plans: readonly PlannedRole[],
  account: string | undefined,
): void {
  const sources = plans.flatMap((plan) => plan.sources);
  const warning = fipsWarning(grants);
  if (warning !== undefined) Annotations.of(scope).addWarning(warning);
  const open = sources.filter(({ ownerPolicy }) => ownerPolicy === undefined);
  const owners = new Set(open.flatMap(({ grant }) => (grant.kind === "private" ? [grant.account] : [])));
  if (account !== undefined || owners.size < 2) return;
  Annotations.of(scope).addWarning(
    `pulls use registries of several accounts (${[...owners].sort().join(", ")}), but the roles' account is not stated: ` +
      "state it with pullRoles({ account }) to learn which owners must add a repository policy",
  );
}
