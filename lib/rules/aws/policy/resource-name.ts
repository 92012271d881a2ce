/*
 * Whether an Action, NotAction, Resource or NotResource covers what is asked about.
 */

import {
  type Known,
  type Ternary,
  allOf,
  not as opposite,
  orElse,
  shown,
  whether,
} from "../../../model/known";
import { type Pattern, preparedPattern } from "../../wildcard";
import { type AskedResource, EveryResource, hasInnerStar } from "./asked-resource";
import { ARN_PARTS, arnPatterns } from "./conditions";
import { NOTHING_KNOWN, type RequestContext } from "./context";
import type { Selection, Statement } from "./document";
import { Match, cannotTell, quoted } from "./match";
import { type PolicyValue, lowered, policyValue } from "./value";

export interface AskedAction {
  /** As it is written. */
  readonly action: string;
  /** As it is compared: in lower case, because actions are compared without regard to case. */
  readonly compared: AskedResource;
}

const prepared = new WeakMap<Selection, Actions>();

export function actionsOf({ actions }: Statement): Actions {
  const made = prepared.get(actions) ?? new Actions(actions);
  prepared.set(actions, made);
  return made;
}

/** Prepared for many requests; policy variables are not filled in. */
class Actions {
  readonly #selection: Selection;
  /** Most values are names without wildcards, for which this is enough. */
  readonly #plain = new Set<string>();
  readonly #all: (PolicyValue | undefined)[] = [];
  readonly #wild: (PolicyValue | undefined)[] = [];

  constructor(selection: Selection) {
    this.#selection = selection;
    for (const raw of selection.values) {
      const value = actionValue(lowered(raw));
      this.#all.push(value);
      const plain = plainText(raw);
      if (plain === undefined) this.#wild.push(value);
      else this.#plain.add(plain.toLowerCase());
    }
  }

  cover({ compared }: AskedAction): Ternary {
    const answer = this.#found(compared);
    return this.#selection.negated ? opposite(answer) : answer;
  }

  judged({ action, compared: asked }: AskedAction): Match {
    const { values, negated } = this.#selection;
    const answers = this.#all.map((value) => actionMatches(value, asked));
    return covers(answers, values, { negated, asked, what: () => `action ${quoted(action)}` });
  }

  #found(asked: AskedResource): Ternary {
    if (asked.text !== undefined && this.#plain.has(asked.text)) return "yes";
    let found: Ternary = "no";
    for (const value of asked.text === undefined ? this.#all : this.#wild) {
      const answer = actionMatches(value, asked);
      if (answer === "yes") return answer;
      if (answer === "unknown") found = answer;
    }
    return found;
  }
}

/** `undefined` if it cannot be compared. */
function actionValue(raw: Known<string>): PolicyValue | undefined {
  const isOpen = whether(raw, (each) => each.includes("${")) === "yes";
  const value = isOpen ? undefined : policyValue(raw, false, NOTHING_KNOWN);
  return value && { ...value, pattern: preparedPattern(value.pattern) };
}

function actionMatches(value: PolicyValue | undefined, asked: AskedResource): Ternary {
  return value === undefined ? "unknown" : asked.matches(value);
}

function covers(
  answers: readonly Ternary[],
  values: readonly Known<string>[],
  { negated, asked, what }: { readonly negated: boolean; asked: AskedResource; readonly what: () => string },
): Match {
  if (answers.includes("yes"))
    return new Match(negated ? "no" : "yes", () => `it ${negated ? "excepts" : "covers"} the ${what()}`);
  const open = answers.indexOf("unknown");
  const compares =
    asked instanceof EveryResource ? "covers, or may cover, only a part of" : "cannot be compared with";
  if (open >= 0) return cannotTell(() => `${shownValue(values[open])} ${compares} the ${what()}`);
  return new Match(negated ? "yes" : "no", () => `it ${negated ? "covers" : "does not cover"} the ${what()}`);
}

function shownValue(value: Known<string> | undefined): string {
  return value === undefined ? "a value" : quoted(shown(value));
}

