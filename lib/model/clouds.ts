/* The clouds, and the words that other programs have for them. A cloud that is added here does not compile until its tables have it. */

interface CloudWords {
  /** `spec.providerSpec.kind` of CredentialsRequests (openshift/cloud-credential-operator). */
  readonly providerSpec: string;
  /** Its fields besides apiVersion and kind, with spaces between them (pkg/apis/cloudcredential/v1 there). */
  readonly providerFields: string;
  /** What argocd-k8s-auth is told first, and the end of the names of its built-in access providers. */
  readonly argoCd: string;
}

/** A cloud, by the name of its entry point. */
export type CloudName = "aws" | "azure" | "google";

export const CLOUDS: Readonly<Record<CloudName, CloudWords>> = {
  aws: { providerSpec: "AWSProviderSpec", providerFields: "statementEntries stsIAMRoleARN", argoCd: "aws" },
  azure: {
    providerSpec: "AzureProviderSpec",
    providerFields:
      "permissions dataPermissions roleBindings azureClientID azureRegion azureSubscriptionID azureTenantID",
    argoCd: "azure",
  },
  google: {
    providerSpec: "GCPProviderSpec",
    providerFields: "permissions predefinedRoles skipServiceCheck serviceAccountEmail audience",
    argoCd: "gcp",
  },
};

export const cloudNames: readonly CloudName[] = Object.keys(CLOUDS) as CloudName[];
