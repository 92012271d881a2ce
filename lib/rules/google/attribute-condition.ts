/*
 * The attribute condition of a pool provider: which tokens of the issuer are exchanged at all. Written here and read
 * back here; a condition that somebody else wrote is evaluated, and one that cannot be is not guessed at.
 *
 * Bindings name each service account anyway. The condition keeps every other token of the cluster from becoming
 * an identity of the pool, which `principalSet://…/*` and grants to all authenticated principals would include.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import type { Subject } from "../../model/subject";
import { celString, readCelString } from "./cel";
import { evaluateCel } from "./cel-evaluation";
import { type CelClaims, type CelVariables, UNKNOWN_CLAIM } from "./cel-variables";
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

const LIST = /^(assertion\.sub|assertion\['kubernetes\.io'\]\['namespace'\]) in \[(.*)\]$/s;
const EQUAL = /^(assertion\.sub|assertion\['kubernetes\.io'\]\['namespace'\]) == (.*)$/s;
const PREFIX = /^(assertion\.sub)\.startsWith\((.*)\)$/s;

/**
 * Whether a pool provider's condition admits a token, from the token's claims and the attributes that the mapping
 * made of them (`google` and `attribute`, as {@link mapAttributes} gives them).
 *
 * The forms that {@link attributeCondition} writes are read directly; any other one is evaluated as CEL. A claim that is
 * missing makes CEL fail and Google refuse. What cannot be told is `unknown`: a late value, a claim that is
 * `UNKNOWN_CLAIM`, and expressions that are not evaluated here.
 */
export function evaluateAttributeCondition(
  expression: string | undefined,
  claims: CelClaims,
  attributes: CelVariables = {},
): AttributeConditionAnswer {
  if (expression === undefined || expression === "")
    return { outcome: "allowed", reason: "the pool provider has no attribute condition" };
  if (isLate(expression))
    return { outcome: "unknown", reason: "the attribute condition is known after apply" };
  const text = expression.trim();
  if (text === "true" || text === NOBODY)
    return { outcome: text === NOBODY ? "denied" : "allowed", reason: `the attribute condition is ${text}` };
  if (text.length > CONDITION_MAX)
    return {
      outcome: "unknown",
      reason: `the attribute condition has ${text.length} characters, Google accepts ${CONDITION_MAX}`,
    };
  return evaluateComparison(text, claims) ?? evaluateExpression(text, { ...attributes, assertion: claims });
}

function evaluateExpression(text: string, variables: CelVariables): AttributeConditionAnswer {
  const answer = evaluateCel(text, variables);
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

function evaluateComparison(text: string, claims: CelClaims): AttributeConditionAnswer | undefined {
  const [, listed, list] = LIST.exec(text) ?? [];
  if (listed !== undefined && list !== undefined) {
    const values = readList(list);
    return values && answer(listed, claims, (claim) => values.includes(claim), "is listed", "is not listed");
  }
  const [, compared, single] = EQUAL.exec(text) ?? [];
  const value = single === undefined ? undefined : readCelString(single);
  if (compared !== undefined && value !== undefined)
    return answer(compared, claims, (claim) => claim === value, "is equal", "differs");
  const [, begun, start] = PREFIX.exec(text) ?? [];
  const prefix = start === undefined ? undefined : readCelString(start);
  if (begun === undefined || prefix === undefined) return undefined;
  return answer(begun, claims, (claim) => claim.startsWith(prefix), "has the prefix", "lacks the prefix");
}

function answer(
  operand: string,
  claims: CelClaims,
  holds: (claim: string) => boolean,
  yes: string,
  no: string,
): AttributeConditionAnswer {
  const claim = operand === SUBJECT ? claims["sub"] : namespaceOf(claims);
  if (claim === UNKNOWN_CLAIM)
    return { outcome: "unknown", reason: `${operand} is known only from the token` };
  if (typeof claim !== "string") return { outcome: "denied", reason: `the token has no ${operand}` };
  return holds(claim)
    ? { outcome: "allowed", reason: `${claim} ${yes} in the attribute condition` }
    : { outcome: "denied", reason: `${claim} ${no} in the attribute condition` };
}

function namespaceOf(claims: CelClaims): unknown {
  const kubernetes = claims["kubernetes.io"];
  return typeof kubernetes === "object" && kubernetes !== null && "namespace" in kubernetes
    ? kubernetes.namespace
    : undefined;
}

function memberOf(operand: string, values: readonly string[]): string {
  return `${operand} in [${[...new Set(values)].sort().map(celString).join(SEPARATOR)}]`;
}

const ITEM = /\s*('(?:[^'\\\r\n]|\\.)*'|"(?:[^"\\\r\n]|\\.)*")\s*(,|$)/y;

function readList(text: string): readonly string[] | undefined {
  if (text.trim() === "") return [];
  const values: string[] = [];
  const item = new RegExp(ITEM);
  while (item.lastIndex < text.length) {
    const [, literal, separator] = item.exec(text) ?? [];
    const value = literal === undefined ? undefined : readCelString(literal);
    if (value === undefined) return undefined;
    values.push(value);
    if (separator === "") return values;
  }
  return values;
}
