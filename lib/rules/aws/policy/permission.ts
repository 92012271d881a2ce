/*
 * May a role do something? From its identity policies alone.
 */

import { isRecord } from "../../../model/record";
import { type RequestContext, requestContext } from "./context";
import { type AwsDecision, type CountedPolicy, PolicySet } from "./decide";
import { yes } from "./match";
import { readPolicy } from "./policy";
import { oneResource } from "./resource-name";

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
 * Never throws. `unknown` where a policy holds a Terraform reference, or an operator or condition key that cannot be
 * judged; a policy that IAM refuses is not there. Says nothing about permissions boundaries, session policies,
 * organization policies and the resource's own policy, each of which can only take away, save the last.
 */
export function evaluateAwsPermission(policies: unknown, request: AwsPermissionRequest): AwsDecision {
  const given: Record<string, unknown> = isRecord(request) ? { ...request } : {};
  const { action, resource } = given;
  if (typeof action !== "string" || typeof resource !== "string" || /\$\{/.test(action + resource))
    return { outcome: "unknown", reason: "the action or the resource is not known" };
  const read = (Array.isArray(policies) ? policies : [policies]).map((each) => ({
    policy: readPolicy(each, "identity"),
    doubt: undefined,
  }));
  const { outcome, reason } = identityPolicies(read, requestContext(given["context"]))
    .question(action)
    .decide(oneResource(resource));
  return { outcome, reason };
}

export function identityPolicies<D = never>(
  policies: readonly CountedPolicy<D>[],
  context: RequestContext,
): PolicySet<D> {
  return new PolicySet(policies, {
    context,
    principal: () => OWN,
    nothing: "no policy has a statement that allows anything",
  });
}

const OWN = yes(() => "an identity policy speaks of its own role");
