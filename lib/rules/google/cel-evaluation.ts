/*
 * Evaluates an expression of a pool provider, or of a condition on a role, over what is known.
 *
 * The answers were compared with those of google/cel-go 0.26.1 on half a million generated expressions. Where
 * the two differ (an empty text that is replaced, a limit of `split`, `matches` as a function, kinds that do not fit, braces
 * that are repeated in regular expressions), the expression is not evaluated or its error counts as unknown.
 */

import { type Known, isKnown, known, match } from "../../model/known";
import { type MarkedText, marked } from "../../model/tree";
import { type CelComparison, type SimpleCel, compared, simpleCel } from "./cel-comparison";
import { APPLY_TELLS, type CelAnswer, CelProgram, TOKEN_TELLS } from "./cel-program";
import { AskedText, type CelVariables, claimAt, claimText, exceedsText, isTold } from "./cel-variables";

/** An expression, ready to be evaluated for many tokens. */
export class CelExpression {
  /** As it was written. */
  readonly text: Known<string>;
  readonly #source: Known<MarkedText>;
  readonly #simple: SimpleCel | undefined;
  readonly #programs = new Map<boolean, CelProgram | undefined>();

  constructor(text: Known<string>) {
    this.text = text;
    this.#source = marked(text);
    this.#simple = match(
      this.#source,
      ({ text: written, parts }) => (written.includes("${") ? undefined : simpleCel(written.trim(), parts)),
      () => undefined,
    );
  }

  /** The comparison that it consists of, if it is no more than one. */
  get comparison(): CelComparison | undefined {
    return this.#simple?.kind === "comparison" ? this.#simple.comparison : undefined;
  }

  /** The claim that it reads, if it does nothing else. */
  get path(): readonly string[] | undefined {
    return this.#simple?.kind === "path" ? this.#simple.path : undefined;
  }

  /**
   * Evaluates the expression; never throws.
   *
   * An error that a value of the other operand makes irrelevant (`||`, `&&`) is none, as in CEL; so a value holds whatever
   * is not known.
   */
  evaluate(variables: CelVariables): CelAnswer {
    const simple = this.#simple && simpleAnswer(this.#simple, variables);
    if (simple !== undefined) return simple;
    return match(
      this.#source,
      (source) => this.#evaluated(source, variables),
      (why) => unknown(why.kind === "apply" ? APPLY_TELLS : why.what),
    );
  }

  #evaluated(source: MarkedText, variables: CelVariables): CelAnswer {
    if (source.text.includes("${")) return unknown(APPLY_TELLS);
    if (exceedsText(variables)) return unknown("a claim of the token is too long to be evaluated");
    const isAsked = Object.values(variables).some((each) =>
      Object.values(each).some((claim) => claim instanceof AskedText),
    );
    if (!this.#programs.has(isAsked)) this.#programs.set(isAsked, CelProgram.of(source, isAsked));
    const program = this.#programs.get(isAsked);
    if (program) return program.run(variables);
    return unknown(source.parts.length > 0 ? APPLY_TELLS : "it is no expression that can be parsed here");
  }
}

/** A configuration has a few expressions, asked about for thousands of service accounts. */
const REMEMBERED = 256;
const expressions = new Map<string, CelExpression>();

/** REST reference of workloadIdentityPools.providers, `attributeCondition`; mappings may be half as long. */
const EXPRESSION_MAX = 4096;

/** Evaluates an expression; never throws. See {@link CelExpression.evaluate}. */
export function evaluateCel(text: string, variables: CelVariables): CelAnswer {
  if (text.length > EXPRESSION_MAX)
    return unknown(`it has ${text.length} characters, ${EXPRESSION_MAX} are allowed`);
  if (!expressions.has(text) && expressions.size >= REMEMBERED) expressions.clear();
  const expression = expressions.get(text) ?? new CelExpression(known(text));
  expressions.set(text, expression);
  return expression.evaluate(variables);
}

function unknown(reason: string): CelAnswer {
  return { kind: "unknown", reason };
}

/** What needs no evaluator; `undefined` where a claim is of another kind than such expressions are about. */
function simpleAnswer(simple: SimpleCel, variables: CelVariables): CelAnswer | undefined {
  if (simple.kind === "literal") return textAnswer(simple.text, APPLY_TELLS);
  const path = simple.kind === "path" ? simple.path : simple.comparison.path;
  const claim = claimAt(variables, path);
  if (claim === undefined) return { kind: "error", reason: `field not found: ${path.at(-1) ?? ""}` };
  if (simple.kind === "path") {
    const text = claimText(claim);
    return text === undefined ? undefined : textAnswer(text, TOKEN_TELLS);
  }
  const outcome = compared(simple.comparison, variables);
  if (outcome === "yes" || outcome === "no") return { kind: "value", value: outcome === "yes" };
  if (!simple.comparison.literals.every(isKnown)) return unknown(APPLY_TELLS);
  return isTold(claim) ? undefined : unknown(TOKEN_TELLS);
}

function textAnswer(text: Known<string>, reason: string): CelAnswer {
  return match(
    text,
    (value): CelAnswer => ({ kind: "value", value }),
    () => ({ kind: "unknown", reason, text }),
  );
}
