/*
 * Conditions of role assignments, as far as they limit which repositories of a container registry are read.
 *
 * A condition is compiled once, and then asked of names: of one repository, or of all that a pattern covers. What it says
 * of anything else than the action and the repository's name is not judged.
 *
 * Source: learn.microsoft.com, "Azure role assignment condition format and syntax", and "Azure attribute-based access
 * control (Azure ABAC) repository permissions in Azure Container Registry".
 */

import { type Known, type Ternary, and, match, not, or, partsOf, textOf } from "../../model/known";
import type { AskedName } from "../asked-names";
import { type Pattern, literalPattern, matchesPattern, patternOf, prefixPattern } from "../wildcard";

/** What a condition says of a data action on repositories: the same of all of them, or a question about each. */
export type Limit = Ternary | ((repository: AskedName) => Ternary);

/** A condition, asked about a data action. */
export type Condition = (action: string) => Limit;

/** A late value within a condition, while its text is taken apart. */
const [OPEN, CLOSE] = ["\ue000", "\ue001"];
const MARK = /\ue000(\d+)\ue001/;

/** The condition of a text; a condition that cannot be read answers that it is not known. */
export function conditionOf(text: Known<string>): Condition {
  const parts = partsOf(text) ?? [];
  if (parts.length === 0 || parts.some((part) => typeof part === "string" && part.includes(OPEN)))
    return notJudged;
  const marked = parts.map((part, place) => (typeof part === "string" ? part : OPEN + place + CLOSE));
  const valueOf = (value: string): Known<string> =>
    textOf(value.split(MARK).map((piece, place) => (place % 2 === 1 ? (parts[Number(piece)] ?? "") : piece)));
  const tokens = tokensOf(marked.join(""));
  return (tokens && new Reader(tokens, valueOf).condition()) ?? notJudged;
}

const notJudged: Condition = () => "unknown";

/** A text in quotes, a sign, an attribute, or a word; nothing else stands in a condition. */
const TOKEN = /\s*(?:'([^']*)'|(&&|\|\||[(){},!])|(@\w+\[[^\]]+\])|([A-Za-z][\w:]*))/y;

/** Parentheses within parentheses; people write a handful. */
const DEPTH_MAX = 100;

type Token = { readonly text: string } | string;

function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  let at = 0;
  while (at < end) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) return undefined;
    const [, quoted, sign, attribute, word] = found;
    tokens.push(quoted === undefined ? (sign ?? attribute ?? word ?? "") : { text: quoted });
    at = TOKEN.lastIndex;
  }
  return tokens;
}

const REPOSITORY_NAME = /^@Request\[Microsoft\.ContainerRegistry\/registries\/repositories:name\]$/i;
const AND: readonly string[] = ["AND", "&&"];
const OR: readonly string[] = ["OR", "||"];
const NOT: readonly string[] = ["NOT", "!"];
const OPERATOR = /^(?:For(?:Any|All)Of(Any|All)Values:)?String(Not)?(Equals|StartsWith)(IgnoreCase)?$/;

