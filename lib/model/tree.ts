/*
 * JSON with texts that may be known only after apply: policies with references, bodies of resources.
 *
 * The result of `JSON.parse` is itself a tree with known leaves, so literal documents are not converted.
 */

import {
  type Known,
  type TextParts,
  type Ternary,
  all,
  allOf,
  isKnown,
  orElse,
  is,
  known,
  map,
  match,
  notKnown,
  anyOf,
  whether,
  partsOf,
  same,
  textOf,
  andThen,
} from "./known";
import { isRecord } from "./record";

/** A value of JSON, a list or an object of them, or the reason why it is not known. */
export type Tree = Known<TreeValue>;

/** What a known {@link Tree} is. */
export type TreeValue = string | number | boolean | null | undefined | TreeList | TreeObject;

/** A list. */
export type TreeList = readonly Tree[];

declare const object: unique symbol;

/** An object; its keys may contain references too, so read it with {@link fieldOf} and {@link entriesOf}. */
export interface TreeObject {
  /** Never set; makes the type opaque. */
  readonly [object]: true;
}

/** An object with a key that is not known. */
class LateKeys {
  readonly entries: readonly (readonly [Known<string>, Tree])[];

  constructor(entries: readonly (readonly [Known<string>, Tree])[]) {
    this.entries = entries;
  }
}

/** Returns parsed JSON as a tree; a tree is returned unchanged. */
export function treeOf(value: unknown): Tree {
  return value as Tree;
}

export function isTreeObject(value: TreeValue): value is TreeObject {
  return isRecord(value);
}

export function isTreeList(value: TreeValue): value is TreeList {
  return Array.isArray(value);
}

type Entries = readonly (readonly [Known<string>, Tree])[];

/** The entries of an object in their order. */
export function entriesOf(value: TreeObject): Entries {
  if (value instanceof LateKeys) return value.entries;
  return Object.entries(value).map(([key, child]) => [known(key), treeOf(child)]);
}

/** Returns an object of entries; keys may be known only after apply. */
export function objectOf(entries: Entries): Tree {
  return entries.every(([key]) => isKnown(key))
    ? treeOf(Object.fromEntries(entries.map(([key, child]) => [orElse(key, () => ""), child])))
    : (new LateKeys(entries) as unknown as Tree);
}

/** Returns an object's value of a key: `undefined` if it is absent, not known if an unknown key may be this one. */
export function fieldOf(value: TreeObject, key: string): Tree {
  if (!(value instanceof LateKeys))
    return treeOf(Object.hasOwn(value, key) ? (value as unknown as Record<string, unknown>)[key] : undefined);
  const entry = value.entries.find(([each]) => is(each, key) === "yes");
  if (entry) return entry[1];
  const perhaps = value.entries.find(([each]) => same(each, known(key)) === "unknown");
  return perhaps ? (perhaps[0] as Known<never>) : known(undefined);
}

/** Returns the value at the end of a path of keys and indexes; `undefined` if there is none. */
export function treeAt(tree: Tree, ...path: readonly (string | number)[]): Tree {
  return path.reduce<Tree>(
    (outer, step) =>
      andThen(outer, (value) => {
        if (typeof step === "number")
          return (isTreeList(value) ? value[step] : undefined) ?? known(undefined);
        return isTreeObject(value) ? fieldOf(value, step) : known(undefined);
      }),
    tree,
  );
}

/** Whether two trees are equal, comparing leaves with {@link same}. */
export function sameTree(one: Tree, other: Tree): Ternary {
  if (!isKnown(one) || !isKnown(other)) return same(one as Known<string>, other as Known<string>);
  const [left, right] = [orElse(one, () => undefined), orElse(other, () => undefined)];
  if (left === right) return "yes";
  if (isTreeList(left) && isTreeList(right))
    return left.length === right.length
      ? allOf(left.map((item, place) => sameTree(item, right[place] ?? known(undefined))))
      : "no";
  if (!isTreeObject(left) || !isTreeObject(right)) return "no";
  if (left instanceof LateKeys || right instanceof LateKeys)
    return sameEntries(entriesOf(left), entriesOf(right));
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return allOf(keys.map((key) => sameTree(fieldOf(left, key), fieldOf(right, key))));
}

/** Objects with late keys are compared in the order in which they are written. */
function sameEntries(one: Entries, other: Entries): Ternary {
  if (one.length !== other.length) return "no";
  return allOf(
    one.flatMap(([key, child], place) => {
      const [name, value] = other[place] ?? [key, child];
      return [same(key, name), sameTree(child, value)];
    }),
  );
}

/** Returns the object with changed values. */
export function changed(value: TreeObject, change: (child: Tree) => Tree): TreeObject {
  const entries = entriesOf(value).map(([key, child]) => [key, change(child)] as const);
  return (value instanceof LateKeys
    ? new LateKeys(entries)
    : Object.fromEntries(entries)) as unknown as TreeObject;
}

/** Whether an object has a key that is none of these. */
export function hasOther(value: TreeObject, keys: readonly string[]): Ternary {
  return anyOf(entriesOf(value).map(([key]) => whether(key, (text) => !keys.includes(text))));
}

