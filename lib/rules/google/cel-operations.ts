/*
 * Functions and operators of expressions over values that may not be known: those that Google documents for pool providers
 * or that are standard CEL, for which this and cel-go give the same answers.
 *
 * Sources: google/cel-spec, doc/langdef.md, "List of Standard Definitions"; cloud.google.com/iam/docs: `extract`, `split`
 * and `lowerAscii` of workload identity federation, times of the conditions attribute reference.
 */

import {
  type Known,
  type Ternary,
  Reference,
  and,
  is,
  joined,
  known,
  match,
  not,
  anyOf,
  or,
  orElse,
  same,
  textOf,
  whether,
} from "../../model/known";
import { type Pattern, joinedPattern, literalPattern, patternOf } from "../wildcard";
import { celMatches } from "./cel";
import type { AskedText } from "./cel-claims";

/** `open` is a value of any kind of which nothing is known, `error` what reading a missing claim gives. */
export type Value =
  | { readonly kind: "text"; readonly text: Known<string> }
  | { readonly kind: "asked"; readonly asked: AskedText }
  | { readonly kind: "list"; readonly items: readonly Value[] }
  | { readonly kind: "int"; readonly value: number }
  | { readonly kind: "bool"; readonly value: Ternary }
  | { readonly kind: "error"; readonly reason: string }
  | { readonly kind: "time" | "open" };

/** `undefined` for operands of kinds that it does not take. */
export type Operation = (...operands: readonly Value[]) => Value | undefined;

/** An expression, or a part of it, is not read here. */
export class NotRead extends Error {}

/** Leaves the whole expression unread. */
export function refuse(form: string): never {
  throw new NotRead(`it has a form that is not read here: ${form}`);
}

export const OPEN: Value = { kind: "open" };

export function bool(value: Ternary | boolean): Value {
  return { kind: "bool", value: typeof value === "boolean" ? (value ? "yes" : "no") : value };
}

export function text(value: Known<string>): Value {
  return { kind: "text", text: value };
}

export function int(value: number): Value {
  return { kind: "int", value };
}

export function listOf(items: readonly Value[]): Value {
  const error = items.find(({ kind }) => kind === "error");
  if (items.some(({ kind }) => ["int", "bool", "list", "time"].includes(kind)))
    return refuse("a list of other than texts");
  return error ?? { kind: "list", items };
}

export function literalOf(value: Value): string | undefined {
  return value.kind === "text" ? orElse(value.text, () => undefined) : undefined;
}

/** The operation of operands without an error; where one is of any kind, so is the result. */
function strict(run: Operation): Operation {
  return (...operands) =>
    operands.find(({ kind }) => kind === "error") ??
    (operands.some(({ kind }) => kind === "open") ? OPEN : run(...operands));
}

/** The operation of so many texts; of one that is not known nothing is. */
function ofTexts(count: number, run: (...texts: readonly string[]) => Value | undefined): Operation {
  return strict((...operands) => {
    if (operands.length !== count || operands.some(({ kind }) => kind !== "text" && kind !== "asked"))
      return undefined;
    const texts = operands.flatMap((each) => literalOf(each) ?? []);
    return texts.length === count ? run(...texts) : OPEN;
  });
}

/** As in CEL, an operand that decides makes errors of the others irrelevant; so it does what is not known. */
function logic(decisive: Ternary, join: (...all: readonly Ternary[]) => Ternary): Operation {
  return (...operands) => {
    const outcomes: Ternary[] = [];
    for (const operand of operands) {
      if (operand.kind === "bool") outcomes.push(operand.value);
      else if (operand.kind === "open") outcomes.push("unknown");
      else if (operand.kind !== "error") return undefined;
    }
    const outcome = join(...outcomes);
    const error = operands.find(({ kind }) => kind === "error");
    return error === undefined || outcome === decisive || outcome === "unknown" ? bool(outcome) : error;
  };
}

