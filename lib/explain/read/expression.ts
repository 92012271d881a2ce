/*
 * Terraform's templates and the expressions in them, as far as JSON configurations use them: references, literals,
 * lists, objects, function calls, conditions, comparisons and splats. Anything else (arithmetic, `for`, directives)
 * stays text, and is not evaluated.
 *
 * Source: developer.hashicorp.com/terraform/language/expressions and …/language/syntax/json, "Expression Mapping".
 */

export type Expression =
  | { readonly kind: "template"; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: "value"; readonly value: number | boolean | null }
  | { readonly kind: "path"; readonly root: string; readonly steps: readonly Step[]; readonly text: string }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly args: readonly Expression[];
      readonly text: string;
    }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  /** A part of what another expression gives. */
  | { readonly kind: "part"; readonly of: Expression; readonly steps: readonly Step[]; readonly text: string }
  | { readonly kind: "object"; readonly entries: readonly (readonly [key: Expression, value: Expression])[] }
  | {
      readonly kind: "condition";
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
      readonly text: string;
    }
  | {
      readonly kind: "operation";
      readonly operator: string;
      /** Two, or one for `!`. */
      readonly operands: readonly Expression[];
      readonly text: string;
    }
  | { readonly kind: "other"; readonly text: string };

/** A step of a path: `.name`, `[0]`, `[*]`, or an index that is an expression. */
export type Step = string | number | typeof SPLAT | Expression;

/** Every item of a list, or every instance of a resource. */
export const SPLAT: unique symbol = Symbol("[*]");

/** True for a text with an expression, a directive or an escaped one. */
export function isTemplate(text: string): boolean {
  return text.includes("${") || text.includes("%{");
}

/** The template that consists of one expression. */
export function templateOf(expression: string): string {
  return `\${${expression}}`;
}

/** Limit for nested expressions and templates; real ones nest a few levels. */
const DEPTH_MAX = 50;

/** Parses a template; a text without expressions is one part. In quotes, a backslash begins an escape. */
export function parseTemplate(text: string, isQuoted = false, depth = 0): Expression {
  const parts: (string | Expression)[] = [];
  let literal = "";
  for (let at = 0; at < text.length;) {
    if (isQuoted && text[at] === "\\") {
      const [all = "", plain] = escapeAt(text, at);
      if (plain === undefined) return { kind: "other", text: `"${text}"` };
      literal += plain;
      at += all.length;
      continue;
    }
    const escape = ESCAPES.find((each) => text.startsWith(each, at));
    const start = escape ? undefined : STARTS.find((each) => text.startsWith(each, at));
    if (start === undefined) {
      literal += escape ? escape.slice(1) : (text[at] ?? "");
      at += escape?.length ?? 1;
      continue;
    }
    const end = endOfExpression(text, at + start.length);
    // The result of `if` and `for` for the text between them is not known either.
    if (start === DIRECTIVE || end < 0) return { kind: "template", parts: [{ kind: "other", text }] };
    if (literal !== "") parts.push(literal);
    literal = "";
    parts.push(parseExpression(text.slice(at + start.length, end), depth));
    at = end + 1;
  }
  if (literal !== "" || parts.length === 0) parts.push(literal);
  return { kind: "template", parts };
}

const DIRECTIVE = "%{";
const STARTS: readonly string[] = ["${", DIRECTIVE];
/** A doubled dollar or percent sign is Terraform's escape for a literal one. */
const ESCAPES: readonly string[] = ["$${", "%%{"];

/** The position of the brace that closes an expression; -1 if there is none, or too many templates are nested. */
function endOfExpression(text: string, from: number, templates = 0): number {
  let depth = 0;
  if (templates > DEPTH_MAX) return -1;
  for (let at = from; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') at = endOfString(text, at + 1, templates);
    else if (unit === "{") depth++;
    else if (unit === "}" && depth-- === 0) return at;
    if (at < from) return -1;
  }
  return -1;
}

