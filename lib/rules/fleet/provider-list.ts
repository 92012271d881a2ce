/*
 * The controllers' list of access providers: for most a JSON file, for Kueue a part of its configuration.
 * Source: kubernetes-sigs/cluster-inventory-api:pkg/access/config.go, which silently ignores unknown keys.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { isRecord } from "../../model/record";
import { ADDITIONAL_ARGS_EXTENSION, outdatedNames } from "./names";

type Issues = readonly WorkloadIdentityError[];

/** A variable of the plugin's environment. */
export interface ExecEnvVar {
  /** Name of the variable. */
  readonly name: string;
  /** Value of the variable; it must not be a secret. */
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
  /** Variables added to those of the controller. */
  readonly env: readonly ExecEnvVar[];
  /** Whether to pass the spoke's address and the exec extension in `KUBERNETES_EXEC_INFO`. */
  readonly provideClusterInfo: boolean;
  /**
   * Text that client-go prints if it does not find the command.
   *
   * @defaultValue - none
   */
  readonly installHint?: string;
}

/** What the controller does with the variables in a profile. */
export type ProfileEnvPolicy = "Ignore" | "AppendIfNotExists" | "Replace";

/** One entry of the list. */
export interface AccessProvider {
  /** The name by which profiles refer to it. */
  readonly name: string;
  /** How client-go runs the plugin. */
  readonly execConfig: ExecConfig;
  /**
   * How the extension with additional variables is applied.
   *
   * @defaultValue "Ignore"
   */
  readonly profileSourcedEnvVarsPolicy?: ProfileEnvPolicy;
}

/** An entry as it is written, with keys in the order of the upstream samples. */
export function accessProviderDocument(provider: AccessProvider): Readonly<Record<string, unknown>> {
  const { name, execConfig, profileSourcedEnvVarsPolicy } = provider;
  const { apiVersion, command, args, env, provideClusterInfo, installHint } = execConfig;
  return {
    name,
    execConfig: {
      apiVersion,
      command,
      ...(args.length > 0 && { args: [...args] }),
      ...(env.length > 0 && { env: env.map((entry) => ({ name: entry.name, value: entry.value })) }),
      ...(installHint !== undefined && { installHint }),
      ...(provideClusterInfo && { provideClusterInfo }),
      interactiveMode: "Never",
    },
    ...(profileSourcedEnvVarsPolicy !== undefined && { profileSourcedEnvVarsPolicy }),
  };
}

const KEYS: readonly string[] = [
  "name",
  "execConfig",
  "profileSourcedCLIArgsPolicy",
  "profileSourcedEnvVarsPolicy",
];
const API_VERSIONS: readonly string[] = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
];
const MODES: readonly unknown[] = ["Never", "IfAvailable", "Always"];
const POLICIES: Readonly<Record<string, readonly string[]>> = {
  profileSourcedCLIArgsPolicy: ["Ignore", "Append"],
  profileSourcedEnvVarsPolicy: ["Ignore", "AppendIfNotExists", "Replace"],
};

/** Keys of `execConfig`, each with a test and with what is wrong with a value that fails it. */
const EXEC: Readonly<Record<string, readonly [isGood: (value: unknown) => boolean, wrong: string]>> = {
  apiVersion: [
    (value) => API_VERSIONS.includes(String(value)),
    `has none of the apiVersions of client-go: ${API_VERSIONS.join(", ")}`,
  ],
  command: [(value) => typeof value === "string" && value !== "", "has no command"],
  args: [
    (value = []) => Array.isArray(value) && value.every((item) => typeof item === "string"),
    "has args that are not a list of strings",
  ],
  env: [
    (value = []) => Array.isArray(value) && value.every(isVariable),
    "has env that is not a list of name and value",
  ],
  interactiveMode: [(value = "Never") => MODES.includes(value), "has an unknown interactiveMode"],
  provideClusterInfo: [
    (value = false) => typeof value === "boolean",
    "has a provideClusterInfo that is not a boolean",
  ],
  installHint: [(value = "") => typeof value === "string", "has an installHint that is not a string"],
};

