/*
 * One entry of the kubelet's CredentialProviderConfig: what a cloud needs, joined with what the distribution has
 * and what the versions on the nodes can do.
 */

import { fail } from "../errors";
import {
  type ClusterFacts,
  type EntryBeside,
  type PluginFacts,
  type StockCredentialProvider,
  CLUSTER_FACTS,
} from "../model/cluster";
import {
  type CredentialProviderEnv,
  type ImageCredentialProvider,
  IMAGE_CREDENTIAL_PROVIDER,
} from "../model/image-credential-provider";
import { literal } from "../model/late";
import { compareVersions } from "../model/version";
import { TOKEN_PROTOCOL } from "../rules/kubelet/validate-credential-provider-config";
import { certainRefusal, parsedArguments } from "../rules/plugin-arguments";
import {
  type PluginAbility,
  outlivingTokenEnv,
  pluginRow,
  pluginCan,
  unannotatedEnvReason,
  isWithin,
} from "../rules/plugins";
import {
  type CredentialProviderSettings,
  CREDENTIAL_PROVIDER_SETTINGS,
  assertLiteralEnv,
  assertLiteralItems,
  checkedSettings,
} from "./credential-provider-settings";
import { checkGiven } from "../model/shape";
import { imageMatches } from "../rules/kubelet/image-matches";
import { lintMatchImages, lintMatchImagesStrictly } from "../rules/kubelet/lint-credential-provider-config";

/** A finished entry, keys in the order in which the upstream documentation writes them. */
export type CredentialProviderEntry = Readonly<Record<string, unknown>>;

/** Kubelet minor from which `cacheType` is required; 1.33 refuses the field. Source: kubelet config/v1 types.go. */
const CACHE_TYPE_SINCE = "1.34";

/** Whether the kubelet requires `cacheType`, which those before refuse: no file suits both. */
export function takesCacheType(kubelet: string): boolean {
  return compareVersions(kubelet, CACHE_TYPE_SINCE) >= 0;
}

/** What becomes of a file without `cacheType` when the nodes are upgraded; one line. */
export const WITHOUT_CACHE_TYPE: string =
  "kubelet 1.34 and newer do not start with a CredentialProviderConfig for 1.33, and 1.33 not with one for them (cacheType)";

/** The entries for one provider: one, or two in a mixed mode that needs a token-less second one. */
export function credentialProviderEntries(
  cluster: ClusterFacts,
  provider: ImageCredentialProvider,
  settings: CredentialProviderSettings = {},
): readonly CredentialProviderEntry[] {
  checkGiven("credentialProviderEntries()", CLUSTER_FACTS, cluster, "cluster");
  checkGiven("credentialProviderEntries()", IMAGE_CREDENTIAL_PROVIDER, provider, "provider");
  checkGiven("credentialProviderEntries()", CREDENTIAL_PROVIDER_SETTINGS, settings, "settings");
  assertLiteral(provider);
  const { mode, env: added = [] } = checkedSettings(provider.plugin, settings);
  const facts = usablePlugin(cluster, provider);
  const stock = cluster.stockProviders[provider.plugin];
  if (stock?.beside) return entriesBeside(cluster, provider, settings, stock, stock.beside);
  const common = {
    matchImages: chosenMatchImages(provider, stock, settings.matchImages),
    defaultCacheDuration:
      settings.defaultCacheDuration?.toString() ??
      stock?.defaultCacheDuration ??
      provider.defaultCacheDuration.toString(),
    apiVersion: TOKEN_PROTOCOL,
  };
  const args = settings.args ?? (provider.args.length > 0 ? provider.args : (stock?.args ?? []));
  const node = nodeIdentity(cluster, provider, facts, settings);
  assertArgsTaken("args", provider.plugin, facts, args);
  assertArgsTaken("nodeIdentityArgs", provider.plugin, facts, node?.args ?? []);
  const optional = mode === "mixed" && node === undefined;
  const env = mergedEnv(provider.env, added);
  if (!optional) assertEnvUsed(provider.plugin, added);
  if (mode === "mixed") assertNodeTokenNotKept(provider.plugin, optional ? env : added);
  const withToken = {
    name: stock?.name ?? provider.name,
    ...common,
    ...running(args, env),
    tokenAttributes: tokenAttributes(cluster, provider, optional),
  };
  return node === undefined
    ? [withToken]
    : [withToken, { name: node.name, ...common, ...running(node.args, added) }];
}

