/*
 * Reads trees of others, as `parsed.ts` reads plain documents: values of an unexpected type are treated as absent, and
 * what is not known stays so.
 */

import { type Known, map, orElse, shown } from "./known";
import { text } from "./parsed";
import { type Tree, entriesOf, isTreeObject, treeAt } from "./tree";

type Path = readonly (string | number)[];

/** Returns the text at the end of a path, or an empty one. */
export function wordAt(tree: Tree, ...path: Path): Known<string> {
  return map(treeAt(tree, ...path), text);
}

/** The same for messages, and for comparison with literals: what is not known is in angle brackets. */
export function shownAt(tree: Tree, ...path: Path): string {
  return shown(wordAt(tree, ...path));
}

/** The same where it is known, else an empty one: for names that must be literal. */
export function plainAt(tree: Tree, ...path: Path): string {
  return orElse(wordAt(tree, ...path), () => "");
}

export function isObjectTree(tree: Tree): boolean {
  return isTreeObject(orElse(tree, () => undefined));
}

/** Returns the entries of a known object, and none for anything else. */
export function fieldsOf(tree: Tree): ReturnType<typeof entriesOf> {
  const value = orElse(tree, () => undefined);
  return isTreeObject(value) ? entriesOf(value) : [];
}