export class Resources {
  readonly #negated: boolean;
  readonly #raw: readonly Known<string>[];
  readonly #prepared: (raw: Known<string>) => ResourceValue;
  /** Most values are names without wildcards, for which this is enough. */
  readonly #plain = new Set<string>();
  readonly #wild: ResourceValue[] = [];

  constructor({ values, negated }: Selection, variables: boolean, context: RequestContext) {
    this.#negated = negated;
    this.#raw = values;
    this.#prepared = (raw) => resourceValue(raw, variables, context);
    for (const raw of values) {
      const plain = plainText(raw);
      if (plain === undefined) this.#wild.push(this.#prepared(raw));
      else this.#plain.add(plain);
    }
  }

  get #values(): readonly ResourceValue[] {
    return this.#raw.map(this.#prepared);
  }

  /** Whether they cover a resource; compares letter case, and `*` also matches slashes. */
  cover(resource: AskedResource): Ternary {
    const answer = this.#found(resource);
    return this.#negated ? opposite(answer) : answer;
  }

  judged(resource: AskedResource): Match {
    return covers(
      this.#values.map((value) => matches(value, resource)),
      this.#values.map(({ raw }) => raw),
      { negated: this.#negated, asked: resource, what: () => `resource ${quoted(resource.example)}` },
    );
  }

  #found(resource: AskedResource): Ternary {
    const { text } = resource;
    if (text !== undefined && this.#plain.has(text)) return "yes";
    let found: Ternary = "no";
    for (const value of text === undefined ? this.#values : this.#wild) {
      const answer = matches(value, resource);
      if (answer === "yes") return answer;
      if (answer === "unknown") found = answer;
    }
    return found;
  }
}

interface ResourceValue {
  readonly raw: Known<string>;
  readonly plain: string | undefined;
  /** The value with its variables filled in; `undefined` if one of them is unknown. */
  readonly value: PolicyValue | undefined;
  /** The parts of an ARN in which a wildcard stands before the end of a part; `undefined` for others. */
  readonly parts: readonly Pattern[] | undefined;
  /** True for a wildcard before the first colon: no source says which of them AWS accepts. */
  readonly isOpen: boolean;
}

function plainText(raw: Known<string>): string | undefined {
  const text = orElse(raw, () => undefined);
  return text === undefined || /[*?{]/.test(text) ? undefined : text;
}

function resourceValue(raw: Known<string>, variables: boolean, context: RequestContext): ResourceValue {
  const plain = plainText(raw);
  const filled = policyValue(raw, variables, context);
  const value = filled && { ...filled, pattern: preparedPattern(filled.pattern) };
  if (plain !== undefined || value === undefined || value.isLate)
    return { raw, plain, value, parts: undefined, isOpen: false };
  const parts = arnPatterns(value.pattern);
  const isOpen = parts.length > 1 && parts[0]?.some((unit) => unit < 0) === true;
  return { raw, plain, value, isOpen, parts: hasInnerStar(parts) ? parts : undefined };
}

function matches({ plain, value, parts, isOpen }: ResourceValue, resource: AskedResource): Ternary {
  if (plain !== undefined && resource.text !== undefined) return plain === resource.text ? "yes" : "no";
  const whole = value === undefined ? "unknown" : resource.matches(value);
  if (whole !== "yes") return whole;
  if (isOpen) return "unknown";
  if (parts === undefined) return whole;
  const each = allOf(parts.map((part, place) => resource.partMatches(place, part)));
  return parts.length === ARN_PARTS && each === "yes" ? "yes" : "unknown";
}

export function resourcesOf(statement: Statement, context: RequestContext): Resources | Match {
  const { resources, variables } = statement;
  if (resources === undefined)
    return cannotTell(() => "it has neither Resource nor NotResource, which AWS refuses");
  return new Resources(resources, variables, context);
}

/** Whether a value contains a policy variable, or may contain one. */
export function hasVariable(value: Known<string>): boolean {
  return whether(value, (text) => text.includes("${")) !== "no";
}
