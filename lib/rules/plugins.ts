/*
 * What image credential provider plugins can do, by the rows of `registries/`. What no release proves is `unknown`, never
 * a guess.
 */

import type { PluginFacts } from "../model/cluster";
import type { CredentialProviderEnv } from "../model/image-credential-provider";
import type { AbilityRow, Plugin, PluginAbility, PluginAnswer } from "../model/plugin";
import { isRecord } from "../model/record";
import { compareVersions, minorOf, parseVersion } from "../model/version";
import { PLUGINS } from "../registries/plugins";
import { parseGoDuration } from "./kubelet/go-duration";
import { toBytes } from "./kubelet/go-text";
import { type GoUrl, parseSchemelessUrl } from "./kubelet/go-url";

/** The row of a plugin; `undefined` if the plugin is unknown. */
export function pluginRow(plugin: unknown): Plugin | undefined {
  return typeof plugin === "string" && Object.hasOwn(PLUGINS, plugin) ? PLUGINS[plugin] : undefined;
}

/** Whether an executable with that name is the plugin, as far as a name can show. */
export function isPluginExecutable(plugin: string, name: string): boolean {
  return pluginRow(plugin)?.executables.test(name) ?? plugin === name;
}

/** Why a variable has no effect if the kubelet runs the plugin only for annotated service accounts, or `undefined`. */
export function unannotatedEnvReason(plugin: string, name: string): string | undefined {
  return new Map(Object.entries(pluginRow(plugin)?.unannotatedEnv ?? {})).get(name);
}

/** The variable of an entry with which the node's own token would stay in the kubelet's cache after it expires. */
export function outlivingTokenEnv(
  plugin: string,
  env: readonly CredentialProviderEnv[],
): CredentialProviderEnv | undefined {
  const name = pluginRow(plugin)?.answerDuration;
  return env.find((each) => each.name === name && (parseGoDuration(each.value).nanoseconds ?? 0n) > 0n);
}

/**
 * Whether a plugin as stated has an ability.
 *
 * A stated ability overrides the table, since distributions backport. The answer is `unknown` for a version without
 * patch level if it changed within that minor, for a minor newer than all known ones, and for a pre-release of the
 * version that brought the change.
 */
export function pluginCan(plugin: string, facts: PluginFacts, ability: PluginAbility): PluginAnswer {
  // Callers without types may pass other types than declared.
  const stated: Partial<PluginFacts> = isRecord(facts) ? facts : {};
  if (Array.isArray(stated.abilities) && stated.abilities.includes(ability))
    return { outcome: "yes", reason: "stated in the cluster's facts" };
  const known = pluginRow(plugin);
  if (known === undefined)
    return {
      outcome: "unknown",
      reason: `nothing is known about the plugin ${typeof plugin === "string" ? plugin : typeof plugin}`,
    };
  const rows =
    typeof ability === "string" && Object.hasOwn(known.abilities, ability)
      ? (known.abilities[ability] ?? [])
      : [];
  const { version } = stated;
  const { newest } = known;
  if (version !== undefined && compareVersions(minorOf(VERSION, version), newest) > 0)
    return { outcome: "unknown", reason: `the newest known release is of v${newest}` };
  const [only] = rows;
  if (only === undefined) return { outcome: "unknown", reason: `for the plugin ${plugin} this is not known` };
  if (rows.length === 1) return { outcome: only.outcome, reason: only.reason };
  if (version === undefined) return { outcome: "unknown", reason: "its version is not stated" };
  return answerFor(rows, version);
}

const VERSION = "version of an image credential provider";
const PRE_RELEASE = /^[^+]*-/;

function answerFor(rows: readonly AbilityRow[], version: string): PluginAnswer {
  const { major, minor, patch } = parseVersion(VERSION, version);
  const row = rows.findLast(({ from }) => compareVersions(version, from) >= 0);
  const withinMinor = rows.some(({ from }) => {
    const change = parseVersion("version", from);
    return change.major === major && change.minor === minor && (change.patch ?? 0) > 0;
  });
  if (patch === undefined && withinMinor) {
    return {
      outcome: "unknown",
      reason: `the answer changed within ${major}.${minor}; state the patch level`,
    };
  }
  if (row && PRE_RELEASE.test(version) && compareVersions(version, row.from) === 0)
    return {
      outcome: "unknown",
      reason: `the answer changed with v${row.from}, and this is a pre-release of it`,
    };
  return row
    ? { outcome: row.outcome, reason: row.reason }
    : { outcome: "unknown", reason: "older than all known" };
}

/**
 * True if every image that the pattern matches is also matched by one of the wider patterns; compares host and path as
 * the kubelet reads them. False for a pattern that cannot be read.
 */
export function isWithin(pattern: string, wider: readonly string[]): boolean {
  const narrow = parseSchemelessUrl(toBytes(pattern));
  if ("error" in narrow) return false;
  return wider.some((candidate) => {
    const wide = parseSchemelessUrl(toBytes(candidate));
    return !("error" in wide) && covers(wide, narrow);
  });
}

function covers(wide: GoUrl, narrow: GoUrl): boolean {
  const [outer, inner] = [wide.host.split("."), narrow.host.split(".")];
  const hosts =
    outer.length === inner.length && outer.every((part, index) => part === "*" || part === inner[index]);
  return hosts && narrow.path.startsWith(wide.path);
}
