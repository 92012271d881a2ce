/*
 * Whether a member of IAM policies is granted what a CredentialsRequest asks for.
 */

import { type Answer, type Evidence, broken, pass, seen, unknown } from "../../answer";
import { text, texts } from "../../facts/access";
import type { Source } from "../../facts/source";
import { isLateText } from "../../facts/terraform";
import type { AskedRights } from "../cloud-access";
import { named } from "../named";
import type { Authorities } from "./authority";
import type { IndexedGrants } from "./grant-index";
import type { CustomRoleFact, MemberGrant } from "./member-grants";

/** Custom roles by their full name. */
export type CustomRoles = ReadonlyMap<string, CustomRoleFact>;

/** Everything that is granted to somebody. */
export interface GrantedRoles {
  /** The grants. */
  readonly grants: IndexedGrants<MemberGrant>;
  /** The members that they are to. */
  readonly members: readonly string[];
  /** Custom roles. */
  readonly roles: CustomRoles;
  /** What takes grants away again. */
  readonly authorities: Authorities;
  /** Ids of the projects in which somebody works; grants elsewhere are not judged. */
  readonly projects: readonly string[];
}

const DENIED = "403 PERMISSION_DENIED";
const ELSEWHERE = "name the Terraform that declares the roles and their grants as well";

/** Whether the granted roles hold every permission and are every role that is asked for. */
export function permissionsGranted(granted: GrantedRoles, { rights, places }: AskedRights): Answer {
  const condition = text((rights["condition"] as { expression?: unknown } | undefined)?.expression);
  const held = heldRoles(granted, condition, places);
  const permissions = texts(rights["permissions"]);
  const roles = texts(rights["predefinedRoles"]);
  const judged: readonly Judged[] = [
    ...permissions.map((name) => judge(name, held, (role) => holds(role, name), isHere)),
    ...roles.map((name) =>
      judge(
        name,
        held,
        (role) => isNamed(role, name),
        (role) => isAt(role, name),
      ),
    ),
  ];
  const missing = judged.filter(({ outcome }) => outcome === false).map(({ name }) => name);
  const open = judged.filter(({ outcome }) => outcome === undefined);
  const evidence = evidenceOf(granted, held);
  const isOpen = granted.grants.possible.length > 0;
  if (missing.length > 0 && !isOpen)
    return broken(
      `no role that is granted holds ${named(missing)}, which is asked for`,
      "grant what is asked for, to the letter; CredentialsRequests of another release ask for other permissions",
      DENIED,
      ...evidence,
    );
  if (missing.length + open.length > 0) {
    const why = [...new Set([...open.flatMap(({ why: each }) => each), ...(isOpen ? [LATE_MEMBER] : [])])];
    return unknown(
      `whether ${named([...open.map(({ name }) => name), ...missing])} is granted cannot be told: ${named(why)}`,
      ELSEWHERE,
      ...evidence,
    );
  }
  return pass(`all ${judged.length} permissions and roles that are asked for are granted`, ...evidence);
}

/** Whether anything is granted; what, is the evidence. */
export function anyRoleGranted(granted: GrantedRoles): Answer {
  const held = heldRoles(granted, "", []);
  const evidence = evidenceOf(granted, held);
  const sure = held.filter(({ off, doubt }) => !off && doubt === undefined);
  if (sure.length > 0)
    return pass(`granted is ${named(sure.map(({ grant }) => inWords(grant)))}`, ...evidence);
  const doubts = held.flatMap(({ off, doubt = "" }) => (off ? [] : [doubt]));
  const why = [...new Set([...doubts, ...(granted.grants.possible.length > 0 ? [LATE_MEMBER] : [])])];
  return why.length > 0
    ? unknown(`whether anything is granted cannot be told: ${named(why)}`, ELSEWHERE, ...evidence)
    : broken("no role is granted that counts", "grant one on a project or a resource", DENIED, ...evidence);
}

const LATE_MEMBER = "a grant may be to this member, which only apply will tell";
const ON_OTHER = "a grant on another project or resource, whose reach is not read here";
const UNREAD = "a role whose permissions are not read here";

