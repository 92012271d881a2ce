/*
 * Reads a policy document in any of the forms that AWS accepts. Never throws: unreadable parts may allow or deny
 * anything, and what IAM refuses does not exist. Source: "Grammar of the IAM JSON policy language" in the IAM user
 * guide.
 */

import {
  type Known,
  all,
  andThen,
  isAbsent,
  known,
  map,
  match,
  orElse,
  partsOf,
  unread,
  whyText,
} from "../../../model/known";
import { repeatedKey } from "../../../model/repeated-key";
import {
  type Tree,
  type TreeObject,
  type TreeValue,
  entriesOf,
  fieldOf,
  hasOther,
  isTreeList,
  isTreeObject,
  parsedTree,
  treeOf,
} from "../../../model/tree";
import type { Condition, Policy, PolicyKind, Selection, Statement, UnreadStatement } from "./document";
import { isOverlong, refusalOf } from "./refusals";

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

/** A violation of the grammar, because of which IAM refuses the policy; never leaves this file. */
class Mistake extends Error {}

/**
 * Reads a policy that is passed as JSON text or parsed, with or without references in it. `max` is the greatest length
 * that IAM accepts.
 */
export function readPolicy(policy: unknown, kind: PolicyKind, max: number = Infinity): Policy {
  return match(
    treeOf(policy),
    (value) => (typeof value === "string" ? ofText(known(value), kind, max) : ofDocument(value, kind)),
    (why) =>
      why.kind === "apply"
        ? ofText(policy as Known<string>, kind, max)
        : { kind: "unread", why: whyText(why) },
  );
}

function notRead(why: string): Policy {
  return { kind: "unread", why: `the policy cannot be read: ${why}` };
}

function ofText(text: Known<string>, kind: PolicyKind, max: number): Policy {
  const parts = partsOf(text) ?? [];
  if (isOverlong(parts, max))
    return { kind: "refused", why: `it is longer than ${max} characters without white space` };
  return match(
    parsedTree(text),
    (value) => {
      const marked = parts.map((part, place) => (typeof part === "string" ? part : `$${place}`)).join("");
      return repeatedKey(marked) === undefined
        ? ofDocument(value, kind)
        : notRead("it has a key twice in one object, and AWS does not say which one takes effect");
    },
    () => {
      const isTemplate = parts.some((part) => typeof part !== "string" || part.includes("${"));
      return notRead(isTemplate ? "it contains a Terraform expression" : "it is not a JSON object");
    },
  );
}

function ofDocument(document: TreeValue, kind: PolicyKind): Policy {
  if (!isTreeObject(document)) return notRead("it is not a JSON object");
  try {
    return match(
      statementsOf(document),
      (statements) => {
        const refusal = refusalOf(statements, kind);
        return refusal === undefined ? { kind: "read", statements } : refused(refusal, kind);
      },
      (why) => notRead(whyText(why)),
    );
  } catch (error) {
    if (error instanceof Mistake) return refused(error.message, kind);
    throw error;
  }
}

/** What other services do with malformed policies of their resources is less well known than what IAM does. */
function refused(why: string, kind: PolicyKind): Policy {
  return kind === "resource" ? notRead(`AWS refuses it: ${why}`) : { kind: "refused", why };
}

function statementsOf(document: TreeObject): Known<readonly (Statement | UnreadStatement)[]> {
  const late = lateKey(document, DOCUMENT_ELEMENTS);
  if (late !== undefined) return unread(`it ${late}`);
  return andThen(fieldOf(document, "Version"), (version) => {
    if (!VERSIONS.includes(version)) throw new Mistake("its Version is not 2012-10-17 or 2008-10-17");
    const variables = version === "2012-10-17";
    return map(fieldOf(document, "Statement"), (value) =>
      (isTreeList(value) ? value : [known(value)]).map((entry, index) =>
        readStatement(entry, index + 1, variables),
      ),
    );
  });
}

