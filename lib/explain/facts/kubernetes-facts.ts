/*
 * Sorts the objects of one cluster by what a pull needs of them.
 */

import { dirname } from "node:path";
import { TOKEN_AUDIENCE_VERB } from "../../rules/rbac/node-audience";
import { readRbacInAnyOrder } from "../../rules/rbac/apply-order";
import type { RbacPolicy } from "../../rules/rbac/evaluate";
import { at, own, text } from "./access";
import type { ClusterRecord } from "./cluster-record";
import { type ComponentFacts, readComponentFacts } from "./component-facts";
import { type FleetFacts, readFleetFacts } from "./fleet-facts";
import { hostedObjects } from "./hosted-cluster";
import { type PoolConfigFact, listedNodes, readNodePools } from "./hosted-pools";
import { type ImagePolicyFact, readImagePolicy } from "./image-policies";
import type { LateReader } from "./late-text";
import {
  type NodeConfiguration,
  nodeConfiguration,
  standaloneConfiguration,
  unconfigured,
} from "./node-configuration";
import {
  type MachineConfigFact,
  type NodeFact,
  isNodeSetup,
  nodesOfMachineConfigs,
  readMachineConfig,
  readNodePoolConfig,
  readNodeSetup,
} from "./node-facts";
import { gateStatement } from "./node-gates";
import { isServed } from "./served-kinds";
import { type RegistrySources, readRegistrySources } from "./registry-sources";
import { type ServiceAccountFact, readServiceAccounts } from "./service-accounts";
import { objectsIn } from "./skipped";
import { type Source, below } from "./source";
import { type MirrorRule, readMirrorRules } from "./mirror-facts";
import { type VolumeDrivers, readVolumeDrivers } from "./volume-drivers";
import { type WorkloadFact, readWorkload } from "./workload-facts";

export type { ServiceAccountFact } from "./service-accounts";

/** The objects of one cluster. */
export interface KubernetesFacts extends ComponentFacts {
  /** Service accounts by `namespace/name`. */
  readonly serviceAccounts: ReadonlyMap<string, ServiceAccountFact>;
  /** Roles and bindings. */
  readonly rbac: RbacPolicy;
  /** The same where folders are applied in other orders, as far as that makes a difference. */
  readonly rbacOtherwise: readonly RbacPolicy[];
  /** Where each role and binding stands, by `kind namespace/name`. */
  readonly rbacSources: ReadonlyMap<string, Source>;
  /** True where a role speaks of token audiences at all. */
  readonly hasAudienceRules: boolean;
  /** Pods and what makes pods. */
  readonly workloads: readonly WorkloadFact[];
  /** Where the nodes' runtime pulls from instead of what pods name. */
  readonly mirrors: readonly MirrorRule[];
  /** Which registries the nodes' runtime may pull from; none where nothing limits it. */
  readonly registrySources: readonly RegistrySources[];
  /** Signatures that the nodes' runtime asks of images. */
  readonly imagePolicies: readonly ImagePolicyFact[];
  /** What CSI drivers let nodes request. */
  readonly volumeDrivers: VolumeDrivers;
  /** Profiles of spokes, and lists of access providers. */
  readonly fleet: FleetFacts;
  /** What the kubelets of each pool are configured with. */
  readonly nodes: readonly NodeConfiguration[];
  /** Configurations that nothing places on nodes, and that are not judged since nodes have files of their own. */
  readonly unplaced: readonly Source[];
}

/** A document on its way into the facts. */
export interface KubernetesDocument {
  /** The parsed document. */
  readonly value: unknown;
  /** Where it stands. */
  readonly source: Source;
  /** Reads its late values. */
  readonly late: LateReader;
  /** True for objects of the management cluster, of which only the nodes' files count. */
  readonly management: boolean;
  /** True for a manifest that a stack wrote. */
  readonly ofStack: boolean;
}

const RBAC_KINDS: readonly string[] = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

/** True for a document that is read here; lists are read item by item. */
export function isKubernetesDocument(value: unknown): boolean {
  return (
    (typeof own(value, "kind") === "string" && own(value, "apiVersion") !== undefined) || isNodeSetup(value)
  );
}

/** Reads the objects. */
export function readKubernetes(
  documents: readonly KubernetesDocument[],
  cluster: ClusterRecord,
): KubernetesFacts {
  const { accounts, rbac, others } = sorted(documents);
  const all = [...others, ...hostedObjects(others, cluster)];
  const objects = all.filter(({ management }) => !management);
  const values = rbac.map(({ value }) => value);
  const [policy, ...rbacOtherwise] = readRbacInAnyOrder(
    rbac.map(({ value, source }) => ({ value, folder: dirname(source.file) })),
  );
  return {
    serviceAccounts: readServiceAccounts(accounts),
    rbac: policy,
    rbacOtherwise,
    rbacSources: new Map(rbac.map(({ value, source }) => [objectKey(value), source])),
    hasAudienceRules: values.some((value) =>
      JSON.stringify(own(value, "rules") ?? "").includes(TOKEN_AUDIENCE_VERB),
    ),
    workloads: objects.flatMap(({ value, source, late }) => {
      const workload = readWorkload(value, source, late);
      return workload ? [workload] : [];
    }),
    mirrors: objects.flatMap(({ value, source }) => readMirrorRules(value, source)),
    registrySources: objects.flatMap(({ value, source }) => readRegistrySources(value, source) ?? []),
    imagePolicies: objects.flatMap(({ value, source }) => readImagePolicy(value, source) ?? []),
    volumeDrivers: readVolumeDrivers(objects.map(({ value }) => value)),
    ...readComponentFacts(objects),
    fleet: readFleetFacts(objects),
    ...nodes(all, cluster),
  };
}

