/*
 * What granted roles mean for a GKE cluster, or for a member of a fleet behind Connect Gateway. Sources:
 * cloud.google.com/iam/docs/permissions-reference, and .../multicluster-management/gateway/setup for the gateway's.
 */

import { type Answer, type Evidence, broken, pass, seen, unknown } from "../../answer";
import { isLateText } from "../../facts/terraform";
import { named } from "../named";
import type { Authorities } from "./authority";
import { type DenialFact, mayConcern, mayDeny } from "./denials";
import type { IndexedGrants } from "./grant-index";
import type { CustomRoles } from "./granted-permissions";
import type { MemberGrant } from "./member-grants";

/** How a spoke is reached, and what IAM says of who may. */
export interface EntryQuestion {
  /** Everything that is granted to the identity. */
  readonly grants: IndexedGrants<MemberGrant>;
  /** The identity as a member. */
  readonly member: string;
  /** Id of the spoke's project; `undefined` where nothing says it. */
  readonly project: string | undefined;
  /** True behind Connect Gateway. */
  readonly isGateway: boolean;
  /** Custom roles. */
  readonly roles: CustomRoles;
  /** What takes grants away again. */
  readonly authorities: Authorities;
  /** What wins over grants. */
  readonly denials: readonly DenialFact[];
}

/** What IAM says. */
export interface IamEntry {
  /** Whether it lets the identity in. */
  readonly admitted: Answer;
  /** Grants that let it work as well, certainly. */
  readonly working: readonly MemberGrant[];
  /** True where a grant that is not read, or may count, may let it work. */
  readonly mayWork: boolean;
}

/** A role lets in without letting anybody do anything, or lets work too. */
type Means = "enter" | "work" | "nothing" | undefined;

const GET = "container.clusters.get";
const GET_THROUGH = "gkehub.gateway.get";
const WORKS = /^container\.(?!clusters\.|operations\.|hostServiceAgent\.)/;
const GATEWAY_ROLE = /^roles\/gkehub\.gateway(?:Admin|Editor|Reader)$/;
/** Predefined and basic roles that hold `container.clusters.get`. */
const DIRECT: Readonly<Record<string, Means>> = {
  "roles/container.clusterViewer": "enter",
  "roles/container.clusterAdmin": "enter",
  "roles/container.admin": "work",
  "roles/container.developer": "work",
  "roles/container.viewer": "work",
  "roles/viewer": "work",
  "roles/editor": "work",
  "roles/owner": "work",
};
/** Predefined roles of other services, which are known to hold nothing of clusters and gateways. */
const ELSEWHERE =
  /^roles\/(?:artifactregistry|cloudkms|iam|logging|monitoring|pubsub|secretmanager|storage)\.|^roles\/gkehub\.viewer$/;
const NAME_IT = "name the Terraform that declares cluster, grants and custom roles as well";

interface Held {
  readonly grant: MemberGrant;
  readonly means: Means;
  /** Whether it is on what holds the spoke. */
  readonly here: boolean | undefined;
  /** Why it may not count; `undefined` for one that does. */
  readonly doubt: string | undefined;
}

/** Whether roles let an identity in, and whether they let it work. */
export function iamEntry(question: EntryQuestion): IamEntry {
  const { grants, isGateway } = question;
  const held = grants.certain.map((grant) => heldRole(grant, question));
  const relevant = held.filter(({ means, here }) => means !== "nothing" && here !== false);
  const certain = relevant.filter(({ doubt }) => doubt === undefined);
  const open = [
    ...relevant.flatMap(({ doubt }) => doubt ?? []),
    ...(grants.possible.some((grant) => mayMatter(grant, question))
      ? ["a grant may be to it, which only apply will tell"]
      : []),
  ];
  const working = isGateway ? [] : certain.filter(({ means }) => means === "work");
  const isTaken = denialOf(question, "container.pods.list") !== undefined;
  return {
    admitted: admittedBy(question, certain, held, [...new Set(open)]),
    working: isTaken ? [] : working.map(({ grant }) => grant),
    mayWork: !isGateway && (isTaken ? working.length > 0 : open.length > 0),
  };
}

