/*
 * Which plugin a controller runs for a profile, and how: the access library's own steps, applied to parsed documents.
 * Source: kubernetes-sigs/cluster-inventory-api:pkg/access/config.go at v0.1.3 (`BuildConfigFromCP`), verified by
 * running both. Not reproduced: the library shares state between calls, so one cluster's variables reach the next one.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { type Known, known, map, orElse, shown, whyText } from "../../model/known";
import { once } from "../../model/once";
import { fieldsOf, isObjectTree, shownAt, wordAt } from "../../model/parsed-tree";
import { type Tree, type TreeList, childOf, itemsAt, knownJson, plainOf, treeOf } from "../../model/tree";
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

type Variables = readonly { readonly name: string; readonly value: Known<string> }[];

interface KnownExec extends Pick<ResolvedExec, "provider" | "others" | "provideClusterInfo" | "config"> {
  readonly server: Known<string>;
  readonly apiVersion: Known<string>;
  readonly command: Known<string>;
  readonly args: readonly Known<string>[];
  readonly env: Variables;
}

/** As {@link ExecResolution}, with texts that may not be known. */
export type KnownResolution =
  | { readonly outcome: "resolved"; readonly exec: KnownExec }
  | Extract<ExecResolution, { readonly outcome: "refused" }>;

/** A name as the library prints it. */
export function nameOf(entry: Tree): string {
  return String(plainOf(childOf(entry, "name"), shown));
}

/** The providers of a profile by name; of equal names the one in `accessProviders` wins. */
export function profileProviders(profile: unknown): ReadonlyMap<string, Tree> {
  const status = childOf(treeOf(profile), "status");
  const entries = ["credentialProviders", "accessProviders"].flatMap((key) => itemsAt(status, key));
  return new Map(entries.filter(isObjectTree).map((entry) => [nameOf(entry), entry]));
}

/** Extensions of a profile's provider, in their order. */
export function extensionsOf(provider: Tree | undefined): TreeList {
  return itemsAt(provider ?? ABSENT, "cluster", "extensions").filter(isObjectTree);
}

/** The exec configuration for a parsed profile and the controller's parsed providers. */
export function resolveExec(providers: readonly unknown[], profile: unknown): ExecResolution {
  // Every text of a parsed document is known.
  const resolution = knownJson(treeOf(knownExec(providers.map(treeOf), treeOf(profile))));
  return orElse<unknown, undefined>(resolution, () => undefined) as ExecResolution;
}

/** The same for documents with texts that may not be known; the names of their providers are. */
export function knownExec(providers: TreeList, profile: Tree): KnownResolution {
  const offered = profileProviders(profile);
  const common = providers.filter((entry) => isObjectTree(entry) && offered.has(nameOf(entry)));
  const [chosen = ABSENT] = common;
  const name = nameOf(childOf(profile, "metadata"));
  if (common.length === 0) return refused(`no matching cluster accessor found for cluster profile "${name}"`);
  const provider = nameOf(chosen);
  const exec = childOf(chosen, "execConfig");
  if (!isObjectTree(exec)) return refused(`no exec config found for provider "${provider}"`);
  const extensions = extensionsOf(offered.get(provider));
  const env = sourcedEnv(variables(exec), extensions, shownAt(chosen, "profileSourcedEnvVarsPolicy"));
  const problem = argsProblem(extensions, shownAt(chosen, "profileSourcedCLIArgsPolicy"));
  if (problem !== undefined) return refused(problem);
  if (typeof env === "string") return refused(env);
  const names = extensions.map(nameOf);
  const twice = names.find((each, index) => names.indexOf(each) < index);
  if (twice !== undefined)
    return refused(`failed to convert v1 Cluster to internal: duplicate name "${twice}" in list`);
  return {
    outcome: "resolved",
    exec: {
      provider,
      others: [...new Set(common.map(nameOf))].filter((each) => each !== provider),
      server: wordAt(offered.get(provider) ?? known(undefined), "cluster", "server"),
      apiVersion: wordAt(exec, "apiVersion"),
      command: wordAt(exec, "command"),
      args: itemsAt(exec, "args").map((item) => map(knownJson(item), String)),
      env,
      provideClusterInfo: orElse(childOf(exec, "provideClusterInfo"), () => false) === true,
      config: childOf(named(extensions, EXEC_EXTENSION), "extension"),
    },
  };
}

/** The first entry of a name; absent if there is none. */
function named(entries: TreeList, name: string): Tree {
  return entries.filter((entry) => nameOf(entry) === name)[0] ?? ABSENT;
}

const ABSENT: Tree = known(undefined);

