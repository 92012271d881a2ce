/*
 * The GKE clusters that Terraform declares or looks up, the workload pools of their service accounts, and their nodes.
 *
 * Sources: "About Workload Identity Federation for GKE" (`issuer` of the discovery document of a cluster, pool, metadata
 * server); documentation of hashicorp/google, google_container_cluster and google_container_node_pool.
 */

import {
  type Known,
  type Ternary,
  and,
  andThen,
  is,
  isBlank,
  joined,
  known,
  orElse,
  same,
  shown,
  unread,
  whyNot,
} from "../../model/known";
import { managedPoolId } from "../../rules/google/provider";
import { parseManagedIdentityProvider } from "../../rules/google/pull";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { Block, Resource } from "../read/block";
import type { DeclaredCluster } from "../read/inferred-cluster";
import type { Terraform } from "../read/terraform";
import { NAME_CLUSTER } from "../shared/words";
import { isProjectNumber, piecesOf, projectOf } from "./names";

/** The issuers of GKE begin with it. */
export const GKE_ISSUER = "https://container.googleapis.com/";

export function gkeClusters(terraform: Terraform): readonly DeclaredCluster[] {
  return terraform.ofType("google_container_cluster").map((cluster) => ({
    cloud: "google",
    title: `the GKE cluster ${shown(cluster.attribute("name"))}`,
    name: cluster.attribute("name"),
    issuer: issuerOf(cluster),
    version: cluster.text("master_version"),
    webhooks: [],
    webhooksOff: [],
    source: cluster.source,
  }));
}

/** The issuer that GKE makes of project, location and name. */
function issuerOf(cluster: Resource): Known<string> {
  const place = joined(GKE_ISSUER, "v1/projects/", projectOf(cluster), "/locations/");
  return joined(place, cluster.attribute("location"), "/clusters/", cluster.attribute("name"));
}

/** The pool of GKE at which the tokens of a cluster's service accounts are exchanged. */
interface WorkloadPool {
  /** Whether the cluster has it. */
  readonly answer: Answer;
  /** The project that it is named after; `undefined` if it is not known. */
  readonly project?: Known<string>;
}

const GIVE = "also give explain what `terraform show -json` prints of the state that has the cluster";
const TURN_ON = 'write workload_identity_config { workload_pool = "<project>.svc.id.goog" }';
const MODE = "GKE_METADATA";

/** What was read of the cluster with an issuer: by a configuration, its plan and its state. */
export class GkeCluster {
  readonly issuer: Known<string>;
  /** The node pools that are, or may be, its own. */
  readonly nodePools: readonly Resource[];
  readonly pool: WorkloadPool;
  /** Whether every node that was read runs the metadata server. */
  readonly nodes: Answer;
  readonly #read: readonly Resource[];

  constructor(issuer: Known<string>, terraform: Terraform) {
    this.issuer = issuer;
    this.#read = terraform
      .ofType("google_container_cluster")
      .filter((each) => same(issuerOf(each), issuer) === "yes");
    this.nodePools = terraform
      .ofType("google_container_node_pool")
      .filter((pool) => this.#read.some((each) => isOf(pool, each) !== "no"));
    this.pool = this.#readPool();
    this.nodes = this.#readNodes();
  }

  /** True if nothing but its issuer is known. */
  get isUnread(): boolean {
    return this.#read.length === 0;
  }

  #readPool(): WorkloadPool {
    const read = this.#read.map((cluster) => ({ cluster, id: poolOf(cluster) }));
    // Where a configuration does not state the pool, its state does.
    const [first = read[0], ...others] = read.filter(({ id }) => whyNot(id)?.kind !== "unread");
    if (first === undefined) return notRead(this.issuer);
    const isOne = others.every(({ id }) => same(id, first.id) === "yes");
    return declaredPool(first.cluster, isOne ? first.id : unread("two of its sources disagree"));
  }

