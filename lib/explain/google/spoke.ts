/*
 * Who may enter a GKE cluster, directly or through Connect Gateway, and what for. Sources:
 * https://cloud.google.com/kubernetes-engine/docs/how-to/iam (RBAC or IAM allows a request; `container.clusters.get` is
 * needed to get in) and .../multicluster-management/gateway/setup.
 */

import { type Known, type Ternary, is, isKnown, known, or, orElse, same, shown } from "../../model/known";
import { type Answer, broken, pass, seen, unknown, worstOf } from "../answer";
import type { CloudSpokes, FleetWarning, SpokeQuestion, SpokeReading } from "../cloud";
import type { ServiceAccountFact } from "../read/service-accounts";
import type { SpokeFact } from "../read/spoke-facts";
import type { Terraform } from "../read/terraform";
import { boundAnswer, otherKindOfCluster, servedCluster } from "../shared/spokes";
import { type Grants, grantText } from "./grants";
import { type Counted, type Iam, grantSeen } from "./iam";
import { Identity } from "./identity";
import { accountBearer } from "./members";
import { piecesOf, projectOf } from "./names";
import { type IamEntry, iamEntry } from "./spoke-roles";

/** Source: cloud.google.com/kubernetes-engine/docs/how-to/workload-identity. */
const NATIVE = "iam.gke.io/gcp-service-account";
const GATEWAY = /^https:\/\/(?:[a-z0-9-]+-)?connectgateway\.googleapis\.com\/v1\/projects\/([^/]+)\/(.+)$/;
const PRINCIPAL =
  /^principal(?:Set)?:\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/.+$/;

/** GKE clusters and members of fleets as spokes. */
export class GoogleSpokes implements CloudSpokes {
  readonly #terraform: Terraform;
  readonly #iam: Iam;

  constructor(terraform: Terraform, iam: Iam) {
    this.#terraform = terraform;
    this.#iam = iam;
  }

  /** The answer for a controller with an annotation of GKE's own Workload Identity. */
  native({ key, annotations, source }: ServiceAccountFact): Answer | undefined {
    const email = annotations.get(NATIVE);
    if (email === undefined) return undefined;
    return unknown(
      `Workload Identity of GKE lets ${key} act as ${shown(email) || "nobody"}, which is not judged here`,
      "see that the service account of Google lets the member serviceAccount:<project>.svc.id.goog[<namespace>/<name>] act as it with roles/iam.workloadIdentityUser, and that the spoke lets it in; judged here is a pool of your own, with a credential file of type external_account in the pods",
      seen(NATIVE, source),
    );
  }

