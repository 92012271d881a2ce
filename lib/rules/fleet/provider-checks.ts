/*
 * What must hold between the controllers' list of access providers and the profiles, and for each call of a plugin.
 * Sources: the access library and the plugins' own sources, see `resolve-exec.ts` and `plugins.ts`.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { isRecord } from "../../model/record";
import { ADDITIONAL_ENVS_EXTENSION, EXEC_EXTENSION } from "./names";
import { fleetPlugins, isStoredTokenCommand, pluginOfCommand } from "./plugins";
import type { ExecEnvVar } from "./provider-file";
import { extensionsOf, profileProviders, resolveExec } from "./resolve-exec";

type Issues = readonly WorkloadIdentityError[];

/** A call of a plugin, as far as its rules look at it. */
export interface CheckedCall {
  /** Name of the access provider, for refusals. */
  readonly provider: string;
  /** Version that the plugin is asked to answer in. */
  readonly apiVersion: string;
  /** The program. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Its variables, those of the profile included. */
  readonly env: readonly ExecEnvVar[];
  /** True where the plugin gets to know the spoke. */
  readonly provideClusterInfo: boolean;
}

/**
 * Names of providers in profiles and in the controller's list: `access-provider-unlisted` of a profile that the
 * controller can do nothing with, `access-provider-unused` of an entry that no profile names. Never throws.
 */
export function providerNameMatchIssues(providers: readonly unknown[], profiles: readonly unknown[]): Issues {
  const listed = providers.filter(isRecord).map(({ name }) => String(name));
  const named = profiles.map((profile) => [...profileProviders(profile).keys()]);
  const used = new Set(named.flat());
  const known = new Set(listed);
  return [
    ...profiles.flatMap((profile, index) => {
      const names = named[index] ?? [];
      const missing = !names.some((name) => known.has(name));
      return missing ? [refusal("access-provider-unlisted", nameOf(profile), names, listed)] : [];
    }),
    ...listed.filter((name) => !used.has(name)).map((name) => refusal("access-provider-unused", name)),
  ];
}

/** `access-provider-ambiguous` where the order of the list decides; a warning, since it may be meant. Never throws. */
export function ambiguousProviderIssues(providers: readonly unknown[], profile: unknown): Issues {
  const resolution = resolveExec(providers, profile);
  if (resolution.outcome === "refused" || resolution.exec.others.length === 0) return [];
  const { provider, others } = resolution.exec;
  return [refusal("access-provider-ambiguous", nameOf(profile), provider, others)];
}

/**
 * What a profile brings along and the chosen provider does not take: `profile-env-without-policy`,
 * `profile-config-without-cluster-info`. Never throws.
 */
export function profileDataIssues(
  providers: readonly unknown[],
  profile: unknown,
  takesProfileEnv: boolean,
): Issues {
  const resolution = resolveExec(providers, profile);
  if (resolution.outcome === "refused") return [];
  const { provider, provideClusterInfo } = resolution.exec;
  const entry = providers.filter(isRecord).find(({ name }) => name === provider);
  const names = extensionsOf(profileProviders(profile).get(provider)).map(({ name }) => name);
  const policy = entry?.["profileSourcedEnvVarsPolicy"] ?? "Ignore";
  const reason = takesProfileEnv ? `the policy is ${String(policy)}` : "it has no such policies";
  const isIgnored = !takesProfileEnv || policy === "Ignore" || policy === "";
  return [
    ...(names.includes(ADDITIONAL_ENVS_EXTENSION) && isIgnored
      ? [refusal("profile-env-without-policy", nameOf(profile), reason)]
      : []),
    ...(names.includes(EXEC_EXTENSION) && !provideClusterInfo
      ? [refusal("profile-config-without-cluster-info", nameOf(profile))]
      : []),
  ];
}

/**
 * Whether the plugin can answer as it is called: `fleet-stored-token`, `fleet-plugin-api-version`,
 * `fleet-plugin-argument-missing` also of a subcommand or of a value, `kubelogin-server-id-missing`,
 * `fleet-plugin-argument-overridden`. A program that
 * the table does not know has no rules. Never throws.
 */
export function pluginCallIssues(call: CheckedCall): Issues {
  if (isStoredTokenCommand(call.command)) return [refusal("fleet-stored-token", call.command)];
  const key = pluginOfCommand(call.command);
  if (key === undefined) return [];
  const { answers, needsClusterInfo } = fleetPlugins[key];
  const versions = answers.map((version) => `client.authentication.k8s.io/${version}`);
  return [
    ...(versions.includes(call.apiVersion)
      ? []
      : [refusal("fleet-plugin-api-version", key, call.apiVersion, versions)]),
    ...(needsClusterInfo && !call.provideClusterInfo
      ? [refusal("fleet-plugin-argument-missing", key, call.provider, "provideClusterInfo: true")]
      : []),
    ...(CALL_RULES[key]?.(call) ?? []),
  ];
}

