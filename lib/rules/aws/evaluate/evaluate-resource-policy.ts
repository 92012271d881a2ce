/*
 * What does a repository's own policy say to a role? From that policy alone.
 * Source: "Cross-account policy evaluation logic" in the IAM user guide.
 */

import { isRecord } from "../../../model/record";
import { conditionsHold } from "./conditions";
import { requestOfRole } from "./context";
import { type AwsResourceDecision, decideResource } from "./decide";
import { requestContext } from "./evaluate-permission";
import { type Match, any, cannotTell, no, not, quoted, yes } from "./match";
import { undefinedType } from "./principal";
import { coversAction, coversResource } from "./selection";
import { type Statement, texts } from "./statements";

/** Who asks a resource for what. */
export interface AwsResourceRequest {
  /** ARN of the role. */
  readonly roleArn: string;
  /** The action, `ecr:BatchGetImage`. */
  readonly action: string;
  /**
   * ARN of what is asked for.
   *
   * @defaultValue - Resource is not looked at, as in the policy of a repository, which is about nothing else
   */
  readonly resource?: string;
}

const SESSION_ARN = /^arn:[a-z-]+:sts::\d{12}:assumed-role\//;
const ROLE_ARN = /^arn:([a-z-]+):iam::(\d{12}):role\//;

/**
 * Evaluates the policy of a resource for a role of any account; the policy is JSON text or parsed.
 *
 * Never throws. `unknown` where the policy holds a Terraform reference, or a condition that cannot be judged; a
 * policy that says nothing of the role answers `denied`, which only counts between accounts.
 */
export function evaluateAwsResourcePolicy(policy: unknown, request: AwsResourceRequest): AwsResourceDecision {
  return decided(policy, request, coversRole);
}

/**
 * Evaluates the policy of a resource for what it grants to a role itself, which within one account needs no identity
 * policy, as what it grants to the account does.
 *
 * Never throws. `unknown` also where everybody is let in, of which AWS does not say whether that grants to a role.
 * Source: "Identity-based policies and resource-based policies" under "Policy evaluation logic" in the IAM user guide.
 */
export function evaluateAwsDirectGrant(policy: unknown, request: AwsResourceRequest): AwsResourceDecision {
  return decided(policy, request, (statement, names) =>
    statement.effect === "Deny" ? coversRole(statement, names) : namesRole(statement, names),
  );
}

type Covers = (statement: Statement, names: readonly string[]) => Match;

function decided(
  policy: unknown,
  { roleArn, action, resource }: AwsResourceRequest,
  covers: Covers,
): AwsResourceDecision {
  const [, partition, account] = ROLE_ARN.exec(roleArn) ?? [];
  if (partition === undefined || account === undefined)
    return { outcome: "unknown", reason: NO_ARN, denial: cannotTell(NO_ARN) };
  const names = [account, `arn:${partition}:iam::${account}:root`, roleArn];
  const known = requestContext({
    ...requestOfRole(""),
    "aws:PrincipalAccount": account,
    "aws:PrincipalArn": roleArn,
  });
  return decideResource(
    policy,
    (statement) => [
      covers(statement, names),
      coversAction(statement.actions, action),
      ...(resource === undefined ? [] : [coversResource(statement, resource, known)]),
      conditionsHold(statement, known),
    ],
    "the repository policy has no statement that allows anything",
  );
}

const NO_ARN = "the ARN of the role is not known";

function namesRole(statement: Statement, names: readonly string[]): Match {
  const found = coversRole(statement, names);
  if (found.holds !== true) return found;
  if (statement.principal?.negated || isForEverybody(statement))
    return cannotTell("it lets everybody in, which need not grant to a role itself");
  return coversRole(statement, names.slice(-1));
}

function isForEverybody({ principal }: Statement): boolean {
  const value = isRecord(principal?.value) ? principal.value["AWS"] : principal?.value;
  return (texts(value) ?? []).includes("*");
}

function coversRole({ effect, principal }: Statement, names: readonly string[]): Match {
  if (!principal) return cannotTell("it has no Principal, which AWS refuses in a resource's policy");
  const found = covered(principal.value, names);
  if (!principal.negated) return found;
  // "AWS JSON policy elements: NotPrincipal": for Deny alone, and who excepts a role must name its sessions as well.
  if (effect === "Allow") return cannotTell("it has NotPrincipal, which AWS does not support with Allow");
  return found.holds
    ? cannotTell("it excepts this role or its account, and whether that excepts its sessions is not known")
    : not(found, "it is for everybody else");
}

function covered(principal: unknown, names: readonly string[]): Match {
  if (principal === "*") return yes("it is for everybody");
  if (!isRecord(principal)) return cannotTell("its Principal is neither * nor an object");
  const stray = undefinedType(principal);
  if (stray !== undefined)
    return cannotTell(`its Principal is of the kind ${quoted(stray)}, which AWS does not define`);
  const values = texts(principal["AWS"] ?? []);
  if (!values) return cannotTell("its Principal is no text and no list of texts");
  return any(
    values.map((name) => {
      if (name === "*") return yes("it is for everybody");
      if (name.includes("${")) return cannotTell("its Principal is known only after apply");
      if (SESSION_ARN.test(name)) return cannotTell("its Principal is a session, whose name is not known");
      return names.includes(name) ? yes("it is for this role or its account") : no("another principal");
    }),
    `its Principal is not the role ${quoted(names.at(-1) ?? "")}`,
  );
}
