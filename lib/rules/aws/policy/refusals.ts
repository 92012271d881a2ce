/*
 * What IAM refuses in the policies of roles beyond their grammar. A refused policy does not exist.
 *
 * Sources: the elements of the "IAM JSON policy elements reference" and "IAM and AWS STS quotas" in the IAM user guide; the
 * messages in quotation marks are those of the error MalformedPolicyDocument.
 */

import { type TextParts, orElse } from "../../../model/known";
import type { PolicyKind, Selection, Statement, UnreadStatement } from "./document";
import { hasWildcard } from "../../wildcard";

/** The greatest value of quota L-C07B4B0D, of a role's trust policy; it was 4,096 until May 2026. */
export const trustCharactersMax = 8192;
/** The limit for all inline policies of a role. */
export const inlineCharactersMax = 10_240;
/** The limit for a managed policy. */
export const managedCharactersMax = 6144;

const WHITE_SPACES = /\s+/g;

/** Whether a policy is too long for IAM, which ignores white space; values known only after apply make it longer. */
export function isOverlong(parts: TextParts, max: number): boolean {
  const texts = parts.filter((part) => typeof part === "string");
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return length > max && texts.reduce((sum, text) => sum + text.replace(WHITE_SPACES, "").length, 0) > max;
}

/** Why IAM refuses the statements, a clause; `undefined` if it does not, or if that is unknown. */
export function refusalOf(
  statements: readonly (Statement | UnreadStatement)[],
  kind: PolicyKind,
): string | undefined {
  if (kind === "resource") return undefined;
  if (statements.length === 0) return "it has no statement";
  const rules = [...EITHER, ...(kind === "trust" ? TRUST : IDENTITY)];
  for (const [index, statement] of statements.entries()) {
    if ("unread" in statement) continue;
    const why = rules.map((rule) => rule(statement)).find((each) => each !== undefined);
    if (why !== undefined) return `statement ${index + 1} ${why}`;
  }
  return repeatedSid(statements);
}

type Rule = (statement: Statement) => string | undefined;

const SID = /^[0-9A-Za-z]*$/;

const EITHER: readonly Rule[] = [
  // "Statement IDs (SID) must be alpha-numeric."
  ({ sid }) => {
    const text = orElse(sid, () => undefined) ?? "";
    return SID.test(text) || isOpen(text)
      ? undefined
      : `has the Sid ${JSON.stringify(text)}, which does not consist only of letters and digits`;
  },
  // "Actions/Conditions must be prefaced by a vendor", "Actions/Condition can contain only one colon."
  ({ actions }) =>
    first(actions, (action) =>
      action === "*" || action.split(":").length === 2
        ? undefined
        : `has the action ${JSON.stringify(action)}, which is not of the form <service>:<action>`,
    ),
];

const IDENTITY: readonly Rule[] = [
  // "Policy document should not specify a principal."
  ({ principal }) => (principal ? "has a Principal, which an identity policy may not have" : undefined),
  // "Policy statement must contain actions.", "… resources."
  ({ actions }) => (actions.values.length === 0 ? "names no action" : undefined),
  ({ resources }) => ((resources?.values ?? []).length === 0 ? "names no resource" : undefined),
  // "Resource … must be in ARN format or "*"."
  ({ resources }) =>
    first(resources, (resource) =>
      isArnOrWildcard(resource)
        ? undefined
        : `has the resource ${JSON.stringify(resource)}, which is neither an ARN nor *`,
    ),
];

const TRUST: readonly Rule[] = [
  // "Missing required field Principal"
  ({ principal }) => (principal ? undefined : "has no Principal"),
  // "AssumeRole policy must not contain NotPrincipal field."
  ({ principal }) => (principal?.negated ? "has NotPrincipal, which a trust policy may not have" : undefined),
  // "Has prohibited field Resource"
  ({ resources }) => (resources ? "has a Resource, which a trust policy may not have" : undefined),
  // "AssumeRole policy may only specify STS AssumeRole actions."
  ({ actions }) =>
    actions.negated ? "has NotAction, but a trust policy may name only actions of STS" : undefined,
  ({ actions }) =>
    first(actions, (action) =>
      /^sts:/i.test(action)
        ? undefined
        : `has the action ${JSON.stringify(action)}, but a trust policy may name only actions of STS`,
    ),
];

/** Does not judge a wildcard before the first colon: no source says which of them IAM accepts. */
function isArnOrWildcard(resource: string): boolean {
  if (resource.startsWith("arn:")) return true;
  const [prefix = "", ...rest] = resource.split(":");
  if (/^[*?]+$/.test(prefix)) return true;
  return rest.length > 0 && hasWildcard(prefix);
}

function first(
  selection: Selection | undefined,
  problem: (value: string) => string | undefined,
): string | undefined {
  for (const value of selection?.values ?? []) {
    const text = orElse(value, NOTHING);
    const refusal = text === undefined || isOpen(text) ? undefined : problem(text);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

const NOTHING = (): undefined => undefined;

/** Also where texts are given with Terraform's or cdktf's references in them. */
function isOpen(text: string): boolean {
  return text.includes("{");
}

/** "Statement IDs (SID) in a single policy must be unique." */
function repeatedSid(statements: readonly (Statement | UnreadStatement)[]): string | undefined {
  const seen = new Set<string>();
  for (const statement of statements) {
    const text = "unread" in statement ? "" : (orElse(statement.sid, () => undefined) ?? "");
    if (text === "" || isOpen(text)) continue;
    if (seen.has(text)) return `two statements have the Sid ${text}`;
    seen.add(text);
  }
  return undefined;
}
