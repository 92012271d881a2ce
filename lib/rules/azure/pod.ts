/*
 * What Azure's pod identity webhook reads, and what it would add to a pod, for clusters that do not run it. Source:
 * Azure/azure-workload-identity, pkg/webhook (webhook.go and consts.go), whose variables azidentity and kubelogin read;
 * OpenShift runs the same webhook (openshift/cloud-credential-operator, bindata of the azure pod identity webhook).
 */

import { Duration } from "../../model/duration";
import type { PodFragment } from "../../model/workloads";
import { type AzureCloudName, azureCloud } from "./clouds";

/** Annotation of a service account: client id of the identity that its pods act as. */
export const WEBHOOK_CLIENT_ID_ANNOTATION = "azure.workload.identity/client-id";

/** Annotation of a service account: tenant of the identity. */
export const WEBHOOK_TENANT_ID_ANNOTATION = "azure.workload.identity/tenant-id";

/** The two annotations of a service account that the webhook reads. */
export function webhookAnnotations({
  clientId,
  tenantId,
}: Pick<PodTokenProps, "clientId" | "tenantId">): Readonly<Record<string, string>> {
  return { [WEBHOOK_CLIENT_ID_ANNOTATION]: clientId, [WEBHOOK_TENANT_ID_ANNOTATION]: tenantId };
}

/** Label of pods; the webhook ignores pods without it. */
export const WEBHOOK_USE_LABEL: Readonly<Record<string, string>> = { "azure.workload.identity/use": "true" };

/** Annotation of pods: containers, with semicolons between them, to which the webhook adds nothing. */
export const WEBHOOK_SKIP_ANNOTATION = "azure.workload.identity/skip-containers";

/**
 * The Secret without which OpenShift does not run the webhook: the Cloud Credential Operator checks its key
 * `azure_tenant_id` (pkg/operator/podidentity).
 */
export const WEBHOOK_SECRET: {
  /** Namespace of the Secret. */
  readonly namespace: string;
  /** Name of the Secret. */
  readonly name: string;
  /** Name of the Secret's file as `ccoctl` writes it, without `.yaml`. */
  readonly file: string;
} = {
  namespace: "openshift-cloud-credential-operator",
  name: "azure-credentials",
  file: "azure-ad-pod-identity-webhook-config",
};

/** The identity whose credentials the pod gets. */
export interface PodTokenProps {
  /** Client id of the identity; may be late. */
  readonly clientId: string;
  /** Tenant of the identity; may be late. */
  readonly tenantId: string;
  /**
   * Audience of the token.
   *
   * @defaultValue - the cloud's default audience
   */
  readonly audience?: string;
  /**
   * The Azure cloud.
   *
   * @defaultValue "AzurePublicCloud"
   */
  readonly cloud?: AzureCloudName;
}

// Different from the webhook's own names, so that both volumes fit in a pod if the webhook runs after all.
const VOLUME = "azure-token";
const DIRECTORY = "/var/run/secrets/workload-identity/azure";
const FILE = "token";
const LIFETIME = Duration.hours(1);

/** Variables, mount and volume with which SDKs and kubelogin present the service account's token to Entra. */
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
