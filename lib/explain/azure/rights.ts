/*
 * Whether an identity's roles grant what is requested, and which of them may be what is.
 */

import {
  type Known,
  type Ternary,
  and,
  isAbsent,
  known,
  anyOf,
  or,
  orElse,
  same,
  shown,
  unread,
  whether,
} from "../../model/known";
import { type TreeObject, childOf, itemsOf, optionalText, textAt, treeOf } from "../../model/tree";
import { type OperationList, isLargerRole, permits } from "../../rules/azure/roles";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AskedRights, HeldRight } from "../cloud";
import { lowered } from "../shared/references";
import { named } from "../shared/words";
import { type Assignment, roleLabel } from "./assignments";
import { heldRoles } from "./held";
import type { Identity } from "./identity";
import { type ResourceId, holds, resourceId } from "./ids";
import { NOT_ALL, moreRoles } from "./permission";

interface Wanted {
  readonly name: string;
  /** Its scope; `undefined` if the places of all rights apply. */
  readonly scope: Known<string> | undefined;
  readonly heldBy: (held: readonly Assignment[], place: ResourceId | undefined) => Ternary;
}

const OPERATIONS: readonly (readonly [field: string, list: OperationList])[] = [
  ["permissions", "actions"],
  ["dataPermissions", "dataActions"],
];

/** The requested operations, and the requested roles with their scope if one is written. */
function wantedOf(rights: TreeObject, isOf: typeof isRole): readonly Wanted[] {
  const operations = OPERATIONS.flatMap(([field, list]) =>
    itemsOf(childOf(treeOf(rights), field)).map((item): Wanted => {
      const operation = textAt(item);
      return {
        name: shown(operation),
        scope: undefined,
        heldBy: (held, place) => whether(operation, (name) => operationHeld(held, name, list, place)),
      };
    }),
  );
  const bindings = itemsOf(childOf(treeOf(rights), "roleBindings")).map((binding): Wanted => {
    const [role, scope] = [textAt(childOf(binding, "role")), optionalText(childOf(binding, "scope"))];
    const condition = optionalText(childOf(binding, "condition"));
    const isPlaced = !isAbsent(scope);
    return {
      name: `role ${shown(role)}${isPlaced ? ` at ${shown(scope)}` : ""}`,
      scope: isPlaced ? (scope as Known<string>) : undefined,
      heldBy: (held, place) =>
        anyOf(held.map((each) => and(isOf(each, role), countsAt(each, place, condition)))),
    };
  });
  return [...operations, ...bindings];
}

/** Whether the identity's role assignments permit every operation and include every role, at every place. */
export function operationsGranted(identity: Identity, { rights, places }: AskedRights): Answer {
  const { held, possible } = identity.roles;
  const needed = wantedOf(rights, isAtLeastRole);
  const judged = needed.flatMap(({ name, scope, heldBy }) =>
    placesOf(scope, places).map((place) => {
      const id = place === undefined ? undefined : resourceId(place);
      const outcome = heldBy(held, id);
      const mayBe = outcome === "no" && heldBy(possible, id) !== "no";
      return {
        name: scope !== undefined || place === undefined ? name : `${name} at ${shown(place)}`,
        outcome: mayBe ? "unknown" : outcome,
      };
    }),
  );
  const names = (outcome: Ternary): readonly string[] =>
    judged.filter((each) => each.outcome === outcome).map(({ name }) => name);
  const [denied, open] = [names("no"), names("unknown")];
  const evidence = evidenceOf(identity);
  if (denied.length > 0 && !identity.hasMoreRoles)
    return broken(
      `the request includes ${named(denied)}, which no role of the identity grants`,
      "grant exactly what the request asks for; the CredentialsRequests of another release ask for other permissions",
      "AuthorizationFailed",
      evidence,
    );
  if (denied.length + open.length > 0)
    return unknown(
      `whether a role of the identity permits ${named([...open, ...denied])} cannot be determined: a role, its permissions or a condition could not be read`,
      "also give explain the Terraform that declares the roles and their assignments",
      evidence,
    );
  return pass(`the identity is granted all ${needed.length} requested permissions`, evidence);
}

/** The roles that may be asked for, each at a requested place or below. */
export function meantRoles(identity: Identity, { rights, places }: AskedRights): readonly HeldRight[] {
  const wanted = wantedOf(rights, isRole);
  const isMeant = (assignment: Assignment): boolean =>
    wanted.some(
      ({ scope, heldBy }) =>
        heldBy([assignment], undefined) !== "no" &&
        placesOf(scope, places).some(
          (place) => place === undefined || holds(resourceId(place), assignment.scope) !== "no",
        ),
    );
  return heldRoles({ ...identity, roles: { ...identity.roles, held: identity.roles.held.filter(isMeant) } });
}

function placesOf(scope: Wanted["scope"], places: AskedRights["places"]): readonly Wanted["scope"][] {
  return scope !== undefined ? [scope] : places.length === 0 ? [undefined] : places;
}

/** Whether the identity has a role at all; the evidence lists its roles. */
export function anyRoleGranted(identity: Identity): Answer {
  const { held, possible } = identity.roles;
  const sure = held.filter(({ limit }) => limit === undefined);
  const evidence = evidenceOf(identity);
  if (sure.length > 0) return pass(`the identity is ${named(sure.map(inWords))}`, evidence);
  if (held.length > 0)
    return unknown(
      "every role of the identity is assigned under a condition, which explain does not judge",
      "see the conditions of the role assignments",
      evidence,
    );
  return (
    (possible.length > 0 ? NOT_ALL : moreRoles(identity)) ??
    broken("the identity has no role", "assign it a role", "AuthorizationFailed", evidence)
  );
}

function operationHeld(
  held: readonly Assignment[],
  operation: string,
  list: OperationList,
  place: ResourceId | undefined,
): Ternary {
  const permitted = held.map((each) => {
    const permissions = each.definition?.permissions ?? unread("no definition of the role was read");
    return and(
      whether(permissions, (found) => permits(found, operation, list)),
      countsAt(each, place),
    );
  });
  return anyOf(permitted);
}

/**
 * Whether an assignment is effective at a place, being made there or above. A requested condition is met; what another
 * condition limits is not judged.
 */
function countsAt(
  { scope, limit, condition }: Assignment,
  place: ResourceId | undefined,
  askedCondition: Known<string | undefined> = known(undefined),
): Ternary {
  const isMet = limit === undefined || same(condition, askedCondition) === "yes";
  return and(place ? holds(scope, place) : "yes", isMet ? "yes" : "unknown");
}

/** Whether an assignment's role has the name or id; Azure ignores letter case. */
function isRole({ id, name }: Assignment, wanted: Known<string>): Ternary {
  const compared = orElse(wanted, () => "").startsWith("/") ? id : name;
  if (isAbsent(compared)) return "unknown";
  return same<string | undefined>(lowered(compared), lowered(wanted));
}

/** As {@link isRole}, or a larger one. */
function isAtLeastRole(assignment: Assignment, wanted: Known<string>): Ternary {
  const { builtIn } = assignment;
  const larger = builtIn ? whether(wanted, (name) => isLargerRole(builtIn.name, name)) : "no";
  return or(isRole(assignment, wanted), larger);
}

function inWords(assignment: Assignment): string {
  const { scope, limit } = assignment;
  return `${roleLabel(assignment)} at ${shown(scope.text)}${limit ? " under a condition" : ""}`;
}

function evidenceOf({ source, roles: { held } }: Identity): readonly Evidence[] {
  return [seen("identity", source), ...held.map((each) => seen(inWords(each), each.source))];
}
