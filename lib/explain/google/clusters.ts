/*
 * The GKE clusters that Terraform declares or looks up, with the workload pools of their service accounts and their nodes,
 * and workloads that get their identity from GKE itself: the metadata server on its nodes exchanges a token of the pod's
 * service account at the pool `<project>.svc.id.goog`, and acts as the Google service account that an annotation names,
 * else as the principal itself.
 *
 * Sources: Google Cloud documentation, "About Workload Identity Federation for GKE" (`issuer` of the discovery document of
 * a cluster, pool, metadata server) and "Authenticate to Google Cloud APIs from GKE workloads"; documentation of
 * hashicorp/google, google_container_cluster and google_container_node_pool.
 */

import {
  type Known,
  Reference,
  type Ternary,
  and,
  andThen,
  identical,
  is,
  isAbsent,
  isBlank,
  isKnown,
  joined,
  known,
  orElse,
  same,
  shown,
  textOf,
  unread,
  whether,
  whyNot,
} from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { childOf } from "../../model/tree";
import { NATIVE_ANNOTATION } from "../../rules/google/cluster";
import { managedPoolId } from "../../rules/google/provider";
import { parseManagedIdentityProvider } from "../../rules/google/pull";
import { CREDENTIALS_VARIABLE } from "../../rules/google/workload";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AccessIdentity, AccountQuestion, AccountReading, TokenQuestion, TrustAnswer } from "../cloud";
import type { ClosedWorld, ClusterNames } from "../coverage/closed-world";
import type { Block, Resource } from "../read/block";
import type { DeclaredCluster } from "../read/inferred-cluster";
import type { Terraform } from "../read/terraform";
import { containersOf } from "../shared/pods";
import { NAME_CLUSTER, notSeen } from "../shared/words";
import { ACCOUNT } from "./grants";
import { type GrantTo, type Iam, grantSeen } from "./iam";
import { type Bearer, managedBearer, managedUser } from "./members";
import { isProjectNumber, piecesOf, projectOf } from "./names";

/** The issuers of GKE begin with it. */
const GKE_ISSUER = "https://container.googleapis.com/";

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
interface GkeCluster {
  readonly issuer: Known<string>;
  /** True if nothing but its issuer is known. */
  readonly isUnread: boolean;
  /** The node pools that are, or may be, its own. */
  readonly nodePools: readonly Resource[];
  readonly pool: WorkloadPool;
  /** Whether every node that was read runs the metadata server. */
  readonly nodes: Answer;
}

function gkeCluster(issuer: Known<string>, terraform: Terraform): GkeCluster {
  const read = terraform
    .ofType("google_container_cluster")
    .filter((each) => same(issuerOf(each), issuer) === "yes");
  const nodePools = terraform
    .ofType("google_container_node_pool")
    .filter((pool) => read.some((each) => isOf(pool, each) !== "no"));
  const nodes = nodesOf(read, nodePools);
  return { issuer, isUnread: read.length === 0, nodePools, pool: poolIn(read, issuer), nodes };
}

function poolIn(clusters: readonly Resource[], issuer: Known<string>): WorkloadPool {
  const read = clusters.map((cluster) => ({ cluster, id: poolOf(cluster) }));
  // Where a configuration does not state the pool, its state does.
  const [first = read[0], ...others] = read.filter(({ id }) => whyNot(id)?.kind !== "unread");
  if (first === undefined) return notRead(issuer);
  const isOne = others.every(({ id }) => same(id, first.id) === "yes");
  return declaredPool(first.cluster, isOne ? first.id : unread("two of its sources disagree"));
}

