import type { Construct } from "constructs";
import { fail } from "../errors";
import type { ICluster } from "../model/cluster";
import { GivenIssuer, ISSUER, Issuer } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { crioCredentialProvider } from "../rules/openshift/node-files";
import { winningGeneratedName } from "../rules/openshift/machine-config";
import {
  type OpenShiftPlatform,
  PLUGIN_DIRECTORY,
  platformNodes,
  openShiftRelease,
  platformWebhooks,
  type OpenShiftRelease,
} from "../rules/openshift/versions";
import { MachineConfigCarrier, NodePoolCarrier } from "./carriers";
import {
  type ObjectKind,
  boolean,
  checkGiven,
  choice,
  example,
  list,
  object,
  optional,
  text,
} from "../model/shape";
import { compareVersions } from "../model/version";
import { issuerClusterInternal } from "../model/problems";

/** What the crio credential provider serves. */
export interface CrioCredentialProviderProps {
  /** Registry names as in the pods' images, as in a CRIOCredentialProviderConfig. 1 to 50. */
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
   * `spec.serviceAccountIssuer` of `Authentication/cluster`. If that is empty, the issuer is an internal one that no
   * cloud can reach; `https://kubernetes.default.svc` and similar URLs are refused.
   */
  readonly issuer: GivenIssuer;
  /** MachineConfigPools whose nodes pull, for example `["worker"]`. */
  readonly pools: readonly string[];
  /**
   * Name of the MachineConfigs; `<pool>` is replaced by the pool's name.
   *
   * @defaultValue "99-<pool>-kubelet-credential-provider"
   */
  readonly machineConfigName?: string;
  /**
   * Whether to write a node disruption policy if the release's defaults would reboot the nodes: on 4.21 for all files,
   * later for files outside `/etc/kubernetes/credential-providers`.
   *
   * @defaultValue true
   */
  readonly nodeDisruptionPolicy?: boolean;
  /**
   * Keeps the crio credential provider (secrets of the namespace for mirrors; 4.22 and newer), whose entry this
   * library's file would otherwise drop. State the same patterns as in the CRIOCredentialProviderConfig.
   *
   * @defaultValue - no entry; a CRIOCredentialProviderConfig has no effect on these pools
   */
  readonly crioCredentialProvider?: CrioCredentialProviderProps;
  /**
   * Opt-in for platforms whose kubelet unit does not accept the credential provider flags (`none`, `external`,
   * `ibmcloud`, `powervs`, `kubevirt`), on 4.22 and newer: the text after `ExecStart=` in
   * `systemctl cat kubelet.service` on a node. A drop-in repeats it with the flags added, so that an upgrade's changes
   * to the command line do not reach the nodes until you state them here.
   *
   * @defaultValue - those platforms are refused
   */
  readonly kubeletCommand?: string;
}

const OPEN_SHIFT_PROPS: ObjectKind<OpenShiftProps> = object({
  name: text,
  version: example(text, '"4.22"'),
  platform: text,
  issuer: ISSUER,
  pools: list(text),
  machineConfigName: optional(text),
  nodeDisruptionPolicy: optional(boolean),
  crioCredentialProvider: optional(CRIO_CREDENTIAL_PROVIDER_PROPS),
  kubeletCommand: optional(text),
});

/** A self-managed OpenShift cluster: its nodes receive files through MachineConfigs. */
export function openShift(props: OpenShiftProps): ICluster<Construct> {
  checkGiven("openShift()", OPEN_SHIFT_PROPS, props);
  const { name: _, issuer: __, crioCredentialProvider: crio, ...carried } = props;
  const { version, platform, pools, kubeletCommand } = carried;
  const release = openShiftRelease(version);
  const carrier = new MachineConfigCarrier({ ...carried, crioCredentialProvider: crio !== undefined });
  const { stockProviders } = platformNodes(platform, release, kubeletCommand);
  const taken = Object.values(stockProviders).flatMap(({ matchImages }) => matchImages);
  if (crio) assertAfterGenerated(carrier.machineConfigNames);
  return clusterOf(props, release, {
    distribution: "openshift",
    apiServer: release.kubernetes,
    additionalProviders: crio ? [crioCredentialProvider(crio.matchImages, release, taken)] : [],
    openShift: { version: release.version, platform, pools },
    carriers: [carrier],
  });
}

/** The facts that self-managed and hosted clusters share. */
function clusterOf(
  {
    name,
    issuer: statedIssuer,
    platform,
    kubeletCommand,
  }: Pick<OpenShiftProps, "name" | "issuer" | "platform" | "kubeletCommand">,
  release: OpenShiftRelease,
  parts: Pick<ICluster<Construct>, "distribution" | "apiServer" | "additionalProviders" | "carriers"> &
    Pick<ICluster<Construct>["recorded"], "openShift">,
): ICluster<Construct> {
  const { openShift, ...facts } = parts;
  const { distribution, apiServer } = facts;
  const { configPath, stockProviders } = platformNodes(platform, release, kubeletCommand);
  const { plugins, kubernetes: kubelet } = release;
  const issuer = Issuer.of(statedIssuer);
  // No plugin on OpenShift pulls from a cloud that accepts uploaded keys, so an internal issuer is of no use here.
  if (issuer.clusterInternal) return fail("issuer-unsupported", issuerClusterInternal(issuer.url, "clouds"));
  return {
    name: clusterName(name),
    issuer,
    kubelet,
    plugins,
    stockProviders,
    configPath: () => configPath,
    pluginDirectory: PLUGIN_DIRECTORY,
    pluginDirectoryWritable: false,
    ...platformWebhooks(platform),
    recorded: { name, distribution, ...issuer.recorded, kubelet, apiServer, openShift, plugins },
    ...facts,
  };
}

