/*
 * May a role do something? From its identity policies alone.
 */

import { isRecord } from "../../../model/record";
import type { ContextValue, RequestContext } from "./context";
import { conditionsHold } from "./conditions";
import { type AwsDecision, decide } from "./decide";
import { cannotTell, quoted, yes } from "./match";
import { coversAction, coversResource } from "./selection";
import { texts } from "./statements";

/** What is asked for. */
export interface AwsPermissionRequest {
  /** The action, `ecr:BatchGetImage`. */
  readonly action: string;
  /** ARN of the resource; `*` for actions that have none. */
  readonly resource: string;
  /**
   * Condition keys of the request: one value or several; `null` for a key that the request certainly lacks.
   *
   * @defaultValue - no key is known, so that every condition is judged as unknown
   */
  readonly context?: Readonly<Record<string, string | readonly string[] | null>>;
}

/**
 * Evaluates identity policies, each given as JSON text or parsed, or one alone.
 *
 * Never throws. `unknown` where a policy holds a Terraform reference, or an operator or condition key that cannot
 * be judged. Says nothing about permissions boundaries, session policies, organization policies and the
 * resource's own policy, each of which can only take away, save the last.
 */
export function evaluateAwsPermission(policies: unknown, request: AwsPermissionRequest): AwsDecision {
  const given: Record<string, unknown> = isRecord(request) ? { ...request } : {};
  const { action, resource } = given;
  if (typeof action !== "string" || typeof resource !== "string" || /\$\{/.test(action + resource))
    return { outcome: "unknown", reason: "the action or the resource is not known" };
  const context = requestContext(given["context"]);
  return decide(
    Array.isArray(policies) ? policies : [policies],
    (statement) => [
      statement.principal
        ? cannotTell("it has a Principal, which AWS refuses in an identity policy")
        : yes("an identity policy speaks of its own role"),
      coversAction(statement.actions, action),
      coversResource(statement, resource, context),
      conditionsHold(statement, context),
    ],
    "no policy has a statement that allows anything",
  );
}

/** What is known of a request, from condition keys and their values; `null` for one that it certainly lacks. */
export function requestContext(given: unknown): RequestContext {
  const entries = isRecord(given) ? Object.entries(given) : [];
  const known = new Map(entries.map(([key, value]) => [key.toLowerCase(), value]));
  return {
    bearer: "request",
    lookup(key: string): ContextValue {
      const value = known.get(key.toLowerCase());
      if (value === null) return { known: true, values: [], absent: "the request lacks it" };
      const values = value === undefined ? undefined : texts(value);
      return values
        ? { known: true, values, absent: "the request lacks it" }
        : { known: false, reason: `the value of the condition key ${quoted(key)} is not known` };
    },
  };
}