function equal(one: Value, other: Value): Ternary | undefined {
  if (one.kind === "open" || other.kind === "open") return "unknown";
  if (one.kind === "text" && other.kind === "text") return same(one.text, other.text);
  if (one.kind === "asked" && other.kind === "text")
    return whether(other.text, (literal) => one.asked.matches(literalPattern(literal)));
  if (one.kind === "text" && other.kind === "asked") return equal(other, one);
  if (one.kind === "int" && other.kind === "int") return one.value === other.value ? "yes" : "no";
  if (one.kind !== "bool" || other.kind !== "bool") return undefined;
  return one.value === "unknown" ? "unknown" : is(known<Ternary>(one.value), other.value);
}

function equality(change: (outcome: Ternary) => Ternary): Operation {
  return strict((one, other) => {
    const outcome = one && other && equal(one, other);
    return outcome && bool(change(outcome));
  });
}

/** Texts are ordered by code points in CEL, and by UTF-16 units here: numbers only; of times nothing is known. */
function order(holds: (one: number, other: number) => boolean): Operation {
  return strict((one, other) => {
    if (one?.kind === "int" && other?.kind === "int") return bool(holds(one.value, other.value));
    return one?.kind === "time" && other?.kind === "time" ? bool("unknown") : undefined;
  });
}

const ANY = patternOf("*");
const ANY_TEXT = textOf([new Reference("any text")]);

/** What a text may be of which a part is known. */
interface PartOfText {
  readonly holds: (whole: string, part: string) => boolean;
  readonly pattern: (part: Pattern) => Pattern;
  /** A text with the part, which is certainly another one than those whose beginning or end differs. */
  readonly around: (part: Known<string>) => Known<string>;
}

function partOfText({ holds, pattern, around }: PartOfText): Operation {
  return strict((whole, part) => {
    if (part?.kind !== "text") return part?.kind === "asked" ? OPEN : undefined;
    if (whole?.kind === "asked")
      return bool(whether(part.text, (piece) => whole.asked.matches(pattern(literalPattern(piece)))));
    if (whole?.kind !== "text") return undefined;
    return bool(
      whether(whole.text, (value) =>
        match(
          part.text,
          (piece): Ternary | boolean => holds(value, piece),
          () => same(whole.text, around(part.text)),
        ),
      ),
    );
  });
}

/** Regular expressions that are patterns as well: anchors, plain characters, and `.*`. */
const REGULAR = /^(\^?)((?:[A-Za-z0-9_/:@ -]|\\[./$^-]|\.\*)*)(\$?)$/;

function regularPattern(expression: string): Pattern | undefined {
  const [, start, body, end] = REGULAR.exec(expression) ?? [];
  if (body === undefined) return undefined;
  const pieces = body.split(".*").map((piece) => literalPattern(piece.replaceAll("\\", "")));
  const inner = pieces.flatMap((piece, place) => (place === 0 ? [piece] : [ANY, piece]));
  return joinedPattern([...(start === "" ? [ANY] : []), ...inner, ...(end === "" ? [ANY] : [])]);
}

const inText = ofTexts(2, (whole = "", expression = "") => bool(celMatches(whole, expression) ?? "unknown"));

const matching: Operation = (whole, expression) => {
  const pattern = whole?.kind === "asked" && expression && regularPattern(literalOf(expression) ?? "|");
  if (pattern && whole.kind === "asked") return bool(whole.asked.matches(pattern));
  return whole && expression && inText(whole, expression);
};

const size = strict((value) => {
  if (value?.kind === "list") return int(value.items.length);
  if (value?.kind !== "text" && value?.kind !== "asked") return undefined;
  const literal = literalOf(value);
  return literal === undefined ? OPEN : int([...literal].length);
});

const sum = strict((one, other) => {
  if (one?.kind === "int" && other?.kind === "int") return int(one.value + other.value);
  if (one?.kind === "text" && other?.kind === "text") return text(joined(one.text, other.text));
  return one?.kind === "asked" || other?.kind === "asked" ? OPEN : undefined;
});

