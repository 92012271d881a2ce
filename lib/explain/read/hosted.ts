/*
 * HyperShift: the configuration in a HostedCluster, as the equivalent objects of a standalone cluster; and the
 * ConfigMaps that NodePools list, since others have no effect.
 *
 * Source: openshift/hypershift, api/hypershift/v1beta1 (`HostedClusterSpec`, `ClusterConfiguration`, `NodePoolSpec`).
 */

import { propertyPath } from "../../model/property-path";
import { isWorkloadIdentityError } from "../../errors";
import { known, orElse, unread, whyNot } from "../../model/known";
import { at, list, text } from "../../model/parsed";
import type { ClusterFacts } from "./cluster-record";
import { documentsIn } from "./documents";
import { poolNodes, readMachineConfig } from "./machine-configs";
import { type NodeFact, mayHold } from "./node-files";
import type { KubernetesObject, Objects } from "./objects";
import { below } from "./source";

const CONFIG = "config.openshift.io/v1";

/** The objects equivalent to this cluster's HostedClusters; empty without a HostedCluster. */
export function hostedObjects(objects: Objects, cluster: ClusterFacts): readonly KubernetesObject[] {
  return hostedClusters(objects, cluster).flatMap(objectsIn);
}

/** The objects of the management cluster that describe this cluster and its pools. */
export function hostingObjects(objects: Objects, cluster: ClusterFacts): readonly KubernetesObject[] {
  return [...hostedClusters(objects, cluster), ...nodePools(objects, cluster).map(({ object }) => object)];
}

function hostedClusters(objects: Objects, cluster: ClusterFacts): readonly KubernetesObject[] {
  const all = objects.of("HostedCluster");
  const named = all.filter(({ value }) => isOf(value, cluster));
  const [only, ...more] = all;
  const isOnly = named.length === 0 && only && more.length === 0 && issuerOf(only.value) === "";
  return isOnly ? [only] : named;
}

/** Whether a HostedCluster is for this cluster: a management cluster has many. */
function isOf(value: unknown, { name, issuer }: ClusterFacts): boolean {
  const recorded = orElse(issuer ?? known(undefined), () => undefined);
  return (
    text(at(value, "metadata", "name")) === name || (recorded !== undefined && issuerOf(value) === recorded)
  );
}

function issuerOf(value: unknown): string {
  return text(at(value, "spec", "issuerURL"));
}

function objectsIn(hosted: KubernetesObject): readonly KubernetesObject[] {
  const { value } = hosted;
  const configuration = at(value, "spec", "configuration");
  const mirrors = at(value, "spec", "imageContentSources");
  const issuer = issuerOf(value);
  const digests = mirrors === undefined ? undefined : { imageDigestMirrors: mirrors };
  const authentication = issuer === "" ? undefined : { serviceAccountIssuer: issuer };
  const own = text(at(value, "metadata", "name"));
  const rows: readonly (readonly [kind: string, name: string, path: string, spec: unknown])[] = [
    ["Image", "cluster", "spec.configuration.image", at(configuration, "image")],
    ["FeatureGate", "cluster", "spec.configuration.featureGate", at(configuration, "featureGate")],
    ["ImageDigestMirrorSet", own, "spec.imageContentSources", digests],
    ["Authentication", "cluster", "spec.issuerURL", authentication],
  ];
  return rows
    .filter(([, , , spec]) => spec !== undefined)
    .map(([kind, name, path, spec]) => {
      const source = { ...hosted.source, path: `${below(hosted.source, path).path} (as ${kind}/${name})` };
      const wrapped = { apiVersion: CONFIG, kind, metadata: { name }, spec };
      return { ...hosted, kind, value: wrapped, source, management: false };
    });
}

interface NodePool {
  readonly name: string;
  /** Its namespace, which also holds its ConfigMaps. */
  readonly namespace: string;
  readonly configs: readonly string[];
  /** Major and minor version of its release, `4.22`; `undefined` if its image does not tell. */
  readonly release: string | undefined;
  readonly object: KubernetesObject;
}

const RELEASE = /:v?(\d+\.\d+)\.\d[^/:@]*$/;

