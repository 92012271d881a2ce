/*
 * The objects of one cluster, sorted into the facts that the jobs need.
 */

import { dirname } from "node:path";
import { propertyPath } from "../../model/property-path";
import { grouped } from "../../model/grouped";
import { orElse, whyNot } from "../../model/known";
import { at, list, text, texts } from "../../model/parsed";
import { plainOf } from "../../model/tree";
import { WORKLOAD_KINDS } from "../../rules/pod-specs";
import { type RbacPolicy, readRbacInAnyOrder, TOKEN_AUDIENCE_VERB } from "../../rules/rbac/evaluate";
import { notUnderstood } from "../coverage/coverage";
import { KINDS } from "../coverage/kinds";
import { OpenObjects } from "../coverage/open-objects";
import type { ClusterFacts } from "./cluster-record";
import { type ComponentFacts, readComponentFacts } from "./component-facts";
import { contradictions } from "./contradictions";
import { withClusterSecrets } from "./cluster-secrets";
import { type FleetFacts, readFleetFacts } from "./fleet-facts";
import { hostedNodes, hostedObjects, hostingObjects } from "./hosted";
import type { DeclaredCluster } from "./inferred-cluster";
import { lateName, lateTree } from "./late-text";
import {
  BUILT_IN_POOLS,
  type MachineConfigFact,
  nodesOfMachineConfigs,
  readMachineConfig,
} from "./machine-configs";
import {
  type NodeConfiguration,
  nodeConfiguration,
  standaloneConfiguration,
  unconfigured,
} from "./node-configuration";
import { nodesOfDocuments, setupsOf } from "./node-forms";
import { gateStatements } from "./node-gates";
import { type KubernetesDocument, type KubernetesObject, type Objects, titleOf, unreadIn } from "./objects";
import { type WorkloadFact, readWorkload } from "./pods";
import { RBAC } from "./refusals";
import { type ServiceAccountFact, readServiceAccounts } from "./service-accounts";
import { NOWHERE, type SkippedDocument, type Source, below } from "./source";
import { readWebhooks } from "./webhooks";

export interface RbacFacts {
  /**
   * The rights they grant. Late values are written by {@link lateName}, so that a request for a late audience finds the
   * rule that names the same one.
   */
  readonly rbac: RbacPolicy;
  /** The same for other orders of applying the folders, if the order makes a difference. */
  readonly rbacOtherwise: readonly RbacPolicy[];
  /** The source of each role and binding, by `kind namespace/name`. */
  readonly rbacSources: ReadonlyMap<string, Source>;
  /** Roles and bindings that may grant what no other grants. */
  readonly rbacPerhaps: readonly PerhapsGranting[];
  /** True if any role mentions token audiences. */
  readonly hasAudienceRules: boolean;
}

/** A role or binding with a late value or with a field that is not judged. */
export interface PerhapsGranting {
  readonly what: string;
  readonly remedy: string;
  readonly source: Source;
}

/** One source with its mirrors. */
export interface MirrorRule {
  readonly title: string;
  /** `host`, `host/path` or `*.domain`; covers everything below it. */
  readonly source: string;
  /** The mirrors that the runtime tries first, in order: `host` or `host/path`. */
  readonly mirrors: readonly string[];
  /** True if the runtime never contacts the source, by `mirrorSourcePolicy: NeverContactSource`. */
  readonly blocksSource: boolean;
  readonly place: Source;
}

/** The registries in `Image/cluster`. */
export interface RegistrySources {
  /** Scopes from which pulls are blocked: `host`, `host/path` or `*.domain`. */
  readonly blocked: readonly string[];
  /** The only scopes from which pulls are allowed; `undefined` if nothing limits them. */
  readonly allowed: readonly string[] | undefined;
  readonly source: Source;
}

export interface ImagePolicyFact {
  /** `ClusterImagePolicy acme`, `ImagePolicy shop/acme`. */
  readonly title: string;
  /** Scopes to which it applies: `host`, `host/path` or `*.domain`. */
  readonly scopes: readonly string[];
  readonly source: Source;
}

/** The registry settings in the objects of a cluster. */
export interface RegistryFacts {
  /** The mirrors that the nodes' runtime uses in place of the registry that a pod names. */
  readonly mirrors: readonly MirrorRule[];
  /** Limits on the registries of the nodes' runtime; empty if nothing limits it. */
  readonly registrySources: readonly RegistrySources[];
  /** Signatures that the nodes' runtime requires of images. */
  readonly imagePolicies: readonly ImagePolicyFact[];
}

