import type { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import type { DataGoogleContainerCluster } from "@cdktf/provider-google/lib/data-google-container-cluster/index.js";
import type { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import type { TerraformProvider } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { at, fail } from "../../errors";
import type { IdentityRequest } from "../../model/identity";
import type { Issuer } from "../../model/issuer";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import type { PublicJsonWebKeySet } from "../../model/json-web-key";
import { isLate } from "../../model/late";
import { propertyMissing } from "../../model/problems";
import { isRecord } from "../../model/record";
import type { Subject } from "../../model/subject";
import { type ObjectKind, anyObject, either, list, object, optional, text } from "../../model/shape";
import { projectId, projectNumber, refuseUnused } from "../../rules/google/names";
import { universeDomain } from "../../rules/google/workload";
import { type NameRules, derivedName } from "../../rules/names";
import { DefaultProvider } from "../shared/default-provider";
import {
  type IWorkloadIdentityPool,
  type PullPoolProps,
  PULL_POOL_PROPS,
  WORKLOAD_IDENTITY_POOL,
  WorkloadIdentityPool,
} from "./pool";
import { OidcProvider, checkIssuerKeys } from "./provider";
import {
  type IOidcProvider,
  type OidcProviderProps,
  OIDC_PROVIDER,
  checkOidcProvider,
} from "./provider-props";
import { type DeclaredProps, type UniverseProps, DECLARED_PROPS, UNIVERSE_PROPS } from "./props";

/** The pool provider that trusts a cluster: an existing one, or settings for a new one. */
export interface PoolProviderSettings extends DeclaredProps {
  /**
   * An existing pool provider, declared or adopted (`OidcProvider.fromProviderId`). Its condition must admit the
   * service accounts, and it must trust the cluster's issuer, which is checked if the pool provider states it.
   *
   * @defaultValue - one is declared for this job, so that tokens with another job's audience are refused
   */
  readonly oidcProvider?: IOidcProvider;
  /**
   * Id of the pool provider to declare: 4 to 32 of a-z, 0-9 and -.
   *
   * @defaultValue - `k8s-<cluster>` for pulls, with `--openshift` for components and `--workloads` for workloads
   */
  readonly providerId?: string;
  /**
   * First part of the derived ids of pool and pool provider.
   *
   * @defaultValue "k8s"
   */
  readonly namePrefix?: string;
  /**
   * The issuer's public keys as PEM, so that the issuer need not be public; during a rotation the current and the next
   * one. State the same for pulls, components and workloads.
   *
   * @defaultValue - `jwks` if set; otherwise Google fetches the keys from the issuer
   */
  readonly keys?: readonly IssuerKey[];
  /**
   * The public keys as `kubectl get --raw /openid/v1/jwks` prints them, in place of `keys`.
   *
   * @defaultValue - none
   */
  readonly jwks?: string | PublicJsonWebKeySet;
}

export const POOL_PROVIDER_SETTINGS: ObjectKind<PoolProviderSettings> = object({
  ...DECLARED_PROPS.shape,
  oidcProvider: optional(OIDC_PROVIDER),
  providerId: optional(text),
  namePrefix: optional(text),
  keys: optional(list(ISSUER_KEY)),
  jwks: optional(either(text, anyObject)),
});

/** Where a cluster's tokens are trusted, and where its service accounts are; shared by components and workloads. */
export interface ClusterPoolProps extends PoolProviderSettings, UniverseProps {
  /** Id of the project of the service accounts, and of the pool unless an existing one is given. */
  readonly project: string;
  /**
   * Number of the pool's project, as text: `"123456789012"`. May be late; the credential files are then finished by
   * `bind`.
   *
   * @defaultValue - the number in the given `pool` or `oidcProvider`; required without them
   */
  readonly projectNumber?: string;
  /**
   * The pool: one to declare, a construct, or an adopted one (`WorkloadIdentityPool.fromPoolId`), also of another
   * project.
   *
   * @defaultValue - a pool named `k8s-<cluster>`, which image pulls, components and workloads of the cluster share
   */
  readonly pool?: PullPoolProps | IWorkloadIdentityPool;
}

export const CLUSTER_POOL_PROPS: ObjectKind<ClusterPoolProps> = object({
  ...UNIVERSE_PROPS.shape,
  ...POOL_PROVIDER_SETTINGS.shape,
  project: text,
  projectNumber: optional(text),
  pool: optional(either(PULL_POOL_PROPS, WORKLOAD_IDENTITY_POOL)),
});

/** Whose tokens are trusted, and for which job. */
export interface ClusterJob extends IdentityRequest {
  /** Ends the id of the pool provider; `undefined` for pulls, which share that of the issuer. */
  readonly job: string | undefined;
  /** Audiences of the job's tokens; `undefined` for the pool provider's own name. */
  readonly audiences: readonly string[] | undefined;
  /** All service accounts of the job, which the pool providers of further issuers admit. */
  readonly subjects: readonly Subject[];
}

/** Names of pool and pool provider that a tool gave before. */
export interface KnownNames {
  /** Id of both, and their name for people. */
  readonly id: string;
  readonly description: string;
  readonly adopt: boolean;
}

const ID_RULES: NameRules = { max: 32, allowed: /[a-z0-9-]/, separator: "--" };
/** The parts are joined already: an id gets a hash only where it is too long. */
const LABELLED: NameRules = { ...ID_RULES, separator: "---" };
const DECLARED_ONLY = ["pool", "providerId", "namePrefix", "jwks", "keys", "audience"] as const;

type PoolSettings = Omit<ClusterPoolProps, "universeDomain">;

/** The pool that is given, itself or by its pool provider. */
export function givenPool({
  oidcProvider,
  pool,
}: Pick<PoolSettings, "oidcProvider" | "pool">): IWorkloadIdentityPool | undefined {
  return oidcProvider?.pool ?? (pool && "poolReference" in pool ? pool : undefined);
}

/**
 * Refuses what concerns a pool provider that is declared where one is given, and another project than the pool's; `to` is
 * the function that received the settings, for messages.
 */
export function checkClusterPool(
  to: string,
  props: PoolSettings & { readonly audience?: string },
  compared: readonly ("project" | "projectNumber")[] = ["projectNumber"],
): void {
  projectId(props.project);
  const existingPool = givenPool(props);
  if (!existingPool) projectNumber(props.projectNumber ?? missingNumber(to));
  const declared = DECLARED_ONLY.find((setting) => props[setting] !== undefined);
  if (props.oidcProvider && declared) refuseUnused(declared, "with an existing oidcProvider");
  for (const property of existingPool ? compared : []) {
    const [stated, expected] = [props[property], existingPool?.[property]];
    if (stated !== undefined && !isLate([stated, expected]) && stated !== expected)
      fail("google-mismatch", {
        problem: `${property} differs from that of the given workload identity pool`,
        value: stated,
        allowed: String(expected),
        remedy: "state the project that owns the pool; repositories state their own project",
      });
  }
}

export function missingNumber(to: string): never {
  const form = 'projectNumber: "123456789012"';
  return fail("property-missing", propertyMissing(`projectNumber of ${to}`, text.title, form));
}

/**
 * The pool provider of a cluster for one job. Those of its further issuers are declared beside it in the same pool: a
 * pool provider trusts one issuer, and a credential file names one pool provider, that of the issuer which signs.
 */
export function clusterPoolProvider(
  scope: Construct,
  job: ClusterJob,
  props: PoolSettings,
  names?: KnownNames,
): IOidcProvider {
  const { oidcProvider, ...others } = props;
  const { issuer, subjects } = job;
  const stated = issuer.accepted.find((each) => oidcProvider?.issuer?.equals(each)) ?? issuer;
  const pool = oidcProvider?.pool ?? props.pool;
  const settingsOf = (each: Issuer): PoolSettings =>
    each === stated ? props : { ...others, ...(pool && { pool }) };
  const declare = (each: Issuer): IOidcProvider =>
    issuerProvider(scope, { ...job, issuer: each }, settingsOf(each), names);
  const provider = declare(issuer);
  for (const each of issuer.additionalIssuers) declare(each).addSubjects(subjects);
  return provider;
}

/**
 * The pool provider of one issuer: the given one, or one in the cluster's pool, which is declared once per stack. All
 * settings are checked first, so that a refused one leaves no pool behind.
 */
function issuerProvider(
  scope: Construct,
  { clusterName, issuer, job, audiences }: ClusterJob,
  props: PoolSettings,
  names?: KnownNames,
): IOidcProvider {
  const { oidcProvider, provider, jwks, keys, namePrefix = "k8s" } = props;
  if (oidcProvider) return trusting(oidcProvider, issuer);
  const { label } = issuer;
  const share = (all: OidcProviderProps): OidcProvider =>
    job === undefined ? OidcProvider.forIssuer(scope, all) : OidcProvider.forProviderId(scope, all);
  const derived = [`${namePrefix}-${clusterName}`];
  const ofJob = job === undefined ? derived : [...derived, job];
  const known = names && { displayName: names.id, description: names.description, adopt: names.adopt };
  const unlabelled = props.providerId ?? names?.id ?? derivedName(ofJob, ID_RULES);
  const providerId = label === undefined ? unlabelled : derivedName([`${unlabelled}--${label}`], LABELLED);
  // What was made before a move is of the issuer without a label.
  const adopt = known && { adopt: known.adopt && label === undefined };
  const settings = { ...known, ...adopt, providerId, issuer, jwks, keys, audiences, provider };
  const existingPool = givenPool(props);
  if (existingPool) return share({ ...settings, pool: existingPool });
  const pool = {
    ...known,
    project: props.project,
    projectNumber: props.projectNumber ?? "",
    poolId: names?.id ?? derivedName(derived, ID_RULES),
    ...(props.pool as PullPoolProps | undefined),
    provider,
  };
  const checked = checkOidcProvider({ ...settings, pool });
  checkIssuerKeys(scope, { issuer: checked.issuer, pool, jwks: checked.jwks });
  return share({ ...settings, pool: WorkloadIdentityPool.forPoolId(scope, pool) });
}

/** Principals do not name the issuer, so another cluster's service accounts would get the rights. */
function trusting(oidcProvider: IOidcProvider, issuer: Issuer): IOidcProvider {
  const trusted = oidcProvider.issuer;
  if (trusted === undefined || trusted.late || issuer.late || trusted.equals(issuer)) return oidcProvider;
  return fail("google-mismatch", {
    problem:
      "oidcProvider trusts another cluster's issuer, so that cluster's service accounts would get the rights",
    value: trusted.url,
    allowed: issuer.url,
    remedy:
      "pass the pool provider of the cluster's own issuer, or leave oidcProvider out so that one is declared",
  });
}

const defaults = new DefaultProvider<GoogleProvider>("google");

/** The domain of the APIs, which everything that is declared is in: that of the provider, where it states one. */
export function universeIn(
  scope: IConstruct,
  place: {
    readonly universeDomain?: string | undefined;
    readonly provider?: TerraformProvider | undefined;
  },
): string {
  const universe = universeDomain(place.universeDomain);
  const provider: unknown = place.provider ?? defaults.of(scope);
  const stated = isRecord(provider) ? provider["universeDomainInput"] : undefined;
  // A late one has "${" too, as an expression that a caller writes out.
  if (typeof stated !== "string" || stated.includes("${") || stated === universe) return universe;
  return fail("google-mismatch", {
    problem: "universeDomain differs from that of the google provider, which declares the resources",
    value: universe,
    allowed: stated,
    remedy:
      "state the same universeDomain in both, or pass the google provider of this universe as `provider`",
  });
}

type Cluster = ContainerCluster | DataGoogleContainerCluster;

/** Refuses another name, project or location than that of a cluster in Terraform, if both are literal. */
export function checkCluster(
  cluster: Cluster,
  stated: Readonly<Partial<Record<"name" | "project" | "location", string | undefined>>>,
): void {
  const compare = (key: keyof typeof stated, own: unknown): void => {
    const value = stated[key];
    if (value === undefined || typeof own !== "string" || own.includes("${") || value === own) return;
    fail("google-mismatch", {
      problem: `the stated ${key} differs from that of the GKE cluster in Terraform`,
      value,
      allowed: own,
      remedy: `state the cluster's ${key}, or leave it out where the cluster states it`,
    });
  };
  at(cluster, () => {
    for (const key of ["name", "project", "location"] as const) compare(key, cluster[`${key}Input`]);
    if (cluster.projectInput === undefined && stated.project !== undefined)
      defaults.compare(cluster, cluster.provider, (own: unknown) => {
        compare("project", isRecord(own) ? own["projectInput"] : undefined);
      });
  });
}