/** Service accounts and RBAC are most of what there is by far, and no other reader has a use for them. */
function sorted(documents: readonly KubernetesDocument[]): {
  readonly accounts: readonly KubernetesDocument[];
  readonly rbac: readonly KubernetesDocument[];
  readonly others: readonly KubernetesDocument[];
} {
  const accounts: KubernetesDocument[] = [];
  const rbac: KubernetesDocument[] = [];
  const others: KubernetesDocument[] = [];
  for (const document of documents.flatMap(items)) {
    if (!isServed(document.value)) continue;
    const kind = text(own(document.value, "kind"));
    const ofHub = !document.management;
    if (kind === "ServiceAccount") ofHub && accounts.push(document);
    else if (RBAC_KINDS.includes(kind)) ofHub && rbac.push(document);
    else others.push(document);
  }
  return { accounts, rbac, others };
}

/**
 * The service account of a key, `namespace/name`; `undefined` where it is in no manifest.
 *
 * Every namespace has one named `default`, made by kube-controller-manager without annotations, so that one is there
 * until a manifest says more of it.
 */
export function serviceAccountOf(
  { serviceAccounts: written }: Pick<KubernetesFacts, "serviceAccounts">,
  key: string,
): ServiceAccountFact | undefined {
  const known = written.get(key);
  if (known || !key.endsWith("/default")) return known;
  return { key, annotations: new Map(), pullSecrets: [], source: undefined };
}

/** `ClusterRole /name`, `RoleBinding namespace/name`; an object of the cluster has no namespace. */
function objectKey(value: unknown): string {
  const kind = text(own(value, "kind"));
  const namespace = kind.startsWith("Cluster") ? "" : text(at(value, "metadata", "namespace"));
  return `${kind} ${namespace}/${text(at(value, "metadata", "name"))}`;
}

function items(document: KubernetesDocument): readonly KubernetesDocument[] {
  if (!/List$/.test(text(own(document.value, "kind")))) return [document];
  return objectsIn(document.value).map((value, index) => ({
    ...document,
    value,
    source: below(document.source, `items[${index}]`),
  }));
}

function nodes(
  documents: readonly KubernetesDocument[],
  cluster: ClusterRecord,
): Pick<KubernetesFacts, "nodes" | "unplaced"> {
  const machineConfigs: MachineConfigFact[] = [];
  const facts: NodeFact[] = [];
  const pools: PoolConfigFact[] = [];
  const standalone: NodeConfiguration[] = [];
  const gates = documents.flatMap(({ value, source, management }) => {
    const statement = management ? undefined : gateStatement(value, source);
    return statement ? [statement] : [];
  });
  for (const { value, source, late } of documents) {
    const machineConfig = readMachineConfig(value, source, late);
    const pool = readNodePoolConfig(value, source, late);
    if (machineConfig) machineConfigs.push(machineConfig);
    if (pool) pools.push({ namespace: text(at(value, "metadata", "namespace")), node: pool });
    if (isNodeSetup(value)) facts.push(readNodeSetup(value, source, late));
    if (own(value, "kind") === "CredentialProviderConfig")
      standalone.push(standaloneConfiguration(value, source, gates));
  }
  const hosted = listedNodes(pools, readNodePools(documents, cluster), cluster);
  const configured = [...facts, ...hosted, ...nodesOfMachineConfigs(machineConfigs)].map((node) =>
    nodeConfiguration(node, cluster, gates),
  );
  const found = configured.filter(
    ({ documents: read, problem, doubt }) => read.length > 0 || problem !== undefined || doubt !== undefined,
  );
  const [placed, unplaced] = found.length > 0 ? [found, standalone] : [standalone, []];
  return {
    nodes: [...placed, ...unconfiguredPools(machineConfigs, found, cluster)],
    unplaced: unplaced.map(({ source }) => source),
  };
}

/** Pools that take no MachineConfigs of worker's. */
const BUILT_IN: readonly string[] = ["master", "worker", "arbiter"];

/** Pools that the cluster has and that no MachineConfig with a configuration reaches: a pod may come to them too. */
function unconfiguredPools(
  [first]: readonly MachineConfigFact[],
  found: readonly NodeConfiguration[],
  { openShift }: ClusterRecord,
): readonly NodeConfiguration[] {
  const names = found.map(({ name }) => name);
  const reached = (pool: string): boolean =>
    names.includes(pool) || (!BUILT_IN.includes(pool) && names.includes("worker"));
  return (openShift?.pools ?? [])
    .filter((pool) => !reached(pool))
    .map((name) => unconfigured(name, first?.source ?? { file: "", path: "" }));
}