type CallRule = (call: CheckedCall) => Issues;

const needsClusterName =
  (plugin: string): CallRule =>
  (call) =>
    hasValue(call.args, "--cluster-name") ? [] : [missing(plugin, call, "--cluster-name")];

/** Without its subcommand a program prints its help, or does something else. */
const needsSubcommand =
  (plugin: string, ...words: readonly string[]): CallRule =>
  (call) =>
    words.every((word) => hasWord(call.args, word)) ? [] : [missing(plugin, call, words.join(" "))];

/** What stands behind one of these is its value: a cluster may have the name of a subcommand. */
const VALUED: readonly string[] = ["--cluster-id", "-i", "--cluster-name", "--server-id", "--login", "-l"];

const ARGO_SUBCOMMANDS: readonly string[] = ["aws", "azure", "gcp"];

const CALL_RULES: Readonly<Record<string, CallRule>> = {
  "aws-eks-get-token": (call) => [
    ...needsSubcommand("aws", "eks", "get-token")(call),
    ...needsClusterName("aws eks get-token")(call),
  ],
  "argocd-k8s-auth": (call) => {
    if (!ARGO_SUBCOMMANDS.some((word) => call.args.includes(word)))
      return [missing("argocd-k8s-auth", call, ARGO_SUBCOMMANDS.join(", "))];
    return call.args.includes("aws") ? needsClusterName("argocd-k8s-auth aws")(call) : [];
  },
  "aws-iam-authenticator": (call) => [
    ...needsSubcommand("aws-iam-authenticator", "token")(call),
    ...(hasValue(call.args, "--cluster-id", "-i") ||
    (!hasFlag(call.args, "--cluster-id", "-i") &&
      hasVariable(call.env, "KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID"))
      ? []
      : [missing("aws-iam-authenticator", call, "--cluster-id")]),
  ],
  "gke-gcloud-auth-plugin": (call) =>
    hasFlag(call.args, "--use_application_default_credentials")
      ? []
      : [missing("gke-gcloud-auth-plugin", call, "--use_application_default_credentials")],
  kubelogin: (call) => [
    ...(hasValue(call.args, "--server-id") ? [] : [refusal("kubelogin-server-id-missing", call.provider)]),
    ...(flagValue(call.args, "--login", "-l") === "workloadidentity"
      ? []
      : [missing("kubelogin", call, "--login workloadidentity")]),
    ...needsSubcommand("kubelogin", "get-token")(call),
    ...overridden(call),
  ],
};

/** kubelogin reads these variables after its flags; the pod of a controller with an Azure identity has them all. */
const KUBELOGIN_OVERRIDES: Readonly<Record<string, string>> = {
  "--client-id": "AZURE_CLIENT_ID",
  "--tenant-id": "AZURE_TENANT_ID",
  "--federated-token-file": "AZURE_FEDERATED_TOKEN_FILE",
};

function overridden({ provider, args, env }: CheckedCall): Issues {
  if (hasFlag(args, "--disable-environment-override")) return [];
  return Object.entries(KUBELOGIN_OVERRIDES)
    .filter(([flag, variable]) => hasFlag(args, flag) && !hasVariable(env, variable))
    .map(([flag, variable]) => refusal("fleet-plugin-argument-overridden", provider, flag, variable));
}

function missing(plugin: string, { provider }: CheckedCall, argument: string): WorkloadIdentityError {
  return refusal("fleet-plugin-argument-missing", plugin, provider, argument);
}

function hasFlag(args: readonly string[], ...flags: readonly string[]): boolean {
  return args.some((argument) => flags.some((flag) => argument === flag || argument.startsWith(`${flag}=`)));
}

function flagValue(args: readonly string[], ...flags: readonly string[]): string | undefined {
  const index = args.findIndex((argument) => hasFlag([argument], ...flags));
  const found = args[index];
  if (found === undefined) return undefined;
  return found.includes("=") ? found.slice(found.indexOf("=") + 1) : args[index + 1];
}

/** True for a flag with a value; what looks like the next flag is none. */
function hasValue(args: readonly string[], ...flags: readonly string[]): boolean {
  const value = flagValue(args, ...flags);
  return value !== undefined && value !== "" && !value.startsWith("-");
}

function hasWord(args: readonly string[], word: string): boolean {
  return args.some((argument, index) => argument === word && !VALUED.includes(args[index - 1] ?? ""));
}

function hasVariable(env: readonly ExecEnvVar[], name: string): boolean {
  return env.some((entry) => entry.name === name && entry.value !== "");
}

function nameOf(profile: unknown): string {
  const metadata = isRecord(profile) ? profile["metadata"] : undefined;
  return isRecord(metadata) ? String(metadata["name"]) : "";
}
