import { anything, object, optional, record, text, type ObjectKind } from "../model/shape";
import { SPOKE_FACTS, type SpokeFacts } from "../model/fleet";

/** What a {@link SpokeCluster} says. */
export interface SpokeClusterProps {
  /** Where the spoke is, and what plugins must be told; of a cloud's function, or written out. */
  readonly access: SpokeFacts;
  /**
   * Name of the profile.
   *
   * @defaultValue - the construct's id
   */
  readonly name?: string;
  /**
   * Name for people.
   *
   * @defaultValue - the name
   */
  readonly displayName?: string;
  /**
   * Name of the access provider, in the profile and in every consumer's list.
   *
   * @defaultValue - `<cloud>-<name>`
   */
  readonly providerName?: string;
  /**
   * Further labels of the profile.
   *
   * @defaultValue - none besides the manager's
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Kubernetes version of the spoke, as it is now; consumers may choose by it.
   *
   * @defaultValue - left out
   */
  readonly kubernetesVersion?: string;
  /**
   * Properties by name, for example `topology.kubernetes.io/region`.
   *
   * @defaultValue - none
   */
  readonly properties?: Readonly<Record<string, string>>;
  /**
   * RFC 3339 time since when the condition ControlPlaneHealthy is declared. It is declared, not observed: a
   * declarative tool cannot report health. Knative and multicluster-runtime wait for it.
   *
   * @defaultValue - no condition
   */
  readonly controlPlaneHealthySince?: string;
  /**
   * Name in the server's certificate where it is not that of the URL. Access library 0.1.3 and older ignores it.
   *
   * @defaultValue - the URL's host
   */
  readonly tlsServerName?: string;
  /**
   * Proxy before the server; consumers do not use their own `HTTPS_PROXY`.
   *
   * @defaultValue - none
   */
  readonly proxyUrl?: string;
  /**
   * Data that a plugin reads from `KUBERNETES_EXEC_INFO` (extension `client.authentication.k8s.io/exec`).
   *
   * @defaultValue - none; no plugin of this library's table needs it
   */
  readonly execExtension?: Readonly<Record<string, unknown>>;
}

/** The kind of {@link SpokeClusterProps}. */
export const SPOKE_CLUSTER_PROPS: ObjectKind<SpokeClusterProps> = object({
  access: SPOKE_FACTS,
  name: optional(text),
  displayName: optional(text),
  providerName: optional(text),
  labels: optional(record(text)),
  kubernetesVersion: optional(text),
  properties: optional(record(text)),
  controlPlaneHealthySince: optional(text),
  tlsServerName: optional(text),
  proxyUrl: optional(text),
  execExtension: optional(record(anything)),
});
