/*
 * Workloads that get their identity from GKE itself: the metadata server on its nodes exchanges a token of the pod's
 * service account at the pool `<project>.svc.id.goog`, and acts as the Google service account that an annotation names,
 * else as the principal itself.
 *
 * Sources: Google Cloud documentation, "About Workload Identity Federation for GKE" and "Authenticate to Google Cloud
 * APIs from GKE workloads".
 */

import {
  type Known,
  Reference,
  identical,
  is,
  isAbsent,
  isKnown,
  joined,
  known,
  orElse,
  shown,
  textOf,
  unread,
  whether,
} from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { childOf } from "../../model/tree";
import { NATIVE_ANNOTATION } from "../../rules/google/cluster";
import { managedPoolId } from "../../rules/google/provider";
import { CREDENTIALS_VARIABLE } from "../../rules/google/workload";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AccessIdentity, AccountQuestion, AccountReading, TokenQuestion, TrustAnswer } from "../cloud";
import type { ClosedWorld, ClusterNames } from "../coverage/closed-world";
import type { Terraform } from "../read/terraform";
import { containersOf } from "../shared/pods";
import { notSeen } from "../shared/words";
import { GKE_ISSUER, GkeCluster } from "./clusters";
import { ACCOUNT } from "./grants";
import { type GrantTo, type Iam, grantSeen } from "./iam";
import { type Bearer, managedBearer, managedUser } from "./members";

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
const USER = "roles/iam.workloadIdentityUser";
const DENIED = "403 Permission 'iam.serviceAccounts.getAccessToken' denied";
const ANY_PROJECT = textOf([new Reference("the project of the cluster's workload pool")]);

export class GkeIdentities {
  readonly #terraform: Terraform;
  readonly #iam: Iam;
  #last: GkeCluster | undefined;

  constructor(terraform: Terraform, iam: Iam) {
    this.#terraform = terraform;
    this.#iam = iam;
  }

  /** One question after another is about the same cluster. */
  readonly #cluster = (issuer: Known<string>): GkeCluster => {
    if (this.#last === undefined || !identical(this.#last.issuer, issuer))
      this.#last = new GkeCluster(issuer, this.#terraform);
    return this.#last;
  };

  /** What the cluster of a service account gives it, if that is of GKE; `undefined` if nothing names an identity. */
  reading(question: AccountQuestion, acting: Acting): AccountReading | undefined {
    const { account, cluster } = question;
    const { issuer = NOT_KNOWN } = cluster;
    if (whether(issuer, (url) => url.startsWith(GKE_ISSUER)) === "no") return undefined;
    const written = account.annotations.get(NATIVE_ANNOTATION);
    const email = written === undefined || is(written, "") === "yes" ? undefined : written;
    const token = { issuer, audience: NOT_KNOWN, ...namespacedName(account.key) };
    const exchange = gkeExchange(this.#cluster, this.#iam.world, token);
    const where = seen(email === undefined ? "ServiceAccount" : NATIVE_ANNOTATION, account.source);
    const answer =
      email === undefined
        ? this.#unannotated(question, exchange, token)
        : pass(`the annotation names ${shown(email)}`, where);
    if (answer === undefined) return undefined;
    const identity = acting(email, exchange, where);
    return { answer, pods: this.#pods(question, issuer), audiences: [], identity };
  }

  /** The answer if grants name the service account, although no annotation does. */
  #unannotated(
    { account, declared }: AccountQuestion,
    exchange: Exchange,
    token: TokenQuestion,
  ): Answer | undefined {
    // No grant certainly names a principal of a pool that is not known.
    const { project = ANY_PROJECT } = this.#cluster(token.issuer).pool;
    const [user] = isKnown(project) ? exchange.users(token) : [];
    const named = user ? this.#iam.to(user).filter((each) => isByName(each, token)) : [];
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
  #pods({ pods, program }: AccountQuestion, issuer: Known<string>): Answer {
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
    const { nodes } = this.#cluster(issuer);
    if (open[0] || nodes.status !== "pass" || pods.length > 0) return open[0] ?? nodes;
    return notSeen("its pods need nothing but nodes with GKE's metadata server, and no host network");
  }
}

const NOT_KNOWN = unread("it is not recorded");

/** True for a grant that certainly names this one service account of the pool. */
function isByName({ grant, isTo }: GrantTo, { namespace, name }: TokenQuestion): boolean {
  const ends = [`/subject/ns/${namespace}/sa/${name}`, `[${namespace}/${name}]`];
  const members = orElse(grant.members, () => []).map(shown);
  return isTo === "yes" && members.some((each) => ends.some((end) => each.endsWith(end)));
}

/** The exchange of the metadata server, at the pool of the cluster that issues the token. */
function gkeExchange(
  clusterOf: (issuer: Known<string>) => GkeCluster,
  world: ClosedWorld,
  question: TokenQuestion,
): Exchange {
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
