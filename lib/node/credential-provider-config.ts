/*
 * The kubelet's CredentialProviderConfig for one cluster: one entry per cloud plus the distribution's further entries,
 * validated by the kubelet's own rules for the stated minor before anything is written.
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

/** The inputs of a {@link CredentialProviderConfig}. */
export interface CredentialProviderConfigProps {
  /** The cluster whose nodes read the file. */
  readonly cluster: ClusterFacts;
  /** Image credential providers, one per cloud. */
  readonly providers: readonly ImageCredentialProvider[];
  /**
   * Settings by the plugin's key (`ecr`, `acr`, `gcp`).
   *
   * @defaultValue - strict mode and the usual patterns and arguments for all plugins
   */
  readonly settings?: Readonly<Record<string, CredentialProviderSettings>>;
  /**
   * Images that the patterns must match, `<registry host>/<repository>`, by the plugin's key.
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
  readonly requiredServiceAccountAnnotationKeys?: readonly string[];
}

const FILES: Kind<readonly NodeFile[]> = list(NODE_FILE);
const FILE_MODE = 0o644;

/** A CredentialProviderConfig of `kubelet.config.k8s.io/v1`, the only version that has `tokenAttributes`. */
export interface CredentialProviderConfig {
  /** `kubelet.config.k8s.io/v1`. */
  readonly apiVersion: string;
  /** `CredentialProviderConfig`. */
  readonly kind: string;
  /** The entries, in the order in which the kubelet runs them. */
  readonly providers: readonly CredentialProviderEntry[];
}

/** Builds the CredentialProviderConfig; throws if the kubelet would refuse it or if a pull matches no entry. */
export function credentialProviderConfig(props: CredentialProviderConfigProps): CredentialProviderConfig {
  checkGiven("credentialProviderConfig()", CREDENTIAL_PROVIDER_CONFIG_PROPS, props);
  const { cluster, settings = {}, pulls = {} } = props;
  const plugins = props.providers.map(({ plugin }) => plugin);
  const unused = Object.keys(settings).find((plugin) => !plugins.includes(plugin));
  if (unused !== undefined)
    return fail("node-unused", {
      problem: `\`settings\` configures the image credential provider ${unused}, but no pull uses that plugin`,
      value: unused,
      allowed: plugins.join(", "),
      remedy: "remove the settings or correct the key",
    });
  const entries = props.providers.map((provider) => {
    const rendered = credentialProviderEntries(cluster, provider, settings[provider.plugin]);
    assertMatched(provider.plugin, matchImagesOf(rendered[0] ?? {}), pulls[provider.plugin] ?? []);
    return rendered;
  });
  const clouds = [...entries.flat(), ...untouchedStock(cluster, plugins)];
  const document = {
    apiVersion: "kubelet.config.k8s.io/v1",
    kind: "CredentialProviderConfig",
    providers: [...clouds, ...cluster.additionalProviders],
  };
  for (const entry of document.providers)
    literal(entry, `entry ${String(entry["name"])} of the CredentialProviderConfig`);
  assertNamesDiffer(document.providers);
  for (const [place, own] of entries.entries())
    for (const entry of own) assertApart(entry, entries.slice(place + 1).flat());
  for (const further of cluster.additionalProviders) assertApart(further, clouds);
  assertKubeletStarts(cluster, document);
  return document;
}

/** Files and kubelet flags for the nodes: the CredentialProviderConfig and everything else that the plugins need. */
export function credentialProviderSetup(
  props: CredentialProviderConfigProps,
  furtherFiles: readonly NodeFile[] = [],
): NodeSetup {
  checkGiven("credentialProviderSetup()", CREDENTIAL_PROVIDER_CONFIG_PROPS, props);
  checkGiven("credentialProviderSetup()", FILES, furtherFiles, "furtherFiles");
  const { cluster } = props;
  const plugins = props.providers.map(({ plugin }) => plugin);
  const path = cluster.configPath(plugins);
  // YAML 1.1, as the kubelet reads it: the writer quotes texts that YAML 1.1 would read as other types (yes, on, 1e3).
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

/** Each plugin that nodes download, under every name that its entries use. */
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
 * or not: those of mixed mode in one entry. If the API server refuses the token, the plugin does not run at all.
 */
export function audiencesOfEveryAccount({ providers }: CredentialProviderConfig): ReadonlySet<string> {
  const attributes = providers.map(tokenAttributesOf);
  return new Set(
    attributes.flatMap((each) =>
      each?.requireServiceAccount === false ? [each.serviceAccountTokenAudience] : [],
    ),
  );
}

/** Without that permission nodes can no longer pull what they pull now, and no file of theirs grants it. */
function mixedNotice(config: CredentialProviderConfig): string {
  const audiences = [...audiencesOfEveryAccount(config)];
  if (audiences.length === 0) return "";
  return [
    `# Before nodes get this file, allow them to request tokens for ${audiences.join(", ")} in the whole cluster: the`,
    "# kubelet requests one of every service account first. If the API server refuses it, the pull has no credentials.",
    "",
  ].join("\n");
}

function tokenAttributesOf({ tokenAttributes }: CredentialProviderEntry): TokenAttributes | undefined {
  return tokenAttributes as TokenAttributes | undefined;
}

/** Whoever upgrades the nodes sees this file, not the program that generated it. */
function upgradeNotice({ kubelet }: ClusterFacts): string {
  if (takesCacheType(kubelet)) return "";
  return [
    `# ${WITHOUT_CACHE_TYPE}:`,
    "# when you upgrade a node, replace this file together with its kubelet.",
    "",
  ].join("\n");
}

/** Strict mode takes access from pods that no declared pull covers, which the entry alone does not show. */
function strictNotice({ providers }: CredentialProviderConfig): string {
  const plain = providers.filter(({ tokenAttributes }) => tokenAttributes === undefined);
  const served = (entry: CredentialProviderEntry): boolean =>
    plain.some((other) => matchImagesOf(entry).every((pattern) => isWithin(pattern, matchImagesOf(other))));
  const strict = providers.filter(
    (entry) => tokenAttributesOf(entry)?.requiredServiceAccountAnnotationKeys && !served(entry),
  );
  if (strict.length === 0) return "";
  const names = strict.map(({ name }) => String(name)).join(", ");
  return [
    `# ${names}: runs only for pods whose service account has the required annotations.`,
    "# All other pods pull from these hosts without credentials, not even the node's: annotate the",
    "# service accounts that pull from them, in every namespace, before nodes get this file.",
    "",
  ].join("\n");
}

/** In strict mode, the distribution's own entry keeps only the registries that belong to the distribution. */
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
        `# ${String(entry["name"])}: nodes pull with their own identity only from ${matchImagesOf(entry).join(", ")};\n` +
        "# if add-ons pull from other registries of this kind, list those in `systemRegistries`.\n",
    )
    .join("");
}

/**
 * The distribution's own entries that no pull concerns, unchanged: the file replaces the distribution's whole file, and
 * without these entries nodes could no longer pull with their own identity.
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
      problem:
        "two image credential provider entries have the same name, and the kubelet refuses such a file",
      value: twice,
      remedy: "link the executable of one of them under a second name, and use that name",
    });
}

function matchImagesOf(entry: CredentialProviderEntry): readonly string[] {
  return (entry["matchImages"] ?? []) as readonly string[];
}

/** The kubelet would run both for an image that both match, and offer the registry the credentials of each. */
function assertApart(further: CredentialProviderEntry, entries: readonly CredentialProviderEntry[]): void {
  for (const pattern of matchImagesOf(further))
    for (const entry of entries) {
      const other = matchImagesOf(entry).find((candidate) => matchImagesOverlap(pattern, candidate));
      if (other !== undefined)
        fail("node-conflict", {
          problem: `the kubelet would run both ${String(further["name"])} and ${String(entry["name"])} for some images, because their patterns overlap`,
          value: pattern,
          allowed: `patterns that do not overlap with ${other}`,
          remedy: `narrow the patterns of ${String(further["name"])} so that they exclude those images`,
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
      remedy: "correct the settings that cause these errors",
    });
  }
}
