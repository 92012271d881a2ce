/*
 * What AKS decides about a cluster. Source: Azure/AgentBaker, parts/linux/cloud-init/artifacts/cse_config.sh, which
 * writes the kubelet's credential provider configuration and its flags whenever a node starts.
 */

import { type Problem, fail } from "../../errors";
import { isAksIssuer } from "../../model/aks-issuer";
import type { Issuer } from "../../model/issuer";

/** The issuer of an AKS cluster; throws for any other literal issuer. */
export function aksIssuer(issuer: Issuer): Issuer {
  return issuer.late || isAksIssuer(issuer.url)
    ? issuer
    : fail("azure-invalid", {
        problem: "the issuer is not an AKS cluster's",
        value: issuer.url,
        allowed:
          "https://<region>.oic.prod-aks.azure.com/<tenant>/<id>/, in Azure's other clouds .us or .cn; https://oidc.prod-aks.azure.com/<id>/ for early clusters",
        remedy:
          "use `az aks show --query oidcIssuerProfile.issuerUrl`; for a cluster other than AKS use kubernetes()",
      });
}

/** AKS nodes pull with the kubelet identity of their pool, whatever a pod's service account is. */
export function aksWithoutPulls(name: string): Problem {
  return {
    problem:
      "AKS itself configures the image credential providers on its nodes and does not accept another configuration, so its nodes cannot pull with service account tokens",
    value: name,
    allowed: "openShift(…), hostedOpenShift(…), eks(…), kubernetes(…)",
    remedy:
      "let the nodes pull: assign AcrPull on the registry to the cluster's kubelet identity (`az aks update --attach-acr`, or an azurerm role assignment for kubelet_identity[0].object_id); for pods that need different rights use imagePullSecrets, or a cluster whose nodes you configure",
  };
}