function assertAfterGenerated(names: ReadonlyMap<string, string>): void {
  for (const [pool, name] of names) {
    const winner = winningGeneratedName(name, pool);
    if (winner !== undefined)
      fail("openshift-invalid", {
        problem: `the MachineConfig sorts before ${winner}, which writes the same file, so the operator's version would win and drop the service account tokens`,
        value: name,
        allowed: `names that sort after ${winner}, such as 99-…`,
        remedy:
          "choose a later name, or leave `crioCredentialProvider` out and keep the CRIOCredentialProviderConfig empty",
      });
  }
}

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
   * The service that manages the cluster for you. It owns the management cluster, so you cannot bring files to the
   * nodes; the cluster is refused with a message that names the alternatives.
   *
   * @defaultValue - you run the management cluster
   */
  readonly managedBy?: "rosa" | "aro";
  /**
   * Namespace of the HostedCluster and its NodePools, on the management cluster.
   *
   * @defaultValue "clusters"
   */
  readonly namespace?: string;
  /**
   * Name of the ConfigMaps; `<nodePool>` is replaced by the NodePool's name, so that each NodePool rolls out
   * separately. A name without it makes all NodePools share one ConfigMap.
   *
   * @defaultValue "<nodePool>-kubelet-credential-provider"
   */
  readonly configMapName?: string;
  /**
   * Name of the MachineConfig in the ConfigMap.
   *
   * @defaultValue "99-kubelet-credential-provider"
   */
  readonly machineConfigName?: string;
}

const HOSTED_OPEN_SHIFT_PROPS: ObjectKind<HostedOpenShiftProps> = object({
  name: text,
  version: example(text, '"4.22"'),
  controlPlaneVersion: optional(text),
  platform: text,
  issuer: ISSUER,
  nodePools: list(text),
  managedBy: optional(choice(["rosa", "aro"])),
  namespace: optional(text),
  configMapName: optional(text),
  machineConfigName: optional(text),
});

/** What customers of a managed service can do instead. */
const MANAGED = {
  rosa: {
    service: "ROSA with hosted control planes",
    remedy:
      "let nodes pull with their own identity (attach AmazonEC2ContainerRegistryPullOnly to the workers' IAM role), or use pull secrets",
  },
  aro: {
    service: "ARO with hosted control planes",
    remedy:
      "use pull secrets that a workload with AcrPull renews; leave `managedBy` out if you run the service",
  },
} as const;

function refuseCustomer({ service, remedy }: (typeof MANAGED)[keyof typeof MANAGED]): never {
  return fail("openshift-unsupported", {
    problem: `customers of ${service} cannot bring files to its nodes: NodePools read ConfigMaps on the management cluster, which the service owns`,
    value: service,
    allowed: "hosted clusters whose management cluster you run",
    remedy,
  });
}

/** Default namespace of `hypershift create cluster`. */
const NAMESPACE = "clusters";

/**
 * A hosted OpenShift cluster: its nodes receive files through ConfigMaps on the management cluster.
 *
 * The crio credential provider does not work there: the hosted API server does not issue tokens for its audience, and
 * the operator does not create its permission.
 */
export function hostedOpenShift(props: HostedOpenShiftProps): ICluster<Construct> {
  checkGiven("hostedOpenShift()", HOSTED_OPEN_SHIFT_PROPS, props);
  if (props.managedBy !== undefined) refuseCustomer(MANAGED[props.managedBy]);
  const { platform, nodePools, namespace = NAMESPACE } = props;
  const {
    name: _,
    issuer: __,
    controlPlaneVersion: ___,
    managedBy: ____,
    ...carrier
  } = { ...props, namespace };
  const release = openShiftRelease(props.version);
  const controlPlane = openShiftRelease(props.controlPlaneVersion ?? props.version);
  if (compareVersions(release.version, controlPlane.version) > 0)
    fail("openshift-mismatch", {
      problem: "the NodePools are newer than the hosted control plane, which HyperShift refuses",
      value: release.version,
      allowed: `at most ${controlPlane.version}`,
      remedy:
        "correct the versions: `version` is the NodePools' version, `controlPlaneVersion` the hosted control plane's",
    });
  return clusterOf(props, release, {
    distribution: "openshift-hosted",
    apiServer: controlPlane.kubernetes,
    additionalProviders: [],
    openShift: { version: release.version, controlPlaneVersion: controlPlane.version, platform, nodePools },
    carriers: [new NodePoolCarrier(carrier)],
  });
}
