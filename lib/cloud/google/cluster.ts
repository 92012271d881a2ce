import type { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import type { DataGoogleContainerCluster } from "@cdktf/provider-google/lib/data-google-container-cluster/index.js";
import type { ManagedCluster } from "../../model/cluster";
import { GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { clusterName } from "../../model/kubernetes-name";
import { type ObjectKind, checkGiven, object, optional, text } from "../../model/shape";
import { gkeIssuer, gkeWithoutPulls, statedGkeIssuer } from "../../rules/google/cluster";
import { statedOrInput } from "../shared/managed-cluster";
import { GKE_CLUSTER } from "./spoke";

/** The facts of a GKE cluster. */
export interface GkeProps {
  /**
   * The cluster, declared or looked up: what it says as a literal need not be stated again.
   *
   * @defaultValue - everything is stated
   */
  readonly cluster?: ContainerCluster | DataGoogleContainerCluster;
  /**
   * Name of the cluster in GKE; becomes part of the names of identities.
   *
   * @defaultValue - that of the cluster
   */
  readonly name?: string;
  /**
   * Id of the cluster's project.
   *
   * @defaultValue - what the cluster states
   */
  readonly project?: string;
  /**
   * Region or zone of the cluster.
   *
   * @defaultValue - what the cluster states
   */
  readonly location?: string;
  /**
   * The issuer.
   *
   * @defaultValue - made of project, location and name, as GKE makes it; literal also for a cluster that is yet to be made
   */
  readonly issuer?: GivenIssuer;
}

const GKE_PROPS: ObjectKind<GkeProps> = object({
  cluster: optional(GKE_CLUSTER),
  name: optional(text),
  project: optional(text),
  location: optional(text),
  issuer: optional(ISSUER),
});

/**
 * A GKE cluster, for `WorkloadAccess`. Image pulls are refused: GKE nodes take no credential provider configuration.
 *
 * Google Cloud trusts its service accounts through a pool of the cluster's own, as those of any cluster, and not through
 * `<project>.svc.id.goog`, in which all clusters of a project share their principals.
 */
export function gke(props: GkeProps): ManagedCluster {
  checkGiven("gke()", GKE_PROPS, props);
  const { cluster } = props;
  const of = (key: "name" | "project" | "location"): string =>
    statedOrInput(`the ${key}`, props[key], cluster?.[`${key}Input`], `gke({ ${key} })`);
  const name = clusterName(of("name"));
  return {
    name,
    distribution: "gke",
    issuer:
      props.issuer === undefined
        ? Issuer.of(gkeIssuer({ project: of("project"), location: of("location"), cluster: name }))
        : statedGkeIssuer(Issuer.of(props.issuer)),
    withoutPulls: gkeWithoutPulls(name),
  };
}
