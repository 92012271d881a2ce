/*
 * How a distribution's kubelet gets its flags: from files in the distribution's own configuration, which a transport
 * (cloud-init, Ignition, …) brings to the nodes.
 */

import type { NodePlaces } from "../../model/node-carrier";
import type { NodeFile, NodeSetup } from "../../model/node-file";

/** Flag for the file or directory of CredentialProviderConfigs. */
export const CONFIG_FLAG = "image-credential-provider-config";
/** Flag for the directory of the plugins. */
export const BIN_FLAG = "image-credential-provider-bin-dir";

/** The known versions of a node. */
export interface NodeVersions {
  /** Minor of the kubelet. */
  readonly kubelet?: string | undefined;
  readonly microShift?: string | undefined;
}

/** What a release does to the flags; `isCertain` is false if the nodes may have another release. */
export interface VersionObstacle {
  readonly isCertain: boolean;
  /** The reason, as a clause. */
  readonly reason: string;
}

/** A distribution whose kubelet reads its flags from files. */
export interface KubeletHost {
  /** For example `rke2`; the document's default name. */
  readonly id: string;
  /** Default paths of its configuration and plugins. */
  readonly places: NodePlaces;
  /** The files of a setup, including those that set its flags. */
  files(setup: NodeSetup): readonly NodeFile[];
  /** Facts of the cluster that `explain` needs. */
  readonly recorded?: Readonly<Record<string, unknown>>;
  /** Throws if a kubelet of that minor cannot be used. */
  checkKubelet?(kubelet: string): void;
  /** Comment lines for the reader: what restarts the kubelet. */
  readonly comment: readonly string[];
}

/** EKS nodes of Amazon Linux 2023: nodeadm's plugin directory, and a configuration that nodeadm does not overwrite. */
export const NODEADM_PLACES: NodePlaces = {
  configPath: "/etc/eks/image-credential-provider/service-account-tokens.yaml",
  pluginDirectory: "/etc/eks/image-credential-provider",
};
