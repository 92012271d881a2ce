/*
 * The functions of Terraform that are evaluated. Source: developer.hashicorp.com/terraform/language/functions.
 */

import {
  type Known,
  type Reference,
  type Ternary,
  allOf,
  andThen,
  anyOf,
  isKnown,
  isSensitive,
  joinedAll,
  known,
  map,
  match,
  not,
  notKnown,
  orElse,
  partsOf,
  textOf,
  unread,
  withoutPrefix,
  withoutSuffix,
} from "../../model/known";
import {
  type Tree,
  type TreeList,
  type TreeObject,
  entriesOf,
  fieldOf,
  isTreeList,
  isTreeObject,
  objectOf,
  parsedTree,
  sameTree,
  treeOf,
} from "../../model/tree";
import { hiddenTree } from "./sensitive";

/** `undefined` where the call is kept as it is. */
type TerraformFunction = (...args: readonly Tree[]) => Tree | undefined;

const ABSENT: Tree = known(undefined);

const itself: TerraformFunction = (value) => value;

/** The functions that are evaluated; any other stays a reference. */
export const FUNCTIONS: ReadonlyMap<string, TerraformFunction> = new Map<string, TerraformFunction>([
  ["trimprefix", trimmedBy(withoutPrefix)],
  ["trimsuffix", trimmedBy(withoutSuffix)],
  ["tostring", (value = ABSENT) => (isNothing(value) ? undefined : asText(value))],
  ["base64encode", (value = ABSENT) => (isKnown(value) ? map(asText(value), base64) : undefined)],
  ["sensitive", (value = ABSENT) => hiddenTree(value)],
  ...["toset", "tolist", "tomap", "nonsensitive"].map((name) => [name, itself] as const),
  ["lower", ofText((text) => text.toLowerCase())],
  ["upper", ofText((text) => text.toUpperCase())],
  ["trimspace", ofText((text) => text.trim())],
  ["startswith", ofText((text, prefix) => text.startsWith(prefix))],
  ["endswith", ofText((text, suffix) => text.endsWith(suffix))],
  ["replace", replaced],
  ["split", split],
  ["join", join],
  ["format", format],
  ["jsonencode", (value = ABSENT) => json(value)],
  // JSON is YAML.
  ["yamlencode", (value = ABSENT) => json(value)],
  ["jsondecode", (value = ABSENT) => parsedTree(asText(value))],
  ["length", length],
  ["element", element],
  ["one", one],
  ["coalesce", coalesce],
  ["try", (first = ABSENT) => (isKnown(first) && !isNothing(first) ? first : undefined)],
  ["concat", (...lists) => listOf(lists.map(itemsOf))],
  ["flatten", (value = ABSENT) => listOf(itemsOf(value)?.map((each) => itemsOf(each) ?? [each]))],
  ["compact", (value = ABSENT) => compact(value)],
  ["merge", merge],
  ["lookup", lookup],
  ["keys", inOrder(0)],
  ["values", inOrder(1)],
  ["contains", (list = ABSENT, item = ABSENT) => truth(among(itemsOf(list), item))],
]);

/** The result of an operator; `undefined` if it is not known. */
export function operated(operator: string, operands: readonly Tree[]): Tree | undefined {
  const [left = ABSENT, right = ABSENT] = operands;
  switch (operator) {
    case "==":
      return truth(equal(left, right));
    case "!=":
      return truth(not(equal(left, right)));
    case "!":
      return truth(not(isTrue(left)));
    case "&&":
      return truth(allOf(operands.map(isTrue)));
    case "||":
      return truth(anyOf(operands.map(isTrue)));
    default:
      return compared(operator, left, right);
  }
}

function compared(operator: string, ...operands: readonly [Tree, Tree]): Tree | undefined {
  const [one, other] = operands.map((each) => orElse(each, () => undefined));
  if (typeof one !== "number" || typeof other !== "number") return undefined;
  const isGreater = operator.startsWith(">") ? one > other : one < other;
  return treeOf(isGreater || (operator.endsWith("=") && one === other));
}

/** Absent and `null` are one. */
function equal(one: Tree, other: Tree): Ternary {
  if (isNothing(one) || isNothing(other))
    return allOf([one, other].map((each) => (isNothing(each) ? "yes" : isKnown(each) ? "no" : "unknown")));
  return sameTree(one, other);
}

function isTrue(value: Tree): Ternary {
  const text = orElse(value, () => undefined);
  return String(text) === "true" ? "yes" : String(text) === "false" ? "no" : "unknown";
}