export interface KubernetesFacts extends ComponentFacts, RbacFacts, RegistryFacts {
  readonly serviceAccounts: ReadonlyMap<string, ServiceAccountFact>;
  readonly workloads: readonly WorkloadFact[];
  /** The configuration of each pod identity webhook, by cloud, and agents by `agentOf`. */
  readonly webhooks: ReadonlyMap<string, Source>;
  readonly fleet: FleetFacts;
  readonly nodes: readonly NodeConfiguration[];
  /** Objects that are treated as absent because they would be refused, by title: `ServiceAccount shop/web`. */
  readonly refused: ReadonlyMap<string, readonly SkippedDocument[]>;
  /** What is not understood of the objects. */
  readonly open: OpenObjects;
  /** What was found but is not judged, including refused objects. */
  readonly skipped: readonly SkippedDocument[];
}

/** Reads the objects of a cluster, and those of its management cluster that give nodes their files. */
export function readKubernetes(
  read: Objects,
  setups: readonly KubernetesDocument[],
  cluster: ClusterFacts,
  declared: readonly DeclaredCluster[],
): KubernetesFacts {
  const objects = read.and(hostedObjects(read, cluster));
  const clusterObjects = objects.ofCluster;
  const { nodes, skipped } = readNodes(objects, clusterObjects, setups, cluster);
  const unjudged = [...read.skipped, ...skipped];
  const unread = read.skipped.flatMap(unreadIn);
  const shown = [...setups, ...clusterObjects.of("Node", "Pod"), ...unread];
  return {
    serviceAccounts: readServiceAccounts(clusterObjects.of("ServiceAccount")),
    ...readRbac(clusterObjects),
    workloads: clusterObjects.of(...WORKLOAD_KINDS).flatMap((object) => readWorkload(object) ?? []),
    ...readRegistries(clusterObjects),
    webhooks: readWebhooks(clusterObjects),
    ...readComponentFacts(clusterObjects),
    fleet: withClusterSecrets(readFleetFacts(clusterObjects), clusterObjects),
    nodes,
    refused: grouped(
      unjudged.filter((each) => each.refused !== undefined),
      (each) => each.refused ?? "",
    ),
    open: new OpenObjects(
      clusterObjects,
      unread,
      hostingObjects(read, cluster),
      contradictions(shown, nodes, declared, cluster),
    ),
    skipped: unjudged,
  };
}

function readRbac(objects: Objects): RbacFacts {
  const judged = objects.of(...RBAC).map((object) => {
    const [field] = notUnderstood(object.value, KINDS[object.kind] ?? {}, "written");
    const tree = lateTree(object.value, object.late);
    const isLate = (tree as unknown) !== object.value;
    return { ...object, field, isLate, value: isLate ? plainOf(tree, lateName) : object.value };
  });
  // One with a field that is not judged may be refused, or may be on its way out of the cluster.
  const read = judged.filter(({ field }) => field === undefined);
  const [rbac, ...rbacOtherwise] = readRbacInAnyOrder(
    read.map(({ value, source }) => ({ value, folder: dirname(source.file) })),
  );
  return {
    rbac,
    rbacOtherwise,
    rbacSources: new Map(read.map(({ value, kind, source }) => [rbacKey(value, kind), source])),
    rbacPerhaps: judged.flatMap(({ field, isLate, source }): readonly PerhapsGranting[] => {
      if (field !== undefined)
        return [{ what: `the field ${field}, which is not judged,`, remedy: UNJUDGED, source }];
      return isLate ? [{ what: "a value known only after apply", remedy: LATE, source }] : [];
    }),
    hasAudienceRules: read.some(({ value }) =>
      JSON.stringify(at(value, "rules") ?? "").includes(TOKEN_AUDIENCE_VERB),
    ),
  };
}

const LATE = "explain the manifests that bind wrote";
const UNJUDGED = "correct its spelling, or look up what it does";

/** `ClusterRole /name`, `RoleBinding namespace/name`; an object of the cluster has no namespace. */
function rbacKey(value: unknown, kind: string): string {
  const namespace = kind.startsWith("Cluster") ? "" : text(at(value, "metadata", "namespace"));
  return `${kind} ${namespace}/${text(at(value, "metadata", "name"))}`;
}

function readNodes(
  objects: Objects,
  clusterObjects: Objects,
  documents: readonly KubernetesDocument[],
  cluster: ClusterFacts,
): { readonly nodes: readonly NodeConfiguration[]; readonly skipped: readonly SkippedDocument[] } {
  const gates = gateStatements(clusterObjects);
  const configs = objects
    .of("MachineConfig")
    .map(({ value, source, late }) => readMachineConfig(value, source, late));
  const { setups, bare } = setupsOf(documents, clusterObjects, cluster);
  const nodes = [
    ...nodesOfDocuments(setups),
    ...hostedNodes(objects, cluster),
    ...nodesOfMachineConfigs(configs, objects.of("MachineConfigPool")),
  ];
  const configured = nodes.map((node) => nodeConfiguration(node, cluster, gates)).filter(isConfigured);
  const standalone = objects.of("CredentialProviderConfig");
  const placed =
    configured.length > 0
      ? configured
      : standalone.map(({ value, source, late }) =>
          standaloneConfiguration(lateTree(value, late), source, gates),
        );
  return {
    nodes: [
      ...placed,
      ...unconfiguredPools(configs, configured, objects.of("MachineConfigPool"), cluster),
      ...(placed.length > 0 ? bare : []).map(({ name, source, userData, remedy }) => ({
        ...unconfigured(name, source, whyNot(userData)),
        remedy,
      })),
    ],
    skipped: [
      ...configs.flatMap(refusedConfig),
      ...(configured.length > 0 ? standalone : []).map(({ source }) => ({ source, reason: UNPLACED })),
    ],
  };
}

