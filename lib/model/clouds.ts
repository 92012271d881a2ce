/* The clouds, and the words that other programs have for them. A cloud that is added here does not compile until its tables have it. */

interface CloudWords {
  /** `spec.providerSpec.kind` of CredentialsRequests (openshift/cloud-credential-operator). */
  readonly providerSpec: string;
  /** What argocd-k8s-auth is told first, and the end of the names of its built-in access providers. */
  readonly argoCd: string;
}

/** A cloud, by the name of its entry point. */
export type CloudName = "aws" | "azure" | "google";

export const CLOUDS: Readonly<Record<CloudName, CloudWords>> = {
  aws: { providerSpec: "AWSProviderSpec", argoCd: "aws" },
  azure: { providerSpec: "AzureProviderSpec", argoCd: "azure" },
  google: { providerSpec: "GCPProviderSpec", argoCd: "gcp" },
};

export const cloudNames: readonly CloudName[] = Object.keys(CLOUDS) as CloudName[];
