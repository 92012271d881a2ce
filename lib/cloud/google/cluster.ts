import type { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import type { DataGoogleContainerCluster } from "@cdktf/provider-google/lib/data-google-container-cluster/index.js";
import { TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { ManagedCluster } from "../../model/cluster";
import { GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { clusterName } from "../../model/kubernetes-name";
import { type ObjectKind, checkGiven, object, optional, text } from "../../model/shape";
import type { Subject } from "../../model/subject";
import { gkeIssuer, gkeWithoutPulls, statedGkeIssuer } from "../../rules/google/cluster";
import { projectId, projectNumber, refuseUnused } from "../../rules/google/names";
import { managedPoolId, managedSubject, managedUser, renderPrincipal } from "../../rules/google/provider";
import { parseManagedIdentityProvider } from "../../rules/google/pull";
import { statedOrInput } from "../shared/managed-cluster";
import { type ClusterPoolProps, checkCluster, missingNumber } from "./place";
import type { IPrincipals } from "./pool";
import type { WorkloadCredentialProps } from "./props";
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
 * Google Cloud trusts its service accounts through the cluster's own pool, like those of any cluster. With
 * `workloadServiceAccounts({ pool: "gke" })` it does through `<project>.svc.id.goog`, in which all clusters of a project
 * share principals.
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

type WorkloadProps = Omit<ClusterPoolProps, "pool"> &
  WorkloadCredentialProps & { readonly audience?: string };

/** Settings of a pool provider and of its credential file. */
const OF_OWN_POOL = [
  ...(["oidcProvider", "providerId", "namePrefix", "jwks", "keys", "audience"] as const),
  ...(["credentialDirectory", "tokenLifetime"] as const),
];

/** Refuses what has no effect with GKE's own pool. */
export function checkGkePool(props: WorkloadProps): void {
  const { project, projectNumber: number, impersonate } = props;
  projectId(project);
  const own = OF_OWN_POOL.find((setting) => props[setting] !== undefined);
  if (own) refuseUnused(own, 'with pool: "gke"');
  if (number !== undefined) projectNumber(number);
  else if (impersonate === false) missingNumber("workloadServiceAccounts()");
}

/**
 * The principals of the cluster's service accounts in GKE's own pool: by the names that the policies of service accounts
 * have, or those that all policies have. Refuses clusters without the pool.
 */
export function gkePrincipals(
  scope: Construct,
  { url, additionalIssuers }: Issuer,
  { projectNumber: number, impersonate = true }: WorkloadProps,
): IPrincipals {
  const { project, location, cluster: name } = parseManagedIdentityProvider(url) ?? {};
  if (project === undefined || name === undefined || additionalIssuers.length > 0)
    return fail("google-mismatch", {
      problem: 'pool "gke" is only for clusters of GKE, whose one issuer GKE chooses',
      value: [url, ...additionalIssuers.map((each) => each.url)].join(", "),
      allowed: "gke(…), or the issuer of a GKE cluster",
      remedy: "leave `pool` out, so that the cluster gets a pool of its own",
    });
  const cluster = scope.node.root.node.findAll().find((each): each is ContainerCluster => {
    if (!TerraformResource.isTerraformResource(each)) return false;
    const { terraformResourceType: type, nameInput, locationInput, projectInput } = each as ContainerCluster;
    const isIts = nameInput === name && locationInput === location;
    return type === "google_container_cluster" && isIts && (projectInput ?? project) === project;
  });
  if (cluster && cluster.enableAutopilotInput !== true && !cluster.workloadIdentityConfigInput)
    fail("google-missing", {
      problem: `the GKE cluster ${cluster.node.path} has no workload pool, so that its pods get the identity of their node`,
      value: name,
      remedy: `state workloadIdentityConfig: { workloadPool: "${managedPoolId(project)}" } in it, and workloadMetadataConfig: { mode: "GKE_METADATA" } in the nodeConfig of its node pools`,
    });
  const poolId = managedPoolId(project);
  const principal = (subject: Subject): string =>
    impersonate || number === undefined
      ? managedUser(poolId, subject.key)
      : renderPrincipal(
          { projectNumber: number, poolId },
          { kind: "subject", subject: managedSubject(subject) },
        );
  return {
    pool: { project, poolId },
    audience: poolId,
    // The first cluster of a project with a workload pool makes the pool, and policies cannot name it before.
    dependencies: cluster ? [cluster] : [],
    addSubjects: () => undefined,
    principal,
  };
}