const UNPLACED =
  "nothing says which nodes read this CredentialProviderConfig, and nodes with their own files were read";

function refusedConfig({ name, problem, source }: MachineConfigFact): readonly SkippedDocument[] {
  const why = orElse(problem, () => undefined);
  if (why === undefined) return [];
  const reason = `the Machine Config Operator refuses it: ${why}`;
  return [{ source, reason, refused: `MachineConfig ${name}` }];
}

function isConfigured({ documents, isRead }: NodeConfiguration): boolean {
  return documents.length > 0 || orElse(isRead, () => undefined)?.reads !== true;
}

/** Pools of the cluster without a MachineConfig that brings a configuration: pods may run there too. */
function unconfiguredPools(
  [first]: readonly MachineConfigFact[],
  configured: readonly NodeConfiguration[],
  pools: readonly KubernetesObject[],
  { openShift }: ClusterFacts,
): readonly NodeConfiguration[] {
  const names = configured.map(({ name }) => name);
  const reached = (pool: string): boolean =>
    names.includes(pool) || (!BUILT_IN_POOLS.includes(pool) && names.includes("worker"));
  const isBrought = first !== undefined && configured.some(({ documents }) => documents.length > 0);
  const read = isBrought ? pools.map(({ value }) => text(at(value, "metadata", "name"))) : [];
  const others = read.filter((pool) => !names.includes(pool) && !OF_CONTROL_PLANE.includes(pool));
  return [...new Set([...(openShift?.pools ?? []).filter((pool) => !reached(pool)), ...others])].map((name) =>
    unconfigured(name, first?.source ?? NOWHERE),
  );
}

/** Pools whose nodes run no other pods, unless the cluster is small; the record then names them. */
const OF_CONTROL_PLANE: readonly string[] = ["master", "arbiter"];

/** The field in which each kind keeps its rules. */
const LISTS: Readonly<Record<string, string>> = {
  ImageContentSourcePolicy: "repositoryDigestMirrors",
  ImageDigestMirrorSet: "imageDigestMirrors",
  ImageTagMirrorSet: "imageTagMirrors",
};

/** Reads the objects. Source: openshift/api, config/v1 (`RegistrySources`, ClusterImagePolicy, ImagePolicy). */
export function readRegistries(objects: Objects): RegistryFacts {
  return {
    mirrors: objects.of(...Object.keys(LISTS)).flatMap(mirrorRules),
    registrySources: objects
      .of("Image")
      .filter(({ value }) => at(value, "metadata", "name") === "cluster")
      .map(({ value, source }) => {
        const sources = at(value, "spec", "registrySources");
        const allowed = texts(at(sources, "allowedRegistries"));
        return {
          blocked: texts(at(sources, "blockedRegistries")),
          allowed: allowed.length === 0 ? undefined : allowed,
          source: below(source, "spec.registrySources"),
        };
      }),
    imagePolicies: objects.of("ClusterImagePolicy", "ImagePolicy").map(({ value, kind, source }) => ({
      title: titleOf(value, kind),
      scopes: texts(at(value, "spec", "scopes")),
      source: below(source, "spec.scopes"),
    })),
  };
}

function mirrorRules({ value, kind, source }: KubernetesObject): readonly MirrorRule[] {
  const field = LISTS[kind] ?? "";
  return list(at(value, "spec", field)).flatMap((rule, index): readonly MirrorRule[] => {
    const from = text(at(rule, "source"));
    const mirrors = texts(at(rule, "mirrors")).filter((mirror) => mirror !== from);
    if (from === "" || mirrors.length === 0) return [];
    // ImageContentSourcePolicy has no such field, and the API server drops unknown fields.
    const policy = kind === "ImageContentSourcePolicy" ? undefined : at(rule, "mirrorSourcePolicy");
    return [
      {
        title: titleOf(value, kind),
        source: from,
        mirrors,
        blocksSource: policy === "NeverContactSource",
        place: below(source, propertyPath(["spec", field, index])),
      },
    ];
  });
}
