/*
 * Reads a policy document that somebody wrote, in any of the forms that AWS accepts. Never throws: what cannot be
 * read is said in words. Source: "Grammar of the IAM JSON policy language" in the IAM user guide.
 */
import { isRecord } from "../../../model/record";
import { repeatedKey } from "../../../model/repeated-key";
import { unreadReason } from "./unread-policy";

/** A list of names or ARNs, or everything but them. */
export interface Selection {
  /** The values as written. */
  readonly values: readonly string[];
  /** True for the `Not…` form. */
  readonly negated: boolean;
}

/** Values of one condition key under one operator. */
export interface Condition {
  /** The operator as written, `StringEquals`. */
  readonly operator: string;
  /** The condition key as written. */
  readonly key: string;
  /** The values, numbers and booleans as text. */
  readonly values: readonly string[];
}

/** A statement, ready for evaluation. */
export interface Statement {
  /** `Sid`, or the position from 1, for people. */
  readonly label: string;
  /**
   * `Sid` as written.
   *
   * @defaultValue - it has none
   */
  readonly sid?: string;
  /** Whether it grants or refuses. */
  readonly effect: "Allow" | "Deny";
  /** The value of Principal or NotPrincipal as written; `undefined` where there is neither. */
  readonly principal: { readonly value: unknown; readonly negated: boolean } | undefined;
  /** Action or NotAction. */
  readonly actions: Selection;
  /** Resource or NotResource; `undefined` where there is neither. */
  readonly resources: Selection | undefined;
  /** All conditions; every one must hold. */
  readonly conditions: readonly Condition[];
  /** True where `${…}` in values is a policy variable (language version 2012-10-17). */
  readonly variables: boolean;
}

/** The statements of a document, or why there are none to evaluate. */
export type ReadPolicy =
  | { readonly statements: readonly Statement[] }
  | {
      readonly problem: string;
      /** True for one that nobody showed, of which nothing is wrong. */
      readonly isUnread?: true;
    };

const ELEMENTS: readonly string[] = [
  "Sid",
  "Effect",
  "Principal",
  "NotPrincipal",
  "Action",
  "NotAction",
  "Resource",
  "NotResource",
  "Condition",
];
const DOCUMENT_ELEMENTS: readonly string[] = ["Version", "Id", "Statement"];
const VERSIONS: readonly unknown[] = [undefined, "2008-10-17", "2012-10-17"];

/** Reads a policy given as parsed JSON or as JSON text. */
export function readPolicy(policy: unknown): ReadPolicy {
  const unread = unreadReason(policy);
  if (unread !== undefined) return { problem: unread, isUnread: true };
  const document = typeof policy === "string" ? parsed(policy) : policy;
  if (!isRecord(document)) {
    const late = typeof policy === "string" && policy.includes("${");
    return { problem: late ? "it holds a Terraform expression" : "it is not a JSON object" };
  }
  if (typeof policy === "string" && repeatedKey(policy) !== undefined)
    return { problem: "it has a key twice in one object, of which AWS does not say which one counts" };
  const stray = Object.keys(document).find((key) => !DOCUMENT_ELEMENTS.includes(key));
  if (stray !== undefined) return { problem: `AWS refuses it: unknown element ${JSON.stringify(stray)}` };
  if (!VERSIONS.includes(document["Version"]))
    return { problem: "AWS refuses it: Version is not 2012-10-17 or 2008-10-17" };
  const list = Array.isArray(document["Statement"]) ? document["Statement"] : [document["Statement"]];
  const statements: Statement[] = [];
  for (const [index, entry] of list.entries()) {
    const read = readStatement(entry, index, document["Version"] === "2012-10-17");
    if (typeof read === "string") return { problem: `AWS refuses it: statement ${index + 1} ${read}` };
    statements.push(read);
  }
  return { statements };
}

function readStatement(entry: unknown, index: number, variables: boolean): Statement | string {
  if (!isRecord(entry)) return "is not an object";
  const stray = Object.keys(entry).find((key) => !ELEMENTS.includes(key));
  if (stray !== undefined) return `has the unknown element ${JSON.stringify(stray)}`;
  const effect = entry["Effect"];
  if (effect !== "Allow" && effect !== "Deny") return "has no Effect of Allow or Deny";
  const principal = pair(entry, "Principal");
  const actions = selection(entry, "Action");
  const resources = selection(entry, "Resource");
  const conditions = readConditions(entry["Condition"]);
  if (actions === undefined) return "has neither Action nor NotAction";
  for (const part of [principal, actions, resources, conditions]) if (typeof part === "string") return part;
  return {
    label: typeof entry["Sid"] === "string" && entry["Sid"] !== "" ? entry["Sid"] : `${index + 1}`,
    ...(typeof entry["Sid"] === "string" ? { sid: entry["Sid"] } : {}),
    effect,
    principal: principal as Statement["principal"],
    actions: actions as Selection,
    resources: resources as Selection | undefined,
    conditions: conditions as readonly Condition[],
    variables,
  };
}

function pair(entry: Record<string, unknown>, name: string): Statement["principal"] | string {
  const [plain, negated] = [entry[name], entry[`Not${name}`]];
  if (plain !== undefined && negated !== undefined) return `has both ${name} and Not${name}`;
  if (plain !== undefined) return { value: plain, negated: false };
  return negated === undefined ? undefined : { value: negated, negated: true };
}

function selection(entry: Record<string, unknown>, name: string): Selection | undefined | string {
  const found = pair(entry, name);
  if (found === undefined || typeof found === "string") return found;
  const values = texts(found.value);
  return values ? { values, negated: found.negated } : `has a ${name} that is no text and no list of texts`;
}

function readConditions(block: unknown): readonly Condition[] | string {
  if (block === undefined) return [];
  if (!isRecord(block)) return "has a Condition that is not an object";
  const conditions: Condition[] = [];
  for (const [operator, keys] of Object.entries(block)) {
    if (!isRecord(keys)) return `has a Condition ${JSON.stringify(operator)} that is not an object`;
    for (const [key, given] of Object.entries(keys)) {
      const values = scalars(given);
      if (!values) return `has a value of ${JSON.stringify(key)} that is no text and no list of texts`;
      conditions.push({ operator, key, values });
    }
  }
  return conditions;
}

/** One text or a list of texts; `undefined` for anything else. */
export function texts(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.every((item) => typeof item === "string") ? list : undefined;
}

function scalars(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const scalar = (item: unknown): boolean => ["string", "number", "boolean"].includes(typeof item);
  return list.every(scalar) ? list.map(String) : undefined;
}

function parsed(text: string): unknown {
  // Text that is no JSON is an answer here, not an error: the caller says that it cannot tell.
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
