/*
 * What a component was meant to get where the caller says other than its request.
 */

import type { ComponentIntent } from "../../model/components";
import type { PlannedComponent } from "./component-plan";

/** The intent, in the form of a request's provider part; `undefined` where the request counts as it is. */
export function componentIntent({
  withheld,
  permissions: { actions, dataActions, roles },
}: Pick<PlannedComponent, "withheld" | "permissions">): ComponentIntent | undefined {
  if (!withheld) return undefined;
  return {
    rights: {
      permissions: actions,
      dataPermissions: dataActions,
      roleBindings: roles.map((role) => ({ role })),
    },
  };
}