const element = strict((list, place) => {
  if (list?.kind !== "list" || place?.kind !== "int") return undefined;
  return list.items[place.value] ?? { kind: "error", reason: `index out of bounds: ${place.value}` };
});

const among = strict((value, list) => {
  if (value === undefined || list?.kind !== "list") return undefined;
  const outcomes = list.items.map((item) => equal(value, item));
  const isText = value.kind === "text" || value.kind === "asked";
  return isText ? bool(anyOf(outcomes.map((each) => each ?? "unknown"))) : undefined;
});

const choice: Operation = (condition, yes, no) => {
  if (condition === undefined || yes === undefined || no === undefined) return undefined;
  const isOpen = [yes, no].some(({ kind }) => kind === "open" || kind === "error" || kind === "asked");
  if (!isOpen && yes.kind !== no.kind) return undefined;
  if (condition.kind === "error") return condition;
  if (condition.kind === "open") return OPEN;
  if (condition.kind !== "bool") return undefined;
  return condition.value === "unknown" ? OPEN : condition.value === "yes" ? yes : no;
};

/** A text, one identifier in braces, a text; braces stand nowhere else. */
const TEMPLATE = /^([^{}]*)\{[A-Za-z_][A-Za-z0-9_]*\}([^{}]*)$/;

/**
 * What stands between the first occurrence of the text before the braces and the next occurrence of the text after
 * them; empty where one of the two is missing. Source: cloud.google.com/iam/docs/conditions-attribute-reference.
 */
function extracted(whole: string, template: string): Value | undefined {
  const [, before, after = ""] = TEMPLATE.exec(template) ?? [];
  if (before === undefined) return refuse("extract() with a template that is not read here");
  const start = whole.indexOf(before);
  if (start < 0) return text(known(""));
  const rest = whole.slice(start + before.length);
  const end = after === "" ? rest.length : rest.indexOf(after);
  return text(known(rest.slice(0, Math.max(end, 0))));
}

/** Functions by name, methods by name with a dot before it; of others Google documents none, or they differ from cel-go. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "_&&_": logic("no", and),
  "_||_": logic("yes", or),
  "!_": strict((value) => (value?.kind === "bool" ? bool(not(value.value)) : undefined)),
  "_==_": equality((outcome) => outcome),
  "_!=_": equality(not),
  "_<_": order((one, other) => one < other),
  "_<=_": order((one, other) => one <= other),
  "_>_": order((one, other) => one > other),
  "_>=_": order((one, other) => one >= other),
  "@in": among,
  "_[_]": element,
  "_+_": sum,
  "_?_:_": choice,
  size,
  ".size": size,
  timestamp: ofTexts(1, () => ({ kind: "time" })),
  ".startsWith": partOfText({
    holds: (whole, part) => whole.startsWith(part),
    pattern: (part) => joinedPattern([part, ANY]),
    around: (part) => joined(part, ANY_TEXT),
  }),
  ".endsWith": partOfText({
    holds: (whole, part) => whole.endsWith(part),
    pattern: (part) => joinedPattern([ANY, part]),
    around: (part) => joined(ANY_TEXT, part),
  }),
  ".contains": partOfText({
    holds: (whole, part) => whole.includes(part),
    pattern: (part) => joinedPattern([ANY, part, ANY]),
    around: () => ANY_TEXT,
  }),
  ".matches": matching,
  ".extract": ofTexts(2, (whole = "", template = "") => extracted(whole, template)),
  ".split": ofTexts(2, (whole = "", separator = "") =>
    separator === ""
      ? refuse("split() by other than a literal separator")
      : listOf(whole.split(separator).map((piece) => text(known(piece)))),
  ),
  ".lowerAscii": ofTexts(1, (whole = "") =>
    text(known(whole.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))),
  ),
};
