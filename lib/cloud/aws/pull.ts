import type { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { type ITerraformDependable, Annotations } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import type { AccountGrant } from "../../model/identity";
import type { IPullIdentities, PullDeclaration, PullRequest } from "../../model/pulls";
import { checkProps, checkGiven } from "../../model/shape";
import { roleName, derivedRoleName, rolePath } from "../../rules/aws/names";
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
import { accountOfRole, expectedRoleArn } from "../../rules/aws/role";
import { AdoptedPullRole, arnOfRoleName, givenArn } from "./adopted";
import { type EcrSource, ecrSource } from "./registry-source";
import { checkOwnerPolicies, declareTogether, writeOwnerPolicies } from "./owner-policies";
import { declaredProviders } from "./provider";
import {
  type PullRoleProps,
  type PullRoleAttributes,
  PULL_ROLE_ATTRIBUTES,
  PULL_ROLE_PROPS,
  type PullRolesProps,
  PULL_ROLES_PROPS,
} from "./pull-props";
import type { IPullRole } from "./role-props";
import {
  type InlinePolicy,
  roleNameOfPath,
  type FederatedRoleSettings,
  federatedRoleSettings,
  declareInlinePolicy,
  declareRole,
} from "./role";

interface PullRoleSettings extends FederatedRoleSettings {
  readonly sources: readonly EcrSource[];
  readonly policy: InlinePolicy;
}

const POLICY_NAME = "image-pulls";

function pullRoleSettings(construct: Construct, props: PullRoleProps): PullRoleSettings {
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
 * An IAM role that service accounts of one or several clusters pull images as, without node identity.
 *
 * The trust compares audience and subject exactly; a wildcard gets its own statement, where only the subject
 * is compared with StringLike. Permissions reach no further than logging in and pulling the named repositories.
 * The session is never longer than the default hour, since the plugin asks for no more.
 */
export class PullRole extends Construct implements IPullRole {
  /** The Terraform resource of the role. */
  readonly resource: IamRole;
  /** The inline policy with the permissions. */
  readonly policy: IamRolePolicy;
  /** Name of the role, at most 64 characters. */
  readonly roleName: string;
  /** ARN of the role; literal where the account is known at synth, also from the ARN of an OIDC provider. */
  readonly arn: string;
  /** Length of the ARN in characters, also where it is late. */
  readonly arnLength: number;
  /** `eks.amazonaws.com/ecr-role-arn`, for the service accounts. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The role, for policies that name its literal ARN. */
  readonly dependencies: readonly ITerraformDependable[];

  /**
   * Warns of a trust policy over the default quota, and of repositories in other accounts whose owner's part is not
   * declared.
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

  /** An existing role; a late ARN is passed on. */
  static fromArn(scope: Construct, id: string, arn: string): IPullRole {
    return new AdoptedPullRole(scope, id, () => givenArn(arn));
  }

  /**
   * The role of a pull that was declared, from `declarations.aws.grants` of ImagePulls: to grant it something, or to let
   * it pull from a `RepositoryPullPolicy` or `SharedRegistry`.
   */
  static ofGrant(grant: AccountGrant): IPullRole {
    const { identity, principal, annotations } = grant;
    const arn = at({ node: { path: `grant of ${grant.subject.key}` } }, () =>
      givenArn(principal?.name ?? identity),
    );
    const dependencies = (principal?.dependencies ?? []) as readonly ITerraformDependable[];
    return { arn, annotations, dependencies };
  }

  /** An existing role: its ARN is literal with account and region, and looked up by Terraform otherwise. */
  static fromRoleName(scope: Construct, id: string, attributes: PullRoleAttributes): IPullRole {
    checkProps("PullRole.fromRoleName()", scope, id, PULL_ROLE_ATTRIBUTES, attributes);
    return new AdoptedPullRole(scope, id, (adopted) => arnOfRoleName(adopted, attributes));
  }
}

/**
 * One role per service account, named `<cluster>_<namespace>_<service account>`, and the OIDC provider that they trust.
 * Roles are not shared, so that no service account can pull what only another one was given.
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
  // A role can only trust an OIDC provider of its own account, so a literal ARN of one tells the account.
  const account = accountOfRole(props.account, oidcProvider ? [oidcProvider.arn] : []);
  const plans = accounts.map(({ subject, asks }) => {
    const roleName = derivedRoleName([clusterName, subject.namespace, subject.name], namePrefix);
    return { subject, sources: asks.map(ecrSource), roleName };
  });
  const sources = plans.flatMap((plan) => plan.sources);
  const grants = sources.map(({ grant }) => grant);
  const audience = validateAudience(props.audience ?? defaultAwsAudience);
  const region = regionOf(grants, stated);
  const provider = ecrCredentialProvider(grants, audience, stated);
  // All roles at once, so that a policy too long is found before the first role is declared.
  const partition = partitionOfGrants(grants).name;
  const path = rolePath(place.path ?? "/");
  const expected = plans.map((plan) => ({
    arn: expectedRoleArn(partition, account, path, plan.roleName),
    sources: plan.sources,
  }));
  checkOwnerPolicies(scope, expected, { account, provider: place.provider });
  const settings = { account, region, tags: place.tags, provider: place.provider };
  const oidcProviders = declaredProviders(scope, issuer, [audience], { ...settings, oidcProvider });
  warn(scope, sources, account);
  const grantOf = ({ subject, sources: own, roleName }: (typeof plans)[number]): AccountGrant => {
    // Neither a namespace nor a service account name can hold `_`, so two subjects never share an id.
    const { arn, dependencies, annotations } = new PullRole(scope, `${subject.namespace}_${subject.name}`, {
      ...place,
      account,
      trusts: oidcProviders.map((each) => ({ oidcProvider: each, serviceAccounts: [subject], audience })),
      sources: own,
      roleName,
    });
    return { subject, identity: arn, principal: { name: arn, dependencies }, annotations };
  };
  return { provider, nodeFiles: [], grants: declareTogether(scope, account, plans, grantOf) };
}

/** A region of the one partition that registries and roles are in. */
function regionOf(grants: readonly EcrGrant[], stated: string | undefined): string | undefined {
  const partition = partitionOfGrants(grants).name;
  if (stated === undefined) return grants.find(({ region }) => region !== undefined)?.region;
  const actual = partitionOf(stated).name;
  return actual === partition
    ? stated
    : fail("aws-mismatch", otherPartition("the region of pullRoles()", actual, partition));
}

/** Which of several accounts is the roles' own cannot be known without `account`, but one of them is another for certain. */
function warn(scope: Construct, sources: readonly EcrSource[], account: string | undefined): void {
  const warning = fipsWarning(sources.map(({ grant }) => grant));
  if (warning !== undefined) Annotations.of(scope).addWarning(warning);
  const open = sources.filter(({ ownerPolicy }) => ownerPolicy === undefined);
  const owners = new Set(open.flatMap(({ grant }) => (grant.kind === "private" ? [grant.account] : [])));
  if (account !== undefined || owners.size < 2) return;
  Annotations.of(scope).addWarning(
    `registries of several accounts are pulled from (${[...owners].sort().join(", ")}), but the roles' account is not stated: ` +
      "give it with pullRoles({ account }) to learn which owners must add a repository policy",
  );
}
