/*
 * The action or resource about which a policy is evaluated: one, one whose name is known only after apply, or each of a
 * set.
 */

import {
  type Known,
  type Reference,
  type Ternary,
  match,
  orElse,
  partsOf,
  shown,
} from "../../../model/known";
import type { AskedName } from "../../asked-names";
import { patternWithin, patternsMeet } from "../../pattern-comparison";
import {
  type Pattern,
  joinedPattern,
  literalPattern,
  matchesPattern,
  patternOf,
  isAnyText,
  isAnyUnit,
  hasWildcard,
} from "../../wildcard";
import { ARN_PARTS, arnParts, arnPatterns } from "./conditions";
import { type PolicyValue, ternary, valueMatches } from "./value";

export interface AskedResource {
  readonly example: string;
  readonly text: string | undefined;
  /** Whether a value of a policy matches it, each wildcard as far as it reaches. */
  matches(value: PolicyValue): Ternary;
  partMatches(part: number, pattern: Pattern): Ternary;
}

/** A resource by its ARN; `*` for actions that have none. */
export function oneResource(arn: string): AskedResource {
  return new OneResource(arn);
}

/** A resource by its ARN, of which parts may be known only after apply. */
export function resourceOf(arn: Known<string>): AskedResource {
  return match<string, AskedResource>(arn, oneResource, () => new LateResource(arn));
}

/**
 * Every action or resource that a text with wildcards covers; open where a value covers only a part of them. A text
 * without wildcards is one.
 */
export function everyResource(text: Known<string>): AskedResource {
  const pattern = orElse(text, () => "");
  return hasWildcard(pattern) ? new EveryResource(pattern) : resourceOf(text);
}

/** The resource whose ARN is `before` followed by any name of a set. `before` has five colons. */
export function namedResource(before: string, name: AskedName): AskedResource {
  return new NamedResource(before, name);
}

class OneResource implements AskedResource {
  readonly text: string;
  #parts: readonly string[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get example(): string {
    return this.text;
  }

  matches(value: PolicyValue): Ternary {
    return valueMatches(value, this.text);
  }

  partMatches(part: number, pattern: Pattern): Ternary {
    const parts = (this.#parts ??= arnParts(this.text));
    return parts.length === ARN_PARTS ? ternary(matchesPattern(pattern, parts[part] ?? "")) : "no";
  }
}

export class EveryResource implements AskedResource {
  readonly text = undefined;
  readonly example: string;

  constructor(pattern: string) {
    this.example = pattern;
  }

  matches({ pattern, isLate }: PolicyValue): Ternary {
    if (isLate) return "unknown";
    const wide = wildText(pattern);
    if (patternWithin(this.example, wide)) return "yes";
    const [own, others] = [this.example, wide].map(arnParts);
    const isArn = own?.length === ARN_PARTS && others?.length === ARN_PARTS;
    const meets = isArn
      ? own.every((part, place) => patternsMeet(part, others[place] ?? ""))
      : patternsMeet(this.example, wide);
    return meets ? "unknown" : "no";
  }

  partMatches(): Ternary {
    return "unknown";
  }
}

class NamedResource implements AskedResource {
  readonly text = undefined;
  readonly #before: string;
  readonly #parts: readonly string[];
  readonly #name: AskedName;

  constructor(before: string, name: AskedName) {
    this.#before = before;
    this.#parts = arnParts(before);
    this.#name = name;
  }

  get example(): string {
    return this.#before + this.#name.example;
  }

  matches({ pattern, isLate }: PolicyValue): Ternary {
    const answer = this.#name.matches(
      typeof pattern === "string" ? patternOf(pattern) : pattern,
      this.#before,
    );
    return answer === "yes" && isLate ? "unknown" : answer;
  }

  partMatches(part: number, pattern: Pattern): Ternary {
    const text = this.#parts[part] ?? "";
    return part === ARN_PARTS - 1
      ? this.#name.matches(pattern, text)
      : ternary(matchesPattern(pattern, text));
  }
}

/** Equal references to values known only after apply are known to be the same value, whatever it is. */
class LateResource implements AskedResource {
  readonly text = undefined;
  readonly #text: Known<string>;

  constructor(text: Known<string>) {
    this.#text = text;
  }

  get example(): string {
    return shown(this.#text);
  }

  matches(value: PolicyValue): Ternary {
    if (!value.isLate && wildText(value.pattern) === "*") return "yes";
    const [pieces, nameParts] = [partsOf(value.text), partsOf(this.#text)];
    if (pieces === undefined || nameParts === undefined) return "unknown";
    const signs = new Map<Reference, string>();
    const sign = (part: string | Reference): string => {
      if (typeof part === "string") return part;
      const known = signs.get(part) ?? String.fromCharCode(PRIVATE_USE + signs.size);
      signs.set(part, known);
      return known;
    };
    const pattern = value.isLate
      ? joinedPattern(
          pieces.map((part) => (typeof part === "string" ? patternOf(part) : literalPattern(sign(part)))),
        )
      : value.pattern;
    // The parts of a value that is late itself are not compared one by one.
    if (value.isLate && hasInnerStar(arnPatterns(pattern))) return "unknown";
    return matchesPattern(pattern, nameParts.map(sign).join("")) === true ? "yes" : "unknown";
  }

  partMatches(): Ternary {
    return "unknown";
  }
}

/** The first of the characters that no ARN has. */
const PRIVATE_USE = 0xe000;

/** The text of a pattern, in which a `*` or `?` that IAM takes literally becomes a character that no ARN has. */
function wildText(pattern: string | Pattern): string {
  if (typeof pattern === "string") return pattern;
  const signs = Array.from(pattern, (unit) => {
    if (isAnyText(unit)) return "*";
    if (isAnyUnit(unit)) return "?";
    const sign = String.fromCharCode(unit);
    return hasWildcard(sign) ? String.fromCharCode(PRIVATE_USE + unit) : sign;
  });
  return signs.join("");
}

/** AWS: a wildcard works within a part of the ARN; at the end of a part it may reach beyond the colon. */
export function hasInnerStar(parts: readonly Pattern[]): boolean {
  return parts.slice(0, ARN_PARTS - 1).some((part) =>
    part.some((unit, place) => {
      const next = part[place + 1];
      return isAnyText(unit) && next !== undefined && !isAnyText(next);
    }),
  );
}
