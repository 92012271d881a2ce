/*
 * What an identity was assigned, in a form that allows two readings to be compared.
 */

import { type Known, isKnown, map, orElse, shown } from "../../model/known";
import { powerOfDirectoryRole, powerOfRole } from "../../rules/azure/powers";
import type { Operations, RolePermissions } from "../../rules/azure/roles";
import type { Granted, HeldRight } from "../cloud";
import type { Terraform } from "../read/terraform";
import { type Assignment, type HeldRoles, roleLabel } from "./assignments";
import type { Identity } from "./identity";

/** The roles of an identity, custom ones with their permissions; `reads` gives the images of a role that only pulls. */
export function heldRoles(
  { roles, hasMoreRoles, source: place }: Identity,
  reads: (assignment: Assignment) => HeldRight["reads"] = () => undefined,
): readonly HeldRight[] {
  const right = (each: Assignment, limits: boolean): HeldRight => ({
    ...rightOf(each, limits),
    reads: limits ? undefined : reads(each),
  });
  return [
    ...roles.held.map((each) => right(each, false)),
    ...roles.possible.map((each) => right(each, true)),
    ...(hasMoreRoles ? [{ text: "role assignments that were not read", limits: true, source: place }] : []),
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
  const ofOthers = (each: Assignment, limits: boolean): Granted => ({
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
    ...held.map((each) => ofOthers(each, false)),
    ...possible.map((each) => ofOthers(each, true)),
  ];
}

/** Roles of Entra and permissions of applications: the argument that names each, and the one that names who has it. */
const DIRECTORY = [
  ["azuread_directory_role_assignment", "role_id", "principal_object_id", "the directory role"],
  ["azuread_directory_role_member", "role_object_id", "member_object_id", "the directory role"],
  ["azuread_app_role_assignment", "app_role_id", "principal_object_id", "the application permission"],
] as const;

export function directoryRoles(terraform: Terraform): readonly Granted[] {
  return DIRECTORY.flatMap(([type, role, principal, title]) =>
    terraform
      .ofType(type)
      .filter(({ adopted }) => !adopted)
      .map((resource): Granted => {
        const declared = resource.mentioned(role).filter((other) => other.type === "azuread_directory_role");
        const names = declared.flatMap((other) =>
          ["display_name", "template_id"].flatMap((name) => orElse(other.text(name), () => undefined) ?? []),
        );
        const text = `${title} ${names[0] ?? shown(resource.stated(role))}`;
        const right = { text, power: powerOfDirectoryRole(text), source: resource.source };
        const to = `principal ${shown(resource.stated(principal))}`;
        return { to, isHeld: false, isOwn: resource.mentioned(principal).length > 0, rights: () => [right] };
      }),
  );
}

/** The identity that a service account acts as, for display. */
export function actingAs(client: Known<string | undefined>, { label }: Pick<Identity, "label">): string {
  return isKnown(client) ? `client id ${shown(client)}` : label;
}

function assignmentText(assignment: Assignment): string {
  const { definition, scope, condition } = assignment;
  const permissions = definition && orElse(definition.permissions, () => undefined);
  const says = permissions === undefined ? "" : ` (${permissions.map(permissionText).join(" and ")})`;
  const under = shown(map(condition, (text) => text ?? ""));
  return `${roleLabel(assignment)}${says} on ${shown(scope.text)}${under === "" ? "" : ` under ${under}`}`;
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
