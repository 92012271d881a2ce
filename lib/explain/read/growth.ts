/*
 * Limits for what expressions build. Locals that use one another share their parts, so a short configuration can
 * describe a value that no memory holds; the limits count every part wherever it occurs.
 */

import { type Known, match, unread } from "../../model/known";
import { type Tree, type TreeValue, entriesOf, isTreeList, isTreeObject } from "../../model/tree";

const MEBIBYTE = 1024 * 1024;
/** No argument accepts a text of a mebibyte. */
export const TEXT_MAX: number = MEBIBYTE;
/** Limit for one list or object. */
export const VALUE_MAX: number = 16 * MEBIBYTE;
/** Limit for all values and instances of one configuration; each template adds its length {@link RATIO} times. */
const BUILT_MAX = 64 * MEBIBYTE;
const RATIO = 64;
/** What an instance of a resource takes apart from its arguments. */
const INSTANCE = 2048;
/** Levels of nesting; readers are recursive. */
const DEPTH_MAX = 200;

interface Extent {
  /** Characters of all texts, and one for each other part. */
  readonly size: number;
  /** Levels of lists and objects. */
  readonly depth: number;
}

export class Growth {
  readonly #measured = new WeakMap<object, Extent>();
  #left = BUILT_MAX;

  /** Raises the limit in proportion to a template. */
  allowFor(template: string): void {
    this.#left += RATIO * template.length;
  }

  /** The value; not known if it is longer than `most`, too deep, or too much with all before it. */
  bounded(value: Tree, most: number): Tree {
    const { size, depth } = this.#extent(value);
    if (size > most || size > this.#left || depth > DEPTH_MAX)
      return unread("its expressions build a value that is larger than explain computes");
    this.#left -= size;
    return value;
  }

  /** Whether this many instances with these arguments may be kept. */
  allows(instances: number, values: unknown): boolean {
    const size = instances * (INSTANCE + JSON.stringify(values).length);
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }

  sizeOf(value: Known<TreeValue>): number {
    return this.#extent(value).size;
  }

  #extent(tree: Tree): Extent {
    return match(
      tree,
      (value) => this.#extentOf(value),
      (why) => {
        const parts = why.kind === "apply" ? why.parts : [];
        return {
          size: total(parts, (part) => (typeof part === "string" ? part : part.expression).length),
          depth: 0,
        };
      },
    );
  }

  #extentOf(value: TreeValue): Extent {
    if (typeof value === "string") return { size: value.length, depth: 0 };
    if (!isTreeList(value) && !isTreeObject(value)) return { size: 1, depth: 0 };
    const known = this.#measured.get(value);
    if (known) return known;
    const parts = isTreeList(value) ? value : entriesOf(value).flat();
    const inner = parts.map((part) => this.#extent(part));
    const depth = inner.reduce((most, each) => Math.max(most, each.depth), 0);
    const measured = { size: 1 + total(inner, ({ size }) => size), depth: depth + 1 };
    this.#measured.set(value, measured);
    return measured;
  }
}

function total<T>(items: readonly T[], size: (item: T) => number): number {
  return items.reduce((sum, item) => sum + size(item), 0);
}
