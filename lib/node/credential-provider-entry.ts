/*
 * One entry of the kubelet's CredentialProviderConfig: what a cloud needs, joined with what the distribution has
 * and what the versions on the nodes can do.
 */

import { fail } from "../errors";
import { type ClusterFacts, type PluginFacts, CLUSTER_FACTS } from "../model/cluster";
import {
  type CredentialProviderEnv,
  type ImageCredentialProvider,
  IMAGE_CREDENTIAL_PROVIDER,
} from "../model/image-credential-provider";
import { literal } from "../model/late";
import { compareVersions } from "../model/version";
import { TOKEN_PROTOCOL } from "../rules/kubelet/credential-provider-rules";
import { certainRefusal, parsedArguments } from "../rules/plugin-arguments";
import { type PluginAbility, outlivingTokenEnv, pluginCan, unannotatedEnvReason } from "../rules/plugins";
import {
  type CredentialProviderSettings,
  CREDENTIAL_PROVIDER_SETTINGS,
  assertLiteralEnv,
  assertLiteralItems,
  checkedSettings,
} from "./credential-provider-settings";
import { chosenMatchImages } from "./match-images";
import { nodeIdentity } from "./node-identity";
import { checkGiven } from "../model/shape";

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

/**
 * The entries for one provider: one, or two in a mixed mode that needs a token-less second one.
 *
 * Throws `plugin-not-stated`, `plugin-unusable`, `plugin-too-old`, `mixed-mode-needs-second-name`,
 * `mixed-mode-impossible`, `node-identity-args-missing`, `node-identity-setting-unused`, `provider-setting-invalid` (of
 * arguments that the plugin refuses), `provider-env-unused`, `provider-env-invalid`, `match-images-dead`,
 * `match-images-misleading`, `match-images-twice`, `match-images-too-wide`, `late-value`, and what
 * {@link checkedSettings} throws.
 */
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
    if (reason !== undefined) fail("provider-env-unused", plugin, name, reason);
  }
}

/** Refused, not warned of: the pulls that it breaks are some, later, with nothing but the registry's 401. */
function assertNodeTokenNotKept(plugin: string, env: readonly CredentialProviderEnv[]): void {
  const kept = outlivingTokenEnv(plugin, env);
  if (kept)
    fail(
      "provider-env-invalid",
      plugin,
      kept.name,
      `has the kubelet keep the node's own token for ${kept.value}, and that token may end sooner, with a 401 for the pods`,
      "no duration where an entry answers with the node's identity",
      "leave the variable and `cacheDuration` out, or use mode `strict`; where mixed mode has a second entry, `cacheDuration` of `pullPrincipals` reaches the entry with tokens alone",
    );
}

function assertArgsTaken(setting: string, plugin: string, facts: PluginFacts, args: readonly string[]): void {
  const refusal = certainRefusal(plugin, facts, parsedArguments(plugin, args));
  if (refusal)
    fail(
      "provider-setting-invalid",
      setting,
      plugin,
      args,
      "flags and values that the plugin takes",
      `leave it without an answer: ${refusal.reason}`,
      refusal.remedy,
    );
}

function usablePlugin(cluster: ClusterFacts, provider: ImageCredentialProvider): PluginFacts {
  const { plugin } = provider;
  const facts = cluster.plugins[plugin];
  if (!facts) return fail("plugin-not-stated", plugin, Object.keys(cluster.plugins));
  if (facts.unusable !== undefined) return fail("plugin-unusable", plugin, cluster.name, facts.unusable);
  for (const need of provider.needs) {
    const answer = pluginCan(plugin, facts, need as PluginAbility);
    if (answer.outcome !== "yes") return fail("plugin-too-old", plugin, need, answer.reason, facts.version);
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
