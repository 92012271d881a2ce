/*
 * Access provider plugins, one row each: in which versions each answers, what it needs and in which images it runs, how
 * it is called for one spoke, and what a call must contain. Sources: the source code of each program:
 * kubernetes-sigs/aws-iam-authenticator v0.7.18, Azure/kubelogin v0.2.19, argoproj/argo-cd:cmd/argocd-k8s-auth,
 * GoogleCloudPlatform/gke-fleet-management:gcp-auth-plugin, kubernetes/cloud-provider-gcp:cmd/gke-gcloud-auth-plugin,
 * aws/aws-cli, kubernetes-sigs/cluster-inventory-api:plugins, labthrust/clusterprofile-credentials-plugins.
 */

import { type WorkloadIdentityError, fail, refusal } from "../../errors";
import { type CloudName, CLOUDS, cloudNames } from "../../model/clouds";
import type { SpokeParameters } from "../../model/fleet";
import { literal } from "../../model/late";
import { AKS_SERVER_ID } from "../azure/clouds";
import type { ExecConfig, ExecEnvVar } from "./provider-list";

/** Plugins that exchange a service account token for a spoke's credentials. */
export type FleetPluginKey =
  | "argocd-k8s-auth"
  | "aws-eks-get-token"
  | "aws-iam-authenticator"
  | "eks-aws-auth-plugin"
  | "gcp-auth-plugin"
  | "gke-gcloud-auth-plugin"
  | "kubelogin"
  | "projected-token";

interface PluginCall {
  readonly plugin: FleetPluginKey;
  /** Path of the binary in the controller's containers, or its name on the image's PATH. */
  readonly command: string;
  readonly cloud: string;
  /** Name of the access provider, for messages. */
  readonly provider: string;
  readonly parameters: SpokeParameters;
}

/** A call of a plugin, as far as the rules read it; its variables include those of the profile. */
interface CheckedCall extends ExecConfig {
  /** Name of the access provider, for messages. */
  readonly provider: string;
}

interface Invocation {
  readonly args: readonly string[];
  readonly env?: readonly ExecEnvVar[];
}

interface FleetPlugin {
  /** File name of the program, by which its exec configuration is recognised. */
  readonly binary: string;
  /** Clouds for whose spokes it returns credentials. */
  readonly clouds: readonly string[];
  /** Versions of `client.authentication.k8s.io` in which it answers; the first is the one to write. */
  readonly answers: readonly string[];
  /** True for a static binary, which needs nothing else in its image. */
  readonly isStatic: boolean;
  /** True if it reads the spoke from `KUBERNETES_EXEC_INFO`. */
  readonly needsClusterInfo: boolean;
  /** Path of the binary in its published image; `undefined` if there is none, or if the consumer's own image has it. */
  readonly path: string | undefined;
  /** A published image that can serve without being stated; `undefined` if its users must name one. */
  readonly image?: string;
  /** True if the image contains `cp`, so that an init container can copy the binary. */
  readonly hasCopy: boolean;
  readonly invocation: (call: PluginCall) => Invocation;
  /** What a call lacks, each with what it should contain. */
  readonly missing?: (call: CheckedCall) => readonly (string | false)[];
}

const V1 = "v1";
const V1_BETA = "v1beta1";
const GO: Pick<FleetPlugin, "isStatic" | "needsClusterInfo" | "path" | "hasCopy"> = {
  isStatic: true,
  needsClusterInfo: false,
  path: undefined,
  hasCopy: false,
};
const CLUSTER_NAME = "--cluster-name";
const ARGO_COMMANDS = cloudNames.map((cloud) => CLOUDS[cloud].argoCd);