  /** Judges a controller's way into a spoke. */
  read(question: SpokeQuestion): SpokeReading {
    const { identity, server, spoke, rbac } = question;
    const other = otherKindOfCluster(
      servedCluster(server, this.#terraform),
      "google_container_cluster",
      "GKE",
    );
    if (other) return { admitted: other, authorized: other, warnings: [] };
    const email = identity instanceof Identity ? identity.email : undefined;
    if (email === undefined) {
      const nameless = unknown(
        "a pool's principal enters, whose user name on the spoke Google does not document",
        "act as a Google service account, whose user is the e-mail address",
      );
      return { admitted: nameless, authorized: nameless, warnings: [] };
    }
    const gateway = orElse(piecesOf(server, GATEWAY), () => undefined);
    const isAttached = gateway?.[1] !== undefined && !/(?:^|\/)gkeMemberships\//.test(shown(gateway[1]));
    const byIam = iamEntry(
      accountBearer(email),
      this.#project(question, gateway?.[0]),
      gateway !== undefined,
      this.#iam,
    );
    const agent = isAttached ? agentAnswer(spoke, email, rbac) : undefined;
    const admitted = worstOf(byIam.admitted, agent);
    const bound = boundAnswer(spoke, { users: [email], groups: [] }, rbac);
    return { admitted, authorized: authorizedBy(byIam, bound), warnings: byIam.working.map(wide) };
  }

  /** Id of the project that the spoke is of; `undefined` where nothing says it. */
  #project(
    { server, project, projectNumber }: SpokeQuestion,
    gateway: Known<string> | undefined,
  ): Known<string> | undefined {
    const recorded = project === undefined ? undefined : known(project);
    if (gateway !== undefined) {
      const isOther = projectNumber !== undefined && is(gateway, projectNumber) === "no";
      return this.#projectOfNumber(gateway) ?? (isOther ? undefined : recorded);
    }
    const cluster = servedCluster(server, this.#terraform);
    const own = cluster && projectOf(cluster);
    return own && (isKnown(own) || recorded === undefined) ? own : recorded;
  }

  /** By a project that is declared, or by a pool whose members name the number. */
  #projectOfNumber(number: Known<string>): Known<string> | undefined {
    const declared = this.#terraform
      .ofType("google_project")
      .find((each) => same(each.attribute("number"), number) === "yes");
    if (declared) return declared.attribute("project_id");
    const pools = poolsOf(this.#iam.grants, number);
    const projects = this.#terraform
      .ofType("google_iam_workload_identity_pool")
      .filter((pool) => pools.some((id) => same(pool.stated("workload_identity_pool_id"), id) === "yes"))
      .map(projectOf);
    const [first, ...others] = projects;
    return first && isKnown(first) && others.every((each) => same(each, first) === "yes") ? first : undefined;
  }
}

function poolsOf({ all }: Grants, number: Known<string>): readonly Known<string>[] {
  return all
    .flatMap(({ members }) => orElse(members, () => []))
    .flatMap((member) => {
      const [named, pool] = orElse(piecesOf(member, PRINCIPAL), () => undefined) ?? [];
      return named && pool && same(named, number) === "yes" ? [pool] : [];
    });
}

/** The service account of the Connect agent. */
const AGENT = "gke-connect/connect-agent-sa";

/** Whether the Connect agent of a member that is no GKE cluster may act as a user there. */
function agentAnswer(spoke: string, user: Known<string>, { bound, isWhole }: SpokeFact): Answer {
  const may = bound.map((each) => {
    if (each.kind !== "ServiceAccount") return { each, outcome: "no" as Ternary };
    const { impersonates } = each.rules ?? {};
    const acts =
      impersonates === undefined
        ? "unknown"
        : impersonates === "any"
          ? "yes"
          : or(...impersonates.map((name) => same(name, user)));
    const isAgent = is(each.name, AGENT);
    return {
      each,
      outcome: isAgent === "yes" ? acts : isAgent === "no" || acts === "no" ? "no" : ("unknown" as Ternary),
    };
  });
  const found = may.find(({ outcome }) => outcome === "yes")?.each;
  if (found) return pass(`the Connect agent of ${spoke} may act as the user`, seen(found.role, found.source));
  const remedy =
    "apply the ClusterRole that lets connect-agent-sa of gke-connect impersonate the user, bound to it";
  return bound.length === 0 || !isWhole || may.some(({ outcome }) => outcome === "unknown")
    ? unknown(`whether the Connect agent of ${spoke} may act as the user was not read`, remedy)
    : broken(
        `the Connect agent of ${spoke} may not act as ${shown(user)}`,
        remedy,
        `users "${shown(user)}" is forbidden: User "system:serviceaccount:gke-connect:connect-agent-sa" cannot impersonate`,
      );
}

/** Rights of RBAC, or of IAM. */
function authorizedBy({ working, mayWork }: IamEntry, bound: Answer): Answer {
  if (bound.status === "pass") return bound;
  if (working.length > 0)
    return pass(
      `IAM lets it work: ${working.map(({ grant }) => shown(grant.role)).join(", ")}`,
      ...working.flatMap(grantSeen),
    );
  return mayWork && bound.status === "fail"
    ? unknown(`${bound.reason}, and whether IAM lets it work cannot be told`, bound.remedy, ...bound.evidence)
    : bound;
}

function wide(counted: Counted): FleetWarning {
  return {
    id: "wide-role",
    reason: `${grantText(counted.grant)} counts in every cluster there`,
    evidence: grantSeen(counted),
    remedy: "grant roles/container.clusterViewer, and bind a role in the spoke",
  };
}