function heldRole(grant: MemberGrant, question: EntryQuestion): Held {
  const { authorities, member } = question;
  const [means, here] = [meansOf(grant.role, question), placeOf(grant, question)];
  const contest = authorities.against(grant.on, grant, [member]);
  const doubts: readonly (readonly [boolean, string])[] = [
    [grant.conditional, `${grant.role} is under a condition`],
    [
      contest !== undefined,
      `${grant.role} is contested: another resource rules the same policy, and leaves the identity out`,
    ],
    [means === undefined, `what ${shown(grant.role)} permits is not read here`],
    [here === undefined, `whether ${grant.role} on ${grant.on} reaches the spoke is not known`],
  ];
  return { grant, means, here, doubt: doubts.find(([isSo]) => isSo)?.[1] };
}

function meansOf(role: string, { roles, isGateway }: EntryQuestion): Means {
  const custom = roles.get(role);
  if (custom?.off) return "nothing";
  if (custom?.permissions) return meansOfPermissions(custom.permissions, isGateway);
  if (ELSEWHERE.test(role)) return "nothing";
  const isThrough = GATEWAY_ROLE.test(role);
  if (isThrough) return isGateway ? "enter" : "nothing";
  // What basic roles hold of the gateway is not documented.
  if (isGateway) return role.startsWith("roles/container.") ? "nothing" : undefined;
  return DIRECT[role];
}

function meansOfPermissions(permissions: readonly string[], isGateway: boolean): Means {
  if (!permissions.includes(isGateway ? GET_THROUGH : GET)) return "nothing";
  return permissions.some((each) => WORKS.test(each)) ? "work" : "enter";
}

/** Whether a grant reaches the spoke; which projects a folder or an organization holds, is not known. */
function placeOf({ kind, target }: MemberGrant, { project, isGateway }: EntryQuestion): boolean | undefined {
  if (kind === "folder" || kind === "organization") return undefined;
  if (kind !== "project") return isGateway && kind.startsWith("gke hub ") ? undefined : false;
  // A project is named by its number as well.
  const isOpen = project === undefined || target === "" || isLateText(target) || /^\d+$/.test(target);
  return isOpen ? undefined : target === project;
}

/** Of a policy that is not read nothing is known. */
function mayMatter(grant: MemberGrant, question: EntryQuestion): boolean {
  const here = placeOf(grant, question) !== false;
  return here && (grant.role === "" || meansOf(grant.role, question) !== "nothing");
}

function denialOf({ denials, project = "" }: EntryQuestion, permission: string): DenialFact | undefined {
  return denials.find((each) => mayConcern(each, project) && mayDeny(each, { permissions: [permission] }));
}

function admittedBy(
  question: EntryQuestion,
  certain: readonly Held[],
  held: readonly Held[],
  open: readonly string[],
): Answer {
  const { project, isGateway, grants } = question;
  const denial = denialOf(question, isGateway ? GET_THROUGH : GET);
  if (certain.length > 0 && denial)
    return unknown(
      `${named(certain.map(({ grant }) => inWords(grant)))} would let it in, and whether a ${denial.title} takes that away cannot be judged`,
      `see the ${denial.title}`,
      ...certain.map(({ grant }) => roleEvidence(grant)),
      seen(denial.title, denial.source),
    );
  if (certain.length > 0)
    return pass(
      `IAM lets it in: ${certain.map(({ grant }) => inWords(grant)).join(", ")}`,
      ...certain.map(({ grant }) => roleEvidence(grant)),
    );
  const evidence = held.filter(({ means }) => means !== "nothing").map(({ grant }) => roleEvidence(grant));
  if (project === undefined)
    return unknown(
      `the project of the spoke is not known; roles are granted on ${held.map(({ grant }) => grant.on).join(", ") || "none that was read"}`,
      NAME_IT,
      ...evidence,
    );
  if (open.length > 0 || grants.certain.length === 0)
    return unknown(
      `no role that lets it into project ${project} was read${open.length > 0 ? `: ${named(open)}` : ""}`,
      NAME_IT,
      ...evidence,
    );
  return refused(project, isGateway, evidence);
}

function refused(project: string, isGateway: boolean, evidence: readonly Evidence[]): Answer {
  return broken(
    `no role lets it into project ${project}`,
    `grant ${isGateway ? "roles/gkehub.gateway…" : "roles/container.clusterViewer"} on the project`,
    isGateway
      ? "403 Permission 'gkehub.gateway.get' denied"
      : '403 Required "container.clusters.get" permission',
    ...evidence,
  );
}

/** A granted role as evidence. */
export function roleEvidence(grant: MemberGrant): Evidence {
  return seen(inWords(grant), grant.source);
}

function inWords({ role, on }: MemberGrant): string {
  return `${role} on ${on}`;
}

function shown(role: string): string {
  return isLateText(role) ? "a role that Terraform tells" : role;
}
