/*
 * Names of the ClusterProfile API and of its access providers.
 *
 * Sources: kubernetes-sigs/cluster-inventory-api:apis/v1alpha1/clusterprofile_types.go and pkg/access/config.go;
 * kubernetes/enhancements:keps/sig-multicluster/4322-cluster-inventory. The older names are those of the drafts of
 * KEP-5339, which programs ignore in silence.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";

/** API group of the ClusterProfile. */
export const CLUSTER_PROFILE_GROUP = "multicluster.x-k8s.io";

/** Label that repeats the name of the cluster manager. */
export const CLUSTER_MANAGER_LABEL = "x-k8s.io/cluster-manager";

/** Extension that reaches the plugin as `spec.cluster.config` of `KUBERNETES_EXEC_INFO`. */
export const EXEC_EXTENSION = "client.authentication.k8s.io/exec";

/** Extension with environment variables for the plugin. */
export const ADDITIONAL_ENVS_EXTENSION = "clusterprofiles.multicluster.x-k8s.io/exec/additional-envs";

/** Extension that cannot be stored: the CRD wants an object, the access library a list. */
export const ADDITIONAL_ARGS_EXTENSION = "clusterprofiles.multicluster.x-k8s.io/exec/additional-args";

/** Condition that some consumers wait for. */
export const HEALTHY_CONDITION = "ControlPlaneHealthy";

/** Flag of the consumers that read a provider file. */
export const PROVIDER_FILE_FLAG = "--clusterprofile-provider-file";

/** Older names, and what replaced them. */
const OUTDATED: Readonly<Record<string, string>> = {
  credentialProviders: "accessProviders",
  "multicluster.x-k8s.io/clusterprofiles/auth/exec/additional-args": "one provider per spoke",
  "multicluster.x-k8s.io/clusterprofiles/auth/exec/additional-envs": ADDITIONAL_ENVS_EXTENSION,
  "--clusterprofile-creds-provider": PROVIDER_FILE_FLAG,
  "--cluster-profile-providers-file": PROVIDER_FILE_FLAG,
  "clusterprofile-creds-provider": "clusterprofile-provider-file",
  ClusterProfileSourcedCLIArgsPolicy: "profileSourcedCLIArgsPolicy",
  ClusterProfileSourcedEnvVarsPolicy: "profileSourcedEnvVarsPolicy",
  clusterProfileSourcedCLIArgsPolicy: "profileSourcedCLIArgsPolicy",
  clusterProfileSourcedEnvVarsPolicy: "profileSourcedEnvVarsPolicy",
  certificateAuthorityData: "certificate-authority-data",
  tlsServerName: "tls-server-name",
  insecureSkipTlsVerify: "insecure-skip-tls-verify",
  proxyUrl: "proxy-url",
  disableCompression: "disable-compression",
};

/** Name of a field or key that replaced an older one, `undefined` where the name is not an older one. */
export function currentNameOf(name: string): string | undefined {
  return Object.hasOwn(OUTDATED, name) ? OUTDATED[name] : undefined;
}

/** `fleet-name-outdated` for each older name; never throws. */
export function outdatedNames(names: readonly string[]): readonly WorkloadIdentityError[] {
  return names.flatMap((name) => {
    const now = currentNameOf(name);
    return now === undefined ? [] : [refusal("fleet-name-outdated", name, now)];
  });
}

/** Managers that rewrite the status of their profiles; theirs are not ours to declare. */
export const FOREIGN_MANAGERS: readonly string[] = ["KubeFleet", "gke-fleet", "open-cluster-management"];
