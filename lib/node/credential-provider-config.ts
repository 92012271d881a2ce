/*
 * The kubelet's CredentialProviderConfig for one cluster: one entry per cloud, the distribution's further entries,
 * checked by the kubelet's own rules for the stated minor before anything is written.
 */

import { stringify } from "yaml";
import { fail } from "../errors";
import { type ClusterFacts, CLUSTER_FACTS } from "../model/cluster";
import { type ImageCredentialProvider, IMAGE_CREDENTIAL_PROVIDER } from "../model/image-credential-provider";
import { literal } from "../model/late";
import { type NodeFile, type NodeSetup, NODE_FILE, nodeFile } from "../model/node-file";
import {
  TOKEN_PROTOCOL,
  validateCredentialProviderConfig,
} from "../rules/kubelet/validate-credential-provider-config";
import { pluginSource } from "../rules/node/plugin-source";
import { matchImagesOverlap } from "../rules/kubelet/image-matches";
import { isWithin } from "../rules/plugins";
import {
  type CredentialProviderEntry,
  WITHOUT_CACHE_TYPE,
  credentialProviderEntries,
  takesCacheType,
  assertMatched,
} from "./credential-provider-entry";
import {
  type CredentialProviderSettings,
  CREDENTIAL_PROVIDER_SETTINGS,
} from "./credential-provider-settings";
import { type Kind, type ObjectKind, checkGiven, list, object, optional, record, text } from "../model/shape";

/** What decides the file. */
export interface CredentialProviderConfigProps {
  /** The cluster whose nodes read the file. */
  readonly cluster: ClusterFacts;
  /** One per cloud. */
  readonly providers: readonly ImageCredentialProvider[];
  /**
   * Decisions by the plugin's key (`ecr`, `acr`, `gcp`).
   *
   * @defaultValue - strict mode and the usual patterns and arguments for all
   */
  readonly settings?: Readonly<Record<string, CredentialProviderSettings>>;
  /**
   * Images that must be matched, `<registry host>/<repository>`, by the plugin's key.
   *
   * @defaultValue - not checked
   */
  readonly pulls?: Readonly<Record<string, readonly string[]>>;
}

const CREDENTIAL_PROVIDER_CONFIG_PROPS: ObjectKind<CredentialProviderConfigProps> = object({
  cluster: CLUSTER_FACTS,
  providers: list(IMAGE_CREDENTIAL_PROVIDER),
  settings: optional(record(CREDENTIAL_PROVIDER_SETTINGS)),
  pulls: optional(record(list(text))),
});

interface TokenAttributes {
  readonly serviceAccountTokenAudience: string;
  readonly requireServiceAccount: boolean;
}

const FILES: Kind<readonly NodeFile[]> = list(NODE_FILE);
const FILE_MODE = 0o644;

/** A CredentialProviderConfig of `kubelet.config.k8s.io/v1`, the only version that has `tokenAttributes`. */
export interface CredentialProviderConfig {
  /** `kubelet.config.k8s.io/v1`. */
  readonly apiVersion: string;
  /** `CredentialProviderConfig`. */
  readonly kind: string;
  /** The entries, in the order in which the kubelet asks them. */
  readonly providers: readonly CredentialProviderEntry[];
}

/** The document. */
export function credentialProviderConfig(props: CredentialProviderConfigProps): CredentialProviderConfig {
  checkGiven("credentialProviderConfig()", CREDENTIAL_PROVIDER_CONFIG_PROPS, props);
  const { cluster, settings = {}, pulls = {} } = props;
  const plugins = props.providers.map(({ plugin }) => plugin);
  const unused = Object.keys(settings).find((plugin) => !plugins.includes(plugin));
  if (unused !== undefined)
    return fail("node-unused", {
      problem: `there are settings for the image credential provider ${unused}, but no pull uses it`,
      value: unused,
      allowed: plugins.join(", "),
      remedy: "remove the settings or correct the key",
    });
  const entries = props.providers.flatMap((provider) => {
    const own = credentialProviderEntries(cluster, provider, settings[provider.plugin]);
    assertMatched(provider.plugin, matchImagesOf(own[0] ?? {}), pulls[provider.plugin] ?? []);
    return own;
  });
  const clouds = [...entries, ...untouchedStock(cluster, plugins)];
  const document = {
    apiVersion: "kubelet.config.k8s.io/v1",
    kind: "CredentialProviderConfig",
    providers: [...clouds, ...cluster.additionalProviders],
  };
  for (const entry of document.providers)
    literal(entry, `entry ${String(entry["name"])} of the CredentialProviderConfig`);
  assertNamesDiffer(document.providers);
  for (const further of cluster.additionalProviders) assertApart(further, clouds);
  assertKubeletStarts(cluster, document);
  return document;
}

