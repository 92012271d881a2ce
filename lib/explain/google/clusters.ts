/*
 * The GKE clusters that Terraform declares or looks up.
 *
 * Source: "Workload Identity Federation for GKE", `issuer` of the discovery document of a cluster.
 */

import { joined, shown } from "../../model/known";
import type { DeclaredCluster } from "../read/inferred-cluster";
import type { Terraform } from "../read/terraform";
import { projectOf } from "./names";

const ISSUER = "https://container.googleapis.com/v1/projects/";

/** With the issuer that GKE makes of project, location and name. */
export function gkeClusters(terraform: Terraform): readonly DeclaredCluster[] {
  return terraform.ofType("google_container_cluster").map((cluster) => {
    const [name, location] = [cluster.attribute("name"), cluster.attribute("location")];
    return {
      cloud: "google",
      title: `the GKE cluster ${shown(name)}`,
      name,
      issuer: joined(ISSUER, projectOf(cluster), "/locations/", location, "/clusters/", name),
      version: cluster.text("master_version"),
      webhooks: [],
      webhooksOff: [],
      source: cluster.source,
    };
  });
}
