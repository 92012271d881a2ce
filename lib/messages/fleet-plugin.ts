import type { Problem } from "./problem";

/** Messages about access provider plugins: which, how they are called, and how they come into a container. */
export const fleetPluginMessages = {
  "argo-cd-builtin-aws": (name: string): Problem => ({
    problem: "the provider runs argocd-k8s-auth aws without --cluster-name, which always fails",
    value: name,
    allowed: "an entry of the provider file with `argocd-k8s-auth aws --cluster-name NAME`",
    remedy: "let the provider file have an entry per spoke, under another name",
  }),
  "kubelogin-server-id-missing": (name: string): Problem => ({
    problem: "kubelogin is called without --server-id and ends with `server-id is required`",
    value: name,
    allowed: "--server-id 6dae42f8-4368-4678-94ff-3960e28e3630 for AKS",
    remedy: "add --server-id to args",
  }),
  "fleet-plugin-unknown": (plugin: unknown, known: readonly string[]): Problem => ({
    problem: "there is no such access provider plugin",
    value: plugin,
    allowed: known.join(", "),
    remedy: "use one of them, or write the exec configuration yourself",
  }),
  "fleet-plugin-cloud": (plugin: string, cloud: string, allowed: readonly string[]): Problem => ({
    problem: `the plugin gives no credentials for a spoke of ${cloud}`,
    value: plugin,
    allowed: allowed.join(", "),
    remedy: "choose a plugin of the spoke's cloud",
  }),
  "fleet-plugin-argument-missing": (plugin: string, name: string, argument: string): Problem => ({
    problem: `${plugin} is called without ${argument}`,
    value: name,
    allowed: argument,
    remedy: "add it to the access provider of this spoke",
  }),
  "fleet-plugin-argument-overridden": (name: string, flag: string, variable: string): Problem => ({
    problem: `kubelogin prefers ${variable} of the pod to ${flag}`,
    value: name,
    allowed: "--disable-environment-override beside the flag",
    remedy: "add --disable-environment-override, or leave the flag out",
  }),
  "fleet-plugin-api-version": (plugin: string, value: unknown, allowed: readonly string[]): Problem => ({
    problem: `${plugin} does not answer in this version, and client-go refuses another one`,
    value,
    allowed: allowed.join(", "),
    remedy: "state an apiVersion that the plugin emits",
  }),
  "fleet-plugin-not-static": (plugin: string, consumer: string): Problem => ({
    problem: `${plugin} needs libraries or programs that the image of ${consumer} does not have`,
    value: plugin,
    allowed: "a static binary: aws-iam-authenticator, kubelogin, gcp-auth-plugin",
    remedy: "choose a static plugin, or build an image of the controller that has all of it",
  }),
  "fleet-command-invalid": (name: string, command: unknown, onPath: readonly string[]): Problem => ({
    problem: `command of access provider ${name} is neither absolute nor on the PATH of the controller's image`,
    value: command,
    allowed: ["an absolute path", ...onPath].join(", "),
    remedy: "write the path under the plugin's mount",
  }),
  "fleet-plugin-not-mounted": (command: string, container: string): Problem => ({
    problem: `no mount of container ${container} holds the command`,
    value: command,
    allowed: "a path under a mount of the container, in every workload that runs the plugin",
    remedy: "mount the plugin into the container",
  }),
  "fleet-plugin-unmounted": (plugin: string, consumer: string): Problem => ({
    problem: `the image of ${consumer} does not have the plugin, and no image of it is given`,
    value: plugin,
    allowed: "an entry of `plugins` with the plugin's image",
    remedy: "add the image of the plugin",
  }),
  "fleet-plugin-unused": (plugin: string, used: readonly string[]): Problem => ({
    problem: "no spoke needs this plugin",
    value: plugin,
    allowed: used.join(", "),
    remedy: "leave it out of `plugins`",
  }),
  "fleet-stored-token": (plugin: string): Problem => ({
    problem: "the plugin hands out stored tokens instead of federated identity",
    value: plugin,
    allowed: "plugins that exchange a service account token",
    remedy: "use the plugin of the spoke's cloud",
  }),
  "fleet-secret-material": (where: string): Problem => ({
    problem: `${where} holds secret material, which is stored in plain text there`,
    allowed: "no token, password, private key or client secret anywhere",
    remedy: "remove it, and let the controller use workload identity",
  }),
  "plugin-mount-hub-too-old": (hub: string): Problem => ({
    problem: "the hub has no image volumes",
    value: hub,
    allowed: "Kubernetes 1.35 or newer, or 1.33 and 1.34 with the feature gate ImageVolume on",
    remedy: "upgrade the hub, state imageVolume: true where the gate is on, or copy with an init container",
  }),
  "plugin-mount-no-copy": (plugin: string, image: string): Problem => ({
    problem: `the image of ${plugin} has no cp that an init container could run`,
    value: image,
    allowed: "an image volume, or an image of your own with cp (hasCopy: true)",
    remedy: "mount the image as a volume (hub 1.35 or newer), or build such an image",
  }),
  "plugin-mount-way": (consumer: string, mode: string): Problem => ({
    problem: `${consumer} cannot take the plugin this way`,
    value: mode,
    allowed: "imageVolume",
    remedy: "mount the image as a volume; the hub must have Kubernetes 1.35 or newer",
  }),
  "plugin-image-invalid": (plugin: string, value: unknown, reason: string): Problem => ({
    problem: `image of ${plugin} ${reason}`,
    value,
    allowed: "repository with tag or digest, for example ghcr.io/azure/kubelogin:v0.2.19",
    remedy: "name the image to the letter; a digest pins it for good",
  }),
  "plugin-path-missing": (plugin: string): Problem => ({
    problem: "nobody publishes an image of the plugin, so its place in the image is not known",
    value: plugin,
    allowed: "an absolute, clean path",
    remedy: "give `path`: where the binary is in your image",
  }),
  "fleet-plugin-twice": (plugin: string): Problem => ({
    problem: "the plugin has two sources, of which only one would be mounted",
    value: plugin,
    allowed: "one entry of `plugins` per plugin",
    remedy: "leave one of the two out",
  }),
};
