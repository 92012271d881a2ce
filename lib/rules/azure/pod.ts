/*
 * What Azure's pod identity webhook reads. Source: Azure/azure-workload-identity, pkg/webhook/consts.go; OpenShift runs
 * the same webhook (openshift/cloud-credential-operator, bindata of the azure pod identity webhook).
 */
/*
 * What Azure's pod identity webhook would add to a pod, for clusters that do not run it. Source:
 * Azure/azure-workload-identity, pkg/webhook (webhook.go and consts.go), whose variables azidentity and kubelogin read.
 */

import { Duration } from "../../model/duration";
import type { PodFragment } from "../../model/workloads";
import { type AzureCloudName, azureCloud } from "./clouds";

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

/** Whose credentials the pod gets. */
export interface PodTokenProps {
  /** Client id of the identity; may be late. */
  readonly clientId: string;
  /** Tenant of the identity; may be late. */
  readonly tenantId: string;
  /**
   * Audience of the token.
   *
   * @defaultValue - that of the cloud
   */
  readonly audience?: string;
  /**
   * The Azure cloud.
   *
   * @defaultValue "AzurePublicCloud"
   */
  readonly cloud?: AzureCloudName;
}

// Not the webhook's own names: where it runs after all, both volumes can stand in one pod.
const VOLUME = "azure-token";
const DIRECTORY = "/var/run/secrets/workload-identity/azure";
const FILE = "token";
const LIFETIME = Duration.hours(1);

/** Variables, mount and volume that make SDKs and kubelogin take the service account's token to Entra. */
export function podToken({ clientId, tenantId, audience, cloud }: PodTokenProps): PodFragment {
  const facts = azureCloud(cloud ?? "AzurePublicCloud");
  const token = {
    audience: audience ?? facts.audience,
    expirationSeconds: LIFETIME.totalSeconds,
    path: FILE,
  };
  return {
    labels: {},
    env: [
      { name: "AZURE_CLIENT_ID", value: clientId },
      { name: "AZURE_TENANT_ID", value: tenantId },
      { name: "AZURE_FEDERATED_TOKEN_FILE", value: `${DIRECTORY}/${FILE}` },
      { name: "AZURE_AUTHORITY_HOST", value: `https://${facts.entraHosts[0] ?? ""}/` },
    ],
    volumeMounts: [{ name: VOLUME, mountPath: DIRECTORY, readOnly: true }],
    volumes: [{ name: VOLUME, projected: { sources: [{ serviceAccountToken: token }] } }],
  };
}