/** Reads tokens; each method answers `undefined` where something else stands there. */
class Reader {
  readonly #tokens: readonly Token[];
  readonly #valueOf: (text: string) => Known<string>;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], valueOf: (text: string) => Known<string>) {
    this.#tokens = tokens;
    this.#valueOf = valueOf;
  }

  condition(): Condition | undefined {
    const whole = this.#expression();
    return this.#at === this.#tokens.length ? whole : undefined;
  }

  /** Which of AND and OR binds more is not documented, so that both on one level are not judged. */
  #expression(): Condition | undefined {
    const all = [this.#term()];
    const join = [AND, OR].find((words) => this.#sees(words));
    while (join && this.#takes(join)) all.push(this.#term());
    const terms = all.filter((term) => term !== undefined);
    if (terms.length < all.length || this.#sees(AND) || this.#sees(OR)) return undefined;
    const [only] = terms;
    if (terms.length === 1) return only;
    return (action) =>
      combined(
        join === AND,
        terms.map((term) => term(action)),
      );
  }

  #term(): Condition | undefined {
    if (++this.#depth > DEPTH_MAX) return undefined;
    const term = this.#factor();
    this.#depth--;
    return term;
  }

  #factor(): Condition | undefined {
    if (this.#takes(NOT)) {
      const inner = this.#term();
      return inner && ((action) => negated(inner(action)));
    }
    if (this.#takes(["("])) {
      const inner = this.#expression();
      return this.#takes([")"]) ? inner : undefined;
    }
    const word = this.#tokens[this.#at++];
    if (word === "ActionMatches") return actionMatches(this.#values());
    if (word === "SubOperationMatches") return this.#values() && notJudged;
    if (word === "Exists") {
      const attribute = this.#tokens[this.#at++];
      if (typeof attribute !== "string") return undefined;
      return REPOSITORY_NAME.test(attribute) ? () => "yes" : notJudged;
    }
    return typeof word === "string" && word.startsWith("@") ? this.#comparison(word) : undefined;
  }

  #comparison(attribute: string): Condition | undefined {
    const operator = this.#tokens[this.#at++];
    const next = this.#tokens[this.#at];
    // `BoolEquals true`
    if (typeof next === "string" && next !== "{") {
      this.#at++;
      return notJudged;
    }
    const values = this.#values();
    if (values === undefined || typeof operator !== "string") return undefined;
    const [, quantity, isNot, kind, ignoreCase] = OPERATOR.exec(operator) ?? [];
    const isOne = quantity !== undefined || values.length === 1;
    if (kind === undefined || !isOne || !REPOSITORY_NAME.test(attribute)) return notJudged;
    const compared = values.map((value) => comparison(kind, value, ignoreCase !== undefined));
    const each = isNot === undefined ? compared : compared.map(negated);
    const limit = combined(quantity === "All", each);
    return () => limit;
  }

  /** A value, or several in braces. */
  #values(): readonly Known<string>[] | undefined {
    const isSet = this.#takes(["{"]);
    const values: Known<string>[] = [];
    do {
      const value = this.#tokens[this.#at++];
      if (typeof value !== "object") return undefined;
      values.push(this.#valueOf(value.text));
    } while (isSet && this.#takes([","]));
    return !isSet || this.#takes(["}"]) ? values : undefined;
  }

  #sees(words: readonly string[]): boolean {
    const token = this.#tokens[this.#at];
    return typeof token === "string" && words.includes(token);
  }

  #takes(words: readonly string[]): boolean {
    const found = this.#sees(words);
    if (found) this.#at++;
    return found;
  }
}

/** Both, or one of several; what is the same for all repositories is decided once. */
function combined(isAll: boolean, limits: readonly Limit[]): Limit {
  const [decisive, join] = isAll ? (["no", and] as const) : (["yes", or] as const);
  const constant = join(...limits.filter((limit) => typeof limit === "string"));
  const asked = limits.filter((limit) => typeof limit !== "string");
  const [only] = asked;
  if (constant === decisive || only === undefined) return constant;
  if (asked.length === 1 && constant !== "unknown") return only;
  return (repository) => join(constant, ...asked.map((limit) => limit(repository)));
}

function negated(limit: Limit): Limit {
  return typeof limit === "string" ? not(limit) : (repository) => not(limit(repository));
}

function actionMatches(patterns: readonly Known<string>[] | undefined): Condition | undefined {
  if (patterns === undefined) return undefined;
  return (action) =>
    or(
      ...patterns.map((pattern) =>
        match(
          pattern,
          (text): Ternary =>
            matchesPattern(patternOf(text.toLowerCase()), action.toLowerCase()) ? "yes" : "no",
          (): Ternary => "unknown",
        ),
      ),
    );
}

/** Names of repositories have small letters only, so that a value with others equals none unless case does not count. */
function comparison(kind: string, value: Known<string>, ignoresCase: boolean): (name: AskedName) => Ternary {
  const cased = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  return match(
    value,
    (text) => {
      const pattern = patternFor(kind, cased(text));
      return (name: AskedName): Ternary => name.matches(pattern);
    },
    () => {
      // Whatever follows, a name that does not begin as the value does is another.
      const [first = ""] = partsOf(value) ?? [];
      const start = typeof first === "string" ? cased(first) : "";
      const pattern = prefixPattern(literalPattern(start));
      return (name: AskedName): Ternary => (name.matches(pattern) === "no" ? "no" : "unknown");
    },
  );
}

function patternFor(kind: string, text: string): Pattern {
  return kind === "Equals" ? literalPattern(text) : prefixPattern(literalPattern(text));
}
