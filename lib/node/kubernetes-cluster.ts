import type { Construct } from "constructs";
import { fail } from "../errors";
import type { ICluster } from "../model/cluster";
import { GivenIssuer, ISSUER, Issuer } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { literal } from "../model/late";
import { type NodeSetup, isCleanPath } from "../model/node-file";
import { type ObjectKind, boolean, checkGiven, list, object, optional, record, text } from "../model/shape";
import { type StatedPlugins, STATED_PLUGINS, pluginFacts, pullingMinors } from "../rules/kubelet/node-facts";
import type { IManifestSink } from "../model/manifest-sink";
import { type NodePlaces, type INodeCarrier, NODE_CARRIER } from "../model/node-carrier";

/** The facts of a self-managed cluster. */
export interface KubernetesProps {
  /** DNS label; becomes part of the names of roles and identities. */
  readonly name: string;
  /** Version of the kubelets, `1.35` or `1.35.2`; 1.33 to 1.36. */
  readonly version: string;
  /**
   * Version of the kube-apiserver, at least that of the kubelets.
   *
   * @defaultValue - that of the kubelets
   */
  readonly apiServerVersion?: string;
  /** `--service-account-issuer` of the kube-apiserver, as the clouds can reach it. */
  readonly issuer: GivenIssuer;
  /**
   * The plugins on the nodes by key; as text the version, `1.35.2`.
   *
   * A plugin is no part of Kubernetes and has its own versions.
   */
  readonly plugins: StatedPlugins;
  /**
   * How files and flags get to the nodes: `rke2()`, `talos(…)`, `new PlainCarrier()`.
   *
   * @defaultValue - as data, by one {@link PlainCarrier}
   */
  readonly carriers?: readonly INodeCarrier<Construct>[];
  /**
   * Where the CredentialProviderConfig is put; `--image-credential-provider-config` of the kubelet.
   *
   * @defaultValue - where the carriers have it, or "/etc/kubernetes/credential-provider-config.yaml"
   */
  readonly configPath?: string;
  /**
   * Where the plugins are; `--image-credential-provider-bin-dir` of the kubelet.
   *
   * @defaultValue - where the carriers have them, or "/var/lib/kubelet/credential-provider"
   */
  readonly pluginDirectory?: string;
  /**
   * Whether a second name (link or copy) of a plugin can be put there; mixed mode may need one.
   *
   * @defaultValue - as the carriers say, or true
   */
  readonly pluginDirectoryWritable?: boolean;
  /**
   * Feature gates that differ from the defaults of the version, of the kubelets and of the API server alike.
   *
   * Kubernetes 1.33 needs `KubeletServiceAccountTokenForCredentialProviders: true`.
   *
   * @defaultValue - none
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
}

const KUBERNETES_PROPS: ObjectKind<KubernetesProps> = object({
  name: text,
  version: text,
  apiServerVersion: optional(text),
  issuer: ISSUER,
  plugins: STATED_PLUGINS,
  carriers: optional(list(NODE_CARRIER)),
  configPath: optional(text),
  pluginDirectory: optional(text),
  pluginDirectoryWritable: optional(boolean),
  featureGates: optional(record(boolean)),
});

const DEFAULT_PLACES: NodePlaces = {
  configPath: "/etc/kubernetes/credential-provider-config.yaml",
  /** Kubernetes has no default; this is the directory of the Cluster API provider for Azure and of AKS nodes. */
  pluginDirectory: "/var/lib/kubelet/credential-provider",
};

/** A cluster whose nodes are set up by hand or with another tool: files and flags come out as data. */
export function kubernetes(props: KubernetesProps): ICluster<Construct> {
  checkGiven("kubernetes()", KUBERNETES_PROPS, props);
  const issuer = Issuer.of(props.issuer);
  const featureGates = literal(props.featureGates ?? {}, "featureGates");
  const minors = pullingMinors(props.version, props.apiServerVersion ?? props.version, featureGates);
  const carriers: readonly INodeCarrier<Construct>[] = props.carriers ?? [new PlainCarrier()];
  for (const carrier of carriers) carrier.checkKubelet?.(minors.kubelet);
  const places: NodePlaces = { ...DEFAULT_PLACES, ...placesOf(carriers), ...stated(props) };
  const configPath = nodePath("path of the CredentialProviderConfig", places.configPath);
  const plugins = pluginFacts("kubernetes()", props.plugins);
  const facts = { ...minors, featureGates, plugins };
  const distribution = "kubernetes";
  return {
    name: clusterName(props.name),
    distribution,
    issuer,
    ...facts,
    stockProviders: {},
    additionalProviders: [],
    configPath: () => configPath,
    pluginDirectory: nodePath("directory of the plugins", places.pluginDirectory),
    pluginDirectoryWritable: places.pluginDirectoryWritable ?? true,
    recorded: { name: props.name, distribution, ...issuer.recorded, ...facts },
    carriers,
  };
}

/** Where the carriers have the files; one cluster has one CredentialProviderConfig, so that they must agree. */
function placesOf(carriers: readonly INodeCarrier<Construct>[]): NodePlaces | undefined {
  const [first, ...others] = carriers.flatMap(({ places }) => places ?? []);
  const other = others.find(
    (each) => each.configPath !== first?.configPath || each.pluginDirectory !== first.pluginDirectory,
  );
  if (first && other)
    fail("cluster-mismatch", {
      problem: "the carriers put the kubelet's configuration or its plugins into different places",
      value: [first.configPath, other.configPath],
      allowed: "one path for all nodes of a cluster",
      remedy: "give nodes that are made in another way their own stack",
    });
  return first;
}

function stated({
  configPath,
  pluginDirectory,
  pluginDirectoryWritable,
}: KubernetesProps): Partial<NodePlaces> {
  return {
    ...(configPath !== undefined && { configPath }),
    ...(pluginDirectory !== undefined && { pluginDirectory }),
    ...(pluginDirectoryWritable !== undefined && { pluginDirectoryWritable }),
  };
}

function nodePath(what: string, path: string): string {
  return isCleanPath(literal(path, what))
    ? path
    : fail("cluster-invalid", {
        problem: `${what} is not an absolute, clean path`,
        value: path,
        allowed: "/directory/name without empty parts, . and ..",
        remedy: "give the path as it is on the nodes",
      });
}

/** How {@link PlainCarrier} names what it hands over. */
export interface PlainCarrierProps {
  /**
   * Name of the setup; becomes `nodes/<name>.yaml`.
   *
   * @defaultValue "all-nodes"
   */
  readonly name?: string;
}

const PLAIN_CARRIER_PROPS: ObjectKind<PlainCarrierProps> = object({
  name: optional(text),
});

/**
 * Hands files and kubelet flags over as data, for whatever makes the nodes: cloud-init, kubeadm, an image builder.
 *
 * The kubelet reads its credential provider configuration only at start, so whoever writes the files restarts it.
 */
export class PlainCarrier implements INodeCarrier<Construct> {
  /** Name of the setup. */
  readonly name: string;

  constructor(props: PlainCarrierProps = {}) {
    checkGiven(new.target.name, PLAIN_CARRIER_PROPS, props);
    this.name = props.name ?? "all-nodes";
  }

  /** Passes the setup on unchanged. */
  carry(sink: IManifestSink<Construct>, setup: NodeSetup): void {
    sink.nodeSetup(this.name, setup);
  }
}