/** Files and kubelet flags for the nodes: the configuration, and what the plugins need besides. */
export function credentialProviderSetup(
  props: CredentialProviderConfigProps,
  furtherFiles: readonly NodeFile[] = [],
): NodeSetup {
  checkGiven("credentialProviderSetup()", CREDENTIAL_PROVIDER_CONFIG_PROPS, props);
  checkGiven("credentialProviderSetup()", FILES, furtherFiles, "furtherFiles");
  const { cluster } = props;
  const plugins = props.providers.map(({ plugin }) => plugin);
  const path = cluster.configPath(plugins);
  // YAML 1.1, as the kubelet reads it: the writer then quotes what would not be text there (yes, on, 1e3).
  const document = credentialProviderConfig(props);
  const text = stringify(document, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false });
  const notices = [upgradeNotice(cluster), mixedNotice(document), strictNotice(document)];
  const content = [...notices, narrowedNotice(cluster, document), text].join("");
  const executables = plugins.flatMap((plugin) =>
    cluster.plugins[plugin]?.source ? [] : (cluster.stockProviders[plugin]?.beside?.files ?? []),
  );
  const files = [{ path, mode: FILE_MODE, content }, ...executables, ...furtherFiles].map(nodeFile);
  return {
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
    kubeletFlags: {
      "image-credential-provider-bin-dir": cluster.pluginDirectory,
      "image-credential-provider-config": path,
    },
    ...executablesOf(props),
  };
}

/** Each plugin that nodes fetch, under every name that its entries have. */
function executablesOf({
  cluster,
  providers,
  settings = {},
}: CredentialProviderConfigProps): Pick<NodeSetup, "executables"> {
  const executables = providers.flatMap((provider) => {
    const { plugin } = provider;
    const source = cluster.plugins[plugin]?.source;
    if (source === undefined) return [];
    const { url, sha256 } = pluginSource(plugin, source);
    return credentialProviderEntries(cluster, provider, settings[plugin]).map(({ name }) => ({
      path: `${cluster.pluginDirectory}/${String(name)}`,
      url,
      sha256,
    }));
  });
  return executables.length > 0 ? { executables } : {};
}

/**
 * The audiences for which kubelets request a token of every service account whose pods pull a matching image, annotated
 * or not: those of mixed mode in one entry. Where the API server refuses, the plugin is not run at all.
 */
export function audiencesOfEveryAccount({ providers }: CredentialProviderConfig): ReadonlySet<string> {
  const attributes = providers.map(tokenAttributesOf);
  return new Set(
    attributes.flatMap((each) =>
      each?.requireServiceAccount === false ? [each.serviceAccountTokenAudience] : [],
    ),
  );
}

/** Without the permission nodes lose what they pulled so far, and it is in no file of theirs. */
function mixedNotice(config: CredentialProviderConfig): string {
  const audiences = [...audiencesOfEveryAccount(config)];
  if (audiences.length === 0) return "";
  return [
    `# Before nodes get this file, allow them to request tokens for ${audiences.join(", ")} in the whole cluster: the`,
    "# kubelet requests one of every service account first, and where it is refused, the pull has no credentials at all.",
    "",
  ].join("\n");
}

function tokenAttributesOf({ tokenAttributes }: CredentialProviderEntry): TokenAttributes | undefined {
  return tokenAttributes as TokenAttributes | undefined;
}

/** Whoever upgrades the nodes sees this file, not the configuration that it is made from. */
function upgradeNotice({ kubelet }: ClusterFacts): string {
  if (takesCacheType(kubelet)) return "";
  return [
    `# ${WITHOUT_CACHE_TYPE}:`,
    "# a node that is upgraded needs its new file together with its new kubelet.",
    "",
  ].join("\n");
}