function truth(answer: Ternary): Tree | undefined {
  return answer === "unknown" ? undefined : treeOf(answer === "yes");
}

/** A function of texts, where they are known. */
function ofText(change: (...texts: readonly [string, string]) => string | boolean): TerraformFunction {
  return (...args) => {
    const texts = args.map((arg) => (isNothing(arg) ? undefined : orElse(asText(arg), () => undefined)));
    const [first, second = ""] = texts;
    return first === undefined || texts.includes(undefined) ? undefined : treeOf(change(first, second));
  };
}

const SCHEME = "https://";

/** A pattern between slashes is a regular expression, which is not evaluated. An issuer has one scheme, at its start. */
function replaced(text = ABSENT, what = ABSENT, by = ABSENT): Tree | undefined {
  const [from, to] = [what, by].map((each) => orElse(each, () => undefined));
  if (typeof from !== "string" || typeof to !== "string" || /^\/.*\/$/s.test(from)) return undefined;
  const literal = isNothing(text) ? undefined : orElse(asText(text), () => undefined);
  if (literal !== undefined) return treeOf(from === "" ? undefined : literal.replaceAll(from, () => to));
  return from === SCHEME && to === "" && !isNothing(text) ? withoutPrefix(asText(text), SCHEME) : undefined;
}

/** Of a late issuer, what is behind its scheme. */
function split(separator = ABSENT, text = ABSENT): Tree | undefined {
  const by = orElse(separator, () => undefined);
  if (typeof by !== "string" || by === "" || isNothing(text)) return undefined;
  const literal = orElse(asText(text), () => undefined);
  if (literal !== undefined) return treeOf(literal === "" ? [] : literal.split(by));
  if (!/^(?:https)?:?\/\/$/.test(by)) return undefined;
  return treeOf([known(SCHEME.slice(0, SCHEME.indexOf(by))), withoutPrefix(asText(text), SCHEME)]);
}

function join(separator = ABSENT, list = ABSENT): Tree | undefined {
  const items = itemsOf(list);
  if (items === undefined || !isKnown(separator) || items.some(isNothing)) return undefined;
  return joinedAll(
    items.flatMap((item, place) => (place === 0 ? [asText(item)] : [asText(separator), asText(item)])),
  );
}

/** With `%s`, `%v` and `%d` only. */
function format(spec = ABSENT, ...values: readonly Tree[]): Tree | undefined {
  const text = orElse(spec, () => undefined);
  if (typeof text !== "string") return undefined;
  const unused = [...values];
  const pieces = text.split(/(%.)/).map((piece): Known<string> | undefined => {
    if (!piece.startsWith("%")) return known(piece);
    if (piece === "%%") return known("%");
    const value = unused.shift() ?? ABSENT;
    return !isNothing(value) && /^%[svd]$/.test(piece) ? asText(value) : undefined;
  });
  return unused.length > 0 || pieces.includes(undefined)
    ? undefined
    : joinedAll(pieces as readonly Known<string>[]);
}

/** As Terraform writes JSON: keys in order, and what HTML would read escaped; `undefined` if a part is not known. */
function json(value: Tree): Tree | undefined {
  const written = jsonText(value);
  return partsOf(written) && written;
}

function jsonText(value: Tree): Known<string> {
  return match(
    value,
    (plain): Known<string> => {
      if (typeof plain === "string") return known(`"${escaped(plain)}"`);
      if (isTreeList(plain)) return joinedAll(["[", ...commas(plain.map(jsonText)), "]"]);
      if (!isTreeObject(plain)) return known(JSON.stringify(plain ?? null));
      const entries = sortedEntries(plain).map(([key, each]) =>
        joinedAll([jsonText(key), ":", jsonText(each)]),
      );
      return joinedAll(["{", ...commas(entries), "}"]);
    },
    (why) => {
      if (!("parts" in why)) return value as Known<never>;
      return textOf([
        '"',
        ...why.parts.map((part) => (typeof part === "string" ? escaped(part) : part)),
        '"',
      ]);
    },
  );
}

function commas(texts: readonly Known<string>[]): readonly (Known<string> | string)[] {
  return texts.flatMap((text, place) => (place === 0 ? [text] : [",", text]));
}

