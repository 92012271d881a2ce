import type { TerraformProvider } from "cdktf";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import type { PublicJsonWebKeySet } from "../../model/json-web-key";
import { type IOidcProvider, OIDC_PROVIDER } from "./oidc-provider-props";
import { type PullPoolProps, PULL_POOL_PROPS } from "./pull-principals-props";
import { type IWorkloadIdentityPool, WORKLOAD_IDENTITY_POOL } from "./workload-identity-pool";
import { type ObjectKind, anyObject, either, list, object, optional, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** Where a cluster's tokens are trusted, and where its service accounts are; shared by components and workloads. */
export interface ClusterPoolProps {
  /** Id of the project of the service accounts; of the pool too, unless one is given. */
  readonly project: string;
  /**
   * Number of the pool's project, as text: `"123456789012"`. May be late; the credential files are then finished by
   * `bind`.
   *
   * @defaultValue - that of the given `pool` or `oidcProvider`; needed without them
   */
  readonly projectNumber?: string;
  /**
   * The pool: one to declare, a construct, or an adopted one (`WorkloadIdentityPool.fromPoolId`), also of another
   * project.
   *
   * @defaultValue - a pool named `k8s-<cluster>`, which image pulls, components and workloads of the cluster share
   */
  readonly pool?: PullPoolProps | IWorkloadIdentityPool;
  /**
   * A pool provider that is there, declared or adopted (`OidcProvider.fromProviderId`).
   *
   * @defaultValue - one is declared for this job, so that a token of another job's audience is refused
   */
  readonly oidcProvider?: IOidcProvider;
  /**
   * Id of the pool provider that is declared: 4 to 32 of a-z, 0-9 and -.
   *
   * @defaultValue - `k8s-<cluster>--openshift` for components, `k8s-<cluster>--workloads` for workloads
   */
  readonly providerId?: string;
  /**
   * First part of the derived ids of pool and pool provider.
   *
   * @defaultValue "k8s"
   */
  readonly namePrefix?: string;
  /**
   * The issuer's public keys as PEM, so that nothing of it need be public; the current and the next one while they
   * are rotated.
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
   * Domain of Google Cloud's APIs, for the credential files.
   *
   * @defaultValue "googleapis.com"
   */
  readonly universeDomain?: string;
  /**
   * Terraform provider of all resources.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

/** The kind of {@link ClusterPoolProps}. */
export const CLUSTER_POOL_PROPS: ObjectKind<ClusterPoolProps> = object({
  project: text,
  projectNumber: optional(text),
  pool: optional(either(PULL_POOL_PROPS, WORKLOAD_IDENTITY_POOL)),
  oidcProvider: optional(OIDC_PROVIDER),
  providerId: optional(text),
  namePrefix: optional(text),
  keys: optional(list(ISSUER_KEY)),
  jwks: optional(either(text, anyObject)),
  universeDomain: optional(text),
  provider: optional(PROVIDER),
});