/** Returns the tree as plain JSON with `instead` for unknown values: for display, and for rules that skip that text. */
export function plainOf(tree: Tree, instead: string | ((unknown: Known<never>) => string)): unknown {
  const replaced = (unknown: unknown): string =>
    typeof instead === "string" ? instead : instead(unknown as Known<never>);
  return match(
    tree,
    (value): unknown => {
      if (isTreeList(value)) return value.map((child) => plainOf(child, instead));
      if (!isTreeObject(value)) return value;
      const entries = entriesOf(value).map(([key, child]) => [
        orElse(key, () => replaced(key)),
        plainOf(child, instead),
      ]);
      return Object.fromEntries(entries);
    },
    () => replaced(tree),
  );
}

/** Brackets around a reference's number while JSON is parsed; a document that contains one itself is not read. */
const [OPEN, CLOSE] = ["\ue000", "\ue001"];
const MARK = /\ue000(\d+)\ue001/;

/** A text with marks in place of references, so that it can be parsed. */
export interface MarkedText {
  /** The text with marks. */
  readonly text: string;
  /** The parts that the marks replace; empty if the text has no reference. */
  readonly parts: TextParts;
}

/** Replaces references by marks; not known if the text is unknown for another reason, or contains marks itself. */
export function marked(text: Known<string>): Known<MarkedText> {
  const parts = partsOf(text);
  if (parts === undefined) return text as Known<never>;
  const [only = "", ...more] = parts;
  if (more.length === 0 && typeof only === "string") return known({ text: only, parts: [] });
  if (parts.some((part) => typeof part === "string" && part.includes(OPEN)))
    return notKnown({ kind: "malformed", what: "a text holds a character of the private use area" });
  const pieces = parts.map((part, place) => (typeof part === "string" ? part : OPEN + place + CLOSE));
  return known({ text: pieces.join(""), parts });
}

/** Restores the references in a piece of a marked text. */
export function unmarkedText(text: string, parts: TextParts): Known<string> {
  if (parts.length === 0 || !text.includes(OPEN)) return known(text);
  return textOf(
    text.split(MARK).map((piece, place) => (place % 2 === 1 ? (parts[Number(piece)] ?? "") : piece)),
  );
}

/**
 * Parses a text as JSON, or with another parser, even if its strings contain references; not known if it cannot be
 * parsed.
 */
export function parsedTree(text: Known<string>, parse: (text: string) => Tree = parsed): Tree {
  return andThen(marked(text), ({ text: written, parts }) => {
    if (parts.length === 0) return parse(written);
    // A reference outside a string, or one that is the whole document, could be anything.
    return match(
      parse(written),
      (value) => unmarked(value, parts),
      () => text as Known<never>,
    );
  });
}

function parsed(text: string): Tree {
  try {
    return treeOf(JSON.parse(text));
  } catch {
    return notKnown({ kind: "malformed", what: "it is not JSON" });
  }
}

function unmarked(value: TreeValue, parts: TextParts): Tree {
  if (typeof value === "string") return unmarkedText(value, parts);
  if (isTreeList(value)) return treeOf(value.map((child) => andThen(child, (each) => unmarked(each, parts))));
  if (!isTreeObject(value)) return known(value);
  const entries = entriesOf(value).map(
    ([key, child]) =>
      [
        andThen(key, (name) => unmarkedText(name, parts)),
        andThen(child, (each) => unmarked(each, parts)),
      ] as const,
  );
  return objectOf(entries);
}

/** Returns the items of the list at the end of a path; none if it is absent, unknown or not a list. */
export function itemsAt(tree: Tree, ...path: readonly (string | number)[]): TreeList {
  const value = orElse(treeAt(tree, ...path), () => undefined);
  return isTreeList(value) ? value : [];
}

/** Returns the text of a leaf; not known if it is not a string. */
export function textAt(tree: Tree): Known<string> {
  return andThen(tree, (value) =>
    typeof value === "string" ? known(value) : notKnown({ kind: "malformed", what: "it is not a string" }),
  );
}

/** Returns a list, a single item as a list, or an empty list if the value is absent. */
export function listAt(tree: Tree): Known<TreeList> {
  return map(tree, (value) => {
    if (value === undefined || value === null) return [];
    return isTreeList(value) ? value : [known(value)];
  });
}

/** Returns the tree as plain JSON; if parts are unknown, not known with the first part's reason. */
export function knownJson(tree: Tree): Known<unknown> {
  return andThen(tree, (value): Known<unknown> => {
    if (isTreeList(value)) return all(value.map(knownJson));
    if (!isTreeObject(value)) return known(value);
    const entries = entriesOf(value).map(([key, child]) =>
      andThen(key, (name) => map(knownJson(child), (json) => [name, json] as const)),
    );
    return map(all(entries), (rows) => Object.fromEntries(rows));
  });
}

/** Returns the value at the end of a path of keys; `undefined` if a step is absent or not an object. */
export function childOf(tree: Tree, ...keys: readonly string[]): Tree {
  return treeAt(tree, ...keys);
}

/** Returns the items of a known list, and none for anything else. */
export function itemsOf(tree: Tree): readonly Tree[] {
  return itemsAt(tree);
}

/** Returns a document's text; `undefined` if it is absent or not a string. */
export function optionalText(tree: Tree): Known<string | undefined> {
  return map(tree, (value) => (typeof value === "string" ? value : undefined));
}
