import type { DataAzurermKubernetesCluster } from "@cdktf/provider-azurerm/lib/data-azurerm-kubernetes-cluster/index.js";
import type { KubernetesCluster } from "@cdktf/provider-azurerm/lib/kubernetes-cluster/index.js";
import { Annotations } from "cdktf";
import { fail } from "../../errors";
import type { ManagedCluster } from "../../model/cluster";
import { GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { clusterName } from "../../model/kubernetes-name";
import { type ObjectKind, checkGiven, object, optional, text } from "../../model/shape";
import { aksIssuer, aksWithoutPulls } from "../../rules/azure/cluster";
import { statedOrInput } from "../shared/managed-cluster";
import { AKS_CLUSTER, kubeConfigWarning } from "./spoke";

/** The facts of an AKS cluster. */
export interface AksProps {
  /**
   * The cluster, declared or looked up: its literal attributes need not be stated again.
   *
   * @defaultValue - none; everything must be stated
   */
  readonly cluster?: KubernetesCluster | DataAzurermKubernetesCluster;
  /**
   * DNS label; becomes part of the names of identities.
   *
   * @defaultValue - the cluster's name in AKS
   */
  readonly name?: string;
  /**
   * The issuer, with its trailing slash. AKS chooses the ids in it when it creates the cluster: state it for an
   * existing cluster, so that federated credentials are literal and can be checked before apply.
   *
   * @defaultValue - `oidc_issuer_url` of the cluster, known after apply
   */
  readonly issuer?: GivenIssuer;
}

const AKS_PROPS: ObjectKind<AksProps> = object({
  cluster: optional(AKS_CLUSTER),
  name: optional(text),
  issuer: optional(ISSUER),
});

/**
 * Returns the facts of an AKS cluster for `WorkloadAccess`. Image pulls are refused: AKS nodes do not accept a
 * CredentialProviderConfig.
 *
 * Warns if a declared cluster does not set workload_identity_enabled: its pods then get no tokens for Azure unless they
 * mount them, or the webhook is installed in another way; and if the state has the cluster's kube_config with a client key.
 */
export function aks(props: AksProps): ManagedCluster {
  checkGiven("aks()", AKS_PROPS, props);
  const { cluster } = props;
  const name = clusterName(statedOrInput("the name", props.name, cluster?.nameInput, "aks({ name })"));
  if (cluster && "oidcIssuerEnabledInput" in cluster) checkDeclared(name, cluster);
  const warning = cluster && kubeConfigWarning(cluster);
  if (cluster && warning !== undefined) Annotations.of(cluster).addWarning(warning);
  const statedIssuer = props.issuer ?? cluster?.oidcIssuerUrl;
  const issuer = statedOrInput<GivenIssuer>("the issuer", statedIssuer, undefined, "aks({ issuer })");
  return {
    name,
    ...(isSwitchedOn(cluster) && { builtInWebhooks: ["azure"] }),
    distribution: "aks",
    issuer: aksIssuer(Issuer.of(issuer)),
    withoutPulls: aksWithoutPulls(name),
  };
}

/** A cluster that is looked up or only stated may have the webhook, but nothing says so. */
function isSwitchedOn(cluster: AksProps["cluster"]): boolean {
  return (
    cluster !== undefined &&
    "workloadIdentityEnabledInput" in cluster &&
    cluster.workloadIdentityEnabledInput === true
  );
}

function checkDeclared(name: string, cluster: KubernetesCluster): void {
  const { oidcIssuerEnabledInput: issuer, workloadIdentityEnabledInput: webhook } = cluster;
  if (issuer === undefined || issuer === false)
    fail("azure-unsupported", {
      problem: "AKS cluster does not publish an issuer, so clouds cannot verify its tokens",
      value: name,
      allowed: "oidc_issuer_enabled = true",
      remedy: "set it on the cluster; it cannot be turned off again",
    });
  if (webhook === undefined || webhook === false)
    Annotations.of(cluster).addWarning(
      `AKS cluster ${name} does not set workload_identity_enabled: pods get tokens for Azure only if they have what podFor() returns, or if the webhook of Azure Workload Identity is installed in another way`,
    );
}
