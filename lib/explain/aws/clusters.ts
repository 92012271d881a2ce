/*
 * The EKS clusters that Terraform declares or looks up.
 *
 * Source: "IAM roles for service accounts" of the EKS user guide: every cluster has an issuer, and runs the pod identity
 * webhook.
 */

import { shown } from "../../model/known";
import type { DeclaredCluster } from "../read/inferred-cluster";
import type { Terraform } from "../read/terraform";

/** With the issuer that EKS chose. */
export function eksClusters(terraform: Terraform): readonly DeclaredCluster[] {
  return terraform.ofType("aws_eks_cluster").map((cluster) => {
    const name = cluster.attribute("name");
    return {
      cloud: "aws",
      title: `the EKS cluster ${shown(name)}`,
      name,
      issuer: cluster.attribute("identity", 0, "oidc", 0, "issuer"),
      version: cluster.text("version"),
      webhooks: ["aws"],
      webhooksOff: [],
      source: cluster.source,
    };
  });
}
