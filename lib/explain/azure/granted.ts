/*
 * Whether an identity is granted what a component or workload asks for.
 */

import {
  type Known,
  type Ternary,
  and,
  andThen,
  known,
  match,
  not,
  or,
  orElse,
  same,
  shown,
  unread,
} from "../../model/known";
import { type TreeObject, childOf, itemsOf, optionalText, textAt, treeOf } from "../../model/tree";
import { type OperationList, permits } from "../../rules/azure/role-permissions";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AskedRights } from "../cloud";
import { isAbsent, lowered } from "../shared/references";
import { named } from "../shared/words";
import type { Assignment, HeldRoles } from "./assignments";
import type { Identity } from "./identity";
import { type ResourceId, type Scopes, resourceId } from "./ids";
import { NOT_ALL } from "./permission";
import { roleLabel } from "./roles";

/** Something that is asked for. */
interface Wanted {
  readonly name: string;
  /** Where; `undefined` where the places of all rights say it. */
  readonly scope: Known<string> | undefined;
  readonly heldBy: (roles: HeldRoles, place: ResourceId | undefined, scopes: Scopes) => Ternary;
}

const OPERATIONS: readonly (readonly [field: string, list: OperationList])[] = [
  ["permissions", "actions"],
  ["dataPermissions", "dataActions"],
];

/** What rights ask for: operations, and roles with their scope where one is written. */
export function wantedOf(rights: TreeObject): readonly Wanted[] {
  const operations = OPERATIONS.flatMap(([field, list]) =>
    itemsOf(childOf(treeOf(rights), field)).map((item): Wanted => {
      const operation = textAt(item);
      return {
        name: shown(operation),
        scope: undefined,
        heldBy: (roles, place, scopes) =>
          match(
            operation,
            (name) => operationHeld(roles, name, list, place, scopes),
            () => "unknown",
          ),
      };
    }),
  );
  const bindings = itemsOf(childOf(treeOf(rights), "roleBindings")).map((binding): Wanted => {
    const [role, scope] = [textAt(childOf(binding, "role")), optionalText(childOf(binding, "scope"))];
    const isPlaced = !isAbsent(scope);
    return {
      name: `role ${shown(role)}${isPlaced ? ` at ${shown(scope)}` : ""}`,
      scope: isPlaced ? (scope as Known<string>) : undefined,
      heldBy: ({ held }, place, scopes) =>
        or(...held.map((each) => and(isRole(each, role), countsAt(each, place, scopes)))),
    };
  });
  return [...operations, ...bindings];
}

/** Whether the roles that the identity is assigned permit every operation and hold every role, at every place. */
export function operationsGranted(
  identity: Identity,
  { rights, places }: AskedRights,
  scopes: Scopes,
): Answer {
  const { roles } = identity;
  const wanted = wantedOf(rights);
  const judged = wanted.flatMap(({ name, scope, heldBy }) =>
    (scope !== undefined ? [scope] : places.length === 0 ? [undefined] : places).map((place) => {
      const id = place && resourceId(place);
      const outcome = heldBy(roles, id, scopes);
      const mayBe = outcome === "no" && heldBy({ ...roles, held: roles.possible }, id, scopes) !== "no";
      return {
        name: scope !== undefined || place === undefined ? name : `${name} at ${shown(place)}`,
        outcome: mayBe ? "unknown" : outcome,
      };
    }),
  );
  const names = (wantedOutcome: Ternary): readonly string[] =>
    judged.filter(({ outcome }) => outcome === wantedOutcome).map(({ name }) => name);
  const [denied, open] = [names("no"), names("unknown")];
  const evidence = evidenceOf(identity);
  if (identity.given) return identity.given;
  if (denied.length > 0 && !identity.hasMoreRoles)
    return broken(
      `no role of the identity permits ${named(denied)}, which is asked for${refusals(identity)}`,
      "grant exactly what is asked for; CredentialsRequests of another release ask for other permissions",
      "AuthorizationFailed",
      ...evidence,
    );
  if (denied.length + open.length > 0)
    return unknown(
      `whether a role of the identity permits ${named([...open, ...denied])} cannot be told: a role, its permissions or a condition is not read here`,
      "name the Terraform that declares the roles and their assignments as well",
      ...evidence,
    );
  return pass(`the identity is granted all ${wanted.length} permissions that are asked for`, ...evidence);
}

/** Whether the identity has a role at all; which ones, is the evidence. */
export function anyRoleGranted(identity: Identity): Answer {
  const { held, possible } = identity.roles;
  const accepted = held.filter(({ isRefused }) => !isRefused);
  const sure = accepted.filter(({ limit }) => limit === undefined);
  const evidence = evidenceOf(identity);
  if (identity.given) return identity.given;
  if (sure.length > 0) return pass(`the identity is ${named(sure.map(inWords))}`, ...evidence);
  if (accepted.length > 0)
    return unknown(
      "every role of the identity is assigned under a condition, which is not judged here",
      "see the conditions of the role assignments",
      ...evidence,
    );
  if (identity.hasMoreRoles || possible.length > 0) return NOT_ALL;
  const reason = `the identity has no role${refusals(identity)}`;
  return broken(reason, "assign it one", "AuthorizationFailed", ...evidence);
}

function operationHeld(
  { held, denials }: HeldRoles,
  operation: string,
  list: OperationList,
  place: ResourceId | undefined,
  scopes: Scopes,
): Ternary {
  const isIn = (scope: ResourceId): Ternary => (place ? scopes.holds(scope, place) : "unknown");
  const permitted = held.map((each) => {
    const isPermitted = match(
      each.definition?.permissions ?? unread("no definition of the role was read"),
      (permissions) => permits(permissions, operation, list),
      (): Ternary => "unknown",
    );
    return and(isPermitted, countsAt(each, place, scopes));
  });
  return and(or(...permitted), not(or(...denials.map(({ denies }) => denies(operation, list, isIn)))));
}

/** Whether an assignment counts at a place, as one there or above it. What a condition limits is not judged here. */
function countsAt(
  { scope, isRefused, limit }: Assignment,
  place: ResourceId | undefined,
  scopes: Scopes,
): Ternary {
  if (isRefused) return "no";
  return and(place ? scopes.holds(scope, place) : "yes", limit ? "unknown" : "yes");
}

/** A role by its name or id; Azure compares them without regard to letter case. */
function isRole(assignment: Assignment, wanted: Known<string>): Ternary {
  const own = orElse(wanted, () => "").startsWith("/") ? assignment.id : nameOf(assignment);
  if (isAbsent(own)) return "unknown";
  return same<string | undefined>(lowered(own), lowered(wanted));
}

function nameOf({ name, definition }: Assignment): Known<string | undefined> {
  return andThen(name, (text) => (text === undefined && definition ? definition.name : known(text)));
}

function inWords(assignment: Assignment): string {
  const { scope, limit } = assignment;
  return `${roleLabel({ ...assignment, name: nameOf(assignment) })} at ${shown(scope.text)}${limit ? " under a condition" : ""}`;
}

/** Assignments that Azure refuses at apply, as the end of a reason. */
function refusals({ roles: { held } }: Identity): string {
  const refused = held
    .filter(({ isRefused }) => isRefused)
    .map((each) => `${inWords(each)} (assignable_scopes ${each.definition?.scopeNames ?? ""})`);
  return refused.length === 0 ? "" : `; Azure refuses to assign ${named([...new Set(refused)])}`;
}

function evidenceOf({ source, roles: { held } }: Identity): readonly Evidence[] {
  return [seen("identity", source), ...held.map((each) => seen(inWords(each), each.source))];
}
