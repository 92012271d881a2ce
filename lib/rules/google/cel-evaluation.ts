/*
 * Evaluates an expression of a pool provider over what is known of a token.
 *
 * The answers were compared with those of google/cel-go 0.26.1 on half a million generated expressions. Where
 * the two differ (an empty text that is replaced, a limit of `split`, `matches` as a function, kinds that do not fit, braces
 * that are repeated in regular expressions), the expression is not evaluated or its error counts as unknown.
 */

import { CelCheck } from "./cel-check";
import { extract } from "./cel-extract";
import { type CelLibrary, type CelPlan, type CelTree, celLibrary } from "./cel-library";
import { type CelVariables, celInputs, exceedsText } from "./cel-variables";

/** What an expression gives: a value, an error that Google would meet as well, or nothing that can be told. */
export type CelAnswer =
  | { readonly kind: "value"; readonly value: string | boolean | readonly string[] }
  | { readonly kind: "error"; readonly reason: string }
  | { readonly kind: "unknown"; readonly reason: string };

/** The reason where an expression is right in itself, and an unknown claim decides. */
export const TOKEN_TELLS = "it depends on what only the token tells";

interface Program {
  readonly tree: CelTree;
  readonly evaluate: CelPlan;
}

/** REST reference of workloadIdentityPools.providers, `attributeCondition`; mappings may be half as long. */
const EXPRESSION_MAX = 4096;

/** A pool has a few expressions, asked about for thousands of service accounts. */
const REMEMBERED = 256;

const programs = new Map<string, Program | string>();

/**
 * Evaluates an expression; never throws.
 *
 * An error that a value of the other operand makes irrelevant (`||`, `&&`) is none, as in CEL; so a value holds whatever
 * unknown claims are.
 */
export function evaluateCel(expression: string, variables: CelVariables): CelAnswer {
  if (expression.length > EXPRESSION_MAX)
    return unknown(`it has ${expression.length} characters, ${EXPRESSION_MAX} are allowed`);
  if (expression.includes("${")) return unknown("it holds a value that is known only after apply");
  if (exceedsText(variables)) return unknown("a claim of the token is too long to be evaluated");
  const program = programOf(expression);
  if (typeof program === "string") return unknown(program);
  const check = new CelCheck(program.tree, variables);
  if (check.kind === undefined) return unknown(`it has a form that is not read here: ${check.refusal}`);
  const result = program.evaluate(celInputs(variables));
  const { isCelError, isCelList } = celLibrary().cel;
  if (isCelError(result))
    return check.doubtful ? unknown(TOKEN_TELLS) : { kind: "error", reason: result.message };
  if (typeof result === "string" || typeof result === "boolean") return { kind: "value", value: result };
  return isCelList(result)
    ? { kind: "value", value: [...result].filter((item) => typeof item === "string") }
    : unknown("it gives a number");
}

function unknown(reason: string): CelAnswer {
  return { kind: "unknown", reason };
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

/** The planned expression, or why there is none. */
function programOf(expression: string): Program | string {
  const known = programs.get(expression);
  if (known !== undefined) return known;
  const program = planned(expression);
  if (programs.size >= REMEMBERED) programs.clear();
  programs.set(expression, program);
  return program;
}

function planned(expression: string): Program | string {
  const { cel } = celLibrary();
  try {
    const tree = cel.parse(expression).expr;
    return { tree, evaluate: cel.plan(environment(), tree) };
  } catch {
    // A syntax error, or brackets nested deeper than the stack.
    return "it is no expression that can be parsed here";
  }
}
