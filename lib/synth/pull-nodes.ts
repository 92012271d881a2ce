/*
 * What all ImagePulls of a stack need of the cluster's nodes. Kubelets read one CredentialProviderConfig, so it is
 * joined from what each of them needs, and written anew with each.
 */

import type { Construct } from "constructs";
import { fail } from "../errors";
import type { ICluster } from "../model/cluster";
import { grouped } from "../model/grouped";
import type { ImageCredentialProvider } from "../model/image-credential-provider";
import { isLate } from "../model/late";
import type { INodeCarrier } from "../model/node-carrier";
import type { NodeFile, NodeSetup } from "../model/node-file";
import type { PullDeclaration } from "../model/pulls";
import { compareVersions } from "../model/version";
import {
  type CredentialProviderConfigProps,
  type CredentialProviderSettings,
  credentialProviderConfig,
  credentialProviderSetup,
} from "../node";
import { audiencesOfEveryAccount } from "../node/credential-provider-config";
import { credentialProviderConfigHash } from "../rules/kubelet/config-hash";
import type { ClusterManifests } from "./cluster-manifests";
import { type TokenAudienceSettings, writeTokenAudienceGrants } from "./pull-audience-grants";

/** What one ImagePulls needs of the nodes. */
export interface NodesPart {
  /** Path of the construct, for errors. */
  readonly path: string;
  readonly cluster: ICluster<Construct>;
  /** What each cloud declared, by its key. */
  readonly declared: Readonly<Record<string, PullDeclaration>>;
  /** The declared images, by the plugin's key. */
  readonly pulls: Readonly<Record<string, readonly string[]>>;
  readonly settings: Readonly<Record<string, CredentialProviderSettings | undefined>>;
  readonly tokenAudience: TokenAudienceSettings | undefined;
  readonly carriers: readonly INodeCarrier<Construct>[] | undefined;
}

const ofManifests = new WeakMap<ClusterManifests, PullNodes>();

type Parts = readonly [NodesPart, ...NodesPart[]];

type Written = ReturnType<typeof writtenFor>;

export class PullNodes {
  #written: Written;

  private constructor(written: Written) {
    this.#written = written;
  }

  /** Writes the nodes' file and the permission to request tokens for a part and all before it. */
  static with(manifests: ClusterManifests, part: NodesPart): PullNodes {
    const nodes = ofManifests.get(manifests);
    if (nodes) {
      nodes.#written = writtenFor(manifests, [...nodes.#written.parts, part], nodes.#written.undo);
      return nodes;
    }
    const first = new PullNodes(writtenFor(manifests, [part]));
    ofManifests.set(manifests, first);
    return first;
  }

  /** The files and flags that all parts together need. */
  get setup(): NodeSetup {
    return this.#written.setup;
  }

  /** See `configHash` of ImagePulls. */
  get configHash(): string | undefined {
    return this.#written.configHash;
  }
}

/** `undo` takes back what was written for fewer parts, once nothing is refused any more. */
function writtenFor(manifests: ClusterManifests, parts: Parts, undo?: () => void) {
  const [{ cluster }] = parts;
  for (const fact of NODE_FACTS)
    same(
      parts.map((part) => ({ path: part.path, stated: part.cluster[fact] })),
      fact,
    );
  const declared = declaredBy(parts);
  const nodes = configurationOf(parts, cluster, declared);
  const setup = credentialProviderSetup(nodes, filesOf(declared));
  const carriers = onlyStated(parts, "carriers") ?? cluster.carriers;
  const everyAccount = audiencesOfEveryAccount(credentialProviderConfig(nodes));
  const tokenAudience = onlyStated(parts, "tokenAudience");
  const configHash = configHashOf(cluster.kubelet, setup, carriers);
  undo?.();
  const undoAll = manifests.undoable(() => {
    const declarations = declared.map(({ declaration }) => declaration);
    writeTokenAudienceGrants(manifests, cluster, declarations, everyAccount, tokenAudience);
    for (const carrier of carriers) carrier.carry(manifests, setup);
    for (const [host, document] of ownerDocuments(declarations)) manifests.registryDocument(host, document);
  });
  manifests.record({
    ...cluster.recorded,
    ...Object.assign({}, ...carriers.map(({ recorded }) => recorded)),
    ...(configHash !== undefined && { credentialProviderConfigHash: configHash }),
  });
  return { parts, setup, configHash, undo: undoAll };
}

/** What the owners of registries must configure for all ImagePulls together, by host. */
function ownerDocuments(declared: readonly PullDeclaration[]): readonly (readonly [string, object])[] {
  const stated = declared.flatMap((declaration) =>
    Object.entries(declaration.tokenRegistries ?? {}).map(([host, registry]) => ({
      declaration,
      host,
      registry,
    })),
  );
  return [...grouped(stated, ({ host }) => host)].flatMap(([host, [first, ...others]]) => {
    if (first === undefined) return [];
    const pulls = [first, ...others].flatMap(({ registry }) => registry.pulls);
    const document = first.declaration.ownerDocument?.(host, { ...first.registry, pulls });
    return document === undefined ? [] : [[host, document] as const];
  });
}

/** Facts of a cluster that decide what its nodes get. */
const NODE_FACTS = [
  "kubelet",
  "apiServer",
  "featureGates",
  "plugins",
  "stockProviders",
  "additionalProviders",
  "pluginDirectory",
] as const;

