/*
 * What granted roles mean for a GKE cluster, or for a member of a fleet behind Connect Gateway. Sources:
 * cloud.google.com/iam/docs/permissions-reference, and .../multicluster-management/gateway/setup for the gateway's.
 */

import { type Known, type Ternary, and, match, orElse, same, shown } from "../../model/known";
import { conditionMet } from "../../rules/google/grant-condition";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import { threatTo } from "./denials";
import { type Grant, grantText } from "./grants";
import type { Bearer } from "./members";
import { type Policies, touched } from "./permission";

/** What IAM says. */
export interface IamEntry {
  /** Whether it lets the identity in. */
  readonly admitted: Answer;
  /** Grants that let it work as well, certainly. */
  readonly working: readonly Grant[];
  /** True where a grant that is not read, or may count, may let it work. */
  readonly mayWork: boolean;
}

/** A role lets in without letting its members do anything, or lets work too; `undefined` where that is not known. */
type Means = "enter" | "work" | "nothing" | undefined;

const GET = "container.clusters.get";
const GET_THROUGH = "gkehub.gateway.get";
const WORKS = /^container\.(?!clusters\.|operations\.|hostServiceAgent\.)/;
const GATEWAY_ROLE = /^roles\/gkehub\.gateway(?:Admin|Editor|Reader)$/;
/** Predefined and basic roles that hold `container.clusters.get`. */
const DIRECT: Readonly<Record<string, Means>> = {
  "roles/container.clusterViewer": "enter",
  "roles/container.clusterAdmin": "enter",
  ...Object.fromEntries(
    ["container.admin", "container.developer", "container.viewer", "viewer", "editor", "owner"].map(
      (name) => [`roles/${name}`, "work"],
    ),
  ),
};
/** Predefined roles of other services, which are known to hold nothing of clusters and gateways. */
const ELSEWHERE =
  /^roles\/(?:artifactregistry|cloudkms|iam|logging|monitoring|pubsub|secretmanager|storage)\.|^roles\/gkehub\.viewer$/;
const NAME_IT = "name the Terraform that declares cluster, grants and custom roles as well";

interface Held {
  readonly grant: Grant;
  readonly means: Means;
  /** Whether it certainly counts for the spoke. */
  readonly counts: Ternary;
  /** Why that is not certain. */
  readonly doubt: string;
}

/** Whether roles let an identity in, and whether they let it work. */
export function iamEntry(
  bearer: Bearer,
  project: Known<string> | undefined,
  isGateway: boolean,
  policies: Policies,
): IamEntry {
  const { certain, possible } = policies.index.of(bearer);
  const read = (grant: Grant, isTo: Ternary): Held =>
    heldRole(grant, isTo, bearer, project, isGateway, policies);
  const held = [
    ...certain.map((grant) => read(grant, "yes")),
    ...possible.map((grant) => read(grant, "unknown")),
  ];
  const relevant = held.filter(({ means, counts }) => means !== "nothing" && counts !== "no");
  const sure = relevant.filter(({ counts }) => counts === "yes");
  const working = isGateway ? [] : sure.filter(({ means }) => means === "work").map(({ grant }) => grant);
  const threats = policies.denials.of(bearer, ["container.pods.list"]);
  const isTaken = threatTo(threats, project) !== undefined;
  const isOpen = relevant.some(({ counts }) => counts === "unknown");
  return {
    admitted: admittedBy(bearer, project, isGateway, held, policies),
    working: isTaken ? [] : working,
    mayWork: !isGateway && (isTaken ? working.length > 0 : isOpen),
  };
}