/** The position of the quote that closes a text with nested templates; -1 if there is none. */
function endOfString(text: string, from: number, templates = 0): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
    else if (text.startsWith("${", at) && text[at - 1] !== "$") {
      at = endOfExpression(text, at + 2, templates + 1);
      if (at < 0) return -1;
    }
  }
  return -1;
}

function parseExpression(source: string, depth: number): Expression {
  const text = source.trim();
  const reader = new Reader(text, depth);
  const read = reader.expression();
  return read !== undefined && reader.isAtEnd() ? read : { kind: "other", text };
}

const NAME = /[A-Za-z_][\w-]*/y;
const NUMBER = /-?\d+(?:\.\d+)?/y;
const SPACE = /\s*/y;
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
/** Binary operators from the weakest to the strongest. Source: "Arithmetic and Logical Operators". */
const OPERATORS: readonly (readonly string[])[] = [["||"], ["&&"], ["==", "!="], [">=", "<=", ">", "<"]];

/** Reads one expression; each method returns `undefined` if it finds something else. */
class Reader {
  readonly #text: string;
  #at = 0;
  #depth: number;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  isAtEnd(): boolean {
    this.#match(SPACE);
    return this.#at === this.#text.length;
  }

  expression(): Expression | undefined {
    if (++this.#depth > DEPTH_MAX) return undefined;
    this.#match(SPACE);
    const start = this.#at;
    const test = this.#operation(0);
    const read = test && this.#takes("?") ? this.#condition(test, start) : test;
    this.#depth--;
    return read;
  }

  #condition(test: Expression, start: number): Expression | undefined {
    const yes = this.expression();
    const no = yes && this.#takes(":") ? this.expression() : undefined;
    return yes && no && { kind: "condition", test, yes, no, text: this.#text.slice(start, this.#at) };
  }

  /** Operands of operators that bind at least as strongly as the level. */
  #operation(level: number): Expression | undefined {
    const operators = OPERATORS[level];
    if (operators === undefined) return this.#operand();
    this.#match(SPACE);
    const start = this.#at;
    let left = this.#operation(level + 1);
    for (;;) {
      const operator = left && operators.find((each) => this.#takes(each));
      if (left === undefined || operator === undefined) return left;
      const right = this.#operation(level + 1);
      if (right === undefined) return undefined;
      left = {
        kind: "operation",
        operator,
        operands: [left, right],
        text: this.#text.slice(start, this.#at),
      };
    }
  }

  #operand(): Expression | undefined {
    this.#match(SPACE);
    const start = this.#at;
    const read = this.#primary();
    if (read === undefined || read.kind === "path") return read;
    const steps = this.#steps();
    return steps?.length === 0
      ? read
      : steps && { kind: "part", of: read, steps, text: this.#text.slice(start, this.#at) };
  }

  #primary(): Expression | undefined {
    const start = this.#at;
    switch (this.#text[start]) {
      case '"':
        return this.#string();
      case "[":
        return this.#list();
      case "{":
        return this.#object();
      case "(": {
        this.#at++;
        const inner = this.expression();
        return inner && this.#takes(")") ? inner : undefined;
      }
      case "!": {
        this.#at++;
        const inner = ++this.#depth > DEPTH_MAX ? undefined : this.#operand();
        this.#depth--;
        const text = this.#text.slice(start, this.#at);
        return inner && { kind: "operation", operator: "!", operands: [inner], text };
      }
      default:
        return this.#term();
    }
  }

  #term(): Expression | undefined {
    const number = this.#match(NUMBER);
    if (number !== undefined) return { kind: "value", value: Number(number) };
    const start = this.#at;
    const name = this.#match(NAME);
    if (name === undefined) return undefined;
    if (this.#takes("(")) {
      const args = this.#items(")");
      return args && { kind: "call", name, args, text: this.#text.slice(start, this.#at) };
    }
    const steps = this.#steps();
    if (steps?.length === 0 && Object.hasOwn(WORDS, name))
      return { kind: "value", value: WORDS[name] ?? null };
    return steps && { kind: "path", root: name, steps, text: this.#text.slice(start, this.#at) };
  }

  #steps(): readonly Step[] | undefined {
    const steps: Step[] = [];
    for (;;) {
      if (this.#takes(".*") || this.#takes("[*]")) steps.push(SPLAT);
      else if (this.#takes(".")) {
        const step = this.#match(NAME) ?? this.#match(/\d+/y);
        if (step === undefined) return undefined;
        steps.push(/^\d/.test(step) ? Number(step) : step);
      } else if (this.#takes("[")) {
        const index = this.expression();
        if (index === undefined || !this.#takes("]")) return undefined;
        steps.push(literalStep(index));
      } else return steps;
    }
  }

  #string(): Expression | undefined {
    const end = endOfString(this.#text, this.#at + 1);
    if (end < 0) return undefined;
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return parseTemplate(inside, true, this.#depth);
  }

  #list(): Expression | undefined {
    this.#at++;
    const items = this.#items("]");
    return items && { kind: "list", items };
  }

  /** Entries end with a comma or a line. */
  #object(): Expression | undefined {
    this.#at++;
    const entries: (readonly [Expression, Expression])[] = [];
    while (!this.#takes("}")) {
      const key = this.#key();
      if (key === undefined || !(this.#takes("=") || this.#takes(":"))) return undefined;
      const value = this.expression();
      if (value === undefined) return undefined;
      entries.push([key, value]);
      this.#takes(",");
    }
    return { kind: "object", entries };
  }

  /** A bare name is a text, and so is a keyword. */
  #key(): Expression | undefined {
    this.#match(SPACE);
    const name = this.#match(NAME);
    if (name === undefined) return this.#operand();
    return name === "for" ? undefined : { kind: "template", parts: [name] };
  }

  #items(end: string): readonly Expression[] | undefined {
    const items: Expression[] = [];
    while (!this.#takes(end)) {
      const item = this.expression();
      if (item === undefined) return undefined;
      items.push(item);
      if (!this.#takes(",") && !this.#sees(end)) return undefined;
    }
    return items;
  }

  #takes(what: string): boolean {
    const isNext = this.#sees(what);
    if (isNext) this.#at += what.length;
    return isNext;
  }

  #sees(what: string): boolean {
    this.#match(SPACE);
    return this.#text.startsWith(what, this.#at);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

/** A literal text or number as an index; any other index is evaluated with the path. */
function literalStep(index: Expression): Step {
  if (index.kind === "value" && typeof index.value === "number") return index.value;
  if (index.kind !== "template" || index.parts.length !== 1) return index;
  const [only] = index.parts;
  return typeof only === "string" ? only : index;
}

const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|["\\nrt])/y;

/** The escape at a position and its meaning; empty for one that is left to Terraform. */
function escapeAt(text: string, at: number): readonly [all?: string, plain?: string] {
  ESCAPE.lastIndex = at;
  const [all] = ESCAPE.exec(text) ?? [];
  return all === undefined ? [] : [all, String(JSON.parse(`"${all}"`))];
}

/** Possible resource addresses in an expression that stays text. */
const ADDRESSES = /(?<!\w)(?:data\.)?[a-z][a-z0-9]*_\w+\.[\w-]+/g;

/** The paths of an expression and of all nested ones, including those that are not evaluated. */
export function pathsOf(expression: Expression): readonly (readonly (string | number)[])[] {
  if (expression.kind === "other")
    return (expression.text.match(ADDRESSES) ?? []).map((address) => address.split("."));
  const nested = Object.values(expression).flatMap(expressionsIn).flatMap(pathsOf);
  if (expression.kind !== "path") return nested;
  const end = expression.steps.findIndex((step) => typeof step === "object" || step === SPLAT);
  const plain = expression.steps.slice(0, end < 0 ? undefined : end) as readonly (string | number)[];
  return [[expression.root, ...plain], ...nested];
}

/** The expressions in a part of one: in its operands, items, entries, steps. */
function expressionsIn(part: unknown): readonly Expression[] {
  if (Array.isArray(part)) return part.flatMap(expressionsIn);
  return typeof part === "object" && part !== null ? [part as Expression] : [];
}
