/*
 * The evaluator of the Common Expression Language. It is loaded when the first expression is met that this library did
 * not write itself: it is a hundred modules, and most runs need none of them.
 */

import type * as Cel from "@bufbuild/cel";
import type * as CelExtensions from "@bufbuild/cel/ext";

/** The evaluator, with the string functions beyond the standard ones. */
export interface CelLibrary {
  /** Parser, planner and constructors of values. */
  readonly cel: typeof Cel;
  /** `split`, `lowerAscii` and the like. */
  readonly strings: typeof CelExtensions.strings;
}

/** An expression as a tree. */
export type CelTree = ReturnType<typeof Cel.parse>["expr"];

/** Evaluates a planned expression. */
export type CelPlan = (variables: Record<string, CelInput>) => ReturnType<typeof Cel.run>;

/** What a variable may hold. */
export type CelInput = NonNullable<Parameters<typeof Cel.run>[1]>[string];

let loaded: CelLibrary | undefined;

/** The evaluator, loaded on the first call. */
export function celLibrary(): CelLibrary {
  loaded ??= {
    cel: require("@bufbuild/cel") as typeof Cel,
    strings: (require("@bufbuild/cel/ext") as typeof CelExtensions).strings,
  };
  return loaded;
}
