/*
 * What a component was meant to get where the caller says other than its request.
 */

import type { ComponentIntent } from "../../model/components";
import type { ComponentRights, ComponentRightsOverride } from "./provider-spec";
import type { RoleCondition } from "./role-condition";

/** The intent, in the form of a request's provider part; `undefined` where the request counts as it is. */
export function componentIntent(
  { permissions, roles }: ComponentRights,
  override: ComponentRightsOverride & { readonly condition?: RoleCondition },
): ComponentIntent | undefined {
  const { condition, reason } = override;
  const overridden = [override.permissions, override.predefinedRoles, condition];
  if (overridden.every((each) => each === undefined)) return undefined;
  return {
    rights: { permissions, predefinedRoles: roles, ...(condition && { condition }) },
    ...(reason !== undefined && { reason }),
  };
}
