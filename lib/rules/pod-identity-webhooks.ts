/*
 * How the webhooks that give pods a cloud's token are recognized among a cluster's objects. Sources:
 * aws/amazon-eks-pod-identity-webhook, deploy/mutatingwebhook.yaml; Azure/azure-workload-identity, config/webhook;
 * openshift/cloud-credential-operator, bindata/v4.1.0, whose operator itself writes the configurations.
 */

import type { PodIdentityWebhook } from "../model/cluster";

interface WebhookRow {
  readonly cloud: PodIdentityWebhook;
  /** `webhooks[].name` of its MutatingWebhookConfiguration. */
  readonly names: readonly string[];
  /** An argument of its program without which it ignores the annotations that are written. */
  readonly otherPrefix?: RegExp;
  /** Namespace, name and key of the Secret with which an operator runs it. */
  readonly secret?: readonly [namespace: string, name: string, key: string];
}

export const POD_IDENTITY_WEBHOOK_ROWS: readonly WebhookRow[] = [
  {
    cloud: "aws",
    names: ["pod-identity-webhook.amazonaws.com", "pod-identity-webhook.aws.mutate.io"],
    otherPrefix: /"--annotation-prefix(?!=eks\.amazonaws\.com")/,
  },
  {
    cloud: "azure",
    names: ["mutation.azure-workload-identity.io", "pod-identity-webhook.azure.mutate.io"],
    secret: ["openshift-cloud-credential-operator", "azure-credentials", "azure_tenant_id"],
  },
];

/** Labels by which their own manifests select pods and namespaces; any other may leave out a workload's pods. */
export const POD_IDENTITY_WEBHOOK_SELECTORS: readonly string[] = [
  "openshift.io/run-level",
  "eks.amazonaws.com/skip-pod-identity-webhook",
  "azure.workload.identity/use",
];