export const fleetPlugins: Readonly<Record<FleetPluginKey, FleetPlugin>> = {
  // Part of Argo CD's own image; it runs nowhere else.
  "argocd-k8s-auth": {
    ...GO,
    binary: "argocd-k8s-auth",
    clouds: cloudNames,
    answers: [V1_BETA],
    invocation: (call) => ARGO_CALLS[call.cloud as CloudName](call), // `pluginExec` refuses any other cloud.
    missing: ({ args }) =>
      ARGO_COMMANDS.some((word) => args.includes(word))
        ? [args.includes(CLOUDS.aws.argoCd) && !hasValue(args, CLUSTER_NAME) && CLUSTER_NAME]
        : [ARGO_COMMANDS.join(", ")],
  },
  // A frozen Python that needs glibc; in an image volume its links point outside the mount.
  "aws-eks-get-token": {
    ...GO,
    binary: "aws",
    clouds: ["aws"],
    answers: [V1_BETA, V1],
    isStatic: false,
    invocation: (call) => {
      const { region, roleArn } = call.parameters;
      const name = [CLUSTER_NAME, clusterName(call)];
      return {
        args: ["eks", "get-token", ...name, ...flag("--region", region), ...flag("--role-arn", roleArn)],
      };
    },
    missing: ({ args }) => [
      !(hasWord(args, "eks") && hasWord(args, "get-token")) && "eks get-token",
      !hasValue(args, CLUSTER_NAME) && CLUSTER_NAME,
    ],
  },
  // Makefile: CGO_ENABLED=0.
  "aws-iam-authenticator": {
    ...GO,
    binary: "aws-iam-authenticator",
    clouds: ["aws"],
    answers: [V1_BETA, V1],
    path: "/aws-iam-authenticator",
    invocation: (call) => ({
      args: ["token", "--cluster-id", clusterName(call), ...flag("--role", call.parameters.roleArn)],
      env: variable("AWS_REGION", call.parameters.region),
    }),
    missing: ({ args, env }) => {
      const isNamed = hasFlag(args, "--cluster-id", "-i")
        ? hasValue(args, "--cluster-id", "-i")
        : hasVariable(env, "KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID");
      return [!hasWord(args, "token") && "token", !isNamed && "--cluster-id"];
    },
  },
  // Third party; its documentation does not say whether it is static, so it counts as not static.
  "eks-aws-auth-plugin": {
    ...GO,
    binary: "eks-aws-auth-plugin",
    clouds: ["aws"],
    answers: [V1_BETA],
    isStatic: false,
    needsClusterInfo: true,
    invocation: ({ parameters }) => ({ args: [], env: variable("AWS_REGION", parameters.region) }),
  },
  // Users build this image themselves; the upstream Dockerfile ends with busybox.
  "gcp-auth-plugin": {
    ...GO,
    binary: "gcp-auth-plugin",
    clouds: ["google"],
    answers: [V1_BETA],
    hasCopy: true,
    invocation: () => ({ args: [] }),
  },
  "gke-gcloud-auth-plugin": {
    ...GO,
    binary: "gke-gcloud-auth-plugin",
    clouds: ["google"],
    answers: [V1_BETA],
    isStatic: false,
    invocation: () => ({ args: ["--use_application_default_credentials"] }),
    missing: ({ args }) => [
      !hasFlag(args, "--use_application_default_credentials") && "--use_application_default_credentials",
    ],
  },
  // .github/workflows/docker-publish.yml: CGO_ENABLED=0, on a scratch-like image.
  kubelogin: {
    ...GO,
    binary: "kubelogin",
    clouds: ["azure"],
    answers: [V1, V1_BETA],
    path: "/usr/local/bin/kubelogin",
    // Variables of the exec configuration come after the pod's own and override them; flags would lose to the pod's.
    invocation: ({ parameters }) => ({
      args: ["get-token", "--login", "workloadidentity", "--server-id", parameters.serverId ?? AKS_SERVER_ID],
      env: azureEnv(parameters),
    }),
    missing: ({ args }) => [
      !hasValue(args, "--server-id") && `--server-id (${AKS_SERVER_ID} for AKS)`,
      flagValue(args, "--login", "-l") !== "workloadidentity" && "--login workloadidentity",
      !hasWord(args, "get-token") && "get-token",
    ],
  },
  // No official plugin returns a projected token; a static busybox does.
  "projected-token": {
    ...GO,
    binary: "busybox",
    clouds: ["kubernetes"],
    answers: [V1],
    path: "/bin/busybox",
    image: "docker.io/library/busybox:1.37-musl",
    hasCopy: true,
    invocation: (call) => {
      const file = call.parameters.tokenFile ?? withoutArgument(call, "tokenFile");
      return { args: ["sh", "-c", READ_TOKEN, call.command, file] };
    },
  },
};

/** Seconds for which a token counts as valid: the kubelet renews it after four fifths of at least ten minutes. */
const TOKEN_SECONDS = 60;

