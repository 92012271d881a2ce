/*
 * One entry of the kubelet's CredentialProviderConfig: what a cloud needs, merged with what the distribution provides
 * and limited to what the versions on the nodes support.
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
import type { PluginAbility } from "../model/plugin";
import { compareVersions } from "../model/version";
import { TOKEN_PROTOCOL } from "../rules/kubelet/validate-credential-provider-config";
import { openShiftWithPlugin } from "../rules/openshift/versions";
import { certainRefusal, parsedArguments } from "../rules/plugin-arguments";
import { outlivingTokenEnv, pluginRow, pluginCan, unannotatedEnvReason, isWithin } from "../rules/plugins";
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

/** One entry of a CredentialProviderConfig, with its keys in the order of the upstream documentation. */
export type CredentialProviderEntry = Readonly<Record<string, unknown>>;

/** Kubelet minor from which `cacheType` is required; 1.33 refuses the field. Source: kubelet config/v1 types.go. */
const CACHE_TYPE_SINCE = "1.34";

/** Whether the kubelet requires `cacheType`. Older kubelets refuse it, so no file suits both. */
export function takesCacheType(kubelet: string): boolean {
  return compareVersions(kubelet, CACHE_TYPE_SINCE) >= 0;
}

/** What a file without `cacheType` means for an upgrade of the nodes; one line. */
export const WITHOUT_CACHE_TYPE: string =
  "kubelets from 1.34 on do not start with a CredentialProviderConfig for 1.33, nor does 1.33 start with one for 1.34 (cacheType)";

/** The entries for one provider: one, or two if mixed mode needs a second entry without tokens. */
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
    matchImages: chosenMatchImages(provider, stock, settings),
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
 * The entry with tokens, for the declared registries only, followed by the distribution's own entry. If both match, the
 * kubelet runs both and tries the first one's credentials first.
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
  refuseUnused(
    plugin,
    settings,
    `the nodes of ${cluster.name} keep the distribution's own entry, which uses the node's identity`,
  );
  assertArgsTaken("args", plugin, cluster.plugins[plugin] ?? {}, args);
  assertEnvUsed(plugin, env);
  const nodeImages = mode === "mixed" ? stock.matchImages : beside.nodeImages;
  if (nodeImages === undefined)
    return fail("node-missing", {
      problem: `strict mode of the ${plugin} image credential provider would stop the nodes of ${cluster.name} from pulling their system images with their own identity: the cluster's facts do not say which registries those images are in`,
      allowed: "a cluster whose facts name the registries of its system images, or mode `mixed`",
      remedy: beside.remedy,
    });
  const common = (period: string): object => ({ defaultCacheDuration: period, apiVersion: TOKEN_PROTOCOL });
  const patterns = chosenMatchImages({ ...provider, matchImages: hosts ?? matchImages }, undefined, settings);
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

/** How the kubelet runs the plugin; empty lists are left out, as in the kubelet's documentation. */
function running(args: readonly string[], env: readonly CredentialProviderEnv[]): object {
  return { ...(args.length > 0 ? { args } : {}), ...(env.length > 0 ? { env } : {}) };
}

/** The file is embedded as YAML in other documents, where a late value would be filled in without quotes. */
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
        allowed: "mode `mixed` with a plugin that itself falls back to the node's identity",
        remedy: "remove the variable",
      });
  }
}

/** An error rather than a warning: only some pulls fail, later, and the registry's 401 is the only symptom. */
function assertNodeTokenNotKept(plugin: string, env: readonly CredentialProviderEnv[]): void {
  const kept = outlivingTokenEnv(plugin, env);
  if (kept)
    fail("node-unsafe", {
      problem: `a variable of the ${plugin} image credential provider makes the kubelet cache the node's own token for ${kept.value}; the token may expire sooner, and pulls then fail with a 401`,
      value: kept.name,
      allowed: "no duration for an entry that returns the node's credentials",
      remedy:
        "remove the variable and `cacheDuration`, or use mode `strict`; if mixed mode has a second entry, `cacheDuration` of `pullPrincipals` affects only the entry with tokens",
    });
}

function assertArgsTaken(setting: string, plugin: string, facts: PluginFacts, args: readonly string[]): void {
  const refusal = certainRefusal(plugin, facts, parsedArguments(plugin, args));
  if (refusal)
    fail("node-invalid", {
      problem: `\`${setting}\` of the ${plugin} image credential provider keep it from returning credentials: ${refusal.reason}`,
      value: args,
      allowed: "flags and values that the plugin accepts",
      remedy: refusal.remedy,
    });
}

