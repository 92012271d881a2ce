/*
 * What Azure's pod identity webhook reads. Source: Azure/azure-workload-identity, pkg/webhook/consts.go; OpenShift runs
 * the same webhook (openshift/cloud-credential-operator, bindata of the azure pod identity webhook).
 */

/** Annotation of a service account: client id of the identity that its pods act as. */
export const WEBHOOK_CLIENT_ID_ANNOTATION = "azure.workload.identity/client-id";

/** Annotation of a service account: tenant of that identity. */
export const WEBHOOK_TENANT_ID_ANNOTATION = "azure.workload.identity/tenant-id";

/** Label of pods; the webhook changes none that do not have it. */
export const WEBHOOK_USE_LABEL: Readonly<Record<string, string>> = { "azure.workload.identity/use": "true" };

/**
 * The Secret without which OpenShift does not run the webhook: the Cloud Credential Operator looks for its key
 * `azure_tenant_id` (pkg/operator/podidentity).
 */
export const WEBHOOK_SECRET: {
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
  /** Name of its file as `ccoctl` writes it, without `.yaml`. */
  readonly file: string;
} = {
  namespace: "openshift-cloud-credential-operator",
  name: "azure-credentials",
  file: "azure-ad-pod-identity-webhook-config",
};
