/*
 * Argo CD's cluster Secrets: the address of a cluster and the program that returns credentials for it, so that they
 * contain nothing secret. Sources: argoproj/argo-cd:docs/operator-manual/declarative-setup.md ("Clusters") and
 * pkg/apis/application/v1alpha1/types.go (ClusterConfig, ExecProviderConfig: variables are a map there; `RawRestConfig`
 * runs argocd-k8s-auth for awsAuthConfig).
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { type Json, list, record } from "../../model/parsed";
import type { AccessProvider } from "./provider-list";

/** The label by which Argo CD finds cluster Secrets in its own namespace. */
export const CLUSTER_SECRET_LABEL = "argocd.argoproj.io/secret-type";

/** Prefix of the Secrets' names, as the cluster profile integration writes them. */
export const CLUSTER_SECRET_PREFIX = "cluster-";

/** The version in which argocd-k8s-auth answers, and which Argo CD requests if a Secret has `awsAuthConfig`. */
export const ARGO_EXEC_VERSION = "client.authentication.k8s.io/v1beta1";

/** `stringData` of the Secret for a cluster of a profile's status. */
export function clusterSecretData(
  name: string,
  cluster: Json,
  { execConfig: { command, args, env, apiVersion } }: AccessProvider,
): Readonly<Record<string, string>> {
  const { server, "certificate-authority-data": caData, "tls-server-name": serverName } = cluster;
  const proxyUrl = cluster["proxy-url"];
  const config = {
    execProviderConfig: {
      command,
      ...(args.length > 0 && { args }),
      ...(env.length > 0 && { env: Object.fromEntries(env.map((each) => [each.name, each.value])) }),
      apiVersion,
    },
    tlsClientConfig: {
      insecure: false,
      ...(caData !== undefined && { caData }),
      ...(serverName !== undefined && { serverName }),
    },
    ...(proxyUrl !== undefined && { proxyUrl }),
  };
  return { name, server: String(server), config: JSON.stringify(config) };
}

/** The cluster of a profile's status, as {@link clusterSecretData} expects it. */
export function statusCluster(profile: Json): Json {
  const [provider] = list(record(profile["status"])["accessProviders"]);
  return record(record(provider)["cluster"]);
}

/** The problem of a Secret that disables verification of the server's certificate. */
export function insecureIssues(isInsecure: boolean): readonly WorkloadIdentityError[] {
  if (!isInsecure) return [];
  return [
    refusal("fleet-unsafe", {
      problem:
        "tlsClientConfig of the cluster Secret has insecure: true, so anyone on the network path could steal the token",
      allowed: "insecure: false, with caData",
      remedy: "set caData to the cluster's certificate authority",
    }),
  ];
}
