/*
 * The controllers' list of access providers: a JSON file for most, a part of Kueue's configuration there.
 * Source: kubernetes-sigs/cluster-inventory-api:pkg/access/config.go, which ignores unknown keys in silence.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { isRecord } from "../../model/record";
import { currentNameOf } from "./outdated-names";

/** A variable of the plugin's environment. */
export interface ExecEnvVar {
  /** Name of the variable. */
  readonly name: string;
  /** Its value; no secret. */
  readonly value: string;
}

/** How client-go runs the plugin. */
export interface ExecConfig {
  /** `client.authentication.k8s.io/v1` or `…/v1beta1`; the plugin must answer in it. */
  readonly apiVersion: string;
  /** Absolute path in the controller's containers, or a name on the image's PATH. */
  readonly command: string;
  /** Arguments of the plugin. */
  readonly args: readonly string[];
  /** Variables beside those of the controller. */
  readonly env: readonly ExecEnvVar[];
  /** True hands the spoke's address and the exec extension over in `KUBERNETES_EXEC_INFO`. */
  readonly provideClusterInfo: boolean;
  /**
   * What client-go says where the command is not found.
   *
   * @defaultValue - none
   */
  readonly installHint?: string;
}

/** What the controller does with variables that a profile brings along. */
export type ProfileEnvPolicy = "Ignore" | "AppendIfNotExists" | "Replace";

/** One entry of the list. */
export interface AccessProvider {
  /** The name that profiles refer to. */
  readonly name: string;
  /** How the plugin is run. */
  readonly execConfig: ExecConfig;
  /**
   * What becomes of the extension with additional variables.
   *
   * @defaultValue "Ignore"
   */
  readonly profileSourcedEnvVarsPolicy?: ProfileEnvPolicy;
}

const NAME_MAX = 253;
const ENTRY_KEYS: readonly string[] = [
  "name",
  "execConfig",
  "profileSourcedCLIArgsPolicy",
  "profileSourcedEnvVarsPolicy",
];
const EXEC_KEYS: readonly string[] = [
  "apiVersion",
  "command",
  "args",
  "env",
  "installHint",
  "provideClusterInfo",
  "interactiveMode",
];
const POLICIES: Readonly<Record<string, readonly string[]>> = {
  profileSourcedCLIArgsPolicy: ["Ignore", "Append"],
  profileSourcedEnvVarsPolicy: ["Ignore", "AppendIfNotExists", "Replace"],
};
const API_VERSIONS: readonly string[] = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
];

/** An entry as it is written, keys in the order of the upstream samples. */
export function accessProviderDocument(provider: AccessProvider): Readonly<Record<string, unknown>> {
  const { name, execConfig, profileSourcedEnvVarsPolicy } = provider;
  const { apiVersion, command, args, env, provideClusterInfo, installHint } = execConfig;
  return {
    name,
    execConfig: {
      apiVersion,
      command,
      ...(args.length > 0 ? { args: [...args] } : {}),
      ...(env.length > 0 ? { env: env.map((entry) => ({ name: entry.name, value: entry.value })) } : {}),
      ...(installHint === undefined ? {} : { installHint }),
      ...(provideClusterInfo ? { provideClusterInfo } : {}),
      interactiveMode: "Never",
    },
    ...(profileSourcedEnvVarsPolicy === undefined ? {} : { profileSourcedEnvVarsPolicy }),
  };
}

/** The providers of a parsed file `{ "providers": […] }`; empty where there is no such list. Never throws. */
export function providersOf(file: unknown): readonly unknown[] {
  const providers = isRecord(file) ? file["providers"] : undefined;
  return Array.isArray(providers) ? providers : [];
}

/**
 * Everything that a controller would refuse, or ignore in silence, in a list of access providers:
 * `access-provider-invalid`, `access-provider-name-invalid`, `access-provider-twice`, `fleet-name-outdated`,
 * `access-provider-policy-invalid`, `access-provider-additional-args`, `argo-cd-builtin-aws`. Never throws.
 */
