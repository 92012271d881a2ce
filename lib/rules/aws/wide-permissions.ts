/*
 * Permissions that reach everything, or all of a service: they take a written reason.
 */

import { isLate } from "../../model/late";
import { listOf } from "./list-of";
import type { PolicyStatement } from "./policy-document";

/** Every action, or every action of one service: nothing but wildcards where the action stands. */
const WIDE_ACTION = /^(?:[*?]+|[^:]+:[*?]+)$/;

/** Nothing but wildcards where the resource stands; what is before it only says of which kind, or whose. */
const WIDE_RESOURCE = /^[*?:/]*[*?][*?:/]*$/;

/** Fields of an ARN before the resource. */
const ARN_FIELDS = 5;

/** Policies of AWS that permit everything, or to make oneself an administrator. Source: AWS managed policy reference. */
const WIDE_POLICIES = /^arn:[a-z-]+:iam::aws:policy\/(?:AdministratorAccess|PowerUserAccess|IAMFullAccess)$/;

/** True for a statement that permits every action, or every action of a service, on every resource. */
export function isWide({ Effect, Action, Resource }: PolicyStatement): boolean {
  return (
    Effect === "Allow" &&
    listOf(Action).some((action) => WIDE_ACTION.test(action)) &&
    listOf(Resource).some(isWideResource)
  );
}

/** True for a managed policy of AWS that permits everything, or to permit it; false for a late ARN. */
export function isWideManagedPolicy(arn: string): boolean {
  return WIDE_POLICIES.test(arn);
}

function isWideResource(resource: string): boolean {
  if (isLate(resource)) return false;
  const fields = resource.split(":");
  const last = fields.length > ARN_FIELDS ? fields.slice(ARN_FIELDS).join(":") : (fields.at(-1) ?? "");
  return WIDE_RESOURCE.test(last);
}
