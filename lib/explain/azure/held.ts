/*
 * What an identity was assigned, in a form that allows two readings to be compared.
 */

import { type Known, map, match, orElse, shown } from "../../model/known";
import { powerOfRole } from "../../rules/azure/powers";
import type { Operations, RolePermissions } from "../../rules/azure/roles";
import type { Granted, HeldRight } from "../cloud";
import { type Assignment, type HeldRoles, roleLabel } from "./assignments";
import type { Identity } from "./identity";

/** The roles of an identity, custom ones with their permissions; `reads` gives the images of a role that only pulls. */
export function heldRoles(
  { roles, hasMoreRoles, source: own }: Identity,
  reads: (assignment: Assignment) => HeldRight["reads"] = () => undefined,
): readonly HeldRight[] {
  const right = (each: Assignment, limits: boolean): HeldRight => ({
    ...rightOf(each, limits),
    reads: limits ? undefined : reads(each),
  });
  return [
    ...roles.held.map((each) => right(each, false)),
    ...roles.possible.map((each) => right(each, true)),
    ...(hasMoreRoles ? [{ text: "role assignments that were not read", limits: true, source: own }] : []),
  ];
}

function rightOf(each: Assignment, limits: boolean): HeldRight {
  const permissions = each.definition && orElse(each.definition.permissions, () => undefined);
  const power = powerOfRole(roleLabel(each), permissions);
  return { text: `${limits ? "perhaps " : ""}${assignmentText(each)}`, limits, power, source: each.source };
}

/** The roles assigned to identities and other principals. */
export function grantedRoles(
  identities: readonly Identity[],
  others: (own: readonly HeldRoles[]) => HeldRoles,
): readonly Granted[] {
  const { held, possible } = others(identities.map(({ roles }) => roles));
  const other = (each: Assignment, limits: boolean): Granted => ({
    to: `principal ${each.principal}`,
    isHeld: false,
    isOwn: false,
    rights: () => [rightOf(each, limits)],
  });
  return [
    ...identities.map((identity): Granted => ({
      to: actingAs(identity.client, identity),
      isHeld: true,
      isOwn: true,
      at: identity.source,
      rights: () => heldRoles(identity),
    })),
    ...held.map((each) => other(each, false)),
    ...possible.map((each) => other(each, true)),
  ];
}

/** The identity that a service account acts as, for display. */
export function actingAs(client: Known<string | undefined>, { label }: Pick<Identity, "label">): string {
  return match(
    client,
    (id) => `client id ${id}`,
    () => label,
  );
}

function assignmentText(each: Assignment): string {
  const { definition, scope, condition } = each;
  const permissions = definition && orElse(definition.permissions, () => undefined);
  const says = permissions === undefined ? "" : ` (${permissions.map(permissionText).join(" and ")})`;
  const under = shown(map(condition, (text) => text ?? ""));
  return `${roleLabel(each)}${says} on ${shown(scope.text)}${under === "" ? "" : ` under ${under}`}`;
}

function permissionText({ actions, notActions, dataActions, notDataActions }: RolePermissions): string {
  const text = (label: string, all: Operations): readonly string[] => {
    const words = shown(map(all, (texts) => texts.map(shown).sort().join(", ")));
    return words === "" ? [] : [label + words];
  };
  return [
    ...text("", actions),
    ...text("except ", notActions),
    ...text("data actions ", dataActions),
    ...text("except data actions ", notDataActions),
  ].join("; ");
}
