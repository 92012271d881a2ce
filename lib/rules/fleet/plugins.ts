/*
 * Access provider plugins: what each answers in, needs, and runs in. Sources: the sources of each program:
 * kubernetes-sigs/aws-iam-authenticator v0.7.18, Azure/kubelogin v0.2.19, argoproj/argo-cd:cmd/argocd-k8s-auth,
 * GoogleCloudPlatform/gke-fleet-management:gcp-auth-plugin, kubernetes/cloud-provider-gcp:cmd/gke-gcloud-auth-plugin,
 * aws/aws-cli, kubernetes-sigs/cluster-inventory-api:plugins, labthrust/clusterprofile-credentials-plugins.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";

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

/** Facts of a plugin. */
export interface FleetPlugin {
  /** File name of the program, by which an exec configuration is recognised. */
  readonly binary: string;
  /** Clouds whose spokes it gives credentials for. */
  readonly clouds: readonly string[];
  /** Versions of `client.authentication.k8s.io` that it answers in; the first is the one to write. */
  readonly answers: readonly string[];
  /** True for a binary that runs in an image with nothing else in it. */
  readonly isStatic: boolean;
  /** True where it reads the spoke from `KUBERNETES_EXEC_INFO`. */
  readonly needsClusterInfo: boolean;
  /** Path of the binary in its published image, `undefined` where none is published or it is in the consumer's own. */
  readonly path: string | undefined;
  /** True where the image has `cp`, so that an init container can copy the binary. */
  readonly hasCopy: boolean;
}

const V1 = "v1";
const V1_BETA = "v1beta1";
const GO: Pick<FleetPlugin, "isStatic" | "needsClusterInfo" | "hasCopy"> = {
  isStatic: true,
  needsClusterInfo: false,
  hasCopy: false,
};

/** The table; keys are the names used in this library. */
export const fleetPlugins: Readonly<Record<FleetPluginKey, FleetPlugin>> = {
  // In the image of Argo CD itself; it would run nowhere else.
  "argocd-k8s-auth": {
    ...GO,
    binary: "argocd-k8s-auth",
    clouds: ["aws", "azure", "google"],
    answers: [V1_BETA],
    path: undefined,
  },
  // A frozen Python that needs glibc; through an image volume its links point outside the mount.
  "aws-eks-get-token": {
    ...GO,
    binary: "aws",
    clouds: ["aws"],
    answers: [V1_BETA, V1],
    isStatic: false,
    path: undefined,
  },
  // Makefile: CGO_ENABLED=0.
  "aws-iam-authenticator": {
    ...GO,
    binary: "aws-iam-authenticator",
    clouds: ["aws"],
    answers: [V1_BETA, V1],
    path: "/aws-iam-authenticator",
  },
  // Third party; whether it is static is not stated, so it is not taken for it.
  "eks-aws-auth-plugin": {
    ...GO,
    binary: "eks-aws-auth-plugin",
    clouds: ["aws"],
    answers: [V1_BETA],
    isStatic: false,
    needsClusterInfo: true,
    path: undefined,
  },
  // Everybody builds its image; the upstream Dockerfile ends with busybox.
  "gcp-auth-plugin": {
    ...GO,
    binary: "gcp-auth-plugin",
    clouds: ["google"],
    answers: [V1_BETA],
    path: undefined,
    hasCopy: true,
  },
  "gke-gcloud-auth-plugin": {
    ...GO,
    binary: "gke-gcloud-auth-plugin",
    clouds: ["google"],
    answers: [V1_BETA],
    isStatic: false,
    path: undefined,
  },
  // .github/workflows/docker-publish.yml: CGO_ENABLED=0, on a scratch-like image.
  kubelogin: {
    ...GO,
    binary: "kubelogin",
    clouds: ["azure"],
    answers: [V1, V1_BETA],
    path: "/usr/local/bin/kubelogin",
  },
  // No official plugin hands out a projected token; a static busybox does, see `plugin-exec.ts`.
  "projected-token": {
    ...GO,
    binary: "busybox",
    clouds: ["kubernetes"],
    answers: [V1],
    path: "/bin/busybox",
    hasCopy: true,
  },
};

/** Programs that hand out stored tokens, by file name. */
const STORED_TOKEN: readonly string[] = [
  "cp-creds",
  "kubeconfig-secretreader",
  "kubeconfig-secretreader-plugin",
  "secretreader",
  "secretreader-plugin",
];

/** The keys, sorted. */
export const fleetPluginKeys: readonly FleetPluginKey[] = Object.keys(fleetPlugins) as FleetPluginKey[];

/** Facts of a plugin; throws `fleet-stored-token`, `fleet-plugin-unknown` or `late-value`. */
export function fleetPlugin(key: string): FleetPlugin {
  if (STORED_TOKEN.includes(literal(key, "plugin"))) return fail("fleet-stored-token", key);
  const known = fleetPluginKeys.find((candidate) => candidate === key);
  return known === undefined ? fail("fleet-plugin-unknown", key, fleetPluginKeys) : fleetPlugins[known];
}

/** The plugin that a command runs, `undefined` for a program that is not in the table. */
export function pluginOfCommand(command: string): FleetPluginKey | undefined {
  const file = command.slice(command.lastIndexOf("/") + 1);
  return fleetPluginKeys.find((key) => fleetPlugins[key].binary === file);
}

/** True for a program that hands out stored tokens. */
export function isStoredTokenCommand(command: string): boolean {
  return STORED_TOKEN.includes(command.slice(command.lastIndexOf("/") + 1));
}
