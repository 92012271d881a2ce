/*
 * Who may enter a GKE cluster, directly or through Connect Gateway, and what for. Sources:
 * https://cloud.google.com/kubernetes-engine/docs/how-to/iam (RBAC or IAM allows a request; `container.clusters.get` is
 * needed to get in) and .../multicluster-management/gateway/setup.
 */

import { type Answer, pass, seen, unknown } from "../../answer";
import { obstacle } from "../../obstacle";
import type { ServiceAccountFact } from "../../facts/kubernetes-facts";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { boundAnswer } from "../bound-names";
import type { CloudSpokes, FleetWarning, SpokeQuestion, SpokeReading } from "../cloud-spokes";
import { otherKindOfCluster, servedCluster } from "../server-reference";
import { Authorities } from "./authority";
import { agentAnswer } from "./connect-agent";
import { type DenialFact, denials } from "./denials";
import { GrantIndex } from "./grant-index";
import type { CustomRoles } from "./granted-permissions";
import { type MemberGrant, customRoles, memberGrants, ruledPolicies } from "./member-grants";
import { type IamEntry, iamEntry, roleEvidence } from "./spoke-roles";
import { projectOf } from "./workload-identity";

/** Source: cloud.google.com/kubernetes-engine/docs/how-to/workload-identity. */
const NATIVE = "iam.gke.io/gcp-service-account";
const GATEWAY = /^https:\/\/(?:[a-z0-9-]+-)?connectgateway\.googleapis\.com\/v1\/projects\/([^/]+)\//;
const GKE_MEMBER = /\/gkeMemberships\//;
const PRINCIPAL =
  /^principal(?:Set)?:\/\/iam\.googleapis\.com\/projects\/(\d+)\/locations\/global\/workloadIdentityPools\/([^/]+)\//;
const PROJECT = /^\$\{(\d+)#((?:data\.)?google_project\.[\w-]+)\.number\}$/;

/** GKE clusters and members of fleets as spokes. */
export class GoogleSpokes implements CloudSpokes {
  readonly #terraform: Terraform;
  readonly #grants: GrantIndex<MemberGrant>;
  readonly #roles: CustomRoles;
  readonly #authorities: Authorities;
  readonly #denials: readonly DenialFact[];
  /** Ids of projects by their number, each looked for once. */
  readonly #projects = new Map<string, string | undefined>();

  /** Indexes the grants, and what takes them away. */
  constructor(terraform: Terraform) {
    this.#terraform = terraform;
    this.#grants = new GrantIndex(memberGrants(terraform));
    this.#roles = customRoles(terraform);
    this.#authorities = new Authorities(ruledPolicies(terraform));
    this.#denials = denials(terraform);
  }

  /** The answer for a controller with an annotation of GKE's own Workload Identity. */
  native({ key, annotations, source }: ServiceAccountFact): Answer | undefined {
    const email = annotations.get(NATIVE);
    if (email === undefined) return undefined;
    return unknown(
      `Workload Identity of GKE lets ${key} act as ${email || "nobody"}, which is not judged here`,
      "see that the service account of Google lets the member serviceAccount:<project>.svc.id.goog[<namespace>/<name>] act as it with roles/iam.workloadIdentityUser, and that the spoke lets it in; what is judged here is a pool of one's own, with a credential file of type external_account in the pods",
      seen(NATIVE, source),
    );
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
    const byIam = this.#byIam(question, isGateway);
    const agent = isGateway && !GKE_MEMBER.test(server) ? agentAnswer(spoke, identity, rbac) : undefined;
    const admitted = obstacle([byIam.admitted, agent]) ?? byIam.admitted;
    const bound = boundAnswer(spoke, { users: [identity], groups: [] }, rbac);
    return { admitted, authorized: authorizedBy(byIam, bound), warnings: byIam.working.map(wide) };
  }

  #byIam(question: SpokeQuestion, isGateway: boolean): IamEntry {
    const member = `serviceAccount:${question.identity}`;
    return iamEntry({
      member,
      isGateway,
      grants: this.#grants.of([member], []),
      project: this.#project(question),
      roles: this.#roles,
      authorities: this.#authorities,
      denials: this.#denials,
    });
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

/** Rights of RBAC, or of IAM. */
function authorizedBy({ working, mayWork }: IamEntry, bound: Answer): Answer {
  if (bound.status === "pass") return bound;
  if (working.length > 0)
    return pass(
      `IAM lets it work: ${working.map(({ role }) => role).join(", ")}`,
      ...working.map(roleEvidence),
    );
  return mayWork && bound.status === "fail"
    ? unknown(`${bound.reason}, and whether IAM lets it work cannot be told`, bound.remedy, ...bound.evidence)
    : bound;
}

function wide(grant: MemberGrant): FleetWarning {
  return {
    id: "wide-role",
    reason: `${grant.role} counts in every cluster of ${grant.on}`,
    evidence: [roleEvidence(grant)],
    remedy: "grant roles/container.clusterViewer, and bind a role in the spoke",
  };
}

function nameless(reason: string): SpokeReading {
  const answer = unknown(reason, "act as a Google service account, whose user is the e-mail address");
  return { admitted: answer, authorized: answer, warnings: [] };
}
