/*
 * Who may enter a GKE cluster, directly or through Connect Gateway, and what for. Sources:
 * https://cloud.google.com/kubernetes-engine/docs/how-to/iam (RBAC or IAM allows a request; `container.clusters.get` is
 * needed to get in) and .../multicluster-management/gateway/setup.
 */

import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { boundAnswer } from "../bound-names";
import type { CloudSpokes, FleetWarning, SpokeQuestion, SpokeReading } from "../cloud-spokes";
import { otherKindOfCluster, servedCluster } from "../server-reference";
import { agentAnswer } from "./connect-agent";
import { GrantIndex } from "./grant-index";
import { type MemberGrant, memberGrants } from "./member-grants";
import { projectOf } from "./workload-identity";

const GATEWAY = /^https:\/\/(?:[a-z0-9-]+-)?connectgateway\.googleapis\.com\/v1\/projects\/([^/]+)\//;
const GKE_MEMBER = /\/gkeMemberships\//;
const PRINCIPAL =
  /^principal(?:Set)?:\/\/iam\.googleapis\.com\/projects\/(\d+)\/locations\/global\/workloadIdentityPools\/([^/]+)\//;
const PROJECT = /^\$\{(\d+)#((?:data\.)?google_project\.[\w-]+)\.number\}$/;
const GETS_IN: readonly string[] = ["roles/container.clusterViewer"];
const DIRECT: readonly string[] = [
  "roles/container.admin",
  "roles/container.clusterAdmin",
  "roles/container.developer",
  "roles/container.viewer",
];
/** Of these, one gets in and lets nobody do anything. */
const IDLE: readonly string[] = ["roles/container.clusterViewer", "roles/container.clusterAdmin"];
const THROUGH: readonly string[] = [
  "roles/gkehub.gatewayAdmin",
  "roles/gkehub.gatewayEditor",
  "roles/gkehub.gatewayReader",
];
const NAME_IT = "name the Terraform that declares cluster and grants as well";

/** GKE clusters and members of fleets as spokes. */
export class GoogleSpokes implements CloudSpokes {
  readonly #terraform: Terraform;
  readonly #grants: GrantIndex<MemberGrant>;
  /** Ids of projects by their number, each looked for once. */
  readonly #projects = new Map<string, string | undefined>();

  /** Indexes the grants. */
  constructor(terraform: Terraform) {
    this.#terraform = terraform;
    this.#grants = new GrantIndex(memberGrants(terraform));
  }

  /** Judges a controller's way into a spoke. */
  read(question: SpokeQuestion): SpokeReading {
    const { identity, server, spoke, rbac } = question;
    const isGateway = GATEWAY.test(server);
    const other = otherKindOfCluster(
      servedCluster(server, this.#terraform),
      "google_container_cluster",
      "GKE",
    );
    if (other) return { admitted: other, authorized: other, warnings: [] };
    if (!identity.includes("@") && !isLateText(identity))
      return nameless("a pool's principal enters, whose user name on the spoke Google does not document");
    const roles = isGateway ? THROUGH : [...GETS_IN, ...DIRECT];
    const { certain, possible } = this.#grants.of([`serviceAccount:${identity}`], []);
    const held = certain.filter(({ role, on }) => roles.includes(role) && on.startsWith("project "));
    const project = this.#project(question);
    const here = held.filter(({ on, conditional }) => on === `project ${project ?? ""}` && !conditional);
    const byIam = admittedBy(here, held, project, isGateway, certain.length + possible.length > 0);
    const agent = isGateway && !GKE_MEMBER.test(server) && agentAnswer(spoke, identity, rbac);
    const admitted = byIam.status === "pass" && agent && agent.status !== "pass" ? agent : byIam;
    const working = here.filter(({ role }) => !isGateway && !IDLE.includes(role));
    const bound = boundAnswer(spoke, { users: [identity], groups: [] }, rbac);
    const authorized =
      working.length > 0 && bound.status !== "pass"
        ? pass(`IAM lets it work: ${working.map(({ role }) => role).join(", ")}`, ...working.map(evidence))
        : bound;
    return { admitted, authorized, warnings: working.map((each) => wide(each)) };
  }

  /** Id of the project that the spoke is of; `undefined` where nothing says it. */
  #project({ server, project: recorded, projectNumber }: SpokeQuestion): string | undefined {
    const gateway = GATEWAY.exec(server)?.[1];
    if (gateway !== undefined) {
      const isOther = projectNumber !== undefined && projectNumber !== gateway;
      return this.#projectOfNumber(gateway) ?? (isOther ? undefined : recorded);
    }
    const cluster = servedCluster(server, this.#terraform);
    const project = cluster && projectOf(cluster, this.#terraform);
    return project === undefined || project === "" || isLateText(project) ? recorded : project;
  }

  #projectOfNumber(number: string): string | undefined {
    if (!this.#projects.has(number)) this.#projects.set(number, this.#readProject(number));
    return this.#projects.get(number);
  }

  #readProject(number: string): string | undefined {
    const project =
      this.#referred(number) ??
      this.#terraform
        .ofType("google_project")
        .find((each) => this.#terraform.text(each, "number") === number);
    return (project && this.#terraform.text(project, "project_id")) || this.#projectOfPool(number);
  }

  /** A principal of a pool names the project's number, and the pool its id. */
  #projectOfPool(number: string): string | undefined {
    const members = ["google_service_account_iam_member", "google_project_iam_member"]
      .flatMap((type) => this.#terraform.ofType(type))
      .map((each) => PRINCIPAL.exec(this.#terraform.text(each, "member")));
    const pools = new Set(members.flatMap((found) => (found?.[1] === number ? [found[2]] : [])));
    const projects = this.#terraform
      .ofType("google_iam_workload_identity_pool")
      .filter((pool) => pools.has(this.#terraform.text(pool, "workload_identity_pool_id")))
      .map((pool) => projectOf(pool, this.#terraform));
    const [project] = projects;
    const isClear = projects.every((each) => each === project) && project !== "";
    return isClear && project !== undefined && !isLateText(project) ? project : undefined;
  }

  #referred(number: string): TerraformResource | undefined {
    const [, scope, address = ""] = PROJECT.exec(number) ?? [];
    return scope === undefined ? undefined : this.#terraform.scopes[Number(scope)]?.resources.get(address);
  }
}

function admittedBy(
  here: readonly MemberGrant[],
  held: readonly MemberGrant[],
  project: string | undefined,
  isGateway: boolean,
  isKnown: boolean,
): Answer {
  if (here.length > 0)
    return pass(
      `IAM lets it in: ${here.map(({ role, on }) => `${role} on ${on}`).join(", ")}`,
      ...here.map(evidence),
    );
  const needed = isGateway ? "roles/gkehub.gateway…" : "roles/container.clusterViewer";
  if (project === undefined || held.some(({ conditional }) => conditional) || (!isKnown && held.length === 0))
    return unknown(
      project === undefined
        ? `the project of the spoke is not known; roles are granted on ${held.map(({ on }) => on).join(", ") || "none that was read"}`
        : `no role that lets it into project ${project} was read`,
      NAME_IT,
      ...held.map(evidence),
    );
  return broken(
    `no role lets it into project ${project}`,
    `grant ${needed} on the project`,
    isGateway
      ? "403 Permission 'gkehub.gateway.get' denied"
      : '403 Required "container.clusters.get" permission',
    ...held.map(evidence),
  );
}

function evidence({ role, on, source }: MemberGrant): ReturnType<typeof seen> {
  return seen(`${role} on ${on}`, source);
}

function wide(grant: MemberGrant): FleetWarning {
  return {
    id: "wide-role",
    reason: `${grant.role} counts in every cluster of ${grant.on}`,
    evidence: [evidence(grant)],
    remedy: "grant roles/container.clusterViewer, and bind a role in the spoke",
  };
}

function nameless(reason: string): SpokeReading {
  const answer = unknown(reason, "act as a Google service account, whose user is the e-mail address");
  return { admitted: answer, authorized: answer, warnings: [] };
}
