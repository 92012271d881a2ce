import type { TerraformProvider } from "cdktf";
import { type Duration, DURATION } from "../../model/duration";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import type { PublicJsonWebKeySet } from "../../model/json-web-key";
import { type IOidcProvider, OIDC_PROVIDER } from "./oidc-provider-props";
import { type IWorkloadIdentityPool, WORKLOAD_IDENTITY_POOL } from "./workload-identity-pool";
import { type ObjectKind, anyObject, choice, either, list, object, optional, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** A workload identity pool to declare, in the project of {@link PullPrincipalsProps}. */
export interface PullPoolProps {
  /** Id of the pool: 4 to 32 of a-z, 0-9 and -, not starting with `gcp-`. */
  readonly poolId: string;
  /**
   * Name for people, at most 32 characters.
   *
   * @defaultValue - none
   */
  readonly displayName?: string;
  /**
   * Description, at most 256 characters.
   *
   * @defaultValue - none
   */
  readonly description?: string;
}

/** The kind of {@link PullPoolProps}. */
export const PULL_POOL_PROPS: ObjectKind<PullPoolProps> = object({
  poolId: text,
  displayName: optional(text),
  description: optional(text),
});

/** Settings of `pullPrincipals`. */
export interface PullPrincipalsProps {
  /** Id of the project that owns the workload identity pool; for `"fleet"` the GKE or fleet host project. */
  readonly project: string;
  /** Number of that project, as text: `"123456789012"`. Late only for `"fleet"`. */
  readonly projectNumber: string;
  /**
   * The pool: one to declare, a construct or adopted one (`WorkloadIdentityPool.fromPoolId`), or `"fleet"` for the
   * pool that GKE and fleet clusters have.
   *
   * @defaultValue - a pool named `k8s-<cluster>` is declared
   */
  readonly pool?: PullPoolProps | IWorkloadIdentityPool | "fleet";
  /**
   * An existing pool provider (`OidcProvider.fromProviderId`) whose condition admits the service accounts, and which
   * trusts the cluster's own issuer: state it there, so that it is checked.
   *
   * @defaultValue - one is declared for the cluster's issuer
   */
  readonly oidcProvider?: IOidcProvider;
  /**
   * Id of the pool provider that is declared.
   *
   * @defaultValue - `k8s-<cluster>`
   */
  readonly providerId?: string;
  /**
   * First part of the derived ids of pool and pool provider.
   *
   * @defaultValue "k8s"
   */
  readonly namePrefix?: string;
  /**
   * The issuer's public keys as PEM, so that nothing of it need be public; the same as for components and workloads.
   *
   * @defaultValue - `jwks`, where it is given; otherwise Google fetches the keys from the issuer
   */
  readonly keys?: readonly IssuerKey[];
  /**
   * The public keys as `kubectl get --raw /openid/v1/jwks` prints them, in place of `keys`.
   *
   * @defaultValue - none
   */
  readonly jwks?: string | PublicJsonWebKeySet;
  /**
   * Audience of the service account tokens in a custom pool.
   *
   * @defaultValue - the pool provider's full name, `https://iam.googleapis.com/projects/…/providers/<id>`
   */
  readonly audience?: string;
  /**
   * URL of the GKE cluster or fleet membership, only for `pool: "fleet"`. Literal, as all of the kubelet's file; it
   * follows from project, location and name:
   * `https://container.googleapis.com/v1/projects/<project>/locations/<location>/clusters/<cluster>`.
   *
   * @defaultValue - the cluster's issuer where it is a GKE cluster's; otherwise refused
   */
  readonly identityProvider?: string;
  /**
   * How long the kubelet keeps credentials, less than an hour. An answer without credentials is kept as long, so a
   * repaired permission takes effect late. Refused with mixed mode in one entry (`pool: "fleet"`): the node's own token
   * would be kept as long, and may end sooner.
   *
   * @defaultValue - not at all, one token exchange for each pull (6,000 a minute and project)
   */
  readonly cacheDuration?: Duration;
  /**
   * Terraform provider of all resources.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

/** The kind of {@link PullPrincipalsProps}. */
export const PULL_PRINCIPALS_PROPS: ObjectKind<PullPrincipalsProps> = object({
  project: text,
  projectNumber: text,
  pool: optional(either(choice(["fleet"]), PULL_POOL_PROPS, WORKLOAD_IDENTITY_POOL)),
  oidcProvider: optional(OIDC_PROVIDER),
  providerId: optional(text),
  namePrefix: optional(text),
  keys: optional(list(ISSUER_KEY)),
  jwks: optional(either(text, anyObject)),
  audience: optional(text),
  identityProvider: optional(text),
  cacheDuration: optional(DURATION),
  provider: optional(PROVIDER),
});
