import type { Construct } from "constructs";
import { fail } from "../errors";
import type { ICluster } from "../model/cluster";
import { GivenIssuer, ISSUER } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { crioCredentialProvider } from "../rules/openshift/crio";
import { winningGeneratedName } from "../rules/openshift/machine-config";
import { type OpenShiftPlatform, PLUGIN_DIRECTORY, platformNodes } from "../rules/openshift/platforms";
import { openShiftRelease } from "../rules/openshift/versions";
import { reachableIssuer } from "./reachable-issuer";
import { MachineConfigCarrier } from "./machine-config-carrier";
import { type ObjectKind, boolean, checkGiven, list, object, optional, text } from "../model/shape";

/** What the crio credential provider serves. */
export interface CrioCredentialProviderProps {
  /** Registries by their name in the pod's image, as in a CRIOCredentialProviderConfig. 1 to 50. */
  readonly matchImages: readonly string[];
}

const CRIO_CREDENTIAL_PROVIDER_PROPS: ObjectKind<CrioCredentialProviderProps> = object({
  matchImages: list(text),
});

/** The facts of a self-managed OpenShift or OKD cluster. */
export interface OpenShiftProps {
  /** DNS label; becomes part of the names of roles and identities. */
  readonly name: string;
  /** OpenShift version, `4.22`; from 4.21 on. */
  readonly version: string;
  /** `status.platformStatus.type` of the Infrastructure object, in lower case. */
  readonly platform: OpenShiftPlatform;
  /**
   * `spec.serviceAccountIssuer` of `Authentication/cluster`. Empty there means an internal issuer that no cloud can
   * reach: `https://kubernetes.default.svc` and its like are refused.
   */
  readonly issuer: GivenIssuer;
  /** MachineConfigPools whose nodes pull, for example `["worker"]`. */
  readonly pools: readonly string[];
  /**
   * Name of the MachineConfigs; `<pool>` stands for the pool.
   *
   * @defaultValue "99-<pool>-kubelet-credential-provider"
   */
  readonly machineConfigName?: string;
  /**
   * Whether a node disruption policy is written where the release's defaults would reboot the nodes: on 4.21 for
   * all files, later for files outside of `/etc/kubernetes/credential-providers`.
   *
   * @defaultValue true
   */
  readonly nodeDisruptionPolicy?: boolean;
  /**
   * Keeps the crio credential provider (secrets of the namespace for mirrors; 4.22 and newer), whose entry this
   * library's file would replace. State here what the CRIOCredentialProviderConfig states.
   *
   * @defaultValue - no entry; a CRIOCredentialProviderConfig has no effect on these pools
   */
  readonly crioCredentialProvider?: CrioCredentialProviderProps;
}

const OPEN_SHIFT_PROPS: ObjectKind<OpenShiftProps> = object({
  name: text,
  version: text,
  platform: text,
  issuer: ISSUER,
  pools: list(text),
  machineConfigName: optional(text),
  nodeDisruptionPolicy: optional(boolean),
  crioCredentialProvider: optional(CRIO_CREDENTIAL_PROVIDER_PROPS),
});

/**
 * A self-managed OpenShift cluster: its nodes get files through MachineConfigs.
 *
 * Throws `version-unsupported` or `version-unknown`, `openshift-platform-unsupported` or `-unknown`, `pools-missing`,
 * `pool-invalid`, `machine-config-name-invalid`, `machine-config-name-order`, `name-taken`, `crio-unsupported`,
 * `crio-match-images-invalid`, `cluster-name-invalid`, `issuer-invalid`, `issuer-trailing-slash`,
 * `issuer-cluster-internal`, or `late-value`.
 */
export function openShift(props: OpenShiftProps): ICluster<Construct> {
  checkGiven("openShift()", OPEN_SHIFT_PROPS, props);
  const { name: _, issuer: given, crioCredentialProvider: crio, ...carried } = props;
  const { version, platform, pools } = carried;
  const release = openShiftRelease(version);
  const nodes = platformNodes(platform, release);
  const issuer = reachableIssuer(given);
  const carrier = new MachineConfigCarrier({ ...carried, crioCredentialProvider: crio !== undefined });
  const taken = Object.values(nodes.stockProviders).flatMap(({ matchImages }) => matchImages);
  if (crio) assertAfterGenerated(carrier.machineConfigNames);
  const { kubernetes, plugins } = release;
  const distribution = "openshift";
  return {
    name: clusterName(props.name),
    distribution,
    issuer,
    kubelet: kubernetes,
    apiServer: kubernetes,
    plugins,
    stockProviders: nodes.stockProviders,
    additionalProviders: crio ? [crioCredentialProvider(crio.matchImages, release, taken)] : [],
    configPath: () => nodes.configPath,
    pluginDirectory: PLUGIN_DIRECTORY,
    pluginDirectoryWritable: false,
    recorded: {
      name: props.name,
      distribution,
      issuer: issuer.url,
      kubelet: kubernetes,
      apiServer: kubernetes,
      openShift: { version: release.version, platform, pools },
      plugins,
    },
    carriers: [carrier],
  };
}

function assertAfterGenerated(names: ReadonlyMap<string, string>): void {
  for (const [pool, name] of names) {
    const winner = winningGeneratedName(name, pool);
    if (winner !== undefined) fail("machine-config-name-order", name, winner);
  }
}
