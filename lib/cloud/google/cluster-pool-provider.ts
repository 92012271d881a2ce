import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { projectId, projectNumber } from "../../rules/google/names";
import { derivedName } from "../../rules/names";
import type { NameRules } from "../../rules/names";
import type { ClusterPoolProps } from "./cluster-pool-props";
import { checkIssuerKeys } from "./issuer-key-sets";
import { OidcProvider } from "./oidc-provider";
import type { IOidcProvider, OidcProviderProps } from "./oidc-provider-props";
import { checkOidcProvider } from "./oidc-provider-settings";
import { WorkloadIdentityPool } from "./workload-identity-pool";
import type { IWorkloadIdentityPool, WorkloadIdentityPoolProps } from "./workload-identity-pool";

/** Whose tokens are trusted, and for which job. */
export interface ClusterJob {
  /** Name of the cluster. */
  readonly clusterName: string;
  /** Its issuer; may be late. */
  readonly issuer: Issuer;
  /** The job, which ends the id of the pool provider: `openshift` or `workloads`. */
  readonly job: string;
  /** Audiences of the job's tokens; `undefined` for the pool provider's own name. */
  readonly audiences: readonly string[] | undefined;
}

/** Names of pool and pool provider that a tool gave before. */
export interface KnownNames {
  /** Id of the pool and of the pool provider, and their name for people. */
  readonly id: string;
  /** Description of both. */
  readonly description: string;
  /** True to take both into the state. */
  readonly adopt: boolean;
}

const ID_RULES: NameRules = { max: 32, allowed: /[a-z0-9-]/, separator: "--" };
const DEFAULT_PREFIX = "k8s";
const DECLARED_ONLY = ["pool", "providerId", "namePrefix", "jwks", "keys"] as const;

/** Id of a cluster's pool, and of its pool provider for a job where one is named: `k8s-<cluster>[--<job>]`. */
export function clusterPoolId(clusterName: string, prefix: string = DEFAULT_PREFIX, job?: string): string {
  const parts = [`${prefix}-${clusterName}`];
  return derivedName(job === undefined ? parts : [...parts, job], ID_RULES);
}

/**
 * Pool and pool provider of a cluster, for one caller; the pool is declared once per stack.
 *
 * `share` says how the caller finds a pool provider that is there: `OidcProvider.forIssuer` or `forProviderId`. All
 * settings are checked first, so that a refused one leaves no pool behind.
 */
export function poolProviderOf(
  scope: Construct,
  pool: WorkloadIdentityPoolProps | IWorkloadIdentityPool,
  settings: Omit<OidcProviderProps, "pool">,
  share: (scope: Construct, props: OidcProviderProps) => OidcProvider,
): OidcProvider {
  if ("poolReference" in pool) return share(scope, { ...settings, pool });
  const { issuer, jwks } = checkOidcProvider({ ...settings, pool });
  checkIssuerKeys(scope, { issuer, pool, jwks });
  return share(scope, { ...settings, pool: WorkloadIdentityPool.forPoolId(scope, pool) });
}

/** Throws `google-project-invalid`, `google-project-number-invalid` and `google-setting-contradicts`. */
export function checkClusterPool(props: ClusterPoolProps): void {
  projectId(props.project);
  const declared = DECLARED_ONLY.find((setting) => props[setting] !== undefined);
  if (props.oidcProvider && declared)
    fail("google-setting-contradicts", declared, "with an existing oidcProvider");
  const given = givenPool(props);
  if (!given) projectNumber(props.projectNumber ?? "");
  else if (props.projectNumber !== undefined) refuseOtherNumber(props.projectNumber, given);
}

/** The pool provider of a cluster for one job: the given one, or one in the cluster's pool. */
export function clusterPoolProvider(
  scope: Construct,
  { clusterName, issuer, job, audiences }: ClusterJob,
  props: ClusterPoolProps,
  names?: KnownNames,
): IOidcProvider {
  const { oidcProvider, pool, provider } = props;
  if (oidcProvider) return trusting(oidcProvider, issuer);
  const known = names && { displayName: names.id, description: names.description, adopt: names.adopt };
  const poolId = names?.id ?? clusterPoolId(clusterName, props.namePrefix);
  const number = props.projectNumber ?? "";
  const { project } = props;
  const declared =
    pool && "poolReference" in pool
      ? pool
      : { project, projectNumber: number, ...known, poolId, ...pool, provider };
  const settings = {
    ...known,
    providerId: props.providerId ?? names?.id ?? clusterPoolId(clusterName, props.namePrefix, job),
    issuer,
    jwks: props.jwks,
    keys: props.keys,
    audiences,
    provider,
  };
  return poolProviderOf(scope, declared, settings, (at, all) => OidcProvider.forProviderId(at, all));
}

/** Principals do not name the issuer, so another cluster's service accounts would get the rights. */
function trusting(oidcProvider: IOidcProvider, issuer: Issuer): IOidcProvider {
  const trusted = oidcProvider.issuer;
  if (trusted === undefined || trusted.late || issuer.late || trusted.equals(issuer)) return oidcProvider;
  return fail("google-issuer-mismatch", trusted.url, issuer.url);
}

function givenPool({ oidcProvider, pool }: ClusterPoolProps): IWorkloadIdentityPool | undefined {
  return oidcProvider?.pool ?? (pool && "poolReference" in pool ? pool : undefined);
}

function refuseOtherNumber(stated: string, pool: IWorkloadIdentityPool): void {
  if (!isLate([stated, pool.projectNumber]) && stated !== pool.projectNumber)
    fail("google-project-contradicts", "projectNumber", stated, pool.projectNumber);
}