function usablePlugin(cluster: ClusterFacts, provider: ImageCredentialProvider): PluginFacts {
  const { plugin } = provider;
  const facts = cluster.plugins[plugin] ?? (provider.needs.length > 0 ? undefined : {});
  if (!facts)
    return fail("node-missing", {
      problem: `the cluster's facts do not say which version of the ${plugin} image credential provider its nodes have`,
      value: Object.keys(cluster.plugins),
      allowed: `an entry \`${plugin}\` in the cluster's \`plugins\``,
      remedy: "run `<plugin> --version` on a node, or read it from the node image, and state it",
    });
  if (facts.unusable !== undefined)
    return fail("node-unsupported", {
      problem: `the ${plugin} image credential provider cannot use service account tokens on ${cluster.name}: ${facts.unusable}`,
      remedy: "remove these pulls from this cluster, or use nodes with a plugin that supports tokens",
    });
  for (const need of ["tokens", ...provider.needs]) {
    const { outcome, reason } = pluginCan(plugin, facts, need as PluginAbility);
    if (outcome === "no" || (outcome === "unknown" && provider.needs.includes(need)))
      return fail("node-unsupported", {
        problem: `the ${plugin} image credential provider on the nodes lacks what these pulls need (${need}): ${reason}`,
        value: facts.version ?? "no version stated",
        remedy: `upgrade the plugin on the nodes, or, if your build of it supports this, state \`abilities: ["${need}"]\` in the cluster's \`plugins\``,
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
  const { optionalAnnotationKeys: further = [] } = provider;
  return {
    serviceAccountTokenAudience: provider.audience,
    ...(takesCacheType(cluster.kubelet) ? { cacheType: provider.cacheType } : {}),
    requireServiceAccount: !optional,
    ...(provider.annotationKeys.length > 0 ? { [keys]: [...provider.annotationKeys] } : {}),
    ...(further.length > 0 && { optionalServiceAccountAnnotationKeys: [...further] }),
  };
}

function mergedEnv(
  own: readonly CredentialProviderEnv[],
  added: readonly CredentialProviderEnv[],
): readonly CredentialProviderEnv[] {
  const kept = own.filter(({ name }) => !added.some((entry) => entry.name === name));
  return [...kept, ...added];
}

/** The name and arguments of mixed mode's entry without tokens, or `undefined` if none is needed. */
function nodeIdentity(
  cluster: ClusterFacts,
  provider: ImageCredentialProvider,
  facts: PluginFacts,
  settings: CredentialProviderSettings,
): { readonly name: string; readonly args: readonly string[] } | undefined {
  const { plugin } = provider;
  if (settings.mode === "mixed" && provider.needs.length === 0)
    return fail("node-unsupported", {
      problem: `mode \`mixed\` of the ${plugin} image credential provider would need an identity of the node, which its registry does not know`,
      value: settings.mode,
      allowed: "strict",
      remedy: "leave `mode` out, and annotate or admit each service account that pulls",
    });
  const { needed, reason } = secondEntry(provider, facts, settings);
  const { nodeIdentityName: name, nodeIdentityArgs } = settings;
  if (!needed) return refuseUnused(plugin, settings, reason);
  if (!cluster.pluginDirectoryWritable)
    return fail("node-unsupported", {
      problem: `mixed mode of the ${plugin} image credential provider needs a second entry for pods whose service account has no annotation (${reason}), for which the plugin directory of ${cluster.name}, which is read-only, would need a second executable name`,
      allowed: `mode \`strict\`${fallsBack(cluster, plugin)}`,
      remedy: "use mode `strict`, in which the plugin does not run for pods without the annotation",
    });
  if (name === undefined)
    return fail("node-missing", {
      problem: `mixed mode of the ${plugin} image credential provider needs a second entry for pods whose service account has no annotation: ${reason}`,
      allowed: "`nodeIdentityName`: a second file name (link or copy) of the plugin in the plugin directory",
      remedy: "put the link on the nodes and state its name, or use mode `strict`",
    });
  const args = nodeIdentityArgs ?? provider.nodeIdentityArgs ?? cluster.stockProviders[plugin]?.args;
  if (args) return { name, args };
  return fail("node-missing", {
    problem: `\`nodeIdentityArgs\` is missing: the arguments with which the ${plugin} image credential provider uses the node's identity are not known, and those of the entry with tokens do not fit`,
    value: name,
    allowed:
      "`nodeIdentityArgs`: for acr the path of an azure.json with `userAssignedIdentityID`; [] for no arguments",
    remedy: "state the arguments with which the nodes run the plugin today, or use mode `strict`",
  });
}

/** The versions that need no second entry. */
function fallsBack({ distribution }: ClusterFacts, plugin: string): string {
  const rows = pluginRow(plugin)?.abilities["unannotated-node-identity"] ?? [];
  const since = rows.find(({ outcome }) => outcome === "yes")?.from;
  if (since === undefined) return "";
  const release = distribution.startsWith("openshift") ? openShiftWithPlugin(plugin, since) : undefined;
  return `, or ${release === undefined ? `version ${since} of the plugin` : `OpenShift ${release}`} or newer`;
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
        allowed:
          "mode `mixed` with a plugin that needs a second entry for pods whose service account has no annotation",
        remedy: "remove the setting, or use mode `mixed`",
      });
}

function secondEntry(
  provider: ImageCredentialProvider,
  facts: PluginFacts,
  { mode }: CredentialProviderSettings,
): { readonly needed: boolean; readonly reason: string } {
  if (mode !== "mixed")
    return { needed: false, reason: "mode `strict` has no entry for the node's identity" };
  if (provider.needs.includes("custom-pools"))
    return { needed: true, reason: "with a custom pool the plugin exchanges the token of every pod" };
  const { outcome, reason } = pluginCan(provider.plugin, facts, "unannotated-node-identity");
  return { needed: outcome !== "yes", reason };
}

/**
 * Keeps the distribution's own patterns, if it has an entry, and adds those of the declared registries: dropping one would silently take
 * away the node's access to images. If the caller states patterns, only these are used.
 */
function chosenMatchImages(
  provider: ImageCredentialProvider,
  stock: StockCredentialProvider | undefined,
  { matchImages: own, mode }: CredentialProviderSettings,
): readonly string[] {
  if (own) {
    const twice = own.find((pattern, index) => own.indexOf(pattern) < index);
    if (twice === undefined) return own.map((pattern) => checkedPattern(pattern, provider));
    return fail("node-conflict", {
      problem: `matchImages of the ${provider.plugin} image credential provider contains an entry twice`,
      value: twice,
      allowed: "each entry once",
      remedy: "remove one of them, or correct it",
    });
  }
  // Where no node pulled with the plugin before, strict mode need not run it for any other registry.
  const wanted = stock === undefined && mode !== "mixed" ? provider.hosts : undefined;
  const kept = stock?.matchImages ?? [];
  return [...kept, ...(wanted ?? provider.matchImages).filter((pattern) => !isWithin(pattern, kept))];
}

/** Throws if a declared pull matches none of the provider's patterns, so that the kubelet would not run it. */
export function assertMatched(plugin: string, patterns: readonly string[], images: readonly string[]): void {
  // A repository pattern such as `base/*` covers any image below it; matchImages compares a prefix.
  const image = images.find((each) => {
    const sample = each.replaceAll("*", "x");
    return !patterns.some((pattern) => imageMatches(pattern, sample));
  });
  if (image !== undefined)
    fail("node-mismatch", {
      problem: `no matchImages entry of the ${plugin} image credential provider matches a declared pull, so the kubelet would never run the plugin for it`,
      value: image,
      allowed: patterns.join(", "),
      remedy: "add a pattern for the registry's host, or leave `matchImages` out to use the default patterns",
    });
}

function checkedPattern(pattern: string, { plugin, matchImages: hosts }: ImageCredentialProvider): string {
  const [dead] = lintMatchImages(pattern);
  const [misleading] = lintMatchImagesStrictly(pattern);
  if (misleading !== undefined)
    return fail("node-invalid", {
      problem: `matchImages has an entry that ${dead ? "can never match" : "does not mean what it seems to mean"}: ${misleading}`,
      value: pattern,
      allowed: "host[:port][/path prefix], `*` only within one dot-separated part of the host",
      remedy: "correct the entry; the kubelet would accept it without a warning",
    });
  const registries = pluginRow(plugin)?.registries ?? hosts;
  if (isWithin(pattern, registries)) return pattern;
  return fail("node-unsafe", {
    problem: `matchImages passes service account tokens to the ${plugin} plugin for images of registries that it does not serve`,
    value: pattern,
    allowed: `patterns within ${registries.join(", ")}`,
    remedy: "narrow the entry to the registries that the plugin serves",
  });
}
