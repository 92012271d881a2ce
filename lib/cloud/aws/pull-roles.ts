import { Annotations } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import type { ClusterFacts } from "../../model/cluster";
import type { IPullIdentities, PullDeclaration, PullGrant, PullRequest } from "../../model/pulls";
import { ecrCredentialProvider } from "../../rules/aws/credential-provider";
import { partitionOf } from "../../rules/aws/partitions";
import { defaultAwsAudience } from "../../rules/aws/pull-annotation";
import type { EcrGrant } from "../../rules/aws/pull-permissions";
import { partitionOfGrants } from "../../rules/aws/pull-role";
import { derivedRoleName } from "../../rules/aws/role-name";
import { type EcrSource, ecrSource } from "./ecr-source";
import { OidcProvider } from "./oidc-provider";
import type { IOidcProvider } from "./oidc-provider-props";
import { PullRole } from "./pull-role";
import type { PullRolesProps } from "./pull-roles-props";

/**
 * One role per service account, named `<cluster>_<namespace>_<service account>`, and the OIDC provider that they
 * trust. Roles are not shared, so that no service account can pull what only another one was given.
 */
export function pullRoles(props: PullRolesProps = {}): IPullIdentities<Construct> {
  return {
    cloud: "aws",
    declare: (scope, request) => declareRoles(scope, request, props),
  };
}

function declareRoles(
  scope: Construct,
  { cluster, pulls }: PullRequest<Construct>,
  props: PullRolesProps,
): PullDeclaration {
  const accounts = pulls.map(({ subject, sources }) => ({ subject, sources: sources.map(ecrSource) }));
  const sources = accounts.flatMap((account) => account.sources);
  const grants = sources.map(({ grant }) => grant);
  const audience = validateAudience(props.audience ?? defaultAwsAudience);
  const region = regionOf(grants, props.region);
  const provider = ecrCredentialProvider(grants, audience, props.region);
  const oidcProviders = trusted(scope, cluster, props, audience, region);
  if (props.account === undefined) warnOfAccounts(scope, sources);
  return {
    provider,
    nodeFiles: [],
    grants: accounts.map(({ subject, sources: own }): PullGrant => {
      // Neither a namespace nor a service account name can hold `_`, so two subjects never share an id.
      const role = new PullRole(scope, `${subject.namespace}_${subject.name}`, {
        ...roleProps(props),
        trusts: oidcProviders.map((oidcProvider) => ({ oidcProvider, serviceAccounts: [subject], audience })),
        sources: own,
        roleName: derivedRoleName([cluster.name, subject.namespace, subject.name], props.namePrefix),
      });
      return { subject, annotations: role.annotations };
    }),
  };
}

/** A region of the one partition that registries and roles are in. */
function regionOf(grants: readonly EcrGrant[], stated: string | undefined): string | undefined {
  const partition = partitionOfGrants(grants).name;
  if (stated === undefined) return grants.find(({ region }) => region !== undefined)?.region;
  const actual = partitionOf(stated).name;
  return actual === partition
    ? stated
    : fail("aws-partition-mismatch", "the region of pullRoles()", actual, partition);
}

function trusted(
  scope: Construct,
  { issuer }: ClusterFacts,
  props: PullRolesProps,
  audience: string,
  region: string | undefined,
): readonly IOidcProvider[] {
  const { oidcProvider, additionalIssuers = [], account, tags, provider } = props;
  if (oidcProvider && !oidcProvider.issuer.late && !issuer.late && !oidcProvider.issuer.equals(issuer))
    fail("aws-issuer-mismatch", oidcProvider.issuer.url, issuer.url);
  if (oidcProvider instanceof OidcProvider) oidcProvider.addAudience(audience);
  const issuers = [...(oidcProvider ? [] : [issuer]), ...additionalIssuers];
  const declared = issuers.map((each) =>
    OidcProvider.forIssuer(scope, {
      issuer: each,
      audience,
      ...(account === undefined ? {} : { account }),
      ...(region === undefined ? {} : { region }),
      ...(tags ? { tags } : {}),
      ...(provider ? { provider } : {}),
    }),
  );
  return [...(oidcProvider ? [oidcProvider] : []), ...declared];
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
