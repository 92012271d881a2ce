/*
 * How the webhooks that give pods a cloud's token are recognized among a cluster's objects. Sources:
 * aws/amazon-eks-pod-identity-webhook, deploy/mutatingwebhook.yaml; Azure/azure-workload-identity, config/webhook;
 * openshift/cloud-credential-operator, bindata/v4.1.0, whose operator itself writes the configurations;
 * aws/eks-pod-identity-agent, charts/eks-pod-identity-agent, which the add-on of EKS installs.
 */

import type { PodIdentityWebhook } from "../model/cluster";

interface WebhookRow {
  readonly cloud: PodIdentityWebhook;
  /** `webhooks[].name` of its MutatingWebhookConfiguration. */
  readonly names: readonly string[];
  /** Arguments of its program with which it reads other annotations, or asks for tokens of another audience. */
  readonly otherArguments?: RegExp;
  /** Conditions on labels that its own manifests select pods and namespaces by: key, operator and values. */
  readonly selectors: readonly string[];
  /** Namespace, name and key of the Secret with which an operator runs it. */
  readonly secret?: readonly [namespace: string, name: string, key: string];
}

/** A pod with this label is not seen by AWS' webhook: the objectSelector of its manifest, which EKS has as well. */
export const SKIP_LABEL = "eks.amazonaws.com/skip-pod-identity-webhook";
/** The names of containers, separated by commas, that AWS' webhook leaves alone. */
export const SKIP_CONTAINERS = "eks.amazonaws.com/skip-containers";
/** Namespaces of OpenShift's own first components are left out. */
const NO_RUN_LEVEL = ["openshift.io/run-level DoesNotExist", "openshift.io/run-level NotIn 0,1"];

export const POD_IDENTITY_WEBHOOK_ROWS: readonly WebhookRow[] = [
  {
    cloud: "aws",
    names: ["pod-identity-webhook.amazonaws.com", "pod-identity-webhook.aws.mutate.io"],
    otherArguments:
      /"--(?:annotation-prefix(?!=eks\.amazonaws\.com")|token-audience(?!=sts\.amazonaws\.com"))/,
    selectors: [`${SKIP_LABEL} DoesNotExist`, ...NO_RUN_LEVEL],
  },
  {
    cloud: "azure",
    names: ["mutation.azure-workload-identity.io", "pod-identity-webhook.azure.mutate.io"],
    selectors: ["azure.workload.identity/use In true", ...NO_RUN_LEVEL],
    secret: ["openshift-cloud-credential-operator", "azure-credentials", "azure_tenant_id"],
  },
];

/** DaemonSets that give pods credentials without a webhook, and the argument that names their cluster. */
export const POD_IDENTITY_AGENTS: readonly { readonly key: string; readonly cluster: string }[] = [
  { key: "kube-system/eks-pod-identity-agent", cluster: "--cluster-name" },
];

/** How an agent for a cluster is named among the webhooks; `""` for one that does not name its cluster. */
export function agentOf(key: string, cluster: string): string {
  return `${key} of ${cluster}`;
}
