/*
 * How each plugin is called for one spoke. Per-spoke arguments stand in the controller's file, since not every consumer
 * takes them from the profile (Kueue takes none).
 */

import { fail } from "../../errors";
import type { SpokeParameters } from "../../model/fleet";
import { literal } from "../../model/late";
import { type FleetPluginKey, fleetPlugin } from "./plugins";
import type { ExecConfig, ExecEnvVar } from "./provider-file";

/** Application id of the server of all AKS clusters with Entra authentication. */
export const AKS_SERVER_ID = "6dae42f8-4368-4678-94ff-3960e28e3630";

/** The spoke that the plugin is called for. */
export interface PluginCall {
  /** The plugin. */
  readonly plugin: FleetPluginKey;
  /** Where the binary is in the controller's containers, or its name on the image's PATH. */
  readonly command: string;
  /** Key of the spoke's cloud. */
  readonly cloud: string;
  /** Name of the access provider, for refusals. */
  readonly provider: string;
  /** What the spoke's cloud says. */
  readonly parameters: SpokeParameters;
}

interface Invocation {
  readonly args: readonly string[];
  readonly env: readonly ExecEnvVar[];
}

/** Seconds that a projected token is taken as good: the kubelet renews it after four fifths of at least ten minutes. */
const TOKEN_SECONDS = 60;

/**
 * A shell's builtins and its own `date`; the image of the controller may have no other program. Without the time the
 * controller would keep the first token until the spoke refuses it.
 */
const READ_TOKEN = [
  'read -r token < "$1" || [ -n "$token" ] || exit 1',
  `expiry=$("$0" date -u -d "@$(($("$0" date +%s) + ${TOKEN_SECONDS}))" +%Y-%m-%dT%H:%M:%SZ) || exit 1`,
  `printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"expirationTimestamp":"%s","token":"%s"}}' "$expiry" "$token"`,
].join("\n");

type Renderer = (call: PluginCall) => Invocation;

const ARGO_CLOUDS: Readonly<Record<string, Renderer>> = {
  aws: (call) => ({
    args: ["aws", "--cluster-name", clusterName(call), ...flag("--role-arn", call.parameters.roleArn)],
    env: variable("AWS_REGION", call.parameters.region),
  }),
  azure: ({ parameters }) => ({
    args: ["azure"],
    env: [...variable("AAD_SERVER_APPLICATION_ID", parameters.serverId), ...azureEnv(parameters)],
  }),
  google: () => ({ args: ["gcp"], env: [] }),
};

const RENDERERS: Readonly<Record<FleetPluginKey, Renderer>> = {
  "argocd-k8s-auth": (call) => ARGO_CLOUDS[call.cloud]?.(call) ?? { args: [], env: [] },
  "aws-eks-get-token": (call) => ({
    args: [
      "eks",
      "get-token",
      "--cluster-name",
      clusterName(call),
      ...flag("--region", call.parameters.region),
      ...flag("--role-arn", call.parameters.roleArn),
    ],
    env: [],
  }),
  "aws-iam-authenticator": (call) => ({
    args: ["token", "--cluster-id", clusterName(call), ...flag("--role", call.parameters.roleArn)],
    env: variable("AWS_REGION", call.parameters.region),
  }),
  "eks-aws-auth-plugin": ({ parameters }) => ({ args: [], env: variable("AWS_REGION", parameters.region) }),
  "gcp-auth-plugin": () => ({ args: [], env: [] }),
  "gke-gcloud-auth-plugin": () => ({ args: ["--use_application_default_credentials"], env: [] }),
  // Variables of the exec configuration come after the pod's own and win; flags would lose against them.
  kubelogin: ({ parameters }) => ({
    args: ["get-token", "--login", "workloadidentity", "--server-id", parameters.serverId ?? AKS_SERVER_ID],
    env: azureEnv(parameters),
  }),
  "projected-token": ({ plugin, provider, command, parameters }) => {
    const file = parameters.tokenFile ?? fail("fleet-plugin-argument-missing", plugin, provider, "tokenFile");
    return { args: ["sh", "-c", READ_TOKEN, command, file], env: [] };
  },
};

/**
 * The exec configuration for one spoke.
 *
 * Throws `fleet-plugin-cloud`, `fleet-plugin-argument-missing`, `fleet-plugin-unknown`, `fleet-stored-token`, and
 * `late-value` where a parameter is late: the file's hash rolls the controllers, and a late value has none.
 */
export function pluginExec(call: PluginCall): ExecConfig {
  const { plugin, cloud, command, parameters, provider } = call;
  const facts = fleetPlugin(plugin);
  if (!facts.clouds.includes(cloud)) return fail("fleet-plugin-cloud", plugin, cloud, facts.clouds);
  for (const [key, value] of Object.entries(parameters))
    literal(value, `${key} of access provider ${provider}`);
  const [version] = facts.answers;
  return {
    apiVersion: `client.authentication.k8s.io/${version}`,
    command,
    ...RENDERERS[plugin](call),
    provideClusterInfo: facts.needsClusterInfo,
  };
}

function clusterName({ plugin, provider, parameters }: PluginCall): string {
  return parameters.clusterName ?? fail("fleet-plugin-argument-missing", plugin, provider, "clusterName");
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
