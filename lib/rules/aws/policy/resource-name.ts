/*
 * What a policy is asked about: a resource, one whose name only apply tells, or one of a set of names.
 */

import { type Known, type Reference, type Ternary, is, match, partsOf, shown } from "../../../model/known";
import type { AskedName } from "../../asked-names";
import { type Pattern, joinedPattern, literalPattern, matchesPattern, patternOf } from "../../wildcard";
import { ARN_PARTS, arnParts } from "./operators";
import { type PolicyValue, ternary, valueMatches } from "./value";

/** A resource that is asked about. */
export interface AskedResource {
  /** Its ARN, or that of an example, for people. */
  readonly example: string;
  /** Its ARN where it is one and known. */
  readonly text: string | undefined;
  /** Whether a value of a policy matches it, each wildcard as far as it reaches. */
  matches(value: PolicyValue): Ternary;
  /** Whether one of the six parts of its ARN matches. */
  partMatches(part: number, pattern: Pattern): Ternary;
}

/** A resource by its ARN; `*` for actions that have none. */
export function oneResource(arn: string): AskedResource {
  return new OneResource(arn);
}

/** A resource by its ARN, which may hold what only apply tells. */
export function resourceOf(arn: Known<string>): AskedResource {
  return match<string, AskedResource>(arn, oneResource, () => new LateResource(arn));
}

/** The resource whose ARN is `before` and a name, which may be any of a set. `before` has five colons. */
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
    const given = (this.#parts ??= arnParts(this.text));
    return given.length === ARN_PARTS ? ternary(matchesPattern(pattern, given[part] ?? "")) : "no";
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
    const found = this.#name.matches(
      typeof pattern === "string" ? patternOf(pattern) : pattern,
      this.#before,
    );
    return found === "yes" && isLate ? "unknown" : found;
  }

  partMatches(part: number, pattern: Pattern): Ternary {
    const given = this.#parts[part] ?? "";
    return part === ARN_PARTS - 1
      ? this.#name.matches(pattern, given)
      : ternary(matchesPattern(pattern, given));
  }
}

/** Of what only apply tells is known that equal references are one value, whatever it is. */
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
    if (is(value.text, "*") === "yes") return "yes";
    const [wanted, given] = [partsOf(value.text), partsOf(this.#text)];
    if (wanted === undefined || given === undefined) return "unknown";
    const signs = new Map<Reference, string>();
    const sign = (part: string | Reference): string => {
      if (typeof part === "string") return part;
      const known = signs.get(part) ?? String.fromCharCode(PRIVATE_USE + signs.size);
      signs.set(part, known);
      return known;
    };
    const pattern = joinedPattern(
      wanted.map((part) => (typeof part === "string" ? patternOf(part) : literalPattern(sign(part)))),
    );
    return matchesPattern(pattern, given.map(sign).join("")) === true ? "yes" : "unknown";
  }

  partMatches(): Ternary {
    return "unknown";
  }
}

/** The first of the characters that no ARN has. */
const PRIVATE_USE = 0xe000;
