/*
 * Who may enter a GKE cluster, directly or through Connect Gateway, and with what rights. Sources:
 * https://cloud.google.com/kubernetes-engine/docs/how-to/iam (RBAC or IAM allows a request; entering needs
 * `container.clusters.get`), .../multicluster-management/gateway/setup,
 * cloud.google.com/iam/docs/permissions-reference.
 */

import {
  type Known,
  type Ternary,
  and,
  is,
  isKnown,
  known,
  anyOf,
  same,
  shown,
  whether,
} from "../../model/known";
import { AGENT_KEY } from "../../rules/google/spoke";
import { type Answer, broken, pass, seen, unknown, worstOf } from "../answer";
import type { CloudSpokes, SpokeQuestion, SpokeReading } from "../cloud";
import type { FleetWarning } from "../result";
import type { SpokeFact } from "../read/spoke-facts";
import type { Terraform } from "../read/terraform";
import { boundAnswer, otherKindOfCluster, servedCluster } from "../shared/spokes";
import { type Grant, grantText } from "./grants";
import { type Counted, type Iam, allowing, grantSeen } from "./iam";
import { Identity } from "./identity";
import { type Bearer, accountBearer } from "./members";
import { isProjectNumber, piecesOf, projectOf } from "./names";

const GATEWAY = /^https:\/\/(?:[a-z0-9-]+-)?connectgateway\.googleapis\.com\/v1\/projects\/([^/]+)\/(.+)$/;

/** GKE clusters and members of fleets as spokes. */
export function googleSpokes(terraform: Terraform, iam: Iam): CloudSpokes {
  const neither = (answer: Answer): SpokeReading => ({ admitted: answer, authorized: answer, warnings: [] });
  return {
    read: (question) => {
      const { identity, server, spoke, rbac } = question;
      const cluster = servedCluster(server, terraform);
      const other = otherKindOfCluster(cluster, "google_container_cluster", "GKE");
      if (other) return neither(other);
      const email = identity instanceof Identity ? identity.email : undefined;
      if (email === undefined) return neither(NO_USER);
      const [gateway, member] = piecesOf(server, GATEWAY);
      const isAttached = member !== undefined && !/(?:^|\/)gkeMemberships\//.test(shown(member));
      const project = projectOfSpoke(cluster && projectOf(cluster), gateway, question, terraform);
      const byIam = iamEntry(accountBearer(email), project, gateway !== undefined, iam);
      const bound = boundAnswer(spoke, { users: [email], groups: [] }, rbac);
      return {
        admitted: worstOf(byIam.admitted, isAttached ? agentAnswer(spoke, email, rbac) : undefined),
        authorized: authorizedBy(byIam, bound),
        warnings: byIam.working.map(wide),
      };
    },
  };
}

const NO_USER = unknown(
  "a pool's principal enters, and Google does not document its user name on the spoke",
  "act as a Google service account, whose user name is its e-mail address",
);

/** The project of the cluster, or with the gateway's number, if it is declared; else the recorded one. */
function projectOfSpoke(
  ofCluster: Known<string> | undefined,
  number: Known<string> | undefined,
  { project, projectNumber }: SpokeQuestion,
  terraform: Terraform,
): Known<string> | undefined {
  const declared = terraform
    .ofType("google_project")
    .find((each) => number !== undefined && same(each.attribute("number"), number) === "yes");
  const clusterProject = number === undefined ? ofCluster : declared?.attribute("project_id");
  const isOther = number !== undefined && projectNumber !== undefined && is(number, projectNumber) === "no";
  const stated = project === undefined || isOther ? undefined : known(project);
  return clusterProject !== undefined && (isKnown(clusterProject) || stated === undefined)
    ? clusterProject
    : stated;
}

/** Whether the Connect agent of a fleet member outside GKE may impersonate a user there. */
function agentAnswer(spoke: string, user: Known<string>, { bound, isWhole }: SpokeFact): Answer {
  const may = bound.map((each) => {
    const names = each.rules?.impersonates;
    const acts = names === "any" ? "yes" : names ? anyOf(names.map((name) => same(name, user))) : "unknown";
    const isAgent = each.kind === "ServiceAccount" ? is(each.name, AGENT_KEY) : "no";
    return { each, outcome: and(isAgent, acts) };
  });
  const agent = may.find(({ outcome }) => outcome === "yes")?.each;
  if (agent) return pass(`the Connect agent of ${spoke} may act as the user`, seen(agent.role, agent.source));
  const remedy =
    "apply a ClusterRole that lets connect-agent-sa of gke-connect impersonate the user, and bind it to that service account";
  if (bound.length === 0 || !isWhole || may.some(({ outcome }) => outcome === "unknown"))
    return unknown(`whether the Connect agent of ${spoke} may act as the user was not read`, remedy);
  return broken(
    `the Connect agent of ${spoke} may not act as ${shown(user)}`,
    remedy,
    `users "${shown(user)}" is forbidden: User "system:serviceaccount:gke-connect:connect-agent-sa" cannot impersonate`,
  );
}

function authorizedBy({ working, mayWork }: IamEntry, bound: Answer): Answer {
  if (bound.status === "pass") return bound;
  if (working.length > 0) {
    const roles = working.map(({ grant }) => shown(grant.role)).join(", ");
    return pass(`IAM grants it rights in the cluster: ${roles}`, working.flatMap(grantSeen));
  }
  const { status, reason, remedy, evidence } = bound;
  return mayWork && status === "fail"
    ? unknown(`${reason}, and whether IAM grants it rights in the cluster is not known`, remedy, evidence)
    : bound;
}

