import type { Construct } from "constructs";
import { fail } from "../errors";
import { type ICluster, type PodIdentityWebhook, POD_IDENTITY_WEBHOOKS } from "../model/cluster";
import { GivenIssuer, ISSUER, Issuer } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { literal } from "../model/late";
import { isCleanPath } from "../model/node-file";
import { type ObjectKind, boolean, checkGiven, list, object, optional, record, text } from "../model/shape";
import { type StatedPlugins, STATED_PLUGINS, pluginFacts, pullingMinors } from "../rules/kubelet/node-facts";
import { type NodePlaces, type INodeCarrier, NODE_CARRIER } from "../model/node-carrier";
import { PlainCarrier } from "./carriers/plain";

/** The facts of a self-managed cluster. */
export interface KubernetesProps {
  /** DNS label; becomes part of the names of roles and identities. */
  readonly name: string;
  /** Version of the kubelets, `1.35` or `1.35.2`: 1.33 or newer, and one of `knownKubernetesMinors`. */
  readonly version: string;
  /**
   * Version of the kube-apiserver, at least that of the kubelets.
   *
   * @defaultValue - that of the kubelets
   */
  readonly apiServerVersion?: string;
  /** `--service-account-issuer` of the kube-apiserver; the clouds must be able to reach it. */
  readonly issuer: GivenIssuer;
  /**
   * The plugins on the nodes, by key; a text is the version, `1.35.2`.
   *
   * Plugins are not part of Kubernetes and have their own versions. Image pulls need them, workloads do not.
   *
   * @defaultValue - none
   */
  readonly plugins?: StatedPlugins;
  /**
   * How files and flags get to the nodes: `rke2()`, `talos(…)`, `new PlainCarrier()`.
   *
   * @defaultValue - one {@link PlainCarrier}, which writes them as data
   */
  readonly carriers?: readonly INodeCarrier<Construct>[];
  /**
   * Path of the CredentialProviderConfig on the nodes; `--image-credential-provider-config` of the kubelet.
   *
   * @defaultValue - the carriers' path, or "/etc/kubernetes/credential-provider-config.yaml"
   */
  readonly configPath?: string;
  /**
   * Directory of the plugins on the nodes; `--image-credential-provider-bin-dir` of the kubelet.
   *
   * @defaultValue - the carriers' directory, or "/var/lib/kubelet/credential-provider"
   */
  readonly pluginDirectory?: string;
  /**
   * Whether a second name (link or copy) of a plugin can be created there; mixed mode may need one.
   *
   * @defaultValue - as the carriers say, or true
   */
  readonly pluginDirectoryWritable?: boolean;
  /**
   * Feature gates that differ from the version's defaults, for the kubelets and the API server alike.
   *
   * Kubernetes 1.33 needs `KubeletServiceAccountTokenForCredentialProviders: true`.
   *
   * @defaultValue - none
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * Pod identity webhooks that you installed: `aws` (amazon-eks-pod-identity-webhook), `azure` (azure-workload-identity).
   * They give pods of annotated service accounts a token.
   *
   * @defaultValue - none: `WorkloadAccess` writes the token and the variables for the pods
   */
  readonly podIdentityWebhooks?: readonly PodIdentityWebhook[];
}

const KUBERNETES_PROPS: ObjectKind<KubernetesProps> = object({
  name: text,
  version: text,
  apiServerVersion: optional(text),
  issuer: ISSUER,
  plugins: optional(STATED_PLUGINS),
  carriers: optional(list(NODE_CARRIER)),
  configPath: optional(text),
  pluginDirectory: optional(text),
  pluginDirectoryWritable: optional(boolean),
  featureGates: optional(record(boolean)),
  podIdentityWebhooks: optional(POD_IDENTITY_WEBHOOKS),
});

const DEFAULT_PLACES: NodePlaces = {
  configPath: "/etc/kubernetes/credential-provider-config.yaml",
  /** Kubernetes has no default; Cluster API's provider for Azure and AKS nodes use this directory. */
  pluginDirectory: "/var/lib/kubelet/credential-provider",
};

/** A cluster whose nodes are set up by hand or with another tool; files and flags are written as data. */
export function kubernetes(props: KubernetesProps): ICluster<Construct> {
  checkGiven("kubernetes()", KUBERNETES_PROPS, props);
  const issuer = Issuer.of(props.issuer);
  const featureGates = literal(props.featureGates ?? {}, "featureGates");
  const minors = pullingMinors(props.version, props.apiServerVersion ?? props.version, featureGates);
  const carriers: readonly INodeCarrier<Construct>[] = props.carriers ?? [new PlainCarrier()];
  for (const carrier of carriers) carrier.checkKubelet?.(minors.kubelet);
  const places: NodePlaces = { ...DEFAULT_PLACES, ...placesOf(carriers) };
  const { pluginDirectory = places.pluginDirectory } = props;
  const configPath = nodePath("path of the CredentialProviderConfig", props.configPath ?? places.configPath);
  const plugins = pluginFacts("kubernetes()", props.plugins ?? {});
  const facts = { ...minors, featureGates, plugins };
  const distribution = "kubernetes";
  return {
    name: clusterName(props.name),
    ...(props.podIdentityWebhooks && { podIdentityWebhooks: props.podIdentityWebhooks }),
    distribution,
    issuer,
    ...facts,
    stockProviders: {},
    additionalProviders: [],
    configPath: () => configPath,
    pluginDirectory: nodePath("directory of the plugins", pluginDirectory),
    pluginDirectoryWritable: props.pluginDirectoryWritable ?? places.pluginDirectoryWritable ?? true,
    recorded: { name: props.name, distribution, ...issuer.recorded, ...facts },
    carriers,
  };
}

/** The paths that the carriers use. They must agree, because a cluster has one CredentialProviderConfig path. */
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
      remedy: "declare nodes that are set up differently in a stack of their own",
    });
  return first;
}

function nodePath(what: string, path: string): string {
  return isCleanPath(literal(path, what))
    ? path
    : fail("cluster-invalid", {
        problem: `${what} is not an absolute, clean path`,
        value: path,
        allowed: "/directory/name without empty, . or .. parts",
        remedy: "state the path as it is on the nodes",
      });
}
