/*
 * The attributes that a pool provider makes of a token, from its mapping.
 * Source of all limits: REST reference of projects.locations.workloadIdentityPools.providers, `attributeMapping`.
 */

import { orElse } from "../../model/known";
import type { CelExpression } from "./cel-evaluation";
import { type CelAnswer, TOKEN_TELLS } from "./cel-program";
import { type CelClaims, UNKNOWN_CLAIM } from "./cel-variables";
import { attributeMapping } from "./attribute-mapping";

/** The attributes of a token. */
export interface MappedAttributes {
  /**
   * Attributes of Google: `subject` a text, `groups` a list of texts; `UNKNOWN_CLAIM` where it cannot be told.
   */
  readonly google: CelClaims;
  /** Custom attributes by name: texts, `UNKNOWN_CLAIM` where it cannot be told. */
  readonly attribute: CelClaims;
  /**
   * Whether the subject is the service account's UID, which no artefact holds but which always fits: alone, or after
   * `uid:`, as the library's own mapping writes it for subjects that do not fit.
   */
  readonly subjectUid: "no" | "alone" | "after-uid";
  /** Why no token is exchanged with this mapping; `undefined` where nothing speaks against it. */
  readonly failure: string | undefined;
  /**
   * Why the expression of an attribute besides the subject may fail, which Google may answer by leaving the attribute
   * out or by failing the exchange: it does not say. `undefined` where the groups are a list of texts and all others a
   * text, under keys that Google names.
   */
  readonly doubt: string | undefined;
}

const SUBJECT = "google.subject";
const GROUPS = "google.groups";
/** Besides the subject and custom ones; all but the groups are for people, and IAM names none of them. */
const NAMED: ReadonlySet<string> = new Set([
  GROUPS,
  "google.display_name",
  "google.email",
  "google.posix_username",
  "google.profile_photo",
]);
const CUSTOM = /^attribute\.([a-z0-9_]{1,100})$/;
const SUBJECT_MAX_BYTES = 127;
const EXPRESSION_MAX = 2048;

/** The library's own expression for subjects that do not fit. */
const LONG_SUBJECTS = attributeMapping(true)[SUBJECT] ?? "";

/** The attributes by the mapping's expressions over the claims; claims may be `UNKNOWN_CLAIM`. */
export function mapAttributes(
  mapping: ReadonlyMap<string, CelExpression>,
  claims: CelClaims,
): MappedAttributes {
  const subject = subjectOf(mapping.get(SUBJECT), claims);
  const others = [...mapping]
    .filter(([key]) => key !== SUBJECT)
    .map(([key, each]) => [key, evaluate(each, claims)] as const);
  const groups = others.find(([key]) => key === GROUPS)?.[1];
  const custom = others.flatMap(([key, answer]): (readonly [string, unknown])[] => {
    const [, name] = CUSTOM.exec(key) ?? [];
    return name === undefined ? [] : [[name, textOr(answer)]];
  });
  return {
    google: {
      subject: subject.value,
      ...(groups === undefined ? {} : { groups: groupsOf(groups) }),
    },
    attribute: Object.fromEntries(custom),
    subjectUid: subject.uid,
    failure: subject.failure,
    doubt: doubtOf(others),
  };
}

function doubtOf(others: readonly (readonly [string, CelAnswer])[]): string | undefined {
  for (const [key, answer] of others) {
    if (!NAMED.has(key) && !CUSTOM.test(key)) return `${key} is no attribute that Google names`;
    if (answer.kind !== "value" && answer.reason !== TOKEN_TELLS)
      return `${key} may have no value: ${answer.reason}`;
    const isGroups = key === GROUPS;
    if (
      answer.kind === "value" &&
      (isGroups ? !Array.isArray(answer.value) : typeof answer.value !== "string")
    )
      return `${key} would be no ${isGroups ? "list of texts" : "text"}`;
  }
  return undefined;
}

interface MappedSubject {
  readonly value: unknown;
  readonly uid: MappedAttributes["subjectUid"];
  readonly failure: string | undefined;
}

function subjectOf(expression: CelExpression | undefined, claims: CelClaims): MappedSubject {
  const none = (failure: string): MappedSubject => ({ value: UNKNOWN_CLAIM, uid: "no", failure });
  if (expression === undefined) return none("nothing is mapped to google.subject");
  const answer = evaluate(expression, claims);
  if (answer.kind === "error") return none(`google.subject has no value: ${answer.reason}`);
  if (answer.kind === "unknown")
    return { value: answer.text ?? UNKNOWN_CLAIM, uid: uidIn(expression), failure: undefined };
  if (typeof answer.value !== "string") return none("google.subject would be no text");
  if (answer.value === "") return none("google.subject would be empty");
  const bytes = Buffer.byteLength(answer.value);
  return bytes > SUBJECT_MAX_BYTES
    ? none(`google.subject would have ${bytes} bytes, ${SUBJECT_MAX_BYTES} are allowed`)
    : { value: answer.value, uid: "no", failure: undefined };
}

/** What an expression that cannot be told gives: only a subject that does not fit makes the library's own one unknown. */
function uidIn(expression: CelExpression): MappedAttributes["subjectUid"] {
  const written = orElse(expression.text, () => "");
  if (written.trim() === LONG_SUBJECTS) return "after-uid";
  return expression.path?.join("/") === "assertion/kubernetes.io/serviceaccount/uid" ? "alone" : "no";
}

function evaluate(expression: CelExpression, claims: CelClaims): CelAnswer {
  const { length } = orElse(expression.text, () => "");
  return length > EXPRESSION_MAX
    ? { kind: "unknown", reason: `it has ${length} characters, ${EXPRESSION_MAX} are allowed` }
    : expression.evaluate({ assertion: claims });
}

/** A custom attribute whose expression fails may be left out or fail the exchange: Google does not say. */
function textOr(answer: CelAnswer): unknown {
  if (answer.kind === "unknown") return answer.text ?? UNKNOWN_CLAIM;
  return answer.kind === "value" && typeof answer.value === "string" ? answer.value : UNKNOWN_CLAIM;
}

function groupsOf(answer: CelAnswer): unknown {
  return answer.kind === "value" && Array.isArray(answer.value) ? answer.value : UNKNOWN_CLAIM;
}