/**
 * The entry for tokens, of the declared registries alone, and after it the distribution's own: the kubelet asks both
 * where both match, and tries the credentials of the first one first.
 */
function entriesBeside(
  cluster: ClusterFacts,
  provider: ImageCredentialProvider,
  settings: CredentialProviderSettings,
  stock: StockCredentialProvider,
  beside: EntryBeside,
): readonly CredentialProviderEntry[] {
  const { plugin, hosts, matchImages } = provider;
  const { mode, args = provider.args, env = [], defaultCacheDuration } = settings;
  refuseUnused(plugin, settings, `the nodes of ${cluster.name} keep their own entry for their own identity`);
  assertArgsTaken("args", plugin, cluster.plugins[plugin] ?? {}, args);
  assertEnvUsed(plugin, env);
  const nodeImages = mode === "mixed" ? stock.matchImages : beside.nodeImages;
  if (nodeImages === undefined)
    return fail("node-missing", {
      problem: `strict mode of the ${plugin} image credential provider would take the nodes' system images from ${cluster.name}, which its nodes pull with their own identity: it is not known which registries those are in`,
      allowed: "registries of system images that are known, or mode `mixed`",
      remedy: beside.remedy,
    });
  const common = (duration: string): object => ({
    defaultCacheDuration: duration,
    apiVersion: TOKEN_PROTOCOL,
  });
  const patterns = chosenMatchImages(
    { ...provider, matchImages: hosts ?? matchImages },
    undefined,
    settings.matchImages,
  );
  return [
    {
      name: beside.name,
      matchImages: patterns,
      ...common(defaultCacheDuration?.toString() ?? stock.defaultCacheDuration),
      ...running(args, mergedEnv(provider.env, env)),
      tokenAttributes: tokenAttributes(cluster, provider, false),
    },
    {
      name: stock.name,
      matchImages: [...nodeImages],
      ...common(stock.defaultCacheDuration),
      ...running(stock.args, []),
    },
  ];
}

/** How the plugin is run; the kubelet's documentation leaves empty lists out. */
function running(args: readonly string[], env: readonly CredentialProviderEnv[]): object {
  return { ...(args.length > 0 ? { args } : {}), ...(env.length > 0 ? { env } : {}) };
}

/** The file is YAML within other documents, where a late value would be filled in without quotes. */
function assertLiteral(provider: ImageCredentialProvider): void {
  const { plugin, name, audience, env } = provider;
  literal(name, `name of the image credential provider ${plugin}`);
  literal(audience, `audience of the image credential provider ${plugin}`);
  for (const list of ["matchImages", "args", "annotationKeys"] as const)
    assertLiteralItems(list, plugin, provider[list]);
  assertLiteralItems("nodeIdentityArgs", plugin, provider.nodeIdentityArgs ?? []);
  assertLiteralEnv(plugin, env);
}

function assertEnvUsed(plugin: string, env: readonly CredentialProviderEnv[]): void {
  for (const { name } of env) {
    const reason = unannotatedEnvReason(plugin, name);
    if (reason !== undefined)
      fail("node-unused", {
        problem: `a variable of the ${plugin} image credential provider has no effect: ${reason}`,
        value: name,
        allowed: "mode `mixed` of a plugin that falls back by itself",
        remedy: "remove the variable",
      });
  }
}

/** Refused, not warned of: the pulls that it breaks are some, later, with nothing but the registry's 401. */
function assertNodeTokenNotKept(plugin: string, env: readonly CredentialProviderEnv[]): void {
  const kept = outlivingTokenEnv(plugin, env);
  if (kept)
    fail("node-unsafe", {
      problem: `a variable of the ${plugin} image credential provider has the kubelet keep the node's own token for ${kept.value}, and that token may end sooner, with a 401 for the pods`,
      value: kept.name,
      allowed: "no duration where an entry answers with the node's identity",
      remedy:
        "leave the variable and `cacheDuration` out, or use mode `strict`; where mixed mode has a second entry, `cacheDuration` of `pullPrincipals` reaches the entry with tokens alone",
    });
}

