/*
 * What a member was granted, in a form in which two readings of it can be compared: a custom role permission by
 * permission, since its name says nothing.
 */

import { orElse, shown } from "../../model/known";
import type { HeldRight } from "../cloud";
import { targetText } from "./grants";
import type { GrantTo, Iam } from "./iam";

/** The rights of one grant. */
export function heldGrant({ grant, isTo, owner }: GrantTo, iam: Iam): readonly HeldRight[] {
  const { role, on, condition, resource } = grant;
  const under = condition === undefined ? "" : shown(condition.text);
  const place =
    on.kind === "project" || on.project === undefined
      ? targetText(on)
      : `${targetText(on)} of ${shown(on.project)}`;
  const located = on.location === undefined ? place : `${place} in ${shown(on.location)}`;
  const isSure = isTo === "yes" && owner === undefined;
  const custom = iam.role(role);
  const permissions = custom && orElse(custom.permissions, () => undefined);
  const isOn = custom === undefined || custom.isOff === "no";
  const whats = permissions ? permissions.map(shown) : [shown(role)];
  return whats.map((what) => ({
    text: `${isSure && isOn ? "" : "perhaps "}${what} on ${located}${under === "" ? "" : ` under ${under}`}`,
    limits: !isSure || !isOn,
    source: resource.source,
  }));
}
