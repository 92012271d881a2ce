/*
 * Whether an identity is granted what a CredentialsRequest asks for.
 */

import { type Answer, type Evidence, broken, pass, seen, unknown } from "../../answer";
import { type Json, list, own, text, texts } from "../../facts/access";
import { isLateText } from "../../facts/terraform";
import { globMatches } from "../../glob";
import type { AskedRights } from "../cloud-access";
import { named } from "../named";
import type { AssignmentFact, IdentityFact } from "./entra";
import { type RoleDefinitionFact, type RolePermissionsFact, nameKey } from "./role-definitions";

/** Custom roles by what assignments name them by. */
export type RoleDefinitions = ReadonlyMap<string, RoleDefinitionFact>;

/** Whether the roles that the identity is assigned permit every operation and hold every role, at every place. */
export function operationsGranted(
  identity: IdentityFact,
  definitions: RoleDefinitions,
  { rights, places }: AskedRights,
): Answer {
  const held = identity.assignments.map((assignment) => heldRole(assignment, definitions));
  const judged = wantedOf(rights).flatMap(({ name, scope, covered }) => {
    const scopes = scope === "" ? (places.length === 0 ? [""] : places) : [scope];
    return scopes.map((each) => ({
      name: each === "" ? name : `${name} at ${each}`,
      outcome: best(held.map((role) => both(covered(role), counts(role, each)))),
    }));
  });
  const denied = judged.filter(({ outcome }) => outcome === false).map(({ name }) => name);
  const open = judged.filter(({ outcome }) => outcome === undefined).map(({ name }) => name);
  const evidence = evidenceOf(identity, held);
  if (denied.length > 0 && !identity.adopted)
    return broken(
      `no role of the identity permits ${named(denied)}, which is asked for`,
      "grant what is asked for, to the letter; CredentialsRequests of another release ask for other permissions",
      "AuthorizationFailed",
      ...evidence,
    );
  if (denied.length + open.length > 0)
    return unknown(
      `whether a role of the identity permits ${named([...open, ...denied])} cannot be told: a role, its permissions or a condition is not read here`,
      "name the Terraform that declares the roles and their assignments as well",
      ...evidence,
    );
  return pass(
    `the identity is granted all ${wantedOf(rights).length} permissions that are asked for`,
    ...evidence,
  );
}

/** Whether the identity has a role at all; which ones, is the evidence. */
export function anyRoleGranted(identity: IdentityFact, definitions: RoleDefinitions): Answer {
  const held = identity.assignments.map((assignment) => heldRole(assignment, definitions));
  const sure = held.filter(({ assignment }) => assignment.condition === "");
  if (sure.length > 0)
    return pass(`the identity is ${named(sure.map(inWords))}`, ...evidenceOf(identity, held));
  if (held.length > 0)
    return unknown(
      "every role of the identity is assigned under a condition, which is not judged here",
      "see the conditions of the role assignments",
      ...evidenceOf(identity, held),
    );
  return identity.adopted
    ? unknown(
        "not every role assignment of the identity is known: it is only looked up, or the principal of one is known only after apply",
        "name the Terraform that declares them as well",
      )
    : broken(
        "the identity has no role",
        "assign it one",
        "AuthorizationFailed",
        seen("identity", identity.source),
      );
}

interface HeldRole {
  readonly assignment: AssignmentFact;
  readonly definition: RoleDefinitionFact | undefined;
}

interface Wanted {
  readonly name: string;
  /** Where it is wanted; empty where the places of all rights say it. */
  readonly scope: string;
  readonly covered: (role: HeldRole) => boolean | undefined;
}

function wantedOf(rights: Json): readonly Wanted[] {
  const scope = "";
  return [
    ...texts(rights["permissions"]).map((name) => ({
      name,
      scope,
      covered: by(name, "actions", "notActions"),
    })),
    ...texts(rights["dataPermissions"]).map((name) => ({
      name,
      scope,
      covered: by(name, "dataActions", "notDataActions"),
    })),
    ...list(rights["roleBindings"]).map((binding) => {
      const role = text(own(binding, "role"));
      return {
        name: `role ${role}`,
        scope: text(own(binding, "scope")),
        covered: (each: HeldRole) => isNamed(each, role),
      };
    }),
  ];
}

function both(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  if (one === false || other === false) return false;
  return one && other;
}

const MANAGEMENT_GROUP = /^\/providers\/microsoft\.management\/managementgroups\//;

/** Whether an assignment counts at a scope: one there or above it; which groups hold it, only the tenant tells. */
function counts({ assignment }: HeldRole, place: string): boolean | undefined {
  if (place === "") return true;
  const [scope, wanted] = [assignment.scope.toLowerCase(), place.toLowerCase()];
  if (
    scope === wanted ||
    scope === "/" ||
    (wanted.startsWith(`${scope.replace(/\/$/, "")}/`) && scope !== "")
  )
    return true;
  return scope === "" || isLateText(scope + wanted) || MANAGEMENT_GROUP.test(scope) ? undefined : false;
}

function heldRole(assignment: AssignmentFact, definitions: RoleDefinitions): HeldRole {
  const { role, definition } = assignment;
  return { assignment, definition: definitions.get(definition) ?? definitions.get(nameKey(role)) };
}

/** One that certainly permits it, else one that may. */
function best(outcomes: readonly (boolean | undefined)[]): boolean | undefined {
  return outcomes.includes(true) || (outcomes.includes(undefined) ? undefined : false);
}

function by(
  name: string,
  list: keyof RolePermissionsFact,
  without: keyof RolePermissionsFact,
): (role: HeldRole) => boolean | undefined {
  const matches = (pattern: string): boolean => globMatches(pattern.toLowerCase(), name.toLowerCase());
  return ({ assignment, definition }) => {
    const permissions = definition?.permissions;
    if (permissions === undefined) return undefined;
    if ([...permissions.flatMap((each) => each[list])].some(isLateText)) return undefined;
    const permitted = permissions.some((each) => each[list].some(matches) && !each[without].some(matches));
    return permitted && assignment.condition !== "" ? undefined : permitted;
  };
}

/** A role by its name or id; what only apply tells may be it. */
function isNamed({ assignment, definition }: HeldRole, name: string): boolean | undefined {
  const same = name.startsWith("/")
    ? isSame(assignment.definition, name)
    : isSame(assignment.role || (definition?.name ?? ""), name);
  return both(same, assignment.condition === "" ? true : undefined);
}

/** Azure compares names and ids without regard to letter case. */
function isSame(known: string, wanted: string): boolean | undefined {
  if (known === "" || isLateText(known)) return undefined;
  return known.toLowerCase() === wanted.toLowerCase();
}

function inWords({ assignment, definition }: HeldRole): string {
  const role = assignment.role || definition?.name || "a role";
  const scope = isLateText(assignment.scope) ? "a scope that Terraform tells" : assignment.scope;
  return `${role} at ${scope}${assignment.condition === "" ? "" : " under a condition"}`;
}

function permittedBy({ name, permissions = [] }: RoleDefinitionFact): Evidence {
  const operations = permissions.flatMap(({ actions, dataActions }) => [...actions, ...dataActions]);
  return seen(`${name || "the role"} permits ${operations.join(", ") || "what is not read here"}`, undefined);
}

function evidenceOf(identity: IdentityFact, held: readonly HeldRole[]): readonly Evidence[] {
  return [
    seen("identity", identity.source),
    ...held.map((role) => seen(inWords(role), role.assignment.source)),
    ...[...new Set(held.flatMap(({ definition }) => definition ?? []))].map(permittedBy),
  ];
}
