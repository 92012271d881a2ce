/*
 * Webhooks that are known to change nothing that is read, by the names of their configurations or their own: they give
 * pods a token, add containers beside the others, volumes or resources, look at other objects, or execute policies that
 * are read themselves.
 */

import { POD_IDENTITY_WEBHOOK_ROWS } from "../../rules/pod-identity-webhooks";

const POD_IDENTITY = POD_IDENTITY_WEBHOOK_ROWS.flatMap(({ names }) => names);

export const HARMLESS_WEBHOOKS: readonly RegExp[] = [
  new RegExp(`^(?:${POD_IDENTITY.map((name) => name.replaceAll(".", "\\.")).join("|")})$`),
  // Of EKS, AKS, GKE, and OpenShift as a service.
  /\.(?:vpc|elbv2)\.k8s\.aws$/,
  /^(?:aks|azure-policy)-/,
  /\.gke\.io$/,
  /^sre-/,
  /^network-resources-injector-config/,
  // Of service meshes, and of agents that run beside the containers.
  /\.sidecar-injector\.istio\.io$/,
  /^linkerd-proxy-injector/,
  /^vault(?:-agent-injector-cfg|\.hashicorp\.com)$/,
  /^(?:datadog-webhook|dynatrace-webhook|opentelemetry-operator-)/,
  // Of schedulers and autoscalers.
  /^(?:kueue-|vpa-webhook-config|karpenter|keda-)/,
  // Of engines whose policies are read.
  /^(?:kyverno|gatekeeper)-/,
];