function assertArgsTaken(setting: string, plugin: string, facts: PluginFacts, args: readonly string[]): void {
  const refusal = certainRefusal(plugin, facts, parsedArguments(plugin, args));
  if (refusal)
    fail("node-invalid", {
      problem: `\`${setting}\` of the ${plugin} image credential provider leave it without an answer: ${refusal.reason}`,
      value: args,
      allowed: "flags and values that the plugin takes",
      remedy: refusal.remedy,
    });
}

function usablePlugin(cluster: ClusterFacts, provider: ImageCredentialProvider): PluginFacts {
  const { plugin } = provider;
  const facts = cluster.plugins[plugin];
  if (!facts)
    return fail("node-missing", {
      problem: `the cluster's facts do not say which version of the ${plugin} image credential provider its nodes have`,
      value: Object.keys(cluster.plugins),
      allowed: `an entry \`${plugin}\` in the cluster's \`plugins\``,
      remedy: "run `<plugin> --version` on a node, or read it from the node image, and state it",
    });
  if (facts.unusable !== undefined)
    return fail("node-unsupported", {
      problem: `the ${plugin} image credential provider cannot pull with service account tokens on ${cluster.name}: ${facts.unusable}`,
      remedy: "leave these pulls out of this cluster, or use nodes whose plugin can do it",
    });
  for (const need of provider.needs) {
    const { outcome, reason } = pluginCan(plugin, facts, need as PluginAbility);
    if (outcome !== "yes")
      return fail("node-unsupported", {
        problem: `the ${plugin} image credential provider on the nodes lacks what these pulls need (${need}): ${reason}`,
        value: facts.version ?? "no version stated",
        remedy: `upgrade the plugin on the nodes, or, for a build that can do it, state \`abilities: ["${need}"]\` in the cluster's \`plugins\``,
      });
  }
  return facts;
}

function tokenAttributes(
  cluster: ClusterFacts,
  provider: ImageCredentialProvider,
  optional: boolean,
): object {
  const keys = optional ? "optionalServiceAccountAnnotationKeys" : "requiredServiceAccountAnnotationKeys";
  return {
    serviceAccountTokenAudience: provider.audience,
    ...(takesCacheType(cluster.kubelet) ? { cacheType: provider.cacheType } : {}),
    requireServiceAccount: !optional,
    ...(provider.annotationKeys.length > 0 ? { [keys]: [...provider.annotationKeys] } : {}),
  };
}

function mergedEnv(
  own: readonly CredentialProviderEnv[],
  added: readonly CredentialProviderEnv[],
): readonly CredentialProviderEnv[] {
  const kept = own.filter(({ name }) => !added.some((entry) => entry.name === name));
  return [...kept, ...added];
}

/** The name and arguments of the token-less entry of mixed mode, or `undefined` where none is needed. */
function nodeIdentity(
  cluster: ClusterFacts,
  provider: ImageCredentialProvider,
  facts: PluginFacts,
  settings: CredentialProviderSettings,
): { readonly name: string; readonly args: readonly string[] } | undefined {
  const { plugin } = provider;
  const { needed, reason } = secondEntry(provider, facts, settings);
  const { nodeIdentityName: name, nodeIdentityArgs } = settings;
  if (!needed) return refuseUnused(plugin, settings, reason);
  if (!cluster.pluginDirectoryWritable)
    return fail("node-unsupported", {
      problem: `mixed mode of the ${plugin} image credential provider needs a second executable name, and the plugin directory of ${cluster.name} is read-only`,
      allowed: "mode `strict`",
      remedy: "use mode `strict`: pods without the annotation then pull without this plugin",
    });
  if (name === undefined)
    return fail("node-missing", {
      problem: `mixed mode of the ${plugin} image credential provider needs a second entry for pods without annotation: ${reason}`,
      allowed: "`nodeIdentityName`: a second file name (link or copy) of the plugin in the plugin directory",
      remedy: "put the link on the nodes and state its name, or use mode `strict`",
    });
  const args = nodeIdentityArgs ?? provider.nodeIdentityArgs ?? cluster.stockProviders[plugin]?.args;
  if (args) return { name, args };
  return fail("node-missing", {
    problem: `nothing says with which arguments the ${plugin} image credential provider pulls with the node's identity; those of the entry with tokens serve the tokens alone`,
    value: name,
    allowed:
      "`nodeIdentityArgs`: for acr the path of an azure.json with `userAssignedIdentityID`, [] for no arguments",
    remedy: "state the arguments that the nodes used so far, or use mode `strict`",
  });
}

