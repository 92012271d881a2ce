import type { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import type { DataGoogleContainerCluster } from "@cdktf/provider-google/lib/data-google-container-cluster/index.js";
import { fail } from "../../errors";
import type { SpokeEndpoint } from "../../model/fleet";
import { gkeServer } from "../../rules/google/spoke";
import { type ObjectKind, type Kind, object, optional, text } from "../../model/shape";
import { elementOf } from "../shared/kinds";

/** A GKE cluster by its endpoint. */
export interface ExistingGkeCluster {
  /** Address of the control plane, as Google shows it without `https://`, or a URL; may be late. */
  readonly endpoint: string;
  /**
   * Base64 of the PEM certificate, `masterAuth.clusterCaCertificate`; may be late.
   *
   * @defaultValue - none; right for the DNS endpoint alone
   */
  readonly clusterCaCertificate?: string;
}

/** The kind of {@link ExistingGkeCluster}. */
export const EXISTING_GKE_CLUSTER: ObjectKind<ExistingGkeCluster> = object({
  endpoint: text,
  clusterCaCertificate: optional(text),
});

/**
 * Where a cluster is that is declared, looked up, or described. Of `master_auth` the one public attribute is read.
 *
 * Throws `google-setting-contradicts` for a certificate beside the DNS endpoint, which has a public one.
 */
export function gkeEndpoint(
  cluster: ContainerCluster | DataGoogleContainerCluster | ExistingGkeCluster,
  dnsEndpoint: boolean,
): SpokeEndpoint {
  if (dnsEndpoint) return { server: gkeServer(dnsNameOf(cluster)), publicCertificate: true };
  const certificate = certificateOf(cluster);
  return {
    server: gkeServer(cluster.endpoint),
    ...(certificate !== undefined && { certificateAuthorityData: certificate }),
  };
}

function dnsNameOf(cluster: ContainerCluster | DataGoogleContainerCluster | ExistingGkeCluster): string {
  if (isDeclared(cluster)) return cluster.controlPlaneEndpointsConfig.dnsEndpointConfig.endpoint;
  if ("masterAuth" in cluster)
    return cluster.controlPlaneEndpointsConfig.get(0).dnsEndpointConfig.get(0).endpoint;
  return cluster.clusterCaCertificate === undefined
    ? cluster.endpoint
    : fail("google-setting-contradicts", "clusterCaCertificate", "with dnsEndpoint");
}

function certificateOf(
  cluster: ContainerCluster | DataGoogleContainerCluster | ExistingGkeCluster,
): string | undefined {
  if (isDeclared(cluster)) return cluster.masterAuth.clusterCaCertificate;
  return "masterAuth" in cluster
    ? cluster.masterAuth.get(0).clusterCaCertificate
    : cluster.clusterCaCertificate;
}

function isDeclared(
  cluster: ContainerCluster | DataGoogleContainerCluster | ExistingGkeCluster,
): cluster is ContainerCluster {
  return "masterAuthInput" in cluster;
}

/** The kind of a cluster that is declared or looked up. */
export const GKE_CLUSTER: Kind<ContainerCluster | DataGoogleContainerCluster> = elementOf(
  "a ContainerCluster or DataGoogleContainerCluster",
  "google_container_cluster",
);