/** Strict mode takes something away from pods that no line declares, which the file alone does not show. */
function strictNotice({ providers }: CredentialProviderConfig): string {
  const plain = providers.filter(({ tokenAttributes }) => tokenAttributes === undefined);
  const served = (entry: CredentialProviderEntry): boolean =>
    plain.some((other) => matchImagesOf(entry).every((pattern) => isWithin(pattern, matchImagesOf(other))));
  const strict = providers.filter(
    (entry) => tokenAttributesOf(entry)?.requireServiceAccount && !served(entry),
  );
  if (strict.length === 0) return "";
  const names = strict.map(({ name }) => String(name)).join(", ");
  return [
    `# ${names}: only for pods whose service account has the required annotations.`,
    "# All other pods pull from these hosts without credentials, also without the node's identity: annotate the",
    "# service accounts that pull from them, in every namespace, before nodes get this file.",
    "",
  ].join("\n");
}

/** Of a distribution's own entry that stays, strict mode takes the registries that are not the distribution's. */
function narrowedNotice({ stockProviders }: ClusterFacts, { providers }: CredentialProviderConfig): string {
  const stocks = Object.values(stockProviders).filter(({ beside }) => beside !== undefined);
  return providers
    .filter((entry) =>
      stocks.some(
        ({ name, matchImages }) =>
          name === entry["name"] && String(matchImages) !== String(matchImagesOf(entry)),
      ),
    )
    .map(
      (entry) =>
        `# ${String(entry["name"])}: with their own identity nodes pull from ${matchImagesOf(entry).join(", ")} alone;\n` +
        "# what add-ons pull from other registries of its kind needs `systemRegistries`.\n",
    )
    .join("");
}

/**
 * The distribution's own entries that no pull concerns, as they were: the file replaces the whole of the
 * distribution's, and nodes would lose what they pull with their own identity.
 */
function untouchedStock(cluster: ClusterFacts, used: readonly string[]): readonly CredentialProviderEntry[] {
  return Object.entries(cluster.stockProviders)
    .filter(([plugin]) => !used.includes(plugin))
    .map(([, { name, matchImages, args, defaultCacheDuration }]) => ({
      name,
      matchImages: [...matchImages],
      defaultCacheDuration,
      apiVersion: TOKEN_PROTOCOL,
      ...(args.length > 0 ? { args: [...args] } : {}),
    }));
}

function assertNamesDiffer(entries: readonly CredentialProviderEntry[]): void {
  const names = entries.map((entry) => String(entry["name"]));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    fail("node-conflict", {
      problem: "two image credential provider entries have one name, and the kubelet refuses the file",
      value: twice,
      remedy: "give one of them the name of another link to its executable",
    });
}

function matchImagesOf(entry: CredentialProviderEntry): readonly string[] {
  return (entry["matchImages"] ?? []) as readonly string[];
}

/** The kubelet would ask both for an image that both match, and offer the registry each one's credentials. */
function assertApart(further: CredentialProviderEntry, entries: readonly CredentialProviderEntry[]): void {
  for (const pattern of matchImagesOf(further))
    for (const entry of entries) {
      const other = matchImagesOf(entry).find((candidate) => matchImagesOverlap(pattern, candidate));
      if (other !== undefined)
        fail("node-conflict", {
          problem: `the entries ${String(further["name"])} and ${String(entry["name"])} of one CredentialProviderConfig would both be asked for some images`,
          value: pattern,
          allowed: `patterns that share no image with ${other}`,
          remedy: `narrow the patterns of ${String(further["name"])}, or leave those images out of it`,
        });
    }
}

function assertKubeletStarts(cluster: ClusterFacts, document: CredentialProviderConfig): void {
  const { kubelet, featureGates = {} } = cluster;
  const errors = validateCredentialProviderConfig(document, { kubelet, featureGates });
  if (errors.length > 0) {
    fail("node-invalid", {
      problem: `the kubelet ${cluster.kubelet} would not start with this CredentialProviderConfig`,
      value: errors.map(({ message }) => message),
      remedy: "correct the settings that lead to it",
    });
  }
}