function wide(counted: Counted): FleetWarning {
  return {
    id: "wide-role",
    reason: `${grantText(counted.grant)} grants rights in every cluster there`,
    evidence: grantSeen(counted),
    remedy: "grant roles/container.clusterViewer, and bind a role in the spoke",
  };
}

interface IamEntry {
  readonly admitted: Answer;
  /** Grants that certainly also give it rights in the cluster. */
  readonly working: readonly Counted[];
  /** True if a grant that was not read, or may be in effect, may give it rights in the cluster. */
  readonly mayWork: boolean;
}

const WORKS = /^container\.(?!clusters\.|operations\.|hostServiceAgent\.)/;
const GATEWAY_ROLE = /^roles\/gkehub\.gateway(?:Admin|Editor|Reader)$/;
/** Predefined and basic roles that hold `container.clusters.get`, some with rights within clusters too. */
const ENTERING = /^roles\/container\.cluster(?:Viewer|Admin)$/;
const WORKING = /^roles\/(?:container\.(?:admin|developer|viewer)|viewer|editor|owner)$/;
/** Predefined roles of other services, which are known to hold no permission for clusters and gateways. */
const ELSEWHERE =
  /^roles\/(?:(?:artifactregistry|cloudkms|iam|logging|monitoring|pubsub|secretmanager|storage)\.|gkehub\.viewer$)/;

/** Whether roles admit an identity, and whether they give it rights in the cluster. */
function iamEntry(
  bearer: Bearer,
  project: Known<string> | undefined,
  isGateway: boolean,
  iam: Iam,
): IamEntry {
  const grants = iam.to(bearer);
  const reaches = (grant: Grant): Ternary => reachesProject(grant, project, isGateway);
  const permission = isGateway ? "gkehub.gateway.get" : "container.clusters.get";
  const enters = (role: Known<string>): Ternary =>
    iam.holds(role, permission) ?? whether(role, (name) => entersWith(name, isGateway));
  const allowed = allowing(grants, { role: enters, reaches });
  const module =
    project === undefined ? undefined : iam.world.answer("the project of the spoke", [], [project]);
  const counting = allowing(grants, { role: () => "yes", reaches: () => "yes" });
  const admitted = iam.settled(admittedBy(allowed, counting, project, isGateway), module);
  const works = (role: Known<string>): Ternary => and(enters(role), worksWith(role, iam));
  const all = isGateway ? [] : allowing(grants, { role: works, reaches });
  const working = all.filter(({ doubt }) => doubt === "");
  return { admitted, working: iam.denial ? [] : working, mayWork: all.length > 0 };
}

function entersWith(role: string, isGateway: boolean): Ternary | boolean {
  if (ELSEWHERE.test(role)) return "no";
  if (GATEWAY_ROLE.test(role)) return isGateway;
  // Which gateway permissions basic roles hold is not documented.
  if (isGateway) return role.startsWith("roles/container.") ? "no" : "unknown";
  return ENTERING.test(role) || WORKING.test(role) || "unknown";
}

/** Whether a role that admits its members also gives them rights in the cluster. */
function worksWith(role: Known<string>, iam: Iam): Ternary {
  const custom = iam.role(role);
  if (custom)
    return whether(custom.permissions, (all) =>
      anyOf(all.map((each) => whether(each, (name) => WORKS.test(name)))),
    );
  return whether(role, (name) => WORKING.test(name) || (ENTERING.test(name) ? "no" : "unknown"));
}

/** Whether a grant reaches the spoke; the projects of a folder or an organization are not known. */
function reachesProject({ on }: Grant, project: Known<string> | undefined, isGateway: boolean): Ternary {
  if (on.kind === "folder" || on.kind === "organization") return "unknown";
  if (on.kind !== "project") return isGateway && on.kind.startsWith("gke hub ") ? "unknown" : "no";
  return project === undefined || isProjectNumber(on.name) ? "unknown" : same(on.name, project);
}

function admittedBy(
  grants: readonly Counted[],
  counting: readonly Counted[],
  project: Known<string> | undefined,
  isGateway: boolean,
): Answer {
  const sure = grants.filter(({ doubt }) => doubt === "");
  if (sure.length > 0) {
    const roles = sure.map(({ grant }) => grantText(grant)).join(", ");
    return pass(`IAM admits it: ${roles}`, sure.flatMap(grantSeen));
  }
  const doubts = new Set(grants.map(({ grant, doubt }) => `${grantText(grant)}, ${doubt}`));
  const placed = new Set(counting.map(({ grant }) => shown(grant.on.name)));
  const reason =
    project === undefined
      ? `the project of the spoke is not known; roles are granted on ${[...placed].join(", ") || "none that was read"}`
      : `no role that admits it to clusters of project ${shown(project)} was read${doubts.size === 0 ? "" : `: ${[...doubts].join("; ")}`}`;
  if (project === undefined || grants.length > 0 || counting.length === 0)
    return unknown(
      reason,
      "also give explain the Terraform that declares the cluster, the grants and the custom roles",
      grants.flatMap(grantSeen),
    );
  return broken(
    `no role admits it to clusters of project ${shown(project)}`,
    `grant ${isGateway ? "roles/gkehub.gateway…" : "roles/container.clusterViewer"} on the project`,
    isGateway
      ? "403 Permission 'gkehub.gateway.get' denied"
      : '403 Required "container.clusters.get" permission',
  );
}
