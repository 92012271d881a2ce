import { Annotations } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { AccountRequest, IdentityRequest } from "../../model/identity";
import { Duration } from "../../model/duration";
import type { ImageCredentialProvider } from "../../model/image-credential-provider";
import type { IPullIdentities, IPullSource, PullDeclaration, PullRequest } from "../../model/pulls";
import { projectId, projectNumber } from "../../rules/google/names";
import {
  NODE_IDENTITY_ARGUMENTS,
  OPT_IN_ANNOTATION,
  OPT_IN_VALUE,
  PLUGIN_NAME,
  cacheEnvironment,
  customPoolArguments,
  managedIdentityProvider,
  managedPoolArguments,
  parseManagedIdentityProvider,
} from "../../rules/google/pull";
import { ArtifactRegistryRepository } from "./artifact-registry";
import { clusterPoolId, poolProviderOf } from "./cluster-pool-provider";
import { ManagedPool } from "./managed-pool";
import { OidcProvider } from "./oidc-provider";
import type { IOidcProvider } from "./oidc-provider-props";
import type { IPrincipals } from "./principals";
import { PullBinding } from "./pull-binding";
import {
  type WantedBinding,
  checkClusterProject,
  refuseContradictions,
  refuseLateNumber,
  refuseOtherIssuer,
  refuseTooManyPrincipals,
} from "./pull-principals-checks";
import { type PullPoolProps, type PullPrincipalsProps, PULL_PRINCIPALS_PROPS } from "./pull-principals-props";
import type { IWorkloadIdentityPool } from "./workload-identity-pool";
import { checkGiven } from "../../model/shape";

/** Who the principals are, and what the plugin is told about it. */
interface Federation {
  readonly principals: IPrincipals;
  readonly args: readonly string[];
  readonly needs: readonly string[];
}

/**
 * Identities for pulls from Artifact Registry: no Google service account, each Kubernetes service account is itself
 * a principal of a workload identity pool and gets `roles/artifactregistry.reader` on the repositories it pulls from.
 *
 * A custom pool needs a plugin with `--sts-audience`, which no release of auth-provider-gcp has; the cluster's facts
 * must state it (`abilities: ["custom-pools"]`). The shipped plugin serves `pool: "fleet"` since v36.2.5.
 *
 * Throws `google-project-invalid`, `google-project-number-invalid`, `google-setting-contradicts`, `google-project-contradicts`, `google-cache-duration-invalid`, `late-value`; while
 * declaring, also what the pool, the pool provider and the bindings throw, `google-issuer-mismatch`,
 * `google-principals-too-many`, `google-identity-provider-invalid`, `google-membership-project` and
 * `google-source-foreign`.
 *
 * Warns of a GKE cluster of another project than `project`.
 */
export function pullPrincipals(props: PullPrincipalsProps): IPullIdentities<Construct> {
  checkGiven("pullPrincipals()", PULL_PRINCIPALS_PROPS, props);
  projectId(props.project);
  projectNumber(props.projectNumber);
  cacheEnvironment(props.cacheDuration);
  refuseContradictions(props);
  refuseLateNumber(props);
  return { cloud: "google", job: "pulls", declare: (scope, request) => declarePulls(scope, request, props) };
}

function declarePulls(
  scope: Construct,
  request: PullRequest<Construct>,
  props: PullPrincipalsProps,
): PullDeclaration {
  const { accounts } = request;
  const bindings = accounts.flatMap(bindingsOf);
  refuseOtherIssuer(request, props);
  refuseTooManyPrincipals(bindings);
  const federation = federate(scope, request, props);
  const { principals } = federation;
  principals.addSubjects(accounts.map(({ subject }) => subject));
  for (const binding of bindings)
    PullBinding.forServiceAccount(scope, { ...binding, principals, provider: props.provider });
  const annotations = { [OPT_IN_ANNOTATION]: OPT_IN_VALUE };
  return {
    grants: accounts.map(({ subject }) => {
      const identity = principals.principal(subject);
      return {
        subject,
        identity,
        principal: { name: identity, dependencies: principals.dependencies },
        annotations,
      };
    }),
    provider: credentialProvider(federation, bindings, props.cacheDuration),
    nodeFiles: [],
  };
}

function credentialProvider(
  { principals, args, needs }: Federation,
  bindings: readonly WantedBinding[],
  cacheDuration: Duration | undefined,
): ImageCredentialProvider {
  return {
    plugin: "gcp",
    name: PLUGIN_NAME,
    matchImages: [...new Set(bindings.map(({ repository }) => repository.host))].sort(),
    defaultCacheDuration: Duration.minutes(1),
    args,
    nodeIdentityArgs: NODE_IDENTITY_ARGUMENTS,
    env: cacheEnvironment(cacheDuration),
    audience: principals.audience,
    cacheType: "ServiceAccount",
    annotationKeys: [OPT_IN_ANNOTATION],
    needs,
  };
}

function federate(scope: Construct, cluster: IdentityRequest, props: PullPrincipalsProps): Federation {
  const { pool } = props;
  if (pool === "fleet") {
    const url = props.identityProvider ?? (clusterIsManaged(cluster) ? cluster.issuer.url : undefined);
    const identityProvider = managedIdentityProvider(url);
    const warning = checkClusterProject(identityProvider, props);
    if (warning !== undefined) Annotations.of(scope).addWarning(warning);
    const args = managedPoolArguments(props.project, identityProvider);
    return {
      principals: new ManagedPool({ project: props.project, projectNumber: props.projectNumber }),
      args,
      needs: ["tokens"],
    };
  }
  const principals = props.oidcProvider ?? declareOidcProvider(scope, cluster, props, pool);
  return { principals, args: customPoolArguments(principals.stsAudience), needs: ["tokens", "custom-pools"] };
}

function declareOidcProvider(
  scope: Construct,
  cluster: IdentityRequest,
  props: PullPrincipalsProps,
  pool: PullPoolProps | IWorkloadIdentityPool | undefined,
): IOidcProvider {
  const { audience, jwks, keys, provider, project, projectNumber: number } = props;
  const derived = clusterPoolId(cluster.clusterName, props.namePrefix);
  const settings = {
    providerId: props.providerId ?? derived,
    issuer: cluster.issuer,
    jwks,
    keys,
    audiences: audience === undefined ? undefined : [audience],
    provider,
  };
  const declared =
    pool && "poolReference" in pool
      ? pool
      : { project, projectNumber: number, ...(pool ?? { poolId: derived }), provider };
  return poolProviderOf(scope, declared, settings, (at, all) => OidcProvider.forIssuer(at, all));
}

function clusterIsManaged({ issuer }: IdentityRequest): boolean {
  return parseManagedIdentityProvider(issuer.url) !== undefined;
}

function bindingsOf({ subject, asks }: AccountRequest<IPullSource<Construct>>): readonly WantedBinding[] {
  return asks.map((source) =>
    source instanceof ArtifactRegistryRepository
      ? { serviceAccount: subject, repository: source }
      : fail("google-source-foreign", source.images),
  );
}
