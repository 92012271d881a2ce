/*
 * How the kubelet of a distribution gets its flags: by files in the distribution's own configuration, which a transport
 * (cloud-init, Ignition, …) then brings to the nodes.
 */

import type { NodePlaces } from "../../model/node-carrier";
import type { NodeFile, NodeSetup } from "../../model/node-file";

/** Flag with the file or directory of CredentialProviderConfigs. */
export const CONFIG_FLAG = "image-credential-provider-config";
/** Flag with the directory of the plugins. */
export const BIN_FLAG = "image-credential-provider-bin-dir";

/** Versions of a node, as far as they are known. */
export interface NodeVersions {
  /** Minor of the kubelet. */
  readonly kubelet?: string | undefined;
  readonly microShift?: string | undefined;
}

/** What a release does to flags; `isCertain` is false where it is not known that the nodes have that release. */
export interface VersionObstacle {
  readonly isCertain: boolean;
  /** A clause. */
  readonly reason: string;
}

/** A distribution whose kubelet takes its flags from files. */
export interface KubeletHost {
  /** `rke2` say; the name of the document where none is stated. */
  readonly id: string;
  /** Where it has its configuration and plugins where nothing else is stated. */
  readonly places: NodePlaces;
  /** The files of a setup, with those that set its flags. */
  files(setup: NodeSetup): readonly NodeFile[];
  /** Facts of the cluster that `explain` needs. */
  readonly recorded?: Readonly<Record<string, unknown>>;
  /** Throws where a kubelet of that minor cannot be used. */
  checkKubelet?(kubelet: string): void;
  /** Lines for the reader: what restarts the kubelet. */
  readonly comment: readonly string[];
}

/** EKS nodes of Amazon Linux 2023: nodeadm's plugin directory, and a configuration that nodeadm does not write over. */
export const NODEADM_PLACES: NodePlaces = {
  configPath: "/etc/eks/image-credential-provider/service-account-tokens.yaml",
  pluginDirectory: "/etc/eks/image-credential-provider",
};
