import { Annotations } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import type { AccountGrant, AccountRequest } from "../../model/identity";
import type { IPullIdentities, IPullSource, PullDeclaration, PullRequest } from "../../model/pulls";
import { Issuer } from "../../model/issuer";
import type { Subject } from "../../model/subject";
import {
  ecrCredentialProvider,
  fipsWarning,
  defaultAwsAudience,
  partitionOfGrants,
} from "../../rules/aws/pull";
import { partitionOf, otherPartition } from "../../rules/aws/partitions";
import type { EcrGrant } from "../../rules/aws/registry";
import { accountOfRole, expectedRoleArn } from "../../rules/aws/trust";
import { derivedRoleName, rolePath } from "../../rules/aws/names";
import { type EcrSource, ecrSource } from "./ecr-source";
import type { IOidcProvider } from "./oidc-provider-props";
import { PullRole } from "./pull-role";
import { type PullRolesProps, PULL_ROLES_PROPS } from "./pull-roles-props";
import { checkOwnerPolicies } from "./owner-policies";
import { declaredProvider } from "./trusted-provider";
import { checkGiven } from "../../model/shape";

/**
 * One role per service account, named `<cluster>_<namespace>_<service account>`, and the OIDC provider that they
 * trust. Roles are not shared, so that no service account can pull what only another one was given.
 *
 * Throws, when the pulls are declared, what `OidcProvider.forIssuer` and `PullRole` throw; besides,
 * `aws-issuer-mismatch` for an OIDC provider of another issuer, `aws-owner-provider-missing`,
 * `aws-owner-provider-shared` and `aws-repository-policy-too-long`, before any role is declared.
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
  stated: PullRolesProps,
): PullDeclaration {
  const props = withAccount(stated);
  const plans = accounts.map((account) => planned(clusterName, account, props));
  const sources = plans.flatMap((plan) => plan.sources);
  const grants = sources.map(({ grant }) => grant);
  const audience = validateAudience(props.audience ?? defaultAwsAudience);
  const region = regionOf(grants, props.region);
  const provider = ecrCredentialProvider(grants, audience, props.region);
  requireOwnerPolicies(scope, plans, partitionOfGrants(grants).name, props);
  const oidcProviders = trusted(scope, issuer, props, audience, region);
  warn(scope, sources, props);
  return {
    provider,
    nodeFiles: [],
    grants: plans.map(({ subject, sources: own, roleName }): AccountGrant => {
      // Neither a namespace nor a service account name can hold `_`, so two subjects never share an id.
      const role = new PullRole(scope, `${subject.namespace}_${subject.name}`, {
        ...roleProps(props),
        trusts: oidcProviders.map((oidcProvider) => ({ oidcProvider, serviceAccounts: [subject], audience })),
        sources: own,
        roleName,
      });
      return {
        subject,
        identity: role.arn,
        principal: { name: role.arn, dependencies: role.dependencies },
        annotations: role.annotations,
      };
    }),
  };
}

/** One role before it is declared. */
interface PlannedRole {
  readonly subject: Subject;
  readonly sources: readonly EcrSource[];
  readonly roleName: string;
}

function planned(
  clusterName: string,
  { subject, asks }: AccountRequest<IPullSource<Construct>>,
  { namePrefix }: PullRolesProps,
): PlannedRole {
  return {
    subject,
    sources: asks.map(ecrSource),
    roleName: derivedRoleName([clusterName, subject.namespace, subject.name], namePrefix),
  };
}

/** A role can only trust an OIDC provider of its own account, so a literal ARN of one tells the account. */
function withAccount(props: PullRolesProps): PullRolesProps {
  const account = accountOfRole(props.account, props.oidcProvider ? [props.oidcProvider.arn] : []);
  return account === undefined ? props : { ...props, account };
}

/** All roles at once, so that a policy too long is found before the first role is declared. */
function requireOwnerPolicies(
  scope: Construct,
  plans: readonly PlannedRole[],
  partition: string,
  { account, provider, path }: PullRolesProps,
): void {
  const checkedPath = rolePath(path ?? "/");
  const roles = plans.map(({ roleName, sources }) => ({
    arn: expectedRoleArn(partition, account, checkedPath, roleName),
    sources,
  }));
  checkOwnerPolicies(scope, roles, { account, provider });
}

function warn(scope: Construct, sources: readonly EcrSource[], { account }: PullRolesProps): void {
  const warning = fipsWarning(sources.map(({ grant }) => grant));
  if (warning !== undefined) Annotations.of(scope).addWarning(warning);
  if (account === undefined) warnOfAccounts(scope, sources);
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

function trusted(
  scope: Construct,
  issuer: Issuer,
  props: PullRolesProps,
  audience: string,
  region: string | undefined,
): readonly IOidcProvider[] {
  const { additionalIssuers = [], account, tags, provider } = props;
  const settings = {
    ...(account === undefined ? {} : { account }),
    ...(region === undefined ? {} : { region }),
    ...(tags ? { tags } : {}),
    ...(provider ? { provider } : {}),
  };
  const { oidcProvider } = props;
  return [
    declaredProvider(scope, issuer, [audience], { ...settings, ...(oidcProvider ? { oidcProvider } : {}) }),
    ...additionalIssuers.map((each) => declaredProvider(scope, Issuer.of(each), [audience], settings)),
  ];
}

function roleProps({
  account,
  path,
  permissionsBoundary,
  tags,
  provider,
}: PullRolesProps): Partial<PullRolesProps> {
  return {
    ...(account === undefined ? {} : { account }),
    ...(path === undefined ? {} : { path }),
    ...(permissionsBoundary === undefined ? {} : { permissionsBoundary }),
    ...(tags ? { tags } : {}),
    ...(provider ? { provider } : {}),
  };
}

/** Which of several accounts is the roles' own cannot be told, but one of them is another for certain. */
function warnOfAccounts(scope: Construct, sources: readonly EcrSource[]): void {
  const open = sources.filter(({ ownerPolicy }) => ownerPolicy === undefined);
  const accounts = new Set(open.flatMap(({ grant }) => (grant.kind === "private" ? [grant.account] : [])));
  if (accounts.size < 2) return;
  Annotations.of(scope).addWarning(
    `registries of several accounts are pulled from (${[...accounts].sort().join(", ")}), but the roles' account is not stated: ` +
      "give it with pullRoles({ account }) to learn which owners must add a repository policy",
  );
}
