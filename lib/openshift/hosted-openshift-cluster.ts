import type { Construct } from "constructs";
import { fail } from "../errors";
import type { ICluster } from "../model/cluster";
import { GivenIssuer, ISSUER } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { compareVersions } from "../model/version";
import { type OpenShiftPlatform, PLUGIN_DIRECTORY, platformNodes } from "../rules/openshift/platforms";
import { openShiftRelease } from "../rules/openshift/versions";
import { reachableIssuer } from "./reachable-issuer";
import { NodePoolCarrier } from "./node-pool-carrier";
import { type ObjectKind, checkGiven, list, object, optional, text } from "../model/shape";

/** The facts of an OpenShift cluster whose control plane is hosted (HyperShift). */
export interface HostedOpenShiftProps {
  /** DNS label; becomes part of the names of roles and identities. */
  readonly name: string;
  /** OpenShift version of the NodePools, `4.22`; from 4.21 on. */
  readonly version: string;
  /**
   * OpenShift version of the control plane, at least that of the NodePools.
   *
   * @defaultValue - that of the NodePools
   */
  readonly controlPlaneVersion?: string;
  /** Platform of the nodes. */
  readonly platform: OpenShiftPlatform;
  /** `spec.issuerURL` of the HostedCluster; on ARO HCP `properties.platform.issuerUrl`. */
  readonly issuer: GivenIssuer;
  /** Names of the NodePools whose nodes pull. */
  readonly nodePools: readonly string[];
  /**
   * Namespace of the HostedCluster and its NodePools, on the management cluster.
   *
   * @defaultValue "clusters"
   */
  readonly namespace?: string;
  /**
   * Name of the ConfigMaps; `<nodePool>` stands for the NodePool, so that each rolls out by itself. Without it all
   * NodePools share one ConfigMap.
   *
   * @defaultValue "<nodePool>-kubelet-credential-provider"
   */
  readonly configMapName?: string;
  /**
   * Name of the MachineConfig within.
   *
   * @defaultValue "99-kubelet-credential-provider"
   */
  readonly machineConfigName?: string;
}

const HOSTED_OPEN_SHIFT_PROPS: ObjectKind<HostedOpenShiftProps> = object({
  name: text,
  version: text,
  controlPlaneVersion: optional(text),
  platform: text,
  issuer: ISSUER,
  nodePools: list(text),
  namespace: optional(text),
  configMapName: optional(text),
  machineConfigName: optional(text),
});

/** The namespace of `hypershift create cluster` where none is given. */
const NAMESPACE = "clusters";

/**
 * A hosted OpenShift cluster: its nodes get files through ConfigMaps on the management cluster.
 *
 * There is no crio credential provider: the hosted API server takes no tokens for that plugin's audience, and the
 * operator's permission for it is not created there.
 *
 * Throws `version-unsupported` or `version-unknown`, `openshift-nodes-newer`, `openshift-platform-unsupported` or
 * `-unknown`, `pools-missing`, `pool-invalid`, `machine-config-name-invalid`, `namespace-invalid`,
 * `cluster-name-invalid`, `issuer-invalid`, `issuer-trailing-slash`, `issuer-cluster-internal` or `late-value`.
 */
export function hostedOpenShift(props: HostedOpenShiftProps): ICluster<Construct> {
  checkGiven("hostedOpenShift()", HOSTED_OPEN_SHIFT_PROPS, props);
  const { platform, nodePools, namespace = NAMESPACE } = props;
  const { name: _, issuer: __, controlPlaneVersion: ___, ...carrier } = { ...props, namespace };
  const release = openShiftRelease(props.version);
  const controlPlane = openShiftRelease(props.controlPlaneVersion ?? props.version);
  if (compareVersions(release.version, controlPlane.version) > 0)
    fail("openshift-nodes-newer", release.version, controlPlane.version);
  const nodes = platformNodes(platform, release);
  const issuer = reachableIssuer(props.issuer);
  const distribution = "openshift-hosted";
  const { plugins } = release;
  return {
    name: clusterName(props.name),
    distribution,
    issuer,
    kubelet: release.kubernetes,
    apiServer: controlPlane.kubernetes,
    plugins,
    stockProviders: nodes.stockProviders,
    additionalProviders: [],
    configPath: () => nodes.configPath,
    pluginDirectory: PLUGIN_DIRECTORY,
    pluginDirectoryWritable: false,
    recorded: {
      name: props.name,
      distribution,
      issuer: issuer.url,
      kubelet: release.kubernetes,
      apiServer: controlPlane.kubernetes,
      openShift: { version: release.version, controlPlaneVersion: controlPlane.version, platform, nodePools },
      plugins,
    },
    carriers: [new NodePoolCarrier(carrier)],
  };
}
