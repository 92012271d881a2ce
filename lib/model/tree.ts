/*
 * JSON of which some texts are known only after apply: policies with references in them, bodies of resources.
 *
 * What `JSON.parse` gives is a tree whose leaves are all known, so that literal documents cost nothing more.
 */

import {
  type Known,
  type TextParts,
  type Ternary,
  all,
  and,
  isKnown,
  orElse,
  is,
  known,
  map,
  match,
  notKnown,
  or,
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

/** An object; its keys may hold references too, so that it is read by {@link fieldOf} and {@link entriesOf}. */
export interface TreeObject {
  /** Never there; it makes the type opaque. */
  readonly [object]: true;
}

/** An object of which a key is not known. */
class LateKeys {
  readonly entries: readonly (readonly [Known<string>, Tree])[];

  constructor(entries: readonly (readonly [Known<string>, Tree])[]) {
    this.entries = entries;
  }
}

/** Parsed JSON as a tree; what is already one stays what it is. */
export function treeOf(value: unknown): Tree {
  return value as Tree;
}

/** True for an object of a tree. */
export function isTreeObject(value: TreeValue): value is TreeObject {
  return isRecord(value);
}

/** True for a list of a tree. */
export function isTreeList(value: TreeValue): value is TreeList {
  return Array.isArray(value);
}

type Entries = readonly (readonly [Known<string>, Tree])[];

/** The entries of an object in their order. */
export function entriesOf(value: TreeObject): Entries {
  if (value instanceof LateKeys) return value.entries;
  return Object.entries(value).map(([key, child]) => [known(key), treeOf(child)]);
}

/** What an object has by a key: `undefined` where it has none, not known where a key that is not known may be it. */
export function fieldOf(value: TreeObject, key: string): Tree {
  if (!(value instanceof LateKeys))
    return treeOf(Object.hasOwn(value, key) ? (value as unknown as Record<string, unknown>)[key] : undefined);
  const found = value.entries.find(([each]) => is(each, key) === "yes");
  if (found) return found[1];
  const perhaps = value.entries.find(([each]) => same(each, known(key)) === "unknown");
  return perhaps ? (perhaps[0] as Known<never>) : known(undefined);
}

/** What stands at the end of a path of keys and places of lists; `undefined` where nothing does. */
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

/** Whether two trees are equal, as {@link same} has it of their leaves. */
export function sameTree(one: Tree, other: Tree): Ternary {
  if (!isKnown(one) || !isKnown(other)) return same(one as Known<string>, other as Known<string>);
  const [left, right] = [orElse(one, () => undefined), orElse(other, () => undefined)];
  if (left === right) return "yes";
  if (isTreeList(left) && isTreeList(right))
    return left.length === right.length
      ? and(...left.map((item, place) => sameTree(item, right[place] ?? known(undefined))))
      : "no";
  if (!isTreeObject(left) || !isTreeObject(right)) return "no";
  if (left instanceof LateKeys || right instanceof LateKeys)
    return sameEntries(entriesOf(left), entriesOf(right));
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return and(...keys.map((key) => sameTree(fieldOf(left, key), fieldOf(right, key))));
}

/** Objects with late keys are compared in the order in which they are written. */
function sameEntries(one: Entries, other: Entries): Ternary {
  if (one.length !== other.length) return "no";
  return and(
    ...one.flatMap(([key, child], place) => {
      const [name, value] = other[place] ?? [key, child];
      return [same(key, name), sameTree(child, value)];
    }),
  );
}

/** The object with other values. */
export function changed(value: TreeObject, change: (child: Tree) => Tree): TreeObject {
  const entries = entriesOf(value).map(([key, child]) => [key, change(child)] as const);
  return (value instanceof LateKeys
    ? new LateKeys(entries)
    : Object.fromEntries(entries)) as unknown as TreeObject;
}

/** Whether an object has a key that is none of these. */
export function hasOther(value: TreeObject, keys: readonly string[]): Ternary {
  return or(
    ...entriesOf(value).map(([key]) =>
      match(
        key,
        (text): Ternary => (keys.includes(text) ? "no" : "yes"),
        (): Ternary => "unknown",
      ),
    ),
  );
}

/**
 * The tree as plain JSON, with a text of the caller's in place of what is not known: for showing, and for rules that
 * know which texts are to be passed over.
 */
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

/** Brackets of a reference's number while JSON is parsed; a document that holds one itself is not read. */
const [OPEN, CLOSE] = ["\ue000", "\ue001"];
const MARK = /\ue000(\d+)\ue001/;

/** A text in which marks take the places of references, so that it can be parsed. */
export interface MarkedText {
  /** The text with marks. */
  readonly text: string;
  /** What they mark; empty where no part of the text is a reference. */
  readonly parts: TextParts;
}

/** The text with a mark for each reference; not known where it is not for another reason, or holds marks itself. */
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

/** A piece of a marked text with its references again. */
export function unmarkedText(text: string, parts: TextParts): Known<string> {
  if (parts.length === 0 || !text.includes(OPEN)) return known(text);
  return textOf(
    text.split(MARK).map((piece, place) => (place % 2 === 1 ? (parts[Number(piece)] ?? "") : piece)),
  );
}

/**
 * Parses a text as JSON, or as what another parser reads, whatever references stand within its texts; not known where it
 * cannot be parsed.
 */
export function parsedTree(text: Known<string>, parse: (text: string) => Tree = parsed): Tree {
  return andThen(marked(text), ({ text: written, parts }) => {
    if (parts.length === 0) return parse(written);
    // A reference outside of a text, or a whole document that is one, could be anything.
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
  return entries.every(([key]) => isKnown(key))
    ? treeOf(Object.fromEntries(entries.map(([key, child]) => [orElse(key, () => ""), child])))
    : (new LateKeys(entries) as unknown as Tree);
}

/** The items of the list at the end of a path; none where there is no list, or it is not known. */
export function itemsAt(tree: Tree, ...path: readonly (string | number)[]): TreeList {
  const value = orElse(treeAt(tree, ...path), () => undefined);
  return isTreeList(value) ? value : [];
}

/** The text at a leaf: not known where it is not a string. */
export function textAt(tree: Tree): Known<string> {
  return andThen(tree, (value) =>
    typeof value === "string" ? known(value) : notKnown({ kind: "malformed", what: "it is not a string" }),
  );
}

/** A list, or one item as a list of it; none where there is nothing. */
export function listAt(tree: Tree): Known<TreeList> {
  return map(tree, (value) => {
    if (value === undefined || value === null) return [];
    return isTreeList(value) ? value : [known(value)];
  });
}

/** The tree as plain JSON; not known where something in it is not, for the reason of the first. */
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

/** What is at the end of a path of keys: `undefined` where something on the way is absent or no object. */
export function childOf(tree: Tree, ...keys: readonly string[]): Tree {
  return treeAt(tree, ...keys);
}

/** The items of a list that was written out; none of anything else, and none of what is not known. */
export function itemsOf(tree: Tree): readonly Tree[] {
  return itemsAt(tree);
}

/** A text of a document: `undefined` where there is none, or something else in its place. */
export function optionalText(tree: Tree): Known<string | undefined> {
  return map(tree, (value) => (typeof value === "string" ? value : undefined));
}