function heldRole(
  grant: Grant,
  isTo: Ternary,
  bearer: Bearer,
  project: Known<string> | undefined,
  isGateway: boolean,
  { grants, roles }: Policies,
): Held {
  const custom = roles.custom(grant.role);
  const permissions = custom && orElse(custom.permissions, () => undefined);
  const means =
    custom?.isOff === "yes"
      ? "nothing"
      : custom
        ? permissions && custom.isOff === "no"
          ? meansOfPermissions(
              permissions.map((each) => orElse(each, () => "")),
              isGateway,
            )
          : undefined
        : match(
            grant.role,
            (role) => meansOf(role, isGateway),
            () => undefined,
          );
  const here = placeOf(grant, project, isGateway);
  const owner = grants.against(grant, bearer.isMember);
  const met = grant.condition ? conditionMet(grant.condition) : "yes";
  const role = shown(grant.role);
  const doubts: readonly (readonly [boolean, string])[] = [
    [isTo !== "yes", "a grant may be to it, which only apply will tell"],
    [met === "unknown", `${role} is under a condition`],
    [
      owner !== undefined,
      `${role} is contested: another resource rules the same policy, and leaves the identity out`,
    ],
    [means === undefined, `what ${role} permits is not read here`],
    [here === "unknown", `whether ${grantText(grant)} reaches the spoke is not known`],
  ];
  const doubt = doubts.find(([isSo]) => isSo)?.[1];
  return {
    grant,
    means,
    doubt: doubt ?? "",
    counts: and(here, met, doubt === undefined ? "yes" : "unknown"),
  };
}

function meansOf(role: string, isGateway: boolean): Means {
  if (ELSEWHERE.test(role)) return "nothing";
  if (GATEWAY_ROLE.test(role)) return isGateway ? "enter" : "nothing";
  // What basic roles hold of the gateway is not documented.
  if (isGateway) return role.startsWith("roles/container.") ? "nothing" : undefined;
  return DIRECT[role];
}

function meansOfPermissions(permissions: readonly string[], isGateway: boolean): Means {
  if (!permissions.includes(isGateway ? GET_THROUGH : GET))
    return permissions.includes("") ? undefined : "nothing";
  return permissions.some((each) => WORKS.test(each)) ? "work" : "enter";
}

/** Whether a grant reaches the spoke; which projects a folder or an organization holds, is not known. */
function placeOf({ on }: Grant, project: Known<string> | undefined, isGateway: boolean): Ternary {
  if (on.kind === "folder" || on.kind === "organization") return "unknown";
  if (on.kind !== "project") return isGateway && on.kind.startsWith("gke hub ") ? "unknown" : "no";
  // A project is named by its number as well.
  const isNumber = /^\d+$/.test(orElse(on.name, () => ""));
  return project === undefined || isNumber ? "unknown" : same(on.name, project);
}

function keptOut(
  { denial, outcome }: NonNullable<ReturnType<typeof threatTo>>,
  sure: readonly Grant[],
): Answer {
  const { title, resource } = denial;
  const where = [...sure.map(roleEvidence), seen(title, resource.source)];
  return outcome === "yes"
    ? broken(`a ${title} keeps it out`, `see the ${title}`, "403", ...where)
    : unknown(
        `${sure.map(grantText).join(", ")} would let it in, and whether a ${title} takes that away cannot be judged`,
        `see the ${title}`,
        ...where,
      );
}

function admittedBy(
  bearer: Bearer,
  project: Known<string> | undefined,
  isGateway: boolean,
  held: readonly Held[],
  { denials, mentions }: Policies,
): Answer {
  const relevant = held.filter(({ means }) => means !== "nothing");
  const sure = relevant.filter(({ counts }) => counts === "yes").map(({ grant }) => grant);
  const evidence = relevant.map(({ grant }) => roleEvidence(grant));
  const threat = threatTo(denials.of(bearer, [isGateway ? GET_THROUGH : GET]), project);
  const texts = sure.map(grantText).join(", ");
  const call = project && mentions.of(orElse(project, () => undefined));
  if (threat && (sure.length > 0 || threat.outcome === "yes")) return keptOut(threat, sure);
  if (sure.length > 0)
    return call
      ? touched(`IAM lets it in: ${texts}`, call)
      : pass(`IAM lets it in: ${texts}`, ...sure.map(roleEvidence));
  if (project === undefined)
    return unknown(
      `the project of the spoke is not known; roles are granted on ${held.map(({ grant }) => shown(grant.on.name)).join(", ") || "none that was read"}`,
      NAME_IT,
      ...evidence,
    );
  const open = [...new Set(relevant.filter(({ counts }) => counts === "unknown").map(({ doubt }) => doubt))];
  if (call) return touched(`no role that lets it into project ${shown(project)} was read`, call);
  if (open.length > 0 || held.length === 0)
    return unknown(
      `no role that lets it into project ${shown(project)} was read${open.length > 0 ? `: ${open.join(", ")}` : ""}`,
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

/** A granted role as evidence. */
export function roleEvidence(grant: Grant): Evidence {
  return seen(grantText(grant), grant.resource.source);
}
