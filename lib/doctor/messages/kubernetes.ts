/*
 * Messages of kubelets, API servers and runtimes.
 *
 * Sources: kubernetes/kubernetes, pkg/credentialprovider/plugin/plugin.go and config.go, pkg/kubelet/images,
 * plugin/pkg/admission/noderestriction/admission.go; k3s-io/k3s#14039; siderolabs/talos#11086.
 */

import { ENTRY_FOUND, type MessageRow } from "./row";

const KUBELET = "kubelet";
const CONFIG =
  "ps -o args= -C kubelet # on the node: read the file of --image-credential-provider-config, list the folder of --image-credential-provider-bin-dir";

/** The refusal of an audience, whose text differs between versions. */
const AUDIENCE: Omit<MessageRow, "text" | "means"> = {
  by: "API server",
  broken: ["audience-granted"],
  holds: [...ENTRY_FOUND, "annotations-present"],
  fix: "Grant the group system:nodes the verb request-serviceaccounts-token-audience on the audience, exactly as the provider file spells it.",
  decide: "kubectl get clusterroles -o yaml | grep -B8 request-serviceaccounts-token-audience",
};
/** What a kubelet says of a program that it cannot start. */
const START: Pick<MessageRow, "by" | "broken" | "holds" | "isUnread"> = {
  by: KUBELET,
  broken: ["provider-on-node"],
  holds: ["image-parses", "provider-matches-image"],
  isUnread: true,
};
const LOG = "journalctl -u kubelet | grep -i 'credential provider' # on the node, with --v=5";

export const KUBERNETES_MESSAGES: readonly MessageRow[] = [
  {
    text: `audience "…" not found in pod spec volume`,
    ...AUDIENCE,
    means:
      "The kubelet asked for a token with this audience, and no rule lets nodes request it; volumes in the pod's spec have nothing to do with it.",
  },
  {
    text: `is not authorized to request tokens for audience "…"`,
    ...AUDIENCE,
    means:
      "The kubelet asked for a token with this audience, and no rule lets nodes request it (the text from 1.37 on).",
  },
  {
    text: "required annotation … not found",
    by: KUBELET,
    means: "The kubelet skips the provider for this service account, and the pull goes on without it.",
    broken: ["annotations-present"],
    holds: ENTRY_FOUND,
    fix: "Annotate the service account with every key in requiredServiceAccountAnnotationKeys, or run the provider without the annotation (mixed mode).",
    decide: "kubectl get serviceaccount -n NAMESPACE NAME -o yaml",
  },
  {
    text: `failed to get service account: serviceaccounts "…" is forbidden`,
    by: KUBELET,
    means: "The API server does not let the node read the pod's service account.",
    broken: ["service-account-readable"],
    holds: ["image-parses", "provider-matches-image"],
    fix: "Turn on KubeletServiceAccountTokenForCredentialProviders in the API server too, or upgrade it to 1.34 or newer.",
    decide: "kubectl version",
  },
  {
    text: "Failed to register CRI auth plugins",
    by: KUBELET,
    means: "The kubelet refuses the provider file or a program that it names, and exits.",
    broken: ["provider-on-node"],
    holds: [],
    isUnread: true,
    fix: "Correct what the rest of the line names: a missing or unknown cacheType, apiVersion or defaultCacheDuration, a program that is not in the folder, or only one of the two flags.",
    decide: CONFIG,
  },
  {
    text: "fork/exec …: no such file or directory",
    ...START,
    means:
      "The program is missing, or the loader that it was linked against is: a program for glibc does not run on a node with musl, nor the reverse.",
    fix: "Install a build for the node's system, statically linked for Talos and Alpine.",
    decide: "file /PATH/OF/THE/PLUGIN # on the node; names the interpreter",
  },
  {
    text: "fork/exec …: permission denied",
    ...START,
    means: "The kubelet may not execute the program.",
    fix: "Give the program mode 0755, and put it on a file system that is not mounted noexec; with SELinux, in a folder with the label of programs.",
    decide: "ls -lZ /PATH/OF/THE/PLUGIN # on the node",
  },
  {
    text: "fork/exec …: exec format error",
    ...START,
    means: "The program is for another processor.",
    fix: "Install the build for the node's architecture.",
    decide: "file /PATH/OF/THE/PLUGIN; uname -m # on the node",
  },
  {
    text: "error execing credential provider plugin",
    by: KUBELET,
    means:
      "The plugin ran and ended with an error; what it printed follows in the line, and is what decides.",
    broken: ["issuer-trusted", "audience-accepted", "subject-admitted", "login-permitted"],
    holds: ["image-parses", "provider-matches-image"],
    fix: "Look up the plugin's own message, which follows in the same line.",
  },
  {
    text: "Pulling image without credentials",
    by: KUBELET,
    means:
      "No provider gave credentials for the image: no entry matches it, or each that matches was skipped or failed. The line before it says which.",
    broken: ["provider-matches-image", "annotations-present", "audience-granted", "subject-admitted"],
    holds: ["image-parses"],
    fix: "Compare matchImages with the image (a pattern's path is a plain prefix, and a port must be written), then look for the kubelet's lines about the provider at --v=5.",
    decide: LOG,
  },
  {
    text: "no basic auth credentials",
    by: "container runtime",
    means: "The image was pulled without any credentials.",
    broken: ["provider-matches-image", "annotations-present", "audience-granted", "subject-admitted"],
    holds: ["image-parses"],
    fix: "Find the kubelet's line for this pull: it says which provider was skipped, or that none matches.",
    decide: LOG,
  },
  {
    text: "401 Unauthorized",
    by: "registry",
    means: "The registry got no credentials, or does not accept those that it got.",
    broken: [
      "provider-matches-image",
      "provider-on-node",
      "annotations-present",
      "audience-granted",
      "issuer-trusted",
      "audience-accepted",
      "subject-admitted",
      "login-permitted",
    ],
    holds: ["image-parses"],
    fix: "The event shows only the registry's side: look for the kubelet's lines about this pull.",
    decide: LOG,
  },
  {
    text: "403 Forbidden",
    by: "registry",
    means: "The registry knows who asks, and does not permit the repository.",
    broken: ["repository-permitted", "login-permitted"],
    holds: ["image-parses"],
    fix: "Permit the identity to read the repository; in another account, its owner must permit it too. If the node's own identity is named, the chain was not used at all.",
  },
  {
    text: "InvalidImageName",
    by: KUBELET,
    means: "The image reference does not parse.",
    broken: ["image-parses"],
    holds: [],
    fix: "Write the repository in lower case, without a scheme, and with a valid tag or digest.",
  },
  {
    text: "ErrImageNeverPull",
    by: KUBELET,
    means:
      "The image is not on the node, or from 1.35 on it is and was pulled with credentials that this pod does not have.",
    broken: ["provider-matches-image", "annotations-present", "subject-admitted", "repository-permitted"],
    holds: ["image-parses"],
    fix: "Let the pod's service account pull the image itself, with another pull policy than Never.",
  },
  {
    text: `serviceaccount "…" not found`,
    by: "API server",
    means:
      "The pod names a service account that does not exist in its namespace, so the pod is never created.",
    broken: ["service-account-present", "account-present"],
    holds: [],
    fix: "Create the service account, or correct its name in the pod.",
    decide: "kubectl get serviceaccounts -n NAMESPACE",
  },
];
