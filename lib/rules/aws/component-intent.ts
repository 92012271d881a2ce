/*
 * What a component was meant to get where the caller says other than its request.
 */

import type { ComponentIntent } from "../../model/components";
import type { ComponentPermissionsOverride } from "./component-policy";
import type { PolicyDocument, PolicyStatement } from "./policy-document";

/** The intent, in the form of a request's provider part; `undefined` where the request counts as it is. */
export function componentIntent(
  { Statement }: PolicyDocument,
  { narrow = [], kmsKeys = [], statements = [], wideReason }: ComponentPermissionsOverride,
): ComponentIntent | undefined {
  if (narrow.length + kmsKeys.length + statements.length === 0) return undefined;
  return {
    rights: { statementEntries: Statement.flatMap(entriesOf) },
    ...(wideReason !== undefined && { reason: wideReason }),
  };
}

/** A request has one resource in each entry. */
function entriesOf({ Effect, Action, Resource, Condition }: PolicyStatement): readonly object[] {
  return [Resource ?? "*"].flat().map((resource) => ({
    effect: Effect,
    action: [Action].flat(),
    resource,
    ...(Condition && { policyCondition: Condition }),
  }));
}
