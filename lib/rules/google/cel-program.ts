/*
 * Expressions that are more than one comparison. Their comparisons become variables, which are decided first, and the
 * evaluator does the rest: so it never sees what is not known, and CEL's own rules say what follows from the others.
 */

import { type Known, type Ternary, type TextParts, isKnown } from "../../model/known";
import { type MarkedText, unmarkedText } from "../../model/tree";
import { CelCheck } from "./cel-check";
import { type CelComparison, compared, comparisonIn } from "./cel-comparison";
import { extract } from "./cel-extract";
import { type CelLibrary, type CelPlan, type CelTree, celLibrary } from "./cel-library";
import { parsedCel, partsIn, replace, stringIn } from "./cel-tree";
import { type CelVariables, celInputs } from "./cel-variables";

/** What an expression gives: a value, an error that Google would meet as well, or nothing that can be told. */
export type CelAnswer =
  | { readonly kind: "value"; readonly value: string | boolean | readonly string[] }
  | { readonly kind: "error"; readonly reason: string }
  | {
      readonly kind: "unknown";
      readonly reason: string;
      /**
       * The text that it gives, as far as that is known.
       *
       * @defaultValue - nothing is known of it
       */
      readonly text?: Known<string>;
    };

/** The reason where an expression is right in itself, and an unknown claim decides. */
export const TOKEN_TELLS = "it depends on what only the token tells";
/** The reason where a reference in the expression decides. */
export const APPLY_TELLS = "it holds a value that is known only after apply";

/** Takes the place of a text that only apply tells; no identifier of CEL begins so. */
const LATE = "@late";

/** A planned expression. */
export class CelProgram {
  readonly #tree: CelTree;
  readonly #comparisons = new Map<string, CelComparison>();
  readonly #evaluate: CelPlan;
  readonly #isLate: boolean;

  private constructor(tree: CelTree, parts: TextParts, isAsked: boolean) {
    this.#tree = tree;
    this.#isLate = parts.length > 0;
    this.#extract(tree, parts, isAsked, false);
    this.#evaluate = celLibrary().cel.plan(environment(), tree);
  }

  /** `undefined` for a text that is no expression; `isAsked` where a variable is one of a set of texts. */
  static of({ text, parts }: MarkedText, isAsked: boolean): CelProgram | undefined {
    const tree = parsedCel(text);
    try {
      return tree && new CelProgram(tree, parts, isAsked);
    } catch {
      // Brackets nested deeper than the stack.
      return undefined;
    }
  }

  /** Evaluates it; never throws. */
  run(variables: CelVariables): CelAnswer {
    const outcomes = new Map<string, Ternary | "missing">([[LATE, "unknown"]]);
    const inputs = celInputs(variables);
    let missing: string | undefined;
    for (const [name, comparison] of this.#comparisons) {
      const outcome = compared(comparison, variables);
      outcomes.set(name, outcome);
      if (outcome === "missing") missing ??= comparison.path.at(-1);
      else if (outcome !== "unknown") inputs[name] = outcome === "yes";
    }
    const check = new CelCheck(this.#tree, variables, outcomes);
    if (check.kind === undefined)
      return { kind: "unknown", reason: `it has a form that is not read here: ${check.refusal}` };
    const result = this.#evaluate(inputs);
    const { isCelError, isCelList } = celLibrary().cel;
    if (isCelError(result))
      return check.doubtful
        ? { kind: "unknown", reason: this.#isLate ? APPLY_TELLS : TOKEN_TELLS }
        : { kind: "error", reason: missing === undefined ? result.message : `field not found: ${missing}` };
    if (typeof result === "string" || typeof result === "boolean") return { kind: "value", value: result };
    return isCelList(result)
      ? { kind: "value", value: [...result].filter((item) => typeof item === "string") }
      : { kind: "unknown", reason: "it gives a number" };
  }

  #extract(tree: CelTree, parts: TextParts, isAsked: boolean, inLoop: boolean): void {
    const found = inLoop ? undefined : comparisonIn(tree, parts);
    // Regular expressions are the evaluator's, except where a whole set of names is asked about.
    if (found && (isAsked || found.test !== "matches")) {
      const name = `@${this.#comparisons.size}`;
      this.#comparisons.set(name, found);
      replace(tree, name);
      return;
    }
    const literal = stringIn(tree);
    if (literal !== undefined && !isKnown(unmarkedText(literal, parts))) replace(tree, LATE);
    const isLoop = tree.exprKind.case === "comprehensionExpr";
    for (const [place, part] of partsIn(tree).entries())
      this.#extract(part, parts, isAsked, inLoop || (isLoop && place > 0));
  }
}

let made: ReturnType<CelLibrary["cel"]["celEnv"]> | undefined;

/** The functions that expressions may call. */
function environment(): NonNullable<typeof made> {
  const { cel, strings } = celLibrary();
  const { STRING } = cel.CelScalar;
  made ??= cel.celEnv({
    funcs: [
      ...strings,
      cel.celMethod("extract", STRING, [STRING], STRING, function (template) {
        return extract(this, template);
      }),
    ],
  });
  return made;
}
