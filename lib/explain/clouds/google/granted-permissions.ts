/*
 * Whether a member of IAM policies is granted what a CredentialsRequest asks for.
 */

import { type Answer, type Evidence, broken, pass, seen, unknown } from "../../answer";
import { type Json, texts } from "../../facts/access";
import { named } from "../named";
import type { IndexedGrants } from "./grant-index";
import type { MemberGrant } from "./member-grants";

/** Permissions of custom roles by their full name. */
export type CustomRoles = ReadonlyMap<string, readonly string[] | undefined>;

const DENIED = "403 PERMISSION_DENIED";
const ELSEWHERE = "name the Terraform that declares the roles and their grants as well";

/** Whether the granted roles hold every permission and are every role of the request. */
export function permissionsGranted(
  granted: IndexedGrants<MemberGrant>,
  roles: CustomRoles,
  asked: Json,
): Answer {
  const certain = granted.certain.filter(({ conditional }) => !conditional);
  const held = new Set(certain.map(({ role }) => role));
  const places = new Set(certain.map(({ role, on }) => `${role} on ${on}`));
  const permissions = new Set([...held].flatMap((role) => roles.get(role) ?? []));
  const wanted = texts(asked["permissions"]);
  const missing = wanted.filter((permission) => !permissions.has(permission));
  const without = texts(asked["predefinedRoles"]).filter((role) => !held.has(role) && !places.has(role));
  const evidence = evidenceOf(granted, roles);
  const lacking = [...missing, ...without];
  if (lacking.length === 0)
    return pass(
      `all ${wanted.length + texts(asked["predefinedRoles"]).length} permissions and roles that are asked for are granted`,
      ...evidence,
    );
  // Another role than a custom one that was read may hold a permission, and a condition may be met.
  const isOpen =
    granted.possible.length > 0 ||
    granted.certain.some(({ conditional }) => conditional) ||
    (missing.length > 0 && [...held].some((role) => roles.get(role) === undefined));
  return isOpen
    ? unknown(
        `whether ${named(lacking)} is granted cannot be told: a role's permissions, a member or a condition is not read here`,
        ELSEWHERE,
        ...evidence,
      )
    : broken(
        `no role that is granted holds ${named(lacking)}, which is asked for`,
        "grant what is asked for, to the letter; CredentialsRequests of another release ask for other permissions",
        DENIED,
        ...evidence,
      );
}

/** Whether anything is granted; what, is the evidence. */
export function anyRoleGranted(granted: IndexedGrants<MemberGrant>): Answer {
  const { certain, possible } = granted;
  if (certain.length > 0)
    return pass(`granted is ${named(certain.map(inWords))}`, ...evidenceOf(granted, NO_ROLES));
  return possible.length > 0
    ? unknown(
        "a grant may be to this member, which only apply will tell",
        ELSEWHERE,
        ...evidenceOf(granted, NO_ROLES),
      )
    : broken("no role is granted", "grant one on a project or a resource", DENIED);
}

function inWords({ role, on, conditional }: MemberGrant): string {
  return `${role} on ${on}${conditional ? " under a condition" : ""}`;
}

const NO_ROLES: CustomRoles = new Map();

function evidenceOf(
  { certain, possible }: IndexedGrants<MemberGrant>,
  roles: CustomRoles,
): readonly Evidence[] {
  const rest = possible.filter((grant) => !certain.includes(grant));
  return [
    ...certain.map((grant) => seen(inWords(grant), grant.source)),
    ...certain.flatMap(({ role }) => {
      const permissions = roles.get(role);
      return permissions === undefined ? [] : [seen(`${role} holds ${permissions.join(", ")}`, undefined)];
    }),
    ...rest.map((grant) => seen(`perhaps ${inWords(grant)}`, grant.source)),
  ];
}
