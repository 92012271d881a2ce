/*
 * Which plugin a controller runs for a profile, and how: the access library's own steps over parsed documents.
 * Source: kubernetes-sigs/cluster-inventory-api:pkg/access/config.go at v0.1.3 (`BuildConfigFromCP`), compared with it
 * by running both. What the library shares between calls (one cluster's variables reach the next one) is left out.
 */

import { type Json, list, record, text } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { ADDITIONAL_ARGS_EXTENSION, ADDITIONAL_ENVS_EXTENSION, EXEC_EXTENSION } from "./names";
import type { ExecEnvVar } from "./provider-file";

/** What client-go is told to run. */
export interface ResolvedExec {
  /** Name of the provider that the order of the file chose. */
  readonly provider: string;
  /** Further providers that profile and file have in common. */
  readonly others: readonly string[];
  /** The spoke's server. */
  readonly server: string;
  /** Version that the plugin must answer in. */
  readonly apiVersion: string;
  /** The program. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Its variables; sorted by name where the profile brought some, since the library's order is random then. */
  readonly env: readonly ExecEnvVar[];
  /** True where the plugin gets to know the spoke. */
  readonly provideClusterInfo: boolean;
  /** Value of the exec extension; the plugin sees it only with `provideClusterInfo`. */
  readonly config: unknown;
}

/** What is run, or why the controller gives up, in the library's words. */
export type ExecResolution =
  | { readonly outcome: "resolved"; readonly exec: ResolvedExec }
  | { readonly outcome: "refused"; readonly reason: string };

/** The providers of a profile by name: of equal names the one in `accessProviders` counts. Never throws. */
export function profileProviders(profile: unknown): ReadonlyMap<string, Json> {
  const status = record(record(profile)["status"]);
  const entries = [...list(status["credentialProviders"]), ...list(status["accessProviders"])];
  return new Map(entries.filter(isRecord).map((entry) => [String(entry["name"]), entry]));
}

/** Extensions of a profile's provider, in their order. Never throws. */
export function extensionsOf(provider: unknown): readonly Json[] {
  return list(record(record(provider)["cluster"])["extensions"]).filter(isRecord);
}

/** The exec configuration for a parsed profile and the controller's parsed providers; never throws. */
export function resolveExec(providers: readonly unknown[], profile: unknown): ExecResolution {
  const offered = profileProviders(profile);
  const common = providers.filter(isRecord).filter(({ name }) => offered.has(String(name)));
  const [chosen] = common;
  const name = String(record(record(profile)["metadata"])["name"]);
  if (!chosen) return refused(`no matching cluster accessor found for cluster profile "${name}"`);
  const provider = String(chosen["name"]);
  const exec = chosen["execConfig"];
  if (!isRecord(exec)) return refused(`no exec config found for provider "${provider}"`);
  const extensions = extensionsOf(offered.get(provider));
  const env = sourcedEnv(variables(exec["env"]), extensions, text(chosen["profileSourcedEnvVarsPolicy"]));
  const problem = argsProblem(extensions, text(chosen["profileSourcedCLIArgsPolicy"]));
  if (problem !== undefined) return refused(problem);
  if (typeof env === "string") return refused(env);
  const names = extensions.map((extension) => String(extension["name"]));
  const twice = names.find((each, index) => names.indexOf(each) < index);
  if (twice !== undefined)
    return refused(`failed to convert v1 Cluster to internal: duplicate name "${twice}" in list`);
  const others = [...new Set(common.map((entry) => String(entry["name"])))].filter(
    (each) => each !== provider,
  );
  return {
    outcome: "resolved",
    exec: {
      provider,
      others,
      server: text(record(record(offered.get(provider))["cluster"])["server"]),
      apiVersion: text(exec["apiVersion"]),
      command: text(exec["command"]),
      args: list(exec["args"]).map(String),
      env,
      provideClusterInfo: exec["provideClusterInfo"] === true,
      config: extensions.find((extension) => extension["name"] === EXEC_EXTENSION)?.["extension"],
    },
  };
}

function refused(reason: string): ExecResolution {
  return { outcome: "refused", reason };
}

/** An extension is an object in every profile that was stored, and the library wants a list. */
function argsProblem(extensions: readonly Json[], policy: string): string | undefined {
  if (!extensions.some(({ name }) => name === ADDITIONAL_ARGS_EXTENSION)) return undefined;
  if (policy === "" || policy === "Ignore") return undefined;
  return policy === "Append"
    ? "failed to unmarshal additional CLI args extension"
    : `unsupported ProfileSourcedCLIArgsPolicy: "${policy}"`;
}

/** The variables, or the library's complaint. */
function sourcedEnv(
  own: readonly ExecEnvVar[],
  extensions: readonly Json[],
  policy: string,
): readonly ExecEnvVar[] | string {
  const extension = extensions.find(({ name }) => name === ADDITIONAL_ENVS_EXTENSION);
  if (!extension || policy === "" || policy === "Ignore") return own;
  if (policy !== "AppendIfNotExists" && policy !== "Replace")
    return `unsupported ProfileSourcedEnvVarsPolicy: "${policy}"`;
  const given = Object.entries(record(extension["extension"]));
  if (given.some(([, value]) => typeof value === "object" && value !== null))
    return "failed to unmarshal additional env vars extension";
  const sourced = given.map(([name, value]) => ({ name, value: value === null ? "" : String(value) }));
  // Of equal names the later one in the map counts.
  const ordered = policy === "Replace" ? [...own, ...sourced] : [...sourced, ...own];
  const merged = new Map(ordered.map((entry) => [entry.name, entry.value]));
  return [...merged].map(([name, value]) => ({ name, value })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function variables(value: unknown): readonly ExecEnvVar[] {
  return list(value)
    .filter(isRecord)
    .map((entry) => ({ name: text(entry["name"]), value: text(entry["value"]) }));
}
