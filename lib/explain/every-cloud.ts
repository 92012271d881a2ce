import { isPluginExecutable, isWithin, pluginRow } from "../rules/plugins";
import { orElse } from "../model/known";
import { awsReader } from "./aws/reader";
import { azureReader } from "./azure/reader";
import type { Evidence } from "./answer";
import type { AskedRepository } from "./asked-image";
import type { Cloud, CloudReader, RegistryPlugin } from "./cloud";
import { googleReader } from "./google/reader";
import { ClosedWorld } from "./coverage/closed-world";
import type { ProviderEntry } from "./read/node-configuration";
import type { PluginOf } from "./jobs/pull-questions";
import { registryPlugins } from "./registries/plugin";
import type { DeclaredCluster } from "./read/inferred-cluster";
import { documentsOfPools } from "./read/node-forms";
import type { KubernetesDocument } from "./read/objects";
import type { RecordedCommands } from "./read/recorded";
import type { ComputedAttribute, Terraform } from "./read/terraform";
import { listedKeys } from "./shared/handed-annotations";
import { PublishedIssuers } from "./shared/issuers";
import { nodePools as poolsIn } from "./shared/node-pools";
import type { Issuers } from "./shared/object-store";
import type { Shape } from "../artefact/fact-shape";
import { record } from "../model/parsed";
import { CLUSTER } from "./read/cluster-shape";
import type { StatedFact } from "./read/facts";
import { type Source, below } from "./read/source";

const READERS: readonly CloudReader[] = [awsReader, azureReader, googleReader];

/** What the clouds can compute of attributes that Terraform knows only after apply. */
export const computedAttributes: readonly ComputedAttribute[] = READERS.flatMap(({ computed }) => computed);

/** What clouds give the nodes that they make. */
export const nodePools = (terraform: Terraform): readonly KubernetesDocument[] =>
  documentsOfPools(poolsIn(terraform));

export const declaredClusters = (terraform: Terraform): readonly DeclaredCluster[] =>
  READERS.flatMap((reader) => reader.clusters(terraform));

/** The commands whose outputs are read. */
export const recordedCommands: readonly RecordedCommands[] = READERS.map(({ recorded }) => recorded);

const CLOUDS: Readonly<Record<string, Shape>> = Object.fromEntries(
  READERS.flatMap(({ cloud, stated }) => (stated ? [[cloud, stated.shape]] : [])),
);

/** The facts that may be stated about clouds. */
export const STATED: Shape = { keys: CLOUDS };

/** What a file with facts may hold. */
export const FACTS: Shape = { keys: { cluster: CLUSTER, ...CLOUDS } };

/** The resources that express stated facts, which must have the shape. */
export function statedResources(
  facts: Readonly<Record<string, unknown>>,
  source: Source,
): readonly StatedFact[] {
  return READERS.flatMap(({ cloud, stated }) => {
    const section = record(facts[cloud]) as Readonly<Record<string, readonly unknown[]>>;
    return (stated?.resources(section) ?? []).map(({ path, type, values }) => ({
      type,
      values,
      source: { ...below(source, `${cloud}.${path}`), stated: true } as const,
    }));
  });
}

/** The name of the cloud whose resource types begin with `provider`; `undefined` for any other. */
export function cloudTitle(provider: string): string | undefined {
  return READERS.find(({ providers }) => providers.includes(provider))?.title;
}

/** The clouds over the resources that were read. */
export interface Clouds {
  readonly all: readonly Cloud[];
  /** The plugin that an entry runs; `undefined` for an unknown one. */
  readonly pluginOf: PluginOf;
  /** Where everyone is allowed to read a repository; `undefined` if that is granted nowhere. */
  readonly readByAll: (repository: AskedRepository) => Evidence | undefined;
  /** The issuers whose documents were read, of any cloud. */
  readonly issuers: Issuers;
}

export function readClouds(terraform: Terraform): Clouds {
  const world = new ClosedWorld(terraform);
  const stores = READERS.flatMap((reader) => reader.stores(terraform));
  const issuers = new PublishedIssuers(stores, world);
  const clouds = READERS.map((reader) => reader.read(terraform, issuers, world));
  const readByAll = (repository: AskedRepository): Evidence | undefined =>
    clouds.flatMap(({ pulls }) => pulls.readByAll(repository) ?? [])[0];
  const others = registryPlugins(world, terraform);
  const pluginOf: PluginOf = (entry, cluster) =>
    clouds.map(({ pulls }) => pulls).find(({ plugin }) => isPluginExecutable(plugin, entry.name)) ??
    others(cluster)(entry) ??
    pluginLike(entry, clouds);
  return { all: clouds, pluginOf, readByAll, issuers };
}

/** The plugin of an entry whose executable has another name, by annotation keys or registries, which prove nothing. */
function pluginLike(entry: ProviderEntry, all: readonly Cloud[]): RegistryPlugin | undefined {
  const keys = listedKeys(entry);
  const patterns = entry.matchImages.map((pattern) => orElse(pattern, () => ""));
  const plugins = all.map(({ pulls }) => pulls);
  return (
    plugins.find(({ annotationKeys }) => annotationKeys.some((key) => keys.includes(key))) ??
    plugins.find(
      ({ plugin }) =>
        patterns.length > 0 &&
        patterns.every((pattern) => isWithin(pattern, pluginRow(plugin)?.registries ?? [])),
    )
  );
}