export function accessProviderIssues(providers: readonly unknown[]): readonly WorkloadIdentityError[] {
  const names = providers.map((provider) => (isRecord(provider) ? provider["name"] : undefined));
  const twice = names.filter((name, index) => typeof name === "string" && names.indexOf(name) < index);
  return [
    ...providers.flatMap(entryIssues),
    ...[...new Set(twice)].map((name) => refusal("access-provider-twice", String(name))),
  ];
}

/** `access-provider-name-invalid` or `argo-cd-builtin-aws` for a name. Never throws. */
export function providerNameIssues(name: unknown): readonly WorkloadIdentityError[] {
  if (typeof name !== "string" || name === "" || name.length > NAME_MAX)
    return [refusal("access-provider-name-invalid", name)];
  return name === "argo-cd-builtin-aws" ? [refusal("argo-cd-builtin-aws", name)] : [];
}

function entryIssues(entry: unknown): readonly WorkloadIdentityError[] {
  if (!isRecord(entry)) return [refusal("access-provider-invalid", "of the list", "is no object")];
  const name = String(entry["name"]);
  const policies = Object.entries(POLICIES).flatMap(([key, allowed]) => {
    const value = entry[key];
    if (value === undefined || value === "" || allowed.includes(String(value))) return [];
    return [refusal("access-provider-policy-invalid", key, value, allowed.join(", "))];
  });
  const append = entry["profileSourcedCLIArgsPolicy"] === "Append";
  return [
    ...providerNameIssues(entry["name"]),
    ...keyIssues(name, entry, ENTRY_KEYS),
    ...policies,
    ...(append ? [refusal("access-provider-additional-args", `access provider ${name}`)] : []),
    ...execIssues(name, entry["execConfig"]),
  ];
}

function keyIssues(
  name: string,
  entry: Record<string, unknown>,
  known: readonly string[],
): readonly WorkloadIdentityError[] {
  return Object.keys(entry)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const now = currentNameOf(key);
      return now === undefined
        ? refusal("access-provider-invalid", name, `has the key ${key}, which the controllers ignore`)
        : refusal("fleet-name-outdated", key, now);
    });
}

function execIssues(name: string, exec: unknown): readonly WorkloadIdentityError[] {
  if (!isRecord(exec)) return [refusal("access-provider-invalid", name, "has no execConfig")];
  const { apiVersion, command, args = [], env = [], interactiveMode, installHint = "" } = exec;
  const info = exec["provideClusterInfo"] as boolean | undefined;
  const wrong = (reason: string): WorkloadIdentityError => refusal("access-provider-invalid", name, reason);
  const modes: readonly unknown[] = [undefined, "Never", "IfAvailable", "Always"];
  return [
    ...keyIssues(name, exec, EXEC_KEYS),
    ...(API_VERSIONS.includes(String(apiVersion))
      ? []
      : [wrong(`has none of the apiVersions of client-go: ${API_VERSIONS.join(", ")}`)]),
    ...(typeof command === "string" && command !== "" ? [] : [wrong("has no command")]),
    ...(isTexts(args) ? [] : [wrong("has args that are no list of texts")]),
    ...(isEnv(env) ? [] : [wrong("has env that is no list of name and value")]),
    ...(modes.includes(interactiveMode) ? [] : [wrong("has an unknown interactiveMode")]),
    ...([undefined, true, false].includes(info)
      ? []
      : [wrong("has a provideClusterInfo that is no boolean")]),
    ...(typeof installHint === "string" ? [] : [wrong("has an installHint that is no text")]),
  ];
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isEnv(value: unknown): boolean {
  const isVariable = (item: unknown): boolean =>
    isRecord(item) &&
    typeof item["name"] === "string" &&
    item["name"] !== "" &&
    typeof item["value"] === "string";
  return Array.isArray(value) && value.every(isVariable);
}