type Issues = readonly WorkloadIdentityError[];

function profileName(profile: unknown): string {
  return shownAt(childOf(treeOf(profile), "metadata"), "name");
}

function listedNames(providers: readonly unknown[]): readonly string[] {
  return providers.map(treeOf).filter(isObjectTree).map(nameOf);
}

/** Profiles without any access provider of the controller's list. */
export function unlistedProfiles(providers: readonly unknown[], profiles: readonly unknown[]): Issues {
  const listed = listedNames(providers);
  return profiles.flatMap((profile) => {
    const names = [...profileProviders(profile).keys()];
    if (names.some((name) => listed.includes(name))) return [];
    return [
      refusal("fleet-mismatch", {
        problem: `the controller's file contains no access provider of the profile ${profileName(profile)}`,
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
  return listedNames(providers)
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
  const resolution = knownExec(providers.map(treeOf), treeOf(profile));
  if (resolution.outcome === "refused" || resolution.exec.others.length === 0) return [];
  const { provider, others } = resolution.exec;
  return [
    refusal("fleet-conflict", {
      problem: `the profile ${profileName(profile)} refers to several access providers of the controller's file, so the order of the file decides`,
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
  const resolution = knownExec(providers.map(treeOf), treeOf(profile));
  if (resolution.outcome === "refused") return { variables: [], config: [] };
  const { provider, provideClusterInfo } = resolution.exec;
  const entry = named(providers.map(treeOf), provider);
  const names = extensionsOf(profileProviders(profile).get(provider)).map(nameOf);
  const policy = shownAt(entry, "profileSourcedEnvVarsPolicy") || "Ignore";
  const reason = takesProfileEnv ? `the policy is ${policy}` : "it does not support such policies";
  const isIgnored = !takesProfileEnv || policy === "Ignore";
  const variables = refusal("fleet-unused", {
    problem: `the profile ${profileName(profile)} contains environment variables that the controller ignores: ${reason}`,
    allowed: "profileSourcedEnvVarsPolicy AppendIfNotExists or Replace, and a consumer that reads it",
    remedy: "state the policy in the controller's file, or give the spoke a provider of its own",
  });
  const config = refusal("fleet-unused", {
    problem: `the profile ${profileName(profile)} contains data for the plugin that the controller does not pass on`,
    allowed: "provideClusterInfo: true in the controller's file",
    remedy: `set provideClusterInfo, or remove the extension ${EXEC_EXTENSION}`,
  });
  return {
    variables: names.includes(ADDITIONAL_ENVS_EXTENSION) && isIgnored ? [variables] : [],
    config: names.includes(EXEC_EXTENSION) && !provideClusterInfo ? [config] : [],
  };
}

function refused(reason: string): { readonly outcome: "refused"; readonly reason: string } {
  return { outcome: "refused", reason };
}

/** Any stored profile has an object as extension value, but the library expects a list. */
function argsProblem(extensions: TreeList, policy: string): string | undefined {
  if (!isObjectTree(named(extensions, ADDITIONAL_ARGS_EXTENSION))) return undefined;
  if (policy === "" || policy === "Ignore") return undefined;
  return policy === "Append"
    ? "failed to unmarshal additional CLI args extension"
    : `unsupported ProfileSourcedCLIArgsPolicy: "${policy}"`;
}

/** The variables, or the library's error text. */
function sourcedEnv(configured: Variables, extensions: TreeList, policy: string): Variables | string {
  const extension = named(extensions, ADDITIONAL_ENVS_EXTENSION);
  if (!isObjectTree(extension) || policy === "" || policy === "Ignore") return configured;
  if (policy !== "AppendIfNotExists" && policy !== "Replace")
    return `unsupported ProfileSourcedEnvVarsPolicy: "${policy}"`;
  const entries = fieldsOf(childOf(extension, "extension"));
  if (entries.some(([, value]) => typeof (orElse(value, () => null) ?? "") === "object"))
    return "failed to unmarshal additional env vars extension";
  const sourced = entries.map(([name, value]) => ({
    name: orElse(name, whyText),
    value: map(value, (each: unknown) => (each === null ? "" : String(each))),
  }));
  // Of equal names the later one in the map wins.
  const ordered = policy === "Replace" ? [...configured, ...sourced] : [...sourced, ...configured];
  const merged = new Map(ordered.map((entry) => [entry.name, entry.value]));
  return [...merged].map(([name, value]) => ({ name, value })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function variables(exec: Tree): Variables {
  return itemsAt(exec, "env")
    .filter(isObjectTree)
    .map((entry) => ({ name: shownAt(entry, "name"), value: wordAt(entry, "value") }));
}