function nodePools(objects: Objects, { name: cluster, openShift }: ClusterFacts): readonly NodePool[] {
  const pools = objects.of("NodePool");
  const named = pools.filter(({ value }) => at(value, "spec", "clusterName") === cluster);
  return (named.length > 0 ? named : pools)
    .map((object) => ({
      name: text(at(object.value, "metadata", "name")),
      namespace: text(at(object.value, "metadata", "namespace")),
      configs: list(at(object.value, "spec", "config")).map((each) => text(at(each, "name"))),
      release: RELEASE.exec(text(at(object.value, "spec", "release", "image")))?.[1],
      object,
    }))
    .filter(({ name }) => openShift?.nodePools?.includes(name) ?? true);
}

/** The nodes with files from ConfigMaps that NodePools list or should list; of all ConfigMaps if no NodePool was read. */
export function hostedNodes(objects: Objects, cluster: ClusterFacts): readonly NodeFact[] {
  const pools = nodePools(objects, cluster);
  const recorded = cluster.openShift?.nodePools;
  const isComplete = (recorded ?? []).every((each) => pools.some(({ name }) => name === each));
  const rows = objects
    .of("ConfigMap")
    .flatMap(poolConfig)
    .map(({ namespace, node }) => ({
      node,
      by: pools.filter((pool) => pool.namespace === namespace && pool.configs.includes(node.name)),
    }));
  const listed = rows
    .filter(({ by }) => pools.length === 0 || by.length > 0 || !isComplete)
    .map(({ node, by }) => ofRelease(node, by, cluster.openShift?.version));
  const decisive = rows.filter(({ node }) => isConfigured(node));
  const [first] = decisive;
  const bare = pools.filter((pool) => !decisive.some(({ by }) => by.includes(pool)));
  // The record says on which pools pods run; without it, one pool with the files is enough.
  if (first === undefined || (recorded === undefined && bare.length < pools.length)) return listed;
  return [...listed, ...bare.map((pool) => without(pool, first.node))];
}

/** A ConfigMap of a NodePool's `spec.config`: its namespace, and its MachineConfigs as nodes that have its name. */
function poolConfig({
  value,
  source,
  late,
}: KubernetesObject): readonly { readonly namespace: string; readonly node: NodeFact }[] {
  const config = at(value, "data", "config");
  if (typeof config !== "string" || !config.includes("MachineConfig")) return [];
  const place = below(source, propertyPath(["data", "config"]));
  const name = text(at(value, "metadata", "name"));
  const namespace = text(at(value, "metadata", "namespace"));
  try {
    const configs = documentsIn(config, "data.config")
      .filter((document) => at(document.value, "kind") === "MachineConfig")
      .map((document) => readMachineConfig(document.value, place, late));
    return configs.length === 0 ? [] : [{ namespace, node: poolNodes(name, configs, undefined, source) }];
  } catch (error) {
    if (!isWorkloadIdentityError(error)) throw error;
    const problem = error.problem.replace(/^file /, "");
    const reason = `HyperShift refuses the ConfigMap ${name}: its config ${problem}`;
    return [{ namespace, node: { ...poolNodes(name, [], undefined, source), absence: known(reason) } }];
  }
}

function without({ name, object }: NodePool, node: NodeFact): NodeFact {
  const absence = `NodePool ${name} does not list the ConfigMap ${node.name} in spec.config, so its files are not on the nodes`;
  return { ...node, name, absence: known(absence), source: object.source };
}

/** True for nodes with a CredentialProviderConfig; a file that cannot be read may be one. */
function isConfigured({ files }: NodeFact): boolean {
  return [...files.values()].some(
    ({ content }) => whyNot(content)?.kind === "unread" || mayHold(content, "CredentialProviderConfig"),
  );
}

/** Nodes with a doubt if a NodePool runs a release other than the recorded one, which decides what kubelets read. */
function ofRelease(node: NodeFact, by: readonly NodePool[], version = ""): NodeFact {
  const minor = version.split(".").slice(0, 2).join(".");
  const other = by.find(({ release }) => release !== undefined && version !== "" && minor !== release);
  if (!other || orElse(node.absence, () => undefined) !== undefined) return node;
  const doubt = `NodePool ${other.name} runs the release ${other.release}, but OpenShift ${version} is recorded`;
  return { ...node, absence: unread(doubt) };
}
