import type { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import type { DataGoogleContainerCluster } from "@cdktf/provider-google/lib/data-google-container-cluster/index.js";
import type { ManagedCluster } from "../../model/cluster";
import { GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { clusterName } from "../../model/kubernetes-name";
import { type ObjectKind, checkGiven, object, optional, text } from "../../model/shape";
import { gkeIssuer, gkeWithoutPulls, statedGkeIssuer } from "../../rules/google/cluster";
import { statedOrInput } from "../shared/managed-cluster";
import { checkCluster } from "./place";
import { GKE_CLUSTER } from "./spoke";

/** The facts of a GKE cluster. */
export interface GkeProps {
  /**
   * The cluster, declared or looked up: its literal attributes need not be stated again.
   *
   * @defaultValue - none; everything must be stated
   */
  readonly cluster?: ContainerCluster | DataGoogleContainerCluster;
  /**
   * Name of the cluster in GKE; becomes part of the names of identities.
   *
   * @defaultValue - the name in `cluster`
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
   * @defaultValue - built from project, location and name like GKE's; literal even before the cluster exists
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
 * Returns the facts of a GKE cluster for `WorkloadAccess`. Image pulls are refused: GKE nodes do not accept a
 * CredentialProviderConfig.
 *
 * Google Cloud trusts its service accounts through the cluster's own pool, like those of any cluster, and not through
 * `<project>.svc.id.goog`, in which all clusters of a project share principals.
 */
export function gke(props: GkeProps): ManagedCluster {
  checkGiven("gke()", GKE_PROPS, props);
  const { cluster } = props;
  const of = (key: "name" | "project" | "location"): string =>
    statedOrInput(`the ${key}`, props[key], cluster?.[`${key}Input`], `gke({ ${key} })`);
  const name = clusterName(of("name"));
  const { project, location, issuer } = props;
  if (cluster) checkCluster(cluster, { project, location, ...(issuer === undefined && { name }) });
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