  #readNodes(): Answer {
    if (this.#read.some((each) => is(each.text("enable_autopilot"), "true") === "yes"))
      return pass("every node of an Autopilot cluster runs GKE's metadata server");
    const pools = [...this.#read.flatMap(ownNodes), ...this.nodePools.map((each) => [each, each] as const)];
    const other = pools.find(([nodes]) => is(modeOf(nodes), MODE) !== "yes");
    const [, resource = this.#read[0]] = other ?? pools[0] ?? [];
    const where = resource ? [seen(resource.address, resource.source)] : [];
    if (pools.length === 0)
      return unknown("no node pool was read that shows whether nodes run GKE's metadata server", GIVE, where);
    if (other === undefined) return pass("every node pool that was read runs GKE's metadata server", where);
    const mode = modeOf(other[0]);
    return unknown(
      `the metadata mode of ${resource?.address ?? ""} is ${isBlank(mode) ? "not stated" : shown(mode)}, and pods get an identity of their own only with ${MODE}`,
      `write workload_metadata_config { mode = "${MODE}" } into the node_config of every node pool`,
      where,
    );
  }
}

function modeOf(nodes: Block): Known<string | undefined> {
  const inside = (block: Known<Block | undefined>, name: string): Known<Block | undefined> =>
    andThen(block, (each) => each?.block(name) ?? known(undefined));
  const metadata = inside(nodes.block("node_config"), "workload_metadata_config");
  return andThen(metadata, (each) => each?.text("mode") ?? known(undefined));
}

/** The node pools that a cluster itself states; a state lists those of other resources, too. */
function ownNodes(cluster: Resource): readonly (readonly [nodes: Block, of: Resource])[] {
  const stated = orElse(cluster.blocks("node_pool"), () => [cluster]);
  const isRemoved = is(cluster.text("remove_default_node_pool"), "true") === "yes";
  return (stated.length > 0 || isRemoved ? stated : [cluster]).map((nodes) => [nodes, cluster]);
}

function isOf(pool: Resource, cluster: Resource): Ternary {
  const referred = pool.referred("cluster", ["id", "name"]);
  if (referred) return referred === cluster ? "yes" : "no";
  const [name = pool.stated("cluster")] = piecesOf(pool.stated("cluster"), /([^/]+)$/);
  const isThere = same(pool.stated("location"), cluster.attribute("location"));
  return and(isThere, same(projectOf(pool), projectOf(cluster)), same(name, cluster.attribute("name")));
}

/** The id of a cluster's workload pool; Terraform leaves it as it is if it is not stated. */
function poolOf(cluster: Resource): Known<string | undefined> {
  const stated = andThen(
    cluster.block("workload_identity_config"),
    (block) => block?.text("workload_pool") ?? known(undefined),
  );
  if (!isBlank(stated)) return stated;
  return andThen(cluster.flag("enable_autopilot"), (isAutopilot): Known<string | undefined> => {
    if (isAutopilot) return joined(projectOf(cluster), managedPoolId(""));
    return cluster.scope.isLiteral ? known(undefined) : unread("workload_identity_config is not stated");
  });
}

function declaredPool(cluster: Resource, id: Known<string | undefined>): WorkloadPool {
  const [title, clusterProject] = [cluster.address, projectOf(cluster)];
  const where = seen("workload_identity_config", cluster.source);
  if (isBlank(id)) {
    const reason = `${title} has no workload pool, so that its pods get the identity of their node`;
    return { answer: broken(reason, TURN_ON, undefined, where), project: clusterProject };
  }
  const [project] = piecesOf(id as Known<string>, /^(.+)\.svc\.id\.goog$/);
  if (project === undefined)
    return { answer: unknown(`the workload pool of ${title} is not known`, TURN_ON, where) };
  const fleet = andThen(cluster.block("fleet"), (block) => block?.text("project") ?? known(undefined));
  const owners = isProjectNumber(clusterProject) ? [fleet] : [clusterProject, fleet];
  const answer = owners.some((each) => same<string | undefined>(each, project) === "yes")
    ? pass(`${title} exchanges tokens at its workload pool ${shown(id)}`, where)
    : unknown(
        `whether the workload pool ${shown(id)} belongs to the project or the fleet of ${title} is not known`,
        "name the pool of the cluster's own project, or state the project of its fleet",
        where,
      );
  return { answer, project };
}

function notRead(issuer: Known<string>): WorkloadPool {
  const url = orElse(issuer, () => undefined);
  const project = url === undefined ? undefined : parseManagedIdentityProvider(url)?.project;
  const reason = `whether the cluster with the issuer ${shown(issuer)} has a workload pool is not known: its Terraform was not read`;
  const answer = unknown(reason, url === undefined ? NAME_CLUSTER : GIVE);
  return project === undefined ? { answer } : { answer, project: known(project) };
}
