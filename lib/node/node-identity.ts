/*
 * The token-less entry of mixed mode, for pods without annotation, where the plugin itself does not fall back.
 */

import { fail } from "../errors";
import type { ClusterFacts, PluginFacts } from "../model/cluster";
import type { ImageCredentialProvider } from "../model/image-credential-provider";
import { pluginCan } from "../rules/plugins";
import type { CredentialProviderSettings } from "./credential-provider-settings";

/** What tells a token-less entry from the one with tokens. */
export interface NodeIdentity {
  /** Its own file name of the executable. */
  readonly name: string;
  /** Its own arguments. */
  readonly args: readonly string[];
}

const SETTINGS = ["nodeIdentityName", "nodeIdentityArgs"] as const;

/**
 * The token-less entry's own part, or `undefined` where none is needed.
 *
 * Throws `mixed-mode-needs-second-name`, `mixed-mode-impossible`, `node-identity-args-missing`, and
 * `node-identity-setting-unused` for a setting of an entry that is not written.
 */
export function nodeIdentity(
  cluster: ClusterFacts,
  provider: ImageCredentialProvider,
  facts: PluginFacts,
  settings: CredentialProviderSettings,
): NodeIdentity | undefined {
  const { plugin } = provider;
  const need = secondEntry(provider, facts, settings);
  if (!need.needed) {
    const unused = SETTINGS.find((setting) => settings[setting] !== undefined);
    return unused && fail("node-identity-setting-unused", unused, plugin, need.reason);
  }
  if (!cluster.pluginDirectoryWritable) return fail("mixed-mode-impossible", plugin, cluster.name);
  const name = settings.nodeIdentityName ?? fail("mixed-mode-needs-second-name", plugin, need.reason);
  const args = settings.nodeIdentityArgs ?? provider.nodeIdentityArgs ?? cluster.stockProviders[plugin]?.args;
  return { name, args: args ?? fail("node-identity-args-missing", plugin, name) };
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