interface HeldRole {
  readonly grant: MemberGrant;
  readonly fact: CustomRoleFact | undefined;
  /** True for a role that is disabled or deleted. */
  readonly off: boolean;
  /** Why it may not count; `undefined` for one that does. */
  readonly doubt: string | undefined;
  /** What rules the same policy without it. */
  readonly contest: Source | undefined;
  /** True for a grant on a project in which the member works. */
  readonly here: boolean;
}

function heldRoles(
  { grants, members, roles, authorities, projects }: GrantedRoles,
  condition: string,
  places: readonly string[],
): readonly HeldRole[] {
  const home = [...projects, ...places.map((place) => place.replace(/^projects\//, ""))];
  return grants.certain.map((grant) => {
    const fact = roles.get(grant.role);
    const contest = authorities.against(grant.on, grant, members);
    const met = !grant.conditional || (condition !== "" && grant.condition === condition);
    return {
      grant,
      fact,
      off: fact?.off ?? false,
      doubt: contest ? CONTESTED : met ? undefined : "a condition",
      contest: contest?.source,
      here: grant.kind === "project" && home.includes(grant.target),
    };
  });
}

const CONTESTED = "it is contested: another resource rules the same policy, and leaves the member out";

interface Judged {
  readonly name: string;
  /** `undefined` where it cannot be told. */
  readonly outcome: boolean | undefined;
  /** Why it cannot. */
  readonly why: readonly string[];
}

/** Whether a role matters for what is asked, and whether it surely counts where it matters. */
function judge(
  name: string,
  held: readonly HeldRole[],
  matters: (role: HeldRole) => boolean | undefined,
  counts: (role: HeldRole) => boolean | undefined,
): Judged {
  const why: string[] = [];
  for (const role of held) {
    const [relevant, place] = [role.off ? false : matters(role), counts(role)];
    if (relevant === false || place === false) continue;
    if (relevant && place && role.doubt === undefined) return { name, outcome: true, why };
    why.push(role.doubt ?? (relevant === undefined ? UNREAD : ON_OTHER));
  }
  return { name, outcome: why.length > 0 ? undefined : false, why };
}

function holds({ fact }: HeldRole, permission: string): boolean | undefined {
  return fact?.permissions?.includes(permission);
}

function isHere({ here }: HeldRole): boolean | undefined {
  return here ? true : undefined;
}

/** The parts of `<role> on <kind> <name>`; the role alone for one in the member's own project. */
const AT = /^(\S+) on (.+) (\S+)$/;

function isNamed({ grant }: HeldRole, name: string): boolean | undefined {
  const [, role = name] = AT.exec(name) ?? [];
  return isLateText(grant.role) ? undefined : grant.role === role;
}

/** Another resource of the same kind is another one; what stands above it may count. */
function isAt({ grant, here }: HeldRole, name: string): boolean | undefined {
  const [, , kind, target] = AT.exec(name) ?? [];
  if (kind === undefined) return here ? true : undefined;
  if (grant.kind !== kind || grant.target === "" || isLateText(grant.target)) return undefined;
  return grant.target === target;
}

function inWords({ role, on, conditional }: MemberGrant): string {
  return `${role} on ${on}${conditional ? " under a condition" : ""}`;
}

function evidenceOf({ grants }: GrantedRoles, held: readonly HeldRole[]): readonly Evidence[] {
  const rest = grants.possible.filter((grant) => !grants.certain.includes(grant));
  return [
    ...held.map(({ grant }) => seen(inWords(grant), grant.source)),
    ...held.flatMap(({ contest }) => (contest ? [seen("without the member", contest)] : [])),
    ...held.flatMap(({ grant: { role }, fact }) => {
      if (fact?.off) return [seen(`${role} is disabled or deleted`, undefined)];
      return fact?.permissions ? [seen(`${role} holds ${fact.permissions.join(", ")}`, undefined)] : [];
    }),
    ...rest.map((grant) => seen(`perhaps ${inWords(grant)}`, grant.source)),
  ];
}