/**
 * Only a shell's builtins and its own `date`; the controller's image may contain no other program. Without an expiry
 * the controller would keep the first token until the spoke refuses it.
 */
const READ_TOKEN = [
  'read -r token < "$1" || [ -n "$token" ] || exit 1',
  `expiry=$("$0" date -u -d "@$(($("$0" date +%s) + ${TOKEN_SECONDS}))" +%Y-%m-%dT%H:%M:%SZ) || exit 1`,
  `printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"expirationTimestamp":"%s","token":"%s"}}' "$expiry" "$token"`,
].join("\n");

const ARGO_CALLS: Readonly<Record<CloudName, (call: PluginCall) => Invocation>> = {
  aws: (call) => ({
    args: [
      CLOUDS.aws.argoCd,
      CLUSTER_NAME,
      clusterName(call),
      ...flag("--role-arn", call.parameters.roleArn),
    ],
    env: variable("AWS_REGION", call.parameters.region),
  }),
  azure: ({ parameters }) => ({
    args: [CLOUDS.azure.argoCd],
    env: [...variable("AAD_SERVER_APPLICATION_ID", parameters.serverId), ...azureEnv(parameters)],
  }),
  google: () => ({ args: [CLOUDS.google.argoCd] }),
};

/** Programs that return stored tokens, by file name. */
const STORED_TOKEN: readonly string[] = [
  "cp-creds",
  "kubeconfig-secretreader",
  "kubeconfig-secretreader-plugin",
  "secretreader",
  "secretreader-plugin",
];

const fleetPluginKeys: readonly FleetPluginKey[] = Object.keys(fleetPlugins) as FleetPluginKey[];

export function fleetPlugin(key: string): FleetPlugin {
  if (isStoredTokenCommand(literal(key, "plugin"))) throw storedToken(key);
  const known = fleetPluginKeys.find((candidate) => candidate === key);
  if (known !== undefined) return fleetPlugins[known];
  return fail("fleet-unknown", {
    problem: "the access provider plugin is unknown",
    value: key,
    allowed: fleetPluginKeys.join(", "),
    remedy: "use one of them, or write the exec configuration yourself",
  });
}

/** The plugin that a command runs; `undefined` for a program that is not in the table. */
export function pluginOfCommand(command: string): FleetPluginKey | undefined {
  const file = command.slice(command.lastIndexOf("/") + 1);
  return fleetPluginKeys.find((key) => fleetPlugins[key].binary === file);
}

export function isStoredTokenCommand(command: string): boolean {
  return STORED_TOKEN.includes(command.slice(command.lastIndexOf("/") + 1));
}

function storedToken(plugin: string): WorkloadIdentityError {
  return refusal("fleet-unsafe", {
    problem: "the plugin returns stored tokens instead of using federated identity",
    value: plugin,
    allowed: "plugins that exchange a service account token",
    remedy: "use the plugin of the spoke's cloud",
  });
}

export function wrongCloud(plugin: string, cloud: string, allowed: readonly string[]): WorkloadIdentityError {
  return refusal("fleet-unsupported", {
    problem: `the plugin cannot return credentials for a spoke in ${cloud}`,
    value: plugin,
    allowed: allowed.join(", "),
    remedy: "choose a plugin of the spoke's cloud",
  });
}

/**
 * The exec configuration for one spoke. Throws for a late parameter: changes of the file's hash roll the controllers,
 * and a late value cannot be hashed.
 */
export function pluginExec(call: PluginCall): ExecConfig {
  const { plugin, cloud, command, parameters, provider } = call;
  const { clouds, answers, invocation, needsClusterInfo } = fleetPlugin(plugin);
  if (!clouds.includes(cloud)) throw wrongCloud(plugin, cloud, clouds);
  for (const [key, value] of Object.entries(parameters))
    literal(value, `${key} of access provider ${provider}`);
  return {
    apiVersion: `client.authentication.k8s.io/${answers[0]}`,
    command,
    env: [],
    ...invocation(call),
    provideClusterInfo: needsClusterInfo,
  };
}

