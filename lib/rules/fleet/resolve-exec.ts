/*
 * Which plugin a controller runs for a profile, and how: the access library's own steps, applied to parsed documents.
 * Source: kubernetes-sigs/cluster-inventory-api:pkg/access/config.go at v0.1.3 (`BuildConfigFromCP`), verified by
 * running both. Not reproduced: the library shares state between calls, so one cluster's variables reach the next one.
 */

import { once } from "../../model/once";
import { type WorkloadIdentityError, refusal } from "../../errors";
import { type Json, at, list, record, text } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { ADDITIONAL_ARGS_EXTENSION, ADDITIONAL_ENVS_EXTENSION, EXEC_EXTENSION } from "./names";
import type { ExecEnvVar } from "./provider-list";

/** The exec configuration that client-go receives. */
export interface ResolvedExec {
  /** Name of the provider chosen by the order of the file. */
  readonly provider: string;
  /** Further providers that the profile and the file have in common. */
  readonly others: readonly string[];
  /** The spoke's server. */
  readonly server: string;
  /** API version in which the plugin must answer. */
  readonly apiVersion: string;
  /** The program to run. */
  readonly command: string;
  /** Arguments of the program. */
  readonly args: readonly string[];
  /** Variables of the program; sorted by name if the profile adds any, because the library's order is then random. */
  readonly env: readonly ExecEnvVar[];
  /** True if the plugin receives the spoke's address and the exec extension. */
  readonly provideClusterInfo: boolean;
  /** Value of the exec extension; the plugin sees it only with `provideClusterInfo`. */
  readonly config: unknown;
}

/** The exec configuration, or why the controller gives up, in the library's words. */
export type ExecResolution =
  | { readonly outcome: "resolved"; readonly exec: ResolvedExec }
  | { readonly outcome: "refused"; readonly reason: string };

/** The providers of a profile by name; of equal names the one in `accessProviders` wins. */
export function profileProviders(profile: unknown): ReadonlyMap<string, Json> {
  const status = record(record(profile)["status"]);
  const entries = [...list(status["credentialProviders"]), ...list(status["accessProviders"])];
  return new Map(entries.filter(isRecord).map((entry) => [String(entry["name"]), entry]));
}

/** Extensions of a profile's provider, in their order. */
export function extensionsOf(provider: unknown): readonly Json[] {
  return list(record(record(provider)["cluster"])["extensions"]).filter(isRecord);
}

/** The exec configuration for a parsed profile and the controller's parsed providers. */
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

type Issues = readonly WorkloadIdentityError[];

function nameOf(profile: unknown): string {
  return String(at(profile, "metadata", "name") ?? "");
}

/** Profiles without any access provider of the controller's list. */
export function unlistedProfiles(providers: readonly unknown[], profiles: readonly unknown[]): Issues {
  const listed = providers.filter(isRecord).map(({ name }) => String(name));
  return profiles.flatMap((profile) => {
    const names = [...profileProviders(profile).keys()];
    if (names.some((name) => listed.includes(name))) return [];
    return [
      refusal("fleet-mismatch", {
        problem: `the controller's file contains no access provider of the profile ${nameOf(profile)}`,
        value: names.join(", "),
        allowed: listed.join(", "),
        remedy: "add the provider to the controller's file, under the same name",
      }),
    ];
  });
}

/** Remembered, since thousands of controllers may have a list of their own. */
const usedBy = once(
  (profiles: readonly unknown[]) =>
    new Set(profiles.flatMap((profile) => [...profileProviders(profile).keys()])),
);

/** Entries of the list to which no profile refers. */
export function unusedProviders(providers: readonly unknown[], profiles: readonly unknown[]): Issues {
  const used = usedBy(profiles);
  const listed = providers.filter(isRecord).map(({ name }) => String(name));
  return listed
    .filter((name) => !used.has(name))
    .map((name) =>
      refusal("fleet-unused", {
        problem: "no profile refers to this access provider of the controller's file",
        value: name,
        allowed: "a name that a profile has in status.accessProviders",
        remedy: "remove it, or correct the name",
      }),
    );
}

/** Whether the order of the list decides; a warning, since it may be intended. */
export function ambiguousProviderIssues(providers: readonly unknown[], profile: unknown): Issues {
  const resolution = resolveExec(providers, profile);
  if (resolution.outcome === "refused" || resolution.exec.others.length === 0) return [];
  const { provider, others } = resolution.exec;
  return [
    refusal("fleet-conflict", {
      problem: `the profile ${nameOf(profile)} refers to several access providers of the controller's file, so the order of the file decides`,
      value: [provider, ...others].join(", "),
      allowed: `one access provider; the controller uses ${provider}`,
      remedy: "remove all but one of them from the profile",
    }),
  ];
}

/** Data in a profile that the chosen provider ignores: variables, and data for the plugin. */
export function ignoredProfileData(
  providers: readonly unknown[],
  profile: unknown,
  takesProfileEnv: boolean,
): { readonly variables: Issues; readonly config: Issues } {
  const resolution = resolveExec(providers, profile);
  if (resolution.outcome === "refused") return { variables: [], config: [] };
  const { provider, provideClusterInfo } = resolution.exec;
  const entry = providers.find((each) => at(each, "name") === provider);
  const names = extensionsOf(profileProviders(profile).get(provider)).map(({ name }) => name);
  const policy = String(at(entry, "profileSourcedEnvVarsPolicy") ?? "Ignore");
  const reason = takesProfileEnv ? `the policy is ${policy}` : "it does not support such policies";
  const isIgnored = !takesProfileEnv || policy === "Ignore" || policy === "";
  const variables = refusal("fleet-unused", {
    problem: `the profile ${nameOf(profile)} contains environment variables that the controller ignores: ${reason}`,
    allowed: "profileSourcedEnvVarsPolicy AppendIfNotExists or Replace, and a consumer that reads it",
    remedy: "state the policy in the controller's file, or give the spoke a provider of its own",
  });
  const config = refusal("fleet-unused", {
    problem: `the profile ${nameOf(profile)} contains data for the plugin that the controller does not pass on`,
    allowed: "provideClusterInfo: true in the controller's file",
    remedy: `set provideClusterInfo, or remove the extension ${EXEC_EXTENSION}`,
  });
  return {
    variables: names.includes(ADDITIONAL_ENVS_EXTENSION) && isIgnored ? [variables] : [],
    config: names.includes(EXEC_EXTENSION) && !provideClusterInfo ? [config] : [],
  };
}

function refused(reason: string): ExecResolution {
  return { outcome: "refused", reason };
}

/** Any stored profile has an object as extension value, but the library expects a list. */
function argsProblem(extensions: readonly Json[], policy: string): string | undefined {
  if (!extensions.some(({ name }) => name === ADDITIONAL_ARGS_EXTENSION)) return undefined;
  if (policy === "" || policy === "Ignore") return undefined;
  return policy === "Append"
    ? "failed to unmarshal additional CLI args extension"
    : `unsupported ProfileSourcedCLIArgsPolicy: "${policy}"`;
}

/** The variables, or the library's error text. */
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
  // Of equal names the later one in the map wins.
  const ordered = policy === "Replace" ? [...own, ...sourced] : [...sourced, ...own];
  const merged = new Map(ordered.map((entry) => [entry.name, entry.value]));
  return [...merged].map(([name, value]) => ({ name, value })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function variables(value: unknown): readonly ExecEnvVar[] {
  return list(value)
    .filter(isRecord)
    .map((entry) => ({ name: text(entry["name"]), value: text(entry["value"]) }));
}