function nodesOf(clusters: readonly Resource[], nodePools: readonly Resource[]): Answer {
  if (clusters.some((each) => is(each.text("enable_autopilot"), "true") === "yes"))
    return pass("every node of an Autopilot cluster runs GKE's metadata server");
  const pools = [...clusters.flatMap(ownNodes), ...nodePools.map((each) => [each, each] as const)];
  const other = pools.find(([nodes]) => is(modeOf(nodes), MODE) !== "yes");
  const [, resource = clusters[0]] = other ?? pools[0] ?? [];
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

/** How tokens of service accounts become principals of a pool: by a credential file, or by GKE's metadata server. */
export interface Exchange {
  /** The principal, for people. */
  principal(): string;
  /** Judges the exchange of a token; its subject is that of a principal that acts itself. */
  trust(question: TokenQuestion): TrustAnswer;
  /** To whom roles are granted. */
  bearer(question: TokenQuestion): Bearer;
  /** Who may act as a service account; a further one counts if the one before it certainly may not. */
  users(question: TokenQuestion): readonly Bearer[];
  trusted?(): readonly Known<string>[] | undefined;
  understood(label: string, cluster: ClusterNames): Answer;
}

/** Makes the identity of an exchange: as the service account with the address, or as the principal itself. */
type Acting = (email: Known<string> | undefined, exchange: Exchange, where: Evidence) => AccessIdentity;

/** Where Google's libraries find credentials, or a metadata server, in place of GKE's. */
const VARIABLES: readonly string[] = [CREDENTIALS_VARIABLE, "GCE_METADATA_HOST"];
/** The role with which a principal of a pool may act as a service account. */
export const USER = "roles/iam.workloadIdentityUser";
export const DENIED = "403 Permission 'iam.serviceAccounts.getAccessToken' denied";
const ANY_PROJECT = textOf([new Reference("the project of the cluster's workload pool")]);

type ClusterOf = (issuer: Known<string>) => GkeCluster;

/** What the cluster of a service account gives it, if that is of GKE; `undefined` if nothing names an identity. */
export function gkeReadings(
  terraform: Terraform,
  iam: Iam,
): (question: AccountQuestion, acting: Acting) => AccountReading | undefined {
  let last: GkeCluster | undefined;
  // One question after another is about the same cluster.
  const clusterOf: ClusterOf = (issuer) =>
    (last = last && identical(last.issuer, issuer) ? last : gkeCluster(issuer, terraform));
  return (question, acting) => {
    const { account, cluster } = question;
    const { issuer = NOT_KNOWN } = cluster;
    if (whether(issuer, (url) => url.startsWith(GKE_ISSUER)) === "no") return undefined;
    const written = account.annotations.get(NATIVE_ANNOTATION);
    const email = written === undefined || is(written, "") === "yes" ? undefined : written;
    const token = { issuer, audience: NOT_KNOWN, ...namespacedName(account.key) };
    const exchange = gkeExchange(clusterOf, iam.world, token);
    const where = seen(email === undefined ? "ServiceAccount" : NATIVE_ANNOTATION, account.source);
    const answer =
      email === undefined
        ? unannotated(question, exchange, token, clusterOf, iam)
        : pass(`the annotation names ${shown(email)}`, where);
    if (answer === undefined) return undefined;
    const identity = acting(email, exchange, where);
    return { answer, pods: podsAnswer(question, clusterOf(issuer)), audiences: [], identity };
  };
}

/** The answer if grants name the service account, although no annotation does. */
function unannotated(
  { account, declared }: AccountQuestion,
  exchange: Exchange,
  token: TokenQuestion,
  clusterOf: ClusterOf,
  iam: Iam,
): Answer | undefined {
  // No grant certainly names a principal of a pool that is not known.
  const { project = ANY_PROJECT } = clusterOf(token.issuer).pool;
  const [user] = isKnown(project) ? exchange.users(token) : [];
  const named = user ? iam.to(user).filter((each) => isByName(each, token)) : [];
  const own = named.find(({ grant }) => grant.on.kind !== ACCOUNT || is(grant.role, USER) !== "yes");
  if (own) return pass(`without ${NATIVE_ANNOTATION}, the principal acts itself`, grantSeen(own));
  const [acting] = named;
  if (acting === undefined || (account.source === undefined && !declared)) return undefined;
  const name = shown(acting.grant.on.name);
  return broken(
    `${name} lets ${account.key} act as it, but the service account has no annotation ${NATIVE_ANNOTATION}`,
    `annotate it with ${NATIVE_ANNOTATION}: ${name}, or grant the roles to its principal itself`,
    DENIED,
    grantSeen(acting),
  );
}

/** Whether pods reach GKE's metadata server: it is on the nodes, and not for pods in the host network. */
function podsAnswer({ pods, program }: AccountQuestion, { nodes }: GkeCluster): Answer {
  const open: Answer[] = [];
  for (const { title, spec, source } of pods) {
    const where = seen(title, source);
    const onHost = whether(childOf(spec, "hostNetwork"), (value) => value === true);
    const reason = `${title} is in the host network, where pods get the identity of their node`;
    const remedy = "run its pods without hostNetwork, or use a pool of your own";
    if (onHost === "yes") return broken(reason, remedy, DENIED, where);
    if (onHost === "unknown") open.push(unknown(`perhaps ${reason}`, remedy, where));
    const set = VARIABLES.find((name) =>
      containersOf(spec).some((each) => !isAbsent(program.get(name) ?? each.variable(name))),
    );
    if (set === undefined) continue;
    const by = `${title} sets ${set}, by which programs find other credentials than those of GKE's metadata server`;
    open.push(unknown(by, `remove ${set}`, where));
  }
  if (open[0] || nodes.status !== "pass" || pods.length > 0) return open[0] ?? nodes;
  return notSeen("its pods need nothing but nodes with GKE's metadata server, and no host network");
}

const NOT_KNOWN = unread("it is not recorded");

/** True for a grant that certainly names this one service account of the pool. */
function isByName({ grant, isTo }: GrantTo, { namespace, name }: TokenQuestion): boolean {
  const ends = [`/subject/ns/${namespace}/sa/${name}`, `[${namespace}/${name}]`];
  const members = orElse(grant.members, () => []).map(shown);
  return isTo === "yes" && members.some((each) => ends.some((end) => each.endsWith(end)));
}

/** The exchange of the metadata server, at the pool of the cluster that issues the token. */
function gkeExchange(clusterOf: ClusterOf, world: ClosedWorld, question: TokenQuestion): Exchange {
  const bearer = ({ issuer, namespace, name }: TokenQuestion): Bearer =>
    managedBearer(clusterOf(issuer).pool.project ?? ANY_PROJECT, issuer, namespace, name);
  return {
    principal: () => bearer(question).label,
    trust: ({ issuer, namespace, name }) => ({
      issuer: clusterOf(issuer).pool.answer,
      audience: pass("there is nothing to check: GKE's metadata server asks for the audience of its pool"),
      subject: pass(`the pool admits every service account of its clusters, including ${namespace}/${name}`),
    }),
    bearer,
    users: ({ issuer, namespace, name }) => {
      const { pool, isUnread } = clusterOf(issuer);
      // A cluster that was not read may be in the pool of its fleet.
      const projects = [pool.project ?? ANY_PROJECT, ...(isUnread ? [ANY_PROJECT] : [])];
      return projects.map((each) => managedUser(each, issuer, namespace, name));
    },
    understood: (label, cluster) => {
      const { pool, nodePools } = clusterOf(question.issuer);
      const id = joined(pool.project ?? known(""), managedPoolId(""));
      return world.understood(label, cluster, nodePools, [id]);
    },
  };
}
