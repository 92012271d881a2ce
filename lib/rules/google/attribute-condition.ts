/*
 * The attribute condition of a pool provider: which tokens of the issuer are exchanged at all. Written here and read
 * back here; a condition that somebody else wrote is evaluated, and one that cannot be is not guessed at.
 *
 * Bindings name each service account anyway. The condition keeps every other token of the cluster from becoming
 * an identity of the pool, which `principalSet://…/*` and grants to all authenticated principals would include.
 */

import { fail } from "../../errors";
import { orElse } from "../../model/known";
import { isLate } from "../../model/late";
import type { Subject } from "../../model/subject";
import { celString } from "./cel";
import type { CelComparison } from "./cel-comparison";
import type { CelExpression } from "./cel-evaluation";
import { type CelClaims, type CelVariables, claimAt } from "./cel-variables";
import { admitsEveryToken } from "./trivial-condition";

/** How exact a condition is: each service account, their namespaces, any service account, or nobody yet. */
export type AttributeConditionForm = "subjects" | "namespaces" | "any-service-account" | "nobody";

/** A condition and how exact it is. */
export interface AttributeCondition {
  /** How exact the condition is. */
  readonly form: AttributeConditionForm;
  /** The CEL expression, 1 to 4096 characters. */
  readonly expression: string;
}

/** What a condition says to a token, with the reason. */
export interface AttributeConditionAnswer {
  /** `unknown` where the condition has a form that is not read here. */
  readonly outcome: "allowed" | "denied" | "unknown";
  /** Why, for people. */
  readonly reason: string;
}

/** REST reference of workloadIdentityPools.providers, `attributeCondition`. */
const CONDITION_MAX = 4096;

const SEPARATOR = ", ";

const SUBJECT = "assertion.sub";
const NAMESPACE = "assertion['kubernetes.io']['namespace']";
const ANY_PREFIX = "system:serviceaccount:";
const NOBODY = "false";

/**
 * The most exact condition that fits: the list of subjects, else of their namespaces, else any service account.
 *
 * Sorted and without duplicates. Without a subject it is `false`: nobody is admitted.
 */
export function attributeCondition(subjects: readonly Subject[]): AttributeCondition {
  if (subjects.length === 0) return { form: "nobody", expression: NOBODY };
  const candidates: readonly AttributeCondition[] = [
    { form: "subjects", expression: memberOf(SUBJECT, subjects.map(String)) },
    {
      form: "namespaces",
      expression: memberOf(
        NAMESPACE,
        subjects.map(({ namespace }) => namespace),
      ),
    },
  ];
  return (
    candidates.find(({ expression }) => expression.length <= CONDITION_MAX) ?? {
      form: "any-service-account",
      expression: `${SUBJECT}.startsWith(${celString(ANY_PREFIX)})`,
    }
  );
}

/**
 * How exact the condition of a set of subjects is, from their count, that of their namespaces, and the characters of
 * both as CEL literals; the same answer as {@link attributeCondition}, without writing the lists.
 */
export function conditionForm(subjects: ListSize, namespaces: ListSize): AttributeConditionForm {
  if (subjects.count === 0) return "nobody";
  if (listLength(SUBJECT, subjects) <= CONDITION_MAX) return "subjects";
  return listLength(NAMESPACE, namespaces) <= CONDITION_MAX ? "namespaces" : "any-service-account";
}

/** Size of a list of CEL string literals. */
export interface ListSize {
  /** Number of literals. */
  readonly count: number;
  /** Characters of all literals, quotes included. */
  readonly characters: number;
}

function listLength(operand: string, { count, characters }: ListSize): number {
  return operand.length + " in []".length + characters + (count - 1) * SEPARATOR.length;
}

/**
 * Returns a condition of the caller's own, a late one as it is.
 *
 * Throws `google-condition-invalid`, or `google-condition-trivial` where it plainly admits every token.
 */
export function ownAttributeCondition(expression: string): string {
  if (isLate(expression)) return expression;
  if (expression.trim() === "" || expression.length > CONDITION_MAX)
    return fail("google-condition-invalid", expression.length);
  return admitsEveryToken(expression) ? fail("google-condition-trivial", expression) : expression;
}

/**
 * Whether a pool provider's condition admits a token, from the token's claims and the attributes that the mapping
 * made of them (`google` and `attribute`, as {@link mapAttributes} gives them).
 *
 * A claim that is missing makes CEL fail and Google refuse. What cannot be told is `unknown`: a late value that
 * decides, a claim that is not known, and expressions that are not evaluated here.
 */
export function evaluateAttributeCondition(
  condition: CelExpression | undefined,
  claims: CelClaims,
  attributes: CelVariables = {},
): AttributeConditionAnswer {
  if (condition === undefined)
    return { outcome: "allowed", reason: "the pool provider has no attribute condition" };
  const written = orElse(condition.text, () => "").trim();
  if (written.length > CONDITION_MAX)
    return {
      outcome: "denied",
      reason: `the attribute condition has ${written.length} characters, Google accepts ${CONDITION_MAX}`,
    };
  if (written === "true" || written === NOBODY)
    return {
      outcome: written === NOBODY ? "denied" : "allowed",
      reason: `the attribute condition is ${written}`,
    };
  const variables = { ...attributes, assertion: claims };
  return condition.comparison
    ? comparedAnswer(condition, condition.comparison, variables)
    : evaluated(condition, variables);
}

function evaluated(condition: CelExpression, variables: CelVariables): AttributeConditionAnswer {
  const answer = condition.evaluate(variables);
  if (answer.kind === "unknown")
    return { outcome: "unknown", reason: `the attribute condition cannot be judged: ${answer.reason}` };
  if (answer.kind === "error")
    return { outcome: "denied", reason: `the attribute condition fails: ${answer.reason}` };
  if (typeof answer.value !== "boolean")
    return { outcome: "unknown", reason: "the attribute condition gives neither true nor false" };
  return answer.value
    ? { outcome: "allowed", reason: "the attribute condition admits the token" }
    : { outcome: "denied", reason: "the attribute condition does not admit the token" };
}

const WORDS: Readonly<Partial<Record<CelComparison["test"], readonly [yes: string, no: string]>>> = {
  in: ["is listed", "is not listed"],
  is: ["is equal", "differs"],
  startsWith: ["has the prefix", "lacks the prefix"],
};

/** As {@link evaluated}, with what was compared in words. */
function comparedAnswer(
  condition: CelExpression,
  { path, test }: CelComparison,
  variables: CelVariables,
): AttributeConditionAnswer {
  const answer = evaluated(condition, variables);
  const [yes, no] = WORDS[test] ?? [];
  const claim = claimAt(variables, path);
  const isInWords = path[0] === "assertion" && typeof claim === "string" && yes !== undefined;
  if (answer.outcome === "unknown" || !isInWords) return answer;
  return {
    ...answer,
    reason: `${claim} ${answer.outcome === "allowed" ? yes : (no ?? "")} in the attribute condition`,
  };
}

function memberOf(operand: string, values: readonly string[]): string {
  return `${operand} in [${[...new Set(values)].sort().map(celString).join(SEPARATOR)}]`;
}