/** Inside of quotes. */
function escaped(text: string): string {
  const json = JSON.stringify(text).slice(1, -1);
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Late keys come last. */
function sortedEntries(value: TreeObject): ReturnType<typeof entriesOf> {
  const textOfKey = ([key]: readonly [Known<string>, Tree]): string => orElse(key, () => "\uffff");
  return [...entriesOf(value)].sort((one, other) => (textOfKey(one) < textOfKey(other) ? -1 : 1));
}

/** The keys or the values of an object, in the order of its keys. */
function inOrder(part: 0 | 1): TerraformFunction {
  return (value = ABSENT) => {
    const plain = orElse(value, () => undefined);
    if (!isTreeObject(plain) || entriesOf(plain).some(([key]) => !isKnown(key))) return undefined;
    return treeOf(sortedEntries(plain).map((entry) => entry[part]));
  };
}

/** Of a text, in characters, a list or an object. */
function length(value = ABSENT): Tree | undefined {
  const plain = orElse(value, () => undefined);
  if (typeof plain === "string") return treeOf([...plain].length);
  if (isTreeList(plain)) return treeOf(plain.length);
  return isTreeObject(plain) ? treeOf(entriesOf(plain).length) : undefined;
}

function element(list = ABSENT, index = ABSENT): Tree | undefined {
  const [items, place] = [itemsOf(list), orElse(index, () => undefined)];
  return items && items.length > 0 && typeof place === "number" ? items[place % items.length] : undefined;
}

function one(list = ABSENT): Tree | undefined {
  const items = itemsOf(list);
  return items?.length === 1 ? items[0] : undefined;
}

/** The first value that is neither `null` nor an empty text. */
function coalesce(...values: readonly Tree[]): Tree | undefined {
  const first = values.find((each) => !isNothing(each) && orElse(each, () => undefined) !== "") ?? ABSENT;
  return isKnown(first) && !isNothing(first) ? first : undefined;
}

function compact(list: Tree): Tree | undefined {
  const items = itemsOf(list);
  if (!items?.every(isKnown)) return undefined;
  return treeOf(items.filter((each) => !isNothing(each) && orElse(each, () => "") !== ""));
}

/** Later arguments win. */
function merge(...maps: readonly Tree[]): Tree | undefined {
  const plain = maps.map((each) => orElse(each, () => undefined));
  const all = plain.flatMap((each) => (isTreeObject(each) ? [entriesOf(each)] : []));
  const entries = all.flat();
  if (all.length !== maps.length || entries.some(([key]) => !isKnown(key))) return undefined;
  return objectOf([...new Map(entries.map((entry) => [orElse(entry[0], () => ""), entry])).values()]);
}

function lookup(object = ABSENT, key = ABSENT, fallback = ABSENT): Tree | undefined {
  const [value, name] = [object, key].map((each) => orElse(each, () => undefined));
  if (!isTreeObject(value) || typeof name !== "string") return undefined;
  const field = fieldOf(value, name);
  return isKnown(field) && orElse(field, () => null) === undefined ? fallback : field;
}

function among(items: TreeList | undefined, item: Tree): Ternary {
  return items ? anyOf(items.map((each) => sameTree(each, item))) : "unknown";
}

function itemsOf(list: Tree): TreeList | undefined {
  const items = orElse(list, () => undefined);
  return isTreeList(items) ? items : undefined;
}

function listOf(lists: readonly (TreeList | undefined)[] | undefined): Tree | undefined {
  return lists === undefined || lists.includes(undefined)
    ? undefined
    : treeOf(lists.flatMap((each) => each ?? []));
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function isNothing(value: Tree): boolean {
  const plain = orElse(value, () => "");
  return plain === undefined || plain === null;
}

function trimmedBy(trim: (text: Known<string>, what: string) => Known<string>): TerraformFunction {
  return (text = ABSENT, what = ABSENT) => {
    const literal = orElse(what, () => undefined);
    return !isNothing(text) && typeof literal === "string" ? trim(asText(text), literal) : undefined;
  };
}

/** The normal form of a call, so that calls with the same arguments are one value. */
export function canonical(name: string, args: readonly Tree[]): string | undefined {
  const quoted = (part: string | Reference): string =>
    typeof part === "string" ? JSON.stringify(part) : part.expression;
  const texts = args.map((arg) =>
    match(
      isSensitive(arg) ? unread("it is sensitive") : arg,
      (value) => (typeof value === "object" ? undefined : JSON.stringify(value)),
      (why) => (why.kind === "apply" ? why.parts.map(quoted).join(" + ") : undefined),
    ),
  );
  return texts.includes(undefined) ? undefined : `${name}(${texts.join(", ")})`;
}

/** A value converted to text as Terraform does it. */
export function asText(value: Tree): Known<string> {
  return andThen(value, (each) =>
    isTreeList(each) || isTreeObject(each) || each === null || each === undefined
      ? notKnown({ kind: "malformed", what: "a list, an object or nothing where a string is expected" })
      : known(String(each)),
  );
}
