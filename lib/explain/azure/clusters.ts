/*
 * The AKS clusters that Terraform declares or looks up.
 *
 * Source: "Use Microsoft Entra Workload ID with AKS": the issuer and the webhook are off unless they are switched on.
 */

import { is, known, shown } from "../../model/known";
import type { DeclaredCluster } from "../read/inferred-cluster";
import type { Terraform } from "../read/terraform";

/** With the issuer that AKS chose, if it is on. */
export function aksClusters(terraform: Terraform): readonly DeclaredCluster[] {
  return terraform.ofType("azurerm_kubernetes_cluster").map((cluster) => {
    const name = cluster.attribute("name");
    const isHelped = cluster.flag("workload_identity_enabled");
    const isOff = !cluster.adopted && is(cluster.flag("oidc_issuer_enabled"), false) === "yes";
    return {
      cloud: "azure",
      title: `the AKS cluster ${shown(name)}`,
      name,
      issuer: isOff ? known(undefined) : cluster.attribute("oidc_issuer_url"),
      version: cluster.text("kubernetes_version"),
      webhooks: is(isHelped, true) === "yes" ? ["azure"] : [],
      // The data source says nothing about it before azurerm 4.
      webhooksOff: !cluster.adopted && is(isHelped, false) === "yes" ? ["azure"] : [],
      source: cluster.source,
    };
  });
}
