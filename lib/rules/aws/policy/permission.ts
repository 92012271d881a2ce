/*
 * Whether a role may do something: by its identity policies and by the policy of a resource. Source: "Cross-account policy evaluation logic" in the IAM user guide.
 */

import { type Known, is, joined } from "../../../model/known";
import { isRecord } from "../../../model/record";
import { type RequestContext, requestContext, ofRoles } from "./context";
import { type AwsDecision, type CountedPolicy, PolicySet, type Question } from "./decide";
import type { Policy, Statement } from "./document";
import { readPolicy } from "./policy";
import { coversRole, namesRole } from "./principal";
import { oneResource } from "./asked-resource";
import { type Match, YES } from "./match";

/** The requested action and resource. */
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
 * Never throws. `unknown` if a policy contains a Terraform reference, or an operator or condition key that cannot be
 * judged; a policy that IAM refuses does not exist. Does not consider permissions boundaries, session policies and
 * organization policies, which can only restrict, nor the resource's own policy, which can also allow.
 */
export function evaluateAwsPermission(policies: unknown, request: AwsPermissionRequest): AwsDecision {
  const fields: Record<string, unknown> = isRecord(request) ? { ...request } : {};
  const { action, resource } = fields;
  if (typeof action !== "string" || typeof resource !== "string" || /\$\{/.test(action + resource))
    return { outcome: "unknown", reason: "the action or the resource is not known" };
  const read = (Array.isArray(policies) ? policies : [policies]).map((each) => ({
    policy: readPolicy(each, "identity"),
    doubt: undefined,
  }));
  const { outcome, reason } = identityPolicies(read, requestContext(fields["context"]))
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
    principal: () => YES,
    nothing: "no policy has a statement that allows anything",
  });
}

interface RequestingRole {
  readonly arn: Known<string>;
  /** Name of its partition, `aws`. */
  readonly partition: Known<string>;
  readonly account: Known<string>;
}

const NOTHING = "the resource's policy has no statement that allows anything";

/** The policy of a resource, evaluated for one role. */
export class ResourcePolicy {
  readonly #lets: PolicySet;
  readonly #grants: PolicySet;

  constructor(policy: Policy, { arn, partition, account }: RequestingRole) {
    const role = { arn, account, root: joined("arn:", partition, ":iam::", account, ":root") };
    const context = requestContext({
      ...ofRoles,
      "aws:PrincipalAccount": account,
      "aws:PrincipalArn": arn,
    });
    const counted = [{ policy, doubt: undefined }];
    const set = (principal: (statement: Statement) => Match): PolicySet =>
      new PolicySet<never>(counted, { context, principal, nothing: NOTHING });
    this.#lets = set((statement) => coversRole(statement, role));
    this.#grants = set((statement) => {
      const compare = is(statement.effect, "Deny") === "yes" ? coversRole : namesRole;
      return compare(statement, role);
    });
  }

  /** Whether it admits the role; matters between accounts, within one only its {@link Question.denial} does. */
  lets(action: string): Question {
    return this.#lets.question(action);
  }

  /** As {@link lets}, for every action that a text with wildcards covers. */
  every(action: string): Question {
    return this.#lets.every(action);
  }

  /**
   * Whether it grants to the role itself, which within one account needs no identity policy, unlike a grant to the
   * account. `unknown` also if everybody is admitted, because AWS does not say whether that grants to a role.
   * Source: "Identity-based policies and resource-based policies" under "Policy evaluation logic".
   */
  grants(action: string): Question {
    return this.#grants.question(action);
  }
}