function isVariable(item: unknown): boolean {
  if (!isRecord(item)) return false;
  const { name, value } = item;
  return typeof name === "string" && name !== "" && typeof value === "string";
}

/** Everything in a list of access providers that a controller would refuse or silently ignore. */
export function accessProviderIssues(providers: readonly unknown[]): Issues {
  const names = providers.map((provider) => (isRecord(provider) ? provider["name"] : undefined));
  const twice = names.filter((name, index) => typeof name === "string" && names.indexOf(name) < index);
  return [
    ...providers.flatMap(entryIssues),
    ...[...new Set(twice)].map((name) =>
      refusal("fleet-conflict", {
        problem: "two access providers have the same name, so only the first would be used",
        value: name,
        allowed: "each name once",
        remedy: "rename one of the two, in the controller's file and in the profiles",
      }),
    ),
  ];
}

/** Names that no controller accepts. */
export function providerNameIssues(name: unknown): Issues {
  if (typeof name !== "string" || name === "" || name.length > 253)
    return [
      refusal("fleet-invalid", {
        problem: "the name of an access provider is empty or too long",
        value: name,
        allowed: "1 to 253 characters",
        remedy: "use one name in the profile and in the controller's file, for example aws-spoke-a",
      }),
    ];
  if (name !== "argo-cd-builtin-aws") return [];
  return [
    refusal("fleet-unsupported", {
      problem: "the provider runs argocd-k8s-auth aws without --cluster-name, which always fails",
      value: name,
      allowed: "an entry of the provider file with `argocd-k8s-auth aws --cluster-name NAME`",
      remedy: "give the provider file an entry per spoke, under another name",
    }),
  ];
}

export function badProvider(name: string, reason: string): WorkloadIdentityError {
  return refusal("fleet-invalid", {
    problem: `the access provider ${name} ${reason}`,
    allowed: `name and execConfig with ${Object.keys(EXEC).join(", ")}`,
    remedy: "correct the entry of the controller's file",
  });
}

export function additionalArgs(where: string): WorkloadIdentityError {
  return refusal("fleet-unsupported", {
    problem: `${where} uses ${ADDITIONAL_ARGS_EXTENSION}, which no version can store: the CRD wants an object, the controllers a list`,
    allowed: "one provider per spoke with its own args, or the additional-envs extension",
    remedy: "declare a separate provider for each spoke",
  });
}

export function badPolicy(key: string, value: unknown, allowed: string): WorkloadIdentityError {
  return refusal("fleet-unknown", {
    problem: `${key} of an access provider has a value that the controllers do not know`,
    value,
    allowed,
    remedy: "use exactly one of these values",
  });
}

function entryIssues(entry: unknown): Issues {
  if (!isRecord(entry)) return [badProvider("of the list", "is not an object")];
  const name = String(entry["name"]);
  const exec = entry["execConfig"];
  return [
    ...providerNameIssues(entry["name"]),
    ...keyIssues(name, entry, KEYS),
    ...Object.entries(POLICIES)
      .filter(([key, allowed]) => entry[key] !== undefined && !["", ...allowed].includes(String(entry[key])))
      .map(([key, allowed]) => badPolicy(key, entry[key], allowed.join(", "))),
    ...(entry["profileSourcedCLIArgsPolicy"] === "Append" ? [additionalArgs(`access provider ${name}`)] : []),
    ...(isRecord(exec) ? execIssues(name, exec) : [badProvider(name, "has no execConfig")]),
  ];
}

function execIssues(name: string, exec: Record<string, unknown>): Issues {
  return [
    ...keyIssues(name, exec, Object.keys(EXEC)),
    ...Object.entries(EXEC)
      .filter(([key, [isGood]]) => !isGood(exec[key]))
      .map(([, [, wrong]]) => badProvider(name, wrong)),
  ];
}

function keyIssues(name: string, entry: Record<string, unknown>, known: readonly string[]): Issues {
  return Object.keys(entry)
    .filter((key) => !known.includes(key))
    .map(
      (key) =>
        outdatedNames([key])[0] ?? badProvider(name, `has the key ${key}, which the controllers ignore`),
    );
}
