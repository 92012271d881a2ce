/*
 * Whether a pool provider admits a token, and which attributes it makes of it, whoever wrote condition and mapping.
 */

import { type Known, Reference, map, orElse, partsOf, textOf } from "../../model/known";
import { treeOf } from "../../model/tree";
import { type CelClaims, type CelVariables, UNKNOWN_CLAIM } from "./cel-claims";
import { type CelAnswer, type CelExpression, TOKEN_TELLS } from "./cel-evaluation";
import { CONDITION_MAX } from "./condition";
import { CUSTOM_KEY, MAPPING_MAX, SUBJECT_MAX_BYTES } from "./mapping";

/** What a condition says to a token, with the reason for people. */
export interface AttributeConditionAnswer {
  readonly outcome: "allowed" | "denied" | "unknown";
  readonly reason: string;
}

const UID_LENGTH = 36;
/** The UID of a service account, which no artefact holds. */
export const UNKNOWN_UID: Known<string> = textOf([new Reference("the service account's UID")]);

/**
 * Whether a pool provider's condition admits a token, from the token's claims and the attributes that the mapping
 * made of them. A claim that is missing makes CEL fail and Google refuse.
 */
export function evaluateAttributeCondition(
  condition: CelExpression | undefined,
  claims: CelClaims,
  attributes: CelVariables = {},
): AttributeConditionAnswer {
  if (condition === undefined)
    return { outcome: "allowed", reason: "the pool provider has no attribute condition" };
  const { length } = orElse(condition.text, () => "");
  if (length > CONDITION_MAX)
    return {
      outcome: "denied",
      reason: `the attribute condition has ${length} characters, Google accepts ${CONDITION_MAX}`,
    };
  const answer = condition.evaluate({ ...attributes, assertion: claims });
  if (answer.kind === "unknown")
    return { outcome: "unknown", reason: `the attribute condition cannot be judged: ${answer.reason}` };
  if (answer.kind === "error")
    return { outcome: "denied", reason: `the attribute condition fails: ${answer.reason}` };
  if (typeof answer.value !== "boolean")
    return { outcome: "unknown", reason: "the attribute condition gives neither true nor false" };
  const subject = typeof claims["sub"] === "string" ? claims["sub"] : "the token";
  return answer.value
    ? { outcome: "allowed", reason: `the attribute condition admits ${subject}` }
    : { outcome: "denied", reason: `the attribute condition does not admit ${subject}` };
}

export interface MappedAttributes {
  /** `subject` a text, `groups` a list of texts; `UNKNOWN_CLAIM` where it cannot be determined. */
  readonly google: CelClaims;
  /** Custom attributes by name: texts, `UNKNOWN_CLAIM` where it cannot be determined. */
  readonly attribute: CelClaims;
  /** Why no token is exchanged with this mapping; `undefined` where nothing speaks against it. */
  readonly failure: string | undefined;
  /**
   * Why an attribute may have no value, or none that fits. Google does not say whether it then leaves the attribute out
   * or refuses the exchange.
   */
  readonly doubt: string | undefined;
}

const SUBJECT = "google.subject";
const GROUPS = "google.groups";
/** Besides the subject and custom ones; all but the groups are for people, and IAM names none of them. */
const NAMED = /^google\.(?:groups|display_name|email|posix_username|profile_photo)$/;

/** The attributes by the mapping's expressions over the claims; claims may be `UNKNOWN_CLAIM`. */
export function mapAttributes(
  mapping: ReadonlyMap<string, CelExpression>,
  claims: CelClaims,
): MappedAttributes {
  const expression = mapping.get(SUBJECT);
  const subjectValue = expression && evaluate(expression, claims);
  const failure = subjectValue ? subjectFailure(subjectValue) : "nothing is mapped to google.subject";
  const subject = subjectValue && failure === undefined ? textIn(subjectValue) : UNKNOWN_CLAIM;
  const others = [...mapping]
    .filter(([key]) => key !== SUBJECT)
    .map(([key, each]) => [key, evaluate(each, claims)] as const);
  const groups = others.find(([key]) => key === GROUPS)?.[1];
  const listed = groups?.kind === "value" && Array.isArray(groups.value) ? groups.value : UNKNOWN_CLAIM;
  const custom = others.flatMap(([key, answer]): (readonly [string, unknown])[] => {
    const [, name] = CUSTOM_KEY.exec(key) ?? [];
    return name === undefined ? [] : [[name, textIn(answer)]];
  });
  const open = failure === undefined && !isSubjectTold(subject);
  return {
    google: { subject, ...(groups && { groups: listed }) },
    attribute: Object.fromEntries(custom),
    failure,
    doubt: open ? "which google.subject the token gets is not known" : doubtOf(others),
  };
}

/** Whether a subject is known but for the service account's UID, with which it fits. */
function isSubjectTold(subject: unknown): boolean {
  const parts = partsOf(map(treeOf(subject), String));
  const [uid] = partsOf(UNKNOWN_UID) ?? [];
  const texts = parts?.map((part) => (part === uid ? "u".repeat(UID_LENGTH) : part));
  return (
    texts?.every((part) => typeof part === "string") === true &&
    Buffer.byteLength(texts.join("")) <= SUBJECT_MAX_BYTES
  );
}

function subjectFailure(answer: CelAnswer): string | undefined {
  if (answer.kind === "error") return `google.subject has no value: ${answer.reason}`;
  if (answer.kind === "unknown") return undefined;
  if (typeof answer.value !== "string") return "google.subject would not be a string";
  if (answer.value === "") return "google.subject would be empty";
  const bytes = Buffer.byteLength(answer.value);
  return bytes > SUBJECT_MAX_BYTES
    ? `google.subject would have ${bytes} bytes, ${SUBJECT_MAX_BYTES} are allowed`
    : undefined;
}

function doubtOf(others: readonly (readonly [string, CelAnswer])[]): string | undefined {
  for (const [key, answer] of others) {
    if (!NAMED.test(key) && !CUSTOM_KEY.test(key)) return `${key} is no attribute that Google names`;
    if (answer.kind !== "value" && answer.reason !== TOKEN_TELLS)
      return `${key} may have no value: ${answer.reason}`;
    const isGroups = key === GROUPS;
    if (
      answer.kind === "value" &&
      (isGroups ? !Array.isArray(answer.value) : typeof answer.value !== "string")
    )
      return `${key} would not be a ${isGroups ? "list of strings" : "string"}`;
  }
  return undefined;
}

function evaluate(expression: CelExpression, claims: CelClaims): CelAnswer {
  const { length } = orElse(expression.text, () => "");
  return length > MAPPING_MAX
    ? { kind: "unknown", reason: `it has ${length} characters, ${MAPPING_MAX} are allowed` }
    : expression.evaluate({ assertion: claims });
}

function textIn(answer: CelAnswer): unknown {
  if (answer.kind === "unknown") return answer.text ?? UNKNOWN_CLAIM;
  return answer.kind === "value" && typeof answer.value === "string" ? answer.value : UNKNOWN_CLAIM;
}