function refuseUnused(plugin: string, settings: CredentialProviderSettings, reason: string): undefined {
  const unused = (["nodeIdentityName", "nodeIdentityArgs"] as const).find(
    (setting) => settings[setting] !== undefined,
  );
  return unused === undefined
    ? undefined
    : fail("node-unused", {
        problem: `\`${unused}\` of the ${plugin} image credential provider has no effect: ${reason}`,
        value: unused,
        allowed: "mode `mixed` of a plugin that needs a second entry for pods without annotation",
        remedy: "remove the setting, or use mode `mixed`",
      });
}

function secondEntry(
  provider: ImageCredentialProvider,
  facts: PluginFacts,
  { mode }: CredentialProviderSettings,
): { readonly needed: boolean; readonly reason: string } {
  if (mode !== "mixed")
    return { needed: false, reason: "in mode `strict` no entry uses the node's identity" };
  if (provider.needs.includes("custom-pools"))
    return { needed: true, reason: "with a custom pool it exchanges the token of every pod" };
  const { outcome, reason } = pluginCan(provider.plugin, facts, "unannotated-node-identity");
  return { needed: outcome !== "yes", reason };
}

/**
 * The distribution's own patterns stay, since dropping one silently takes the node's access to images that no one
 * thought of; what the declared registries need is added. Or the caller's own patterns alone.
 */
function chosenMatchImages(
  provider: ImageCredentialProvider,
  stock: StockCredentialProvider | undefined,
  own: readonly string[] | undefined,
): readonly string[] {
  if (own) {
    const twice = own.find((pattern, index) => own.indexOf(pattern) < index);
    if (twice === undefined) return own.map((pattern) => checkedPattern(pattern, provider.plugin));
    return fail("node-conflict", {
      problem: `matchImages of the ${provider.plugin} image credential provider holds an entry twice`,
      value: twice,
      allowed: "each entry once",
      remedy: "remove one of them, or correct it",
    });
  }
  const kept = stock?.matchImages ?? [];
  return [...kept, ...provider.matchImages.filter((pattern) => !isWithin(pattern, kept))];
}

/** Refuses a declared pull for which the kubelet would not ask the provider. */
export function assertMatched(plugin: string, patterns: readonly string[], images: readonly string[]): void {
  // A repository pattern such as `base/*` stands for any image below it; matchImages compares a prefix.
  const image = images.find((each) => {
    const sample = each.replaceAll("*", "x");
    return !patterns.some((pattern) => imageMatches(pattern, sample));
  });
  if (image !== undefined)
    fail("node-mismatch", {
      problem: `no matchImages entry of the ${plugin} image credential provider matches a declared pull, so the kubelet would never ask it`,
      value: image,
      allowed: patterns.join(", "),
      remedy: "add a pattern for the registry's host, or leave `matchImages` out to get the right ones",
    });
}

function checkedPattern(pattern: string, plugin: string): string {
  const [dead] = lintMatchImages(pattern);
  const [misleading] = lintMatchImagesStrictly(pattern);
  if (misleading !== undefined)
    return fail("node-invalid", {
      problem: `matchImages has an entry that ${dead ? "can never match" : "means something else than it says"}: ${misleading}`,
      value: pattern,
      allowed: "host[:port][/path prefix], `*` only within one dot-separated part of the host",
      remedy: "correct the entry; the kubelet would accept it in silence",
    });
  const registries = pluginRow(plugin)?.registries ?? [];
  if (isWithin(pattern, registries)) return pattern;
  return fail("node-unsafe", {
    problem: `matchImages hands service account tokens to the ${plugin} plugin for images of foreign registries`,
    value: pattern,
    allowed: `patterns within ${registries.join(", ")}`,
    remedy: "narrow the entry to the registries that the plugin serves",
  });
}
