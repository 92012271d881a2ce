/*
 * Whether an identity is granted what a component or workload asks for.
 */

import { type Known, type Ternary, and, known, match, not, or, orElse, same, shown } from "../../model/known";
import { type Tree, type TreeObject, childOf, itemsOf, optionalText, textAt, treeOf } from "../../model/tree";
import { type OperationList, permits } from "../../rules/azure/role-permissions";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AskedRights } from "../cloud";
import { named } from "../shared/words";
import type { Assignment, HeldRoles } from "./assignments";
import { lowered } from "../shared/references";
import { type ResourceId, resourceId } from "./ids";
import { type Scopes } from "./scopes";
import type { Identity } from "./identity";
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
  const items = (field: string): readonly Tree[] => itemsOf(childOf(treeOf(rights), field));
  return [
    ...OPERATIONS.flatMap(([field, list]) =>
      items(field).map((item): Wanted => ({
        name: shown(textAt(item)),
        scope: undefined,
        heldBy: (roles, place, scopes) => operationHeld(roles, textAt(item), list, place, scopes),
      })),
    ),
    ...items("roleBindings").map((binding): Wanted => {
      const [role, scope] = [textAt(childOf(binding, "role")), optionalText(childOf(binding, "scope"))];
      const isPlaced = orElse(scope, () => "late") !== undefined;
      return {
        name: `role ${shown(role)}${isPlaced ? ` at ${shown(scope)}` : ""}`,
        scope: isPlaced ? (scope as Known<string>) : undefined,
        heldBy: ({ held }, place, scopes) =>
          or(...held.map((each) => and(isRole(each, role), unlimited(each), countsAt(each, place, scopes)))),
      };
    }),
  ];
}

/** Whether the roles that the identity is assigned permit every operation and hold every role, at every place. */
export function operationsGranted(
  identity: Identity,
  { rights, places }: AskedRights,
  scopes: Scopes,
): Answer {
  const { held, possible } = identity.roles;
  const wanted = wantedOf(rights);
  const judged = wanted.flatMap(({ name, scope, heldBy }) =>
    (scope !== undefined ? [scope] : places.length === 0 ? [undefined] : places).map((place) => {
      const id = place === undefined ? undefined : resourceId(place);
      const outcome = heldBy(identity.roles, id, scopes);
      const mayBe = outcome === "no" ? heldBy({ ...identity.roles, held: possible }, id, scopes) : "no";
      return {
        name: scope !== undefined || place === undefined ? name : `${name} at ${shown(place)}`,
        outcome: mayBe === "no" ? outcome : "unknown",
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
      `no role of the identity permits ${named(denied)}, which is asked for${refusals(held)}`,
      `${held.some(({ isRefused }) => isRefused) ? "list where the role is assigned in its assignable_scopes; " : ""}grant exactly what is asked for; CredentialsRequests of another release ask for other permissions`,
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
  const { held } = identity.roles;
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
  return identity.hasMoreRoles || identity.roles.possible.length > 0
    ? NOT_ALL
    : broken(
        `the identity has no role${refusals(held)}`,
        "assign it one",
        "AuthorizationFailed",
        ...evidence,
      );
}

function operationHeld(
  { held, denials }: HeldRoles,
  operation: Known<string>,
  list: OperationList,
  place: ResourceId | undefined,
  scopes: Scopes,
): Ternary {
  return match(
    operation,
    (name) => {
      const isIn = (scope: ResourceId): Ternary => (place ? scopes.holds(scope, place) : "unknown");
      const denied = or(...denials.map(({ denies }) => denies(name, list, isIn)));
      const permitted = held.map((each) =>
        and(permittedBy(each, name, list), unlimited(each), countsAt(each, place, scopes)),
      );
      return and(or(...permitted), not(denied));
    },
    () => "unknown",
  );
}

function permittedBy({ definition }: Assignment, operation: string, list: OperationList): Ternary {
  return match(
    definition?.permissions ?? known(undefined),
    (permissions) => (permissions ? permits(permissions, operation, list) : "unknown"),
    () => "unknown",
  );
}

/** What a condition limits is not judged here. */
function unlimited({ limit }: Assignment): Ternary {
  return limit === undefined ? "yes" : "unknown";
}

/** Whether an assignment counts at a place: one there or above it. */
function countsAt({ scope, isRefused }: Assignment, place: ResourceId | undefined, scopes: Scopes): Ternary {
  if (isRefused) return "no";
  return place === undefined ? "yes" : scopes.holds(scope, place);
}

/** A role by its name or id; Azure compares them without regard to letter case. */
function isRole(assignment: Assignment, wanted: Known<string>): Ternary {
  const own = orElse(wanted, () => "").startsWith("/") ? assignment.id : nameOf(assignment);
  if (orElse(own, () => "") === undefined) return "unknown";
  return same<string | undefined>(lowered(own), lowered(wanted));
}

function nameOf({ name, definition }: Assignment): Known<string | undefined> {
  return definition && orElse(name, () => "") === undefined ? definition.name : name;
}

function inWords(assignment: Assignment): string {
  const { scope, limit } = assignment;
  return `${roleLabel({ ...assignment, name: nameOf(assignment) })} at ${shown(scope.text)}${limit ? " under a condition" : ""}`;
}

/** Assignments that Azure refuses at apply, as the end of a reason. */
function refusals(held: readonly Assignment[]): string {
  const refused = held
    .filter(({ isRefused }) => isRefused)
    .map((each) => `${inWords(each)} (assignable_scopes ${each.definition?.scopeNames ?? ""})`);
  return refused.length === 0 ? "" : `; Azure refuses to assign ${named([...new Set(refused)])}`;
}

function evidenceOf({ source, roles: { held } }: Identity): readonly Evidence[] {
  return [seen("identity", source), ...held.map((each) => seen(inWords(each), each.source))];
}
