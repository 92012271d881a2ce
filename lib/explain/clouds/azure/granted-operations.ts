/*
 * Whether an identity is granted what a CredentialsRequest asks for.
 */

import { isManagementGroup } from "../../../rules/azure/role-scope";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../../answer";
import { type Json, list, own, text, texts } from "../../facts/access";
import { isLateText } from "../../facts/terraform";
import type { AskedRights } from "../cloud-access";
import { named } from "../named";
import type { AssignmentFact, IdentityFact } from "./entra";
import { type RoleDefinitionFact, isAtOrBelow, isRefusedAt, nameKey, permits } from "./role-definitions";

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
      `no role of the identity permits ${named(denied)}, which is asked for${refusals(held)}`,
      `${held.some(({ isRefused }) => isRefused) ? "list where the role is assigned in its assignable_scopes; " : ""}grant what is asked for, to the letter; CredentialsRequests of another release ask for other permissions`,
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
  const accepted = held.filter(({ isRefused }) => !isRefused);
  const sure = accepted.filter(({ assignment }) => assignment.condition === "");
  if (sure.length > 0)
    return pass(`the identity is ${named(sure.map(inWords))}`, ...evidenceOf(identity, held));
  if (accepted.length > 0)
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
        `the identity has no role${refusals(held)}`,
        "assign it one",
        "AuthorizationFailed",
        ...evidenceOf(identity, held),
      );
}

interface HeldRole {
  readonly assignment: AssignmentFact;
  readonly definition: RoleDefinitionFact | undefined;
  /** True where the role may not be assigned there. */
  readonly isRefused: boolean;
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
      covered: by(name, "actions"),
    })),
    ...texts(rights["dataPermissions"]).map((name) => ({
      name,
      scope,
      covered: by(name, "dataActions"),
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

/** Whether an assignment counts at a scope: one there or above it; which groups hold it, only the tenant tells. */
function counts({ assignment, isRefused }: HeldRole, place: string): boolean | undefined {
  if (isRefused) return false;
  if (place === "") return true;
  const { scope } = assignment;
  if (scope !== "" && isAtOrBelow(place, scope)) return true;
  return scope === "" || isLateText(scope + place) || isManagementGroup(scope) ? undefined : false;
}

function heldRole(assignment: AssignmentFact, definitions: RoleDefinitions): HeldRole {
  const { role, scope } = assignment;
  const definition = definitions.get(assignment.definition) ?? definitions.get(nameKey(role));
  return { assignment, definition, isRefused: definition !== undefined && isRefusedAt(definition, scope) };
}

/** One that certainly permits it, else one that may. */
function best(outcomes: readonly (boolean | undefined)[]): boolean | undefined {
  return outcomes.includes(true) || (outcomes.includes(undefined) ? undefined : false);
}

function by(name: string, list: "actions" | "dataActions"): (role: HeldRole) => boolean | undefined {
  return ({ assignment, definition }) => {
    const permitted = definition?.permissions && permits(definition.permissions, name, list);
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

/** Assignments that Azure refuses at apply, as the end of a reason. */
function refusals(held: readonly HeldRole[]): string {
  const refused = held
    .filter(({ isRefused }) => isRefused)
    .map((role) => `${inWords(role)} (assignable_scopes ${named(role.definition?.assignableScopes ?? [])})`);
  return refused.length === 0 ? "" : `; Azure refuses to assign ${named([...new Set(refused)])}`;
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