/** Why the keys are unknown; `undefined` if they are known. Throws for an unknown key. */
function lateKey(object: TreeObject, keys: readonly string[], where = ""): string | undefined {
  const other = hasOther(object, keys);
  if (other === "unknown") return "has an element that is known only after apply";
  if (other === "no") return undefined;
  const names = entriesOf(object).map(([key]) => orElse(key, whyText));
  const stray = names.find((name) => !keys.includes(name));
  throw new Mistake(`${where}has the unknown element ${JSON.stringify(stray)}`);
}

function readStatement(entry: Tree, place: number, variables: boolean): Statement | UnreadStatement {
  const where = `statement ${place} `;
  return match<TreeValue, Statement | UnreadStatement>(
    entry,
    (value) => {
      if (!isTreeObject(value)) throw new Mistake(`${where}is not an object`);
      const late = lateKey(value, ELEMENTS, where);
      return late === undefined ? elementsOf(value, place, variables, where) : { unread: where + late };
    },
    (why) => ({ unread: `${where}is known only after apply: ${whyText(why)}` }),
  );
}

function elementsOf(entry: TreeObject, place: number, variables: boolean, where: string): Statement {
  const sid = map(fieldOf(entry, "Sid"), (value) => (typeof value === "string" ? value : undefined));
  const actions = selection(entry, "Action", where);
  if (actions === undefined) throw new Mistake(`${where}has neither Action nor NotAction`);
  return {
    label: orElse(sid, () => undefined) || `${place}`,
    sid,
    effect: map(fieldOf(entry, "Effect"), (effect) => {
      if (effect === "Allow" || effect === "Deny") return effect;
      throw new Mistake(`${where}has no Effect of Allow or Deny`);
    }),
    principal: pair(entry, "Principal", where),
    actions,
    resources: selection(entry, "Resource", where),
    conditions: conditionsOf(fieldOf(entry, "Condition"), where),
    variables,
  };
}

function pair(entry: TreeObject, name: string, where: string): Statement["principal"] {
  const [plain, negated] = [fieldOf(entry, name), fieldOf(entry, `Not${name}`)];
  if (!isAbsent(plain) && !isAbsent(negated)) throw new Mistake(`${where}has both ${name} and Not${name}`);
  if (!isAbsent(plain)) return { value: plain, negated: false };
  return isAbsent(negated) ? undefined : { value: negated, negated: true };
}

function selection(entry: TreeObject, name: string, where: string): Selection | undefined {
  const selected = pair(entry, name, where);
  const problem = `${where}needs a string or a list of strings as ${name}`;
  return selected && { values: textsAt(selected.value, ["string"], problem), negated: selected.negated };
}

function conditionsOf(block: Tree, where: string): Statement["conditions"] {
  return andThen(block, (value) => {
    if (value === undefined) return known([]);
    if (!isTreeObject(value)) throw new Mistake(`${where}has a Condition that is not an object`);
    const byOperator = entriesOf(value).map(([operator, keys]) =>
      andThen(operator, (name) => map(keys, (each) => underOperator(name, each, where))),
    );
    return map(all(byOperator), (lists) => lists.flat());
  });
}

function underOperator(operator: string, keys: TreeValue, where: string): readonly Condition[] {
  if (!isTreeObject(keys))
    throw new Mistake(`${where}has a Condition ${JSON.stringify(operator)} that is not an object`);
  return entriesOf(keys).map(([key, given]) => {
    const name = JSON.stringify(orElse(key, whyText));
    const problem = `${where}has a value of ${name} that is neither a string nor a list of strings`;
    return { operator, key, values: textsAt(given, SCALARS, problem) };
  });
}

const SCALARS: readonly string[] = ["string", "number", "boolean"];

/** One text or a list of them; what is not known at all is one that is not known. */
function textsAt(tree: Tree, types: readonly string[], problem: string): readonly Known<string>[] {
  const item = (value: TreeValue): string => {
    if (types.includes(typeof value)) return String(value);
    throw new Mistake(problem);
  };
  return match<TreeValue, readonly Known<string>[]>(
    tree,
    (value) => (isTreeList(value) ? value : [known(value)]).map((each) => map(each, item)),
    () => [tree as Known<never>],
  );
}