interface Declared {
  readonly path: string;
  readonly declaration: PullDeclaration;
}

/** Sorted by cloud, as one ImagePulls declares them. */
function declaredBy(parts: Parts): readonly Declared[] {
  const all = parts.flatMap(({ path, declared }) =>
    Object.entries(declared).map(([cloud, declaration]) => ({ cloud, path, declaration })),
  );
  return all.sort((one, other) => (one.cloud < other.cloud ? -1 : Number(one.cloud > other.cloud)));
}

function configurationOf(
  parts: Parts,
  cluster: ICluster<Construct>,
  declared: readonly Declared[],
): CredentialProviderConfigProps {
  const byPlugin = grouped(
    declared.map(({ path, declaration: { provider } }) => ({ path, provider })),
    ({ provider }) => provider.plugin,
  );
  const providers = [...byPlugin.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [others.reduce(joinedProvider, first).provider],
  );
  const plugins = (of: keyof Pick<NodesPart, "pulls" | "settings">): readonly string[] => [
    ...new Set(parts.flatMap((each) => Object.keys(each[of]))),
  ];
  const images = (plugin: string): readonly string[] => [
    ...new Set(parts.flatMap(({ pulls }) => pulls[plugin] ?? [])),
  ];
  const settings = plugins("settings").flatMap((plugin) => {
    const stated = parts.map(({ path, settings: own }) => ({ path, stated: own[plugin] }));
    const setting = same(stated, `credentialProviders.${plugin}`);
    return setting === undefined ? [] : [[plugin, setting] as const];
  });
  return {
    cluster,
    providers,
    settings: Object.fromEntries(settings),
    pulls: Object.fromEntries(plugins("pulls").map((plugin) => [plugin, images(plugin)])),
  };
}

interface NeededProvider {
  readonly path: string;
  readonly provider: ImageCredentialProvider;
}

const JOINED = [
  "audience",
  "args",
  "env",
  "nodeIdentityArgs",
  "defaultCacheDuration",
  "cacheType",
  "annotationKeys",
  "optionalAnnotationKeys",
] as const;

/** One entry for the images of both; all else of it must be the same. */
function joinedProvider(first: NeededProvider, other: NeededProvider): NeededProvider {
  const [own, its] = [first.provider, other.provider];
  for (const field of JOINED)
    if (JSON.stringify(own[field]) !== JSON.stringify(its[field]))
      differing(`${field} of the entry for the plugin ${own.plugin}`, first.path, other.path, [
        own[field],
        its[field],
      ]);
  const union = (field: "matchImages" | "needs" | "hosts"): readonly string[] =>
    [...new Set([...(own[field] ?? own.matchImages), ...(its[field] ?? its.matchImages)])].sort();
  const provider = {
    ...own,
    matchImages: union("matchImages"),
    needs: union("needs"),
    ...((own.hosts ?? its.hosts) && { hosts: union("hosts") }),
  };
  return { path: first.path, provider };
}

function filesOf(declared: readonly Declared[]): readonly NodeFile[] {
  const byPath = grouped(
    declared.flatMap(({ path, declaration }) =>
      declaration.nodeFiles.map((file) => ({ path, stated: file })),
    ),
    ({ stated }) => stated.path,
  );
  return [...byPath].flatMap(([path, files]) => same(files, `content of ${path}`) ?? []);
}

function onlyStated<Key extends "carriers" | "tokenAudience">(
  parts: readonly NodesPart[],
  key: Key,
): NodesPart[Key] {
  return same(
    parts.map((part) => ({ path: part.path, stated: part[key] })),
    key,
  );
}

/** What those that state it agree on; `undefined` if none does. */
function same<T>(all: readonly { readonly path: string; readonly stated: T }[], what: string): T | undefined {
  const [first, ...others] = all.filter(({ stated }) => stated !== undefined);
  const other = others.find(
    ({ stated }) => stated !== first?.stated && JSON.stringify(stated) !== JSON.stringify(first?.stated),
  );
  return first && other
    ? differing(what, first.path, other.path, [first.stated, other.stated])
    : first?.stated;
}

function differing(what: string, first: string, other: string, values: readonly [unknown, unknown]): never {
  return fail("cluster-conflict", {
    problem: `${first} and ${other} need different ${what}, and the nodes of a cluster have one file`,
    value: isLate(values[1]) ? "known after apply" : values[1],
    allowed: isLate(values[0]) ? "the value of the first" : JSON.stringify(values[0]),
    remedy: "state it the same in both, or put the pulls of both into one ImagePulls",
  });
}

const HASH_SINCE = "1.34";

function configHashOf(
  kubelet: string,
  { files, kubeletFlags }: NodeSetup,
  carriers: readonly INodeCarrier<Construct>[],
): string | undefined {
  const path = kubeletFlags["image-credential-provider-config"];
  const config = files.find((file) => file.path === path)?.content;
  // Without a carrier the nodes keep their present file.
  const isCarried = carriers.length > 0 && !carriers.some((each) => each.rewritesConfig);
  const isKnown = isCarried && compareVersions(kubelet, HASH_SINCE) >= 0;
  return isKnown && config !== undefined && !isLate(config)
    ? credentialProviderConfigHash([config])
    : undefined;
}
