/*
 * What AKS decides about a cluster. Source: Azure/AgentBaker, parts/linux/cloud-init/artifacts/cse_config.sh, which writes
 * the kubelet's credential provider configuration and its flags at each start of a node.
 */

import { type Problem, fail } from "../../errors";
import { isAksIssuer } from "../../model/aks-issuer";
import type { Issuer } from "../../model/issuer";

/** The issuer of an AKS cluster; a late one is passed on. */
export function aksIssuer(issuer: Issuer): Issuer {
  return issuer.late || isAksIssuer(issuer.url)
    ? issuer
    : fail("azure-invalid", {
        problem: "issuer is none that AKS gives a cluster",
        value: issuer.url,
        allowed:
          "https://<region>.oic.prod-aks.azure.com/<tenant>/<id>/, in other clouds of Azure .us or .cn",
        remedy:
          "use `az aks show --query oidcIssuerProfile.issuerUrl`; for a cluster that is not of AKS use kubernetes()",
      });
}

/** AKS nodes pull as the kubelet identity of their pool, whatever service account a pod has. */
export function aksWithoutPulls(name: string): Problem {
  return {
    problem:
      "AKS configures image credential providers on its nodes itself and takes no configuration for them, so that nodes cannot pull with service account tokens",
    value: name,
    allowed: "openShift(…), hostedOpenShift(…), eks(…), kubernetes(…)",
    remedy:
      "let the nodes pull: give the cluster's kubelet identity AcrPull on the registry (`az aks update --attach-acr`, or an azurerm role assignment for kubelet_identity[0].object_id); for pods that need different rights use imagePullSecrets, or a cluster whose nodes you configure",
  };
}
