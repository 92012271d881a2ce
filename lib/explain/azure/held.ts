/*
 * What an identity was assigned, in a form in which two readings of it can be compared.
 */

import { map, orElse, shown } from "../../model/known";
import type { Operations, RolePermissions } from "../../rules/azure/roles";
import type { HeldRight } from "../cloud";
import { type Assignment, roleLabel } from "./assignments";
import type { Identity } from "./identity";

/** The roles of an identity, of a custom one with what it says; `reads` are those that read images alone. */
export function heldRoles(
  { roles, hasMoreRoles, source: own }: Identity,
  reads: (assignment: Assignment) => boolean = () => false,
): readonly HeldRight[] {
  const right = (each: Assignment, limits: boolean): HeldRight => ({
    text: `${limits ? "perhaps " : ""}${assignmentText(each)}`,
    limits,
    reads: !limits && reads(each),
    source: each.source,
  });
  const limiting = (text: string, source = own): HeldRight => ({ text, limits: true, source });
  return [
    ...roles.held.map((each) => right(each, false)),
    ...roles.possible.map((each) => right(each, true)),
    ...roles.denials.map((source) => limiting("a deny assignment", source)),
    ...(hasMoreRoles ? [limiting("role assignments that were not read")] : []),
  ];
}

function assignmentText(each: Assignment): string {
  const { definition, scope, condition } = each;
  const permissions = definition && orElse(definition.permissions, () => undefined);
  const says = permissions === undefined ? "" : ` (${permissions.map(permissionText).join(" and ")})`;
  const under = shown(condition);
  return `${roleLabel(each)}${says} on ${shown(scope.text)}${under === "" || under === "undefined" ? "" : ` under ${under}`}`;
}

function permissionText({ actions, notActions, dataActions, notDataActions }: RolePermissions): string {
  const text = (all: Operations): string => shown(map(all, (texts) => texts.map(shown).sort().join(", ")));
  return [actions, notActions, dataActions, notDataActions].map(text).join(" / ");
}
