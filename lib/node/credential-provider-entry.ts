/*
 * One entry of the kubelet's CredentialProviderConfig: what a cloud needs, joined with what the distribution has
 * and what the versions on the nodes can do.
 */

import { fail } from "../errors";
import type { ClusterFacts, PluginFacts } from "../model/cluster";
import type { Duration } from "../model/duration";
import type { CredentialProviderEnv, ImageCredentialProvider } from "../model/image-credential-provider";
import { compareVersions } from "../model/version";
import { TOKEN_PROTOCOL } from "../rules/kubelet/credential-provider-rules";
import { type PluginAbility, pluginCan } from "../rules/plugins";
import { chosenMatchImages } from "./match-images";

/**
 * What a caller may decide about one image credential provider.
 *
 * - `strict`: the plugin runs only for service accounts with its annotations; everybody else pulls without it.
 * - `mixed`: service accounts without annotations keep the node's identity, where the plugin can do that.
 */
export interface CredentialProviderSettings {
  /**
   * Strict or mixed mode.
   *
   * @defaultValue "strict"
   */
  readonly mode?: "strict" | "mixed";
  /**
   * Second file name (link or copy) of the plugin's executable, for the token-less entry that mixed mode needs
   * where the plugin itself does not fall back (ACR always, ECR 1.34, Google custom pools).
   *
   * @defaultValue - mixed mode is refused for such plugins
   */
  readonly nodeIdentityName?: string;
  /**
   * Patterns instead of the usual ones; checked against the plugin's registries and the declared pulls.
   *
   * @defaultValue - the distribution's own patterns plus those of the declared registries
   */
  readonly matchImages?: readonly string[];
  /**
   * Arguments instead of the usual ones.
   *
   * @defaultValue - the cloud's own, or else the distribution's
   */
  readonly args?: readonly string[];
  /**
   * Variables added to those that the cloud needs; the same name wins here.
   *
   * @defaultValue - none
   */
  readonly env?: readonly CredentialProviderEnv[];
  /**
   * For answers of the plugin without a duration.
   *
   * @defaultValue - the distribution's own, or else the cloud's
   */
  readonly defaultCacheDuration?: Duration;
}

/** A finished entry, keys in the order in which the upstream documentation writes them. */
export type CredentialProviderEntry = Readonly<Record<string, unknown>>;

/** Kubelet minor from which `cacheType` is required; 1.33 refuses the field. Source: kubelet config/v1 types.go. */
const CACHE_TYPE_SINCE = "1.34";

/**
 * The entries for one provider: one, or two in a mixed mode that needs a token-less second one.
 *
 * Throws `plugin-not-stated`, `plugin-unusable`, `plugin-too-old`, `mixed-mode-needs-second-name`,
 * `mixed-mode-impossible`, `match-images-dead`, `match-images-too-wide`.
 */
export function credentialProviderEntries(
  cluster: ClusterFacts,
  provider: ImageCredentialProvider,
  settings: CredentialProviderSettings = {},
): readonly CredentialProviderEntry[] {
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
  const env = mergedEnv(provider.env, settings.env ?? []);
  const rest = { ...(args.length > 0 ? { args } : {}), ...(env.length > 0 ? { env } : {}) };
  const name = stock?.name ?? provider.name;
  const second = secondName(cluster, provider, facts, settings);
  const optional = settings.mode === "mixed" && second === undefined;
  const withToken = {
    name,
    ...common,
    ...rest,
    tokenAttributes: tokenAttributes(cluster, provider, optional),
  };
  return second === undefined ? [withToken] : [withToken, { name: second, ...common, ...rest }];
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

/** The name of the token-less entry, or `undefined` when none is needed. */
function secondName(
  cluster: ClusterFacts,
  provider: ImageCredentialProvider,
  facts: PluginFacts,
  { mode, nodeIdentityName }: CredentialProviderSettings,
): string | undefined {
  if (mode !== "mixed") return undefined;
  const custom = provider.needs.includes("custom-pools");
  const answer = pluginCan(provider.plugin, facts, "unannotated-node-identity");
  if (!custom && answer.outcome === "yes") return undefined;
  if (!cluster.pluginDirectoryWritable) return fail("mixed-mode-impossible", provider.plugin, cluster.name);
  const reason = custom ? "with a custom pool it exchanges the token of every pod" : answer.reason;
  return nodeIdentityName ?? fail("mixed-mode-needs-second-name", provider.plugin, reason);
}

function tokenAttributes(
  cluster: ClusterFacts,
  provider: ImageCredentialProvider,
  optional: boolean,
): object {
  const keys = optional ? "optionalServiceAccountAnnotationKeys" : "requiredServiceAccountAnnotationKeys";
  return {
    serviceAccountTokenAudience: provider.audience,
    ...(compareVersions(cluster.kubelet, CACHE_TYPE_SINCE) >= 0 ? { cacheType: provider.cacheType } : {}),
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
