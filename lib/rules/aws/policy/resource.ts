/*
 * What does the policy of a resource say to a role, to everybody, or to a service of AWS? From that policy alone.
 * Source: "Cross-account policy evaluation logic" in the IAM user guide.
 */

import { type Known, joined, match } from "../../../model/known";
import { type ContextKeys, ofRoles, requestContext } from "./context";
import { type AwsDecision, PolicySet, type Question } from "./decide";
import type { Match } from "./match";
import type { Policy, Statement } from "./document";
import { coversOutsider, coversRole, namesRole } from "./principal";
import type { AskedResource } from "./resource-name";

interface RequestingRole {
  readonly arn: Known<string>;
  /** Name of its partition, `aws`. */
  readonly partition: Known<string>;
  readonly account: Known<string>;
}

const NOTHING = "the repository policy has no statement that allows anything";

/** The policy of a resource, as it speaks to one role. */
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
    this.#grants = set((statement) => (isDeny(statement) ? coversRole : namesRole)(statement, role));
  }

  /** Whether it lets the role in, which counts between accounts; within one only its {@link Question.denial} does. */
  lets(action: string): Question {
    return this.#lets.question(action);
  }

  /**
   * Whether it grants to the role itself, which within one account needs no identity policy, as what it grants to the
   * account does. `unknown` also where everybody is let in, of which AWS does not say whether that grants to a role.
   * Source: "Identity-based policies and resource-based policies" under "Policy evaluation logic".
   */
  grants(action: string): Question {
    return this.#grants.question(action);
  }
}

function isDeny({ effect }: Statement): boolean {
  return match(
    effect,
    (each) => each === "Deny",
    () => false,
  );
}

interface AwsOutsiderRequest {
  /** The service, `cloudfront.amazonaws.com`; `undefined` for someone without credentials. */
  readonly service: string | undefined;
  readonly action: string;
  readonly resource: AskedResource;
  readonly context: ContextKeys;
}

export function decideOutsider(
  policy: Policy,
  { service, action, resource, context }: AwsOutsiderRequest,
): AwsDecision {
  const judging = {
    context: requestContext(context),
    principal: (statement: Statement) => coversOutsider(statement, service),
    nothing: "the policy has no statement that allows anything",
  };
  return new PolicySet([{ policy, doubt: undefined }], judging).question(action).decide(resource);
}