/** Whether the plugin can answer as it is called. No rules apply to a program that is not in the table. */
export function pluginCallIssues(call: CheckedCall): readonly WorkloadIdentityError[] {
  if (isStoredTokenCommand(call.command)) return [storedToken(call.command)];
  const key = pluginOfCommand(call.command);
  if (key === undefined) return [];
  const { answers, needsClusterInfo, missing } = fleetPlugins[key];
  const versions = answers.map((version) => `client.authentication.k8s.io/${version}`);
  const wrongVersion = refusal("fleet-mismatch", {
    problem: `${key} does not support this apiVersion, and client-go refuses an answer in any other`,
    value: call.apiVersion,
    allowed: versions.join(", "),
    remedy: "use an apiVersion that the plugin supports",
  });
  const lacking = [
    needsClusterInfo && !call.provideClusterInfo && "provideClusterInfo: true",
    ...(missing?.(call) ?? []),
  ];
  return [
    ...(versions.includes(call.apiVersion) ? [] : [wrongVersion]),
    ...lacking.flatMap((argument) =>
      argument === false ? [] : [missingArgument(key, call.provider, argument)],
    ),
    ...(key === "kubelogin" ? overridden(call) : []),
  ];
}

function missingArgument(plugin: string, provider: string, argument: string): WorkloadIdentityError {
  return refusal("fleet-missing", {
    problem: `${plugin} is called without ${argument}`,
    value: provider,
    allowed: argument,
    remedy: "add it to the access provider of this spoke",
  });
}

/** kubelogin lets these variables override its flags; a controller's pod with an Azure identity has all of them. */
const KUBELOGIN_OVERRIDES = [
  ["--client-id", "AZURE_CLIENT_ID"],
  ["--tenant-id", "AZURE_TENANT_ID"],
  ["--federated-token-file", "AZURE_FEDERATED_TOKEN_FILE"],
] as const;

function overridden({ provider, args, env }: CheckedCall): readonly WorkloadIdentityError[] {
  const off = "--disable-environment-override";
  if (hasFlag(args, off)) return [];
  return KUBELOGIN_OVERRIDES.filter(([name, wins]) => hasFlag(args, name) && !hasVariable(env, wins)).map(
    ([name, wins]) =>
      refusal("fleet-unused", {
        problem: `kubelogin prefers the pod's variable ${wins} to ${name}`,
        value: provider,
        allowed: `${off} together with the flag`,
        remedy: `add ${off}, or remove the flag`,
      }),
  );
}

function withoutArgument({ plugin, provider }: PluginCall, argument: string): never {
  throw missingArgument(plugin, provider, argument);
}

function clusterName(call: PluginCall): string {
  return call.parameters.clusterName ?? withoutArgument(call, "clusterName");
}

function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}

function variable(name: string, value: string | undefined): readonly ExecEnvVar[] {
  return value === undefined ? [] : [{ name, value }];
}

function azureEnv({ clientId, tenantId }: SpokeParameters): readonly ExecEnvVar[] {
  return [...variable("AZURE_CLIENT_ID", clientId), ...variable("AZURE_TENANT_ID", tenantId)];
}

function hasFlag(args: readonly string[], ...flags: readonly string[]): boolean {
  return args.some((argument) => flags.some((each) => argument === each || argument.startsWith(`${each}=`)));
}

function flagValue(args: readonly string[], ...flags: readonly string[]): string | undefined {
  const index = args.findIndex((argument) => hasFlag([argument], ...flags));
  const found = args[index];
  if (found === undefined) return undefined;
  return found.includes("=") ? found.slice(found.indexOf("=") + 1) : args[index + 1];
}

/** True for a flag with a value; a text that looks like the next flag is not a value. */
function hasValue(args: readonly string[], ...flags: readonly string[]): boolean {
  const value = flagValue(args, ...flags);
  return value !== undefined && value !== "" && !value.startsWith("-");
}

/** A text after one of these flags is its value: a cluster may have the name of a subcommand. */
const VALUED: readonly string[] = ["--cluster-id", "-i", CLUSTER_NAME, "--server-id", "--login", "-l"];

function hasWord(args: readonly string[], word: string): boolean {
  return args.some((argument, index) => argument === word && !VALUED.includes(args[index - 1] ?? ""));
}

function hasVariable(env: readonly ExecEnvVar[], name: string): boolean {
  return env.some((entry) => entry.name === name && entry.value !== "");
}
