/*
 * Names of the ClusterProfile API and of its access providers. Sources:
 * kubernetes-sigs/cluster-inventory-api:apis/v1alpha1/clusterprofile_types.go and pkg/access/config.go; KEP-4322.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";

export const CLUSTER_PROFILE_GROUP = "multicluster.x-k8s.io";

/** Label that repeats the name of the cluster manager. */
export const CLUSTER_MANAGER_LABEL = "x-k8s.io/cluster-manager";

/** Extension that reaches the plugin as `spec.cluster.config` of `KUBERNETES_EXEC_INFO`. */
export const EXEC_EXTENSION = "client.authentication.k8s.io/exec";

/** Extension with environment variables for the plugin. */
export const ADDITIONAL_ENVS_EXTENSION = "clusterprofiles.multicluster.x-k8s.io/exec/additional-envs";

/** Extension that cannot be stored: the CRD requires an object, the access library a list. */
export const ADDITIONAL_ARGS_EXTENSION = "clusterprofiles.multicluster.x-k8s.io/exec/additional-args";

/** Condition for which some consumers wait. */
export const HEALTHY_CONDITION = "ControlPlaneHealthy";

/** Flag of the consumers that read a provider file. */
export const PROVIDER_FILE_FLAG = "--clusterprofile-provider-file";

/**
 * Option of Argo CD's cluster profile controller: a list of the namespaces whose profiles it reads, by default its own
 * (argoproj-labs/clusterprofile-integration-for-argocd, README).
 */
export const ARGO_NAMESPACES = "--cluster-profile-namespaces";

/** Names from drafts of KEP-5339 and older builds, which today's programs ignore, with their replacements. */
const OUTDATED: ReadonlyMap<string, string> = new Map([
  ["credentialProviders", "accessProviders"],
  ["multicluster.x-k8s.io/clusterprofiles/auth/exec/additional-args", "one provider per spoke"],
  ["multicluster.x-k8s.io/clusterprofiles/auth/exec/additional-envs", ADDITIONAL_ENVS_EXTENSION],
  ["--clusterprofile-creds-provider", PROVIDER_FILE_FLAG],
  ["--cluster-profile-providers-file", PROVIDER_FILE_FLAG],
  ["clusterprofile-creds-provider", "clusterprofile-provider-file"],
  ["ClusterProfileSourcedCLIArgsPolicy", "profileSourcedCLIArgsPolicy"],
  ["ClusterProfileSourcedEnvVarsPolicy", "profileSourcedEnvVarsPolicy"],
  ["clusterProfileSourcedCLIArgsPolicy", "profileSourcedCLIArgsPolicy"],
  ["clusterProfileSourcedEnvVarsPolicy", "profileSourcedEnvVarsPolicy"],
  ["certificateAuthorityData", "certificate-authority-data"],
  ["tlsServerName", "tls-server-name"],
  ["insecureSkipTlsVerify", "insecure-skip-tls-verify"],
  ["proxyUrl", "proxy-url"],
  ["disableCompression", "disable-compression"],
]);

/** An error for each name from an older draft. */
export function outdatedNames(names: readonly string[]): readonly WorkloadIdentityError[] {
  return names.flatMap((name) => {
    const now = OUTDATED.get(name);
    if (now === undefined) return [];
    return [
      refusal("fleet-unknown", {
        problem: "this name comes from an older draft and no longer has any effect",
        value: name,
        allowed: now,
        remedy: `write ${now}`,
      }),
    ];
  });
}
