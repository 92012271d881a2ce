/*
 * What granted roles mean for a GKE cluster, or for a member of a fleet behind Connect Gateway. Sources:
 * cloud.google.com/iam/docs/permissions-reference, and .../multicluster-management/gateway/setup for the gateway's.
 */

import { type Known, type Ternary, and, match, or, orElse, same, shown } from "../../model/known";
import { type Answer, broken, pass, unknown } from "../answer";
import { threatTo } from "./denials";
import { type Grant, grantText } from "./grants";
import { type Counted, type Iam, allowing, grantSeen } from "./iam";
import type { Bearer } from "./members";
import type { CustomRole } from "./roles";

/** What IAM says. */
export interface IamEntry {
  /** Whether it lets the identity in. */
  readonly admitted: Answer;
  /** Grants that let it work as well, certainly. */
  readonly working: readonly Counted[];
  /** True where a grant that is not read, or may count, may let it work. */
  readonly mayWork: boolean;
}

const GET = "container.clusters.get";
const GET_THROUGH = "gkehub.gateway.get";
const WORKS = /^container\.(?!clusters\.|operations\.|hostServiceAgent\.)/;
const GATEWAY_ROLE = /^roles\/gkehub\.gateway(?:Admin|Editor|Reader)$/;
/** Predefined and basic roles that hold `container.clusters.get`, some of them rights within clusters too. */
const ENTERING = /^roles\/container\.cluster(?:Viewer|Admin)$/;
const WORKING = /^roles\/(?:container\.(?:admin|developer|viewer)|viewer|editor|owner)$/;
/** Predefined roles of other services, which are known to hold nothing of clusters and gateways. */
const ELSEWHERE =
  /^roles\/(?:(?:artifactregistry|cloudkms|iam|logging|monitoring|pubsub|secretmanager|storage)\.|gkehub\.viewer$)/;
const NAME_IT = "name the Terraform that declares cluster, grants and custom roles as well";

/** Whether roles let an identity in, and whether they let it work. */
export function iamEntry(
  bearer: Bearer,
  project: Known<string> | undefined,
  isGateway: boolean,
  iam: Iam,
): IamEntry {
  const grants = iam.to(bearer);
  const reaches = (grant: Grant): Ternary => reachesProject(grant, project, isGateway);
  const found = allowing(grants, { role: (role) => enters(role, isGateway, iam), reaches });
  const threat = threatTo(iam.denials.of(bearer, [isGateway ? GET_THROUGH : GET]), project);
  const module = project && iam.unread.answer("the project of the spoke", [], [project]);
  const placed = [...new Set(grants.map(({ grant }) => shown(grant.on.name)))].join(", ");
  const admitted = iam.settled(admittedBy(found, project, isGateway, placed), threat, module);
  const works = isGateway ? [] : allowing(grants, { role: (role) => worksWith(role, iam), reaches });
  const isTaken = threatTo(iam.denials.of(bearer, ["container.pods.list"]), project) !== undefined;
  const working = works.filter(({ outcome }) => outcome === "yes");
  return {
    admitted,
    working: isTaken ? [] : working,
    mayWork: isTaken ? working.length > 0 : works.length > 0,
  };
}

/** Whether a role lets its members in. */
function enters(role: Known<string>, isGateway: boolean, { roles }: Iam): Ternary {
  const custom = roles.holds(role, isGateway ? GET_THROUGH : GET);
  if (custom !== undefined) return custom;
  return match(
    role,
    (name): Ternary => {
      if (ELSEWHERE.test(name)) return "no";
      if (GATEWAY_ROLE.test(name)) return isGateway ? "yes" : "no";
      // What basic roles hold of the gateway is not documented.
      if (isGateway) return name.startsWith("roles/container.") ? "no" : "unknown";
      return ENTERING.test(name) || WORKING.test(name) ? "yes" : "unknown";
    },
    () => "unknown",
  );
}

/** Whether a role that lets its members in lets them work too. */
function worksWith(role: Known<string>, iam: Iam): Ternary {
  const custom = iam.roles.custom(role);
  const works = custom
    ? worksBy(custom)
    : match(
        role,
        (name): Ternary => (WORKING.test(name) ? "yes" : ENTERING.test(name) ? "no" : "unknown"),
        (): Ternary => "unknown",
      );
  return and(enters(role, false, iam), works);
}

function worksBy({ permissions }: CustomRole): Ternary {
  const works = (permission: Known<string>): Ternary =>
    match(
      permission,
      (name): Ternary => (WORKS.test(name) ? "yes" : "no"),
      () => "unknown",
    );
  return match(
    permissions,
    (all) => or(...all.map(works)),
    (): Ternary => "unknown",
  );
}

/** Whether a grant reaches the spoke; which projects a folder or an organization holds, is not known. */
function reachesProject({ on }: Grant, project: Known<string> | undefined, isGateway: boolean): Ternary {
  if (on.kind === "folder" || on.kind === "organization") return "unknown";
  if (on.kind !== "project") return isGateway && on.kind.startsWith("gke hub ") ? "unknown" : "no";
  // A project is named by its number as well.
  const isNumber = /^\d+$/.test(orElse(on.name, () => ""));
  return project === undefined || isNumber ? "unknown" : same(on.name, project);
}

function admittedBy(
  found: readonly Counted[],
  project: Known<string> | undefined,
  isGateway: boolean,
  placed: string,
): Answer {
  const sure = found.filter(({ outcome }) => outcome === "yes");
  const evidence = found.flatMap(grantSeen);
  if (sure.length > 0)
    return pass(
      `IAM lets it in: ${sure.map(({ grant }) => grantText(grant)).join(", ")}`,
      ...sure.flatMap(grantSeen),
    );
  if (project === undefined)
    return unknown(
      `the project of the spoke is not known; roles are granted on ${placed || "none that was read"}`,
      NAME_IT,
      ...evidence,
    );
  const doubts = [...new Set(found.map(({ grant, doubt }) => `${grantText(grant)}, ${doubt}`))].join("; ");
  if (found.length > 0 || placed === "")
    return unknown(
      `no role that lets it into project ${shown(project)} was read${doubts === "" ? "" : `: ${doubts}`}`,
      NAME_IT,
      ...evidence,
    );
  return broken(
    `no role lets it into project ${shown(project)}`,
    `grant ${isGateway ? "roles/gkehub.gateway…" : "roles/container.clusterViewer"} on the project`,
    isGateway
      ? "403 Permission 'gkehub.gateway.get' denied"
      : '403 Required "container.clusters.get" permission',
    ...evidence,
  );
}
