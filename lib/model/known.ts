/*
 * Values that may not be known. `Known<T>` holds either a value of type `T` or the reason why it is not known.
 *
 * At run time a known value is the bare value, so that a million of them cost nothing, and an unknown one is an
 * instance of `Unknown`. The type is opaque: the compiler refuses to compare a `Known<string>` with a string or to pass
 * it where a string is expected, and converting an unknown value to text throws. Only this file casts between the two.
 */

import { Reference, Sensitive, isAlike } from "./reference";

export { Reference };

/** The answer to a question that what was read may leave open. */
export type Ternary = "yes" | "no" | "unknown";

declare const brand: unique symbol;

/** A value, or the reason why it is not known. Read it with {@link match}, compare it with {@link same}. */
export interface Known<out T> {
  /** Exists only for the compiler: it keeps a `Known<T>` from being used as a `T`. */
  readonly [brand]: T;
}

/** A text as a list of literals and of references whose values are known only after apply. */
export type TextParts = readonly (string | Reference)[];

/** Why a value is not known. */
export type Why =
  | {
      /** Terraform knows the value only after apply. */
      readonly kind: "apply";
      /** The text as far as it is known: `["arn:aws:iam::", <reference to an account id>, ":role/web"]`. */
      readonly parts: TextParts;
    }
  | {
      /** The value is a secret: it may be compared with others, but not shown. */
      readonly kind: "sensitive";
      readonly what: string;
      readonly parts: TextParts;
    }
  | {
      /** Something fills in a part of the text before it is applied. */
      readonly kind: "placeholder";
      readonly text: string;
      readonly what: string;
    }
  | {
      /** Nothing that was read holds it, it is not in a form that can be read, or two sources contradict each other. */
      readonly kind: "unread" | "malformed" | "contested";
      /** The reason as a clause that a message can end with: "a variable without a default gives it". */
      readonly what: string;
    };

class Unknown {
  readonly why: Why;

  constructor(why: Why) {
    this.why = why;
  }

  /** Throws, because an unknown value has no text. */
  toString(): never {
    throw new TypeError(`a value that is not known was used as text: ${whyText(this.why)}`);
  }

  /** As {@link toString}. */
  [Symbol.toPrimitive](): never {
    return this.toString();
  }

  /** As {@link toString}. */
  toJSON(): never {
    return this.toString();
  }
}

export function known<T>(value: T): Known<T> {
  return value as unknown as Known<T>;
}

/** Makes an unknown value for a reason. */
export function notKnown(why: Why): Known<never> {
  return new Unknown(why) as unknown as Known<never>;
}

/** Makes an unknown value for something that was not read; the reason is a clause. */
export function unread(what: string): Known<never> {
  return notKnown({ kind: "unread", what });
}

/** Joins parts to a text, which is known if none of them is a reference. */
export function textOf(parts: TextParts): Known<string> {
  const joined: (string | Reference)[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined[joined.length - 1] = last + part;
    else if (part !== "") joined.push(part);
  }
  const [only = "", ...more] = joined;
  if (more.length > 0) return notKnown({ kind: "apply", parts: joined });
  if (typeof only === "string") return known(only);
  return notKnown(
    only instanceof Sensitive
      ? { kind: "sensitive", what: SENSITIVE, parts: joined }
      : { kind: "apply", parts: joined },
  );
}

const SENSITIVE = "a sensitive value is only compared with others, not judged";

/**
 * Turns a value into a secret: equal secrets remain equal, and nothing shows them. A reference to a resource stays as it
 * is, since it shows no value.
 */
export function hidden(value: Known<unknown>): Known<never> {
  const parts = match(
    value,
    (bare): TextParts => [Sensitive.of(bare)],
    (why) => ("parts" in why ? why.parts.map(hiddenPart) : [Sensitive.of(value)]),
  );
  return textOf(parts) as Known<never>;
}

function hiddenPart(part: string | Reference): Reference {
  const isShown = part instanceof Sensitive || (part instanceof Reference && part.target !== undefined);
  return isShown ? part : Sensitive.of(part);
}

/** True for a value that is known, secrets included. */
export function isWritten(value: Known<unknown>): boolean {
  const parts = partsOf(value as Known<string>);
  return isKnown(value) || parts?.every((part) => part instanceof Sensitive && part.isWritten) === true;
}

/** Whether a secret in the value has a property. */
export function hides(value: Known<unknown>, test: (text: string) => boolean): boolean {
  const parts = partsOf(value as Known<string>) ?? [];
  return parts.some((part) => part instanceof Sensitive && part.holds(test));
}

/** True if the value is, or contains, a secret. */
export function isSensitive(value: Known<unknown>): boolean {
  const why = whyNot(value);
  return why !== undefined && "parts" in why && why.parts.some((part) => part instanceof Sensitive);
}

/** True only if it is certain that there is no value; an unknown value may be one. */
export function isAbsent(value: Known<unknown>): boolean {
  return isKnown(value) && (value as unknown) === undefined;
}

/** True only if it is certain that there is no text, or an empty one; Go and Terraform's providers treat both alike. */
export function isBlank(value: Known<unknown>): boolean {
  return isKnown(value) && [undefined, null, ""].includes(value as unknown as undefined);
}

/** Calls one function with the value if it is known, or the other with the reason why it is not. */
export function match<T, R>(value: Known<T>, isKnown: (value: T) => R, isUnknown: (why: Why) => R): R {
  return value instanceof Unknown ? isUnknown(value.why) : isKnown(value as unknown as T);
}

/** Returns the value if it is known, or the result of a function of the reason. */
export function orElse<T, D>(value: Known<T>, isUnknown: (why: Why) => D): T | D {
  return value instanceof Unknown ? isUnknown(value.why) : (value as unknown as T);
}

export function isKnown(value: Known<unknown>): boolean {
  return !(value instanceof Unknown);
}

/** Returns the reason why a value is not known; `undefined` for a known value. */
export function whyNot(value: Known<unknown>): Why | undefined {
  return value instanceof Unknown ? value.why : undefined;
}

/** Applies a function to a known value; an unknown one stays unknown for the same reason. */
export function map<T, R>(value: Known<T>, change: (value: T) => R): Known<R> {
  return value instanceof Unknown ? (value as unknown as Known<never>) : known(change(value as unknown as T));
}

/** As {@link map}, for a function whose result may itself be unknown. */
export function andThen<T, R>(value: Known<T>, change: (value: T) => Known<R>): Known<R> {
  return value instanceof Unknown ? (value as unknown as Known<never>) : change(value as unknown as T);
}

/** Turns a list of values into one value: unknown, for the reason of the first unknown item, if there is one. */
export function all<T>(values: readonly Known<T>[]): Known<readonly T[]> {
  const first = values.find((value) => value instanceof Unknown);
  return first === undefined ? known(values as unknown as readonly T[]) : (first as unknown as Known<never>);
}

/** The parts of a text that is known or known only after apply; `undefined` if it is unknown for another reason. */
export function partsOf(text: Known<string>): TextParts | undefined {
  return match(
    text,
    (value): TextParts | undefined => [value],
    (why) => ("parts" in why ? why.parts : undefined),
  );
}

/** The reference, if the text consists of exactly one; `undefined` otherwise. */
export function referenceOf(text: Known<unknown>): Reference | undefined {
  const why = whyNot(text);
  if (why === undefined || !("parts" in why) || why.parts.length !== 1) return undefined;
  const [only] = why.parts;
  return only instanceof Reference ? only : undefined;
}

/** Concatenates texts. */
export function joined(...texts: readonly (Known<string> | string)[]): Known<string> {
  return joinedAll(texts);
}

/** As {@link joined}, for a list of any length. */
export function joinedAll(texts: readonly (Known<string> | string)[]): Known<string> {
  const parts: (string | Reference)[] = [];
  for (const text of texts) {
    const each = typeof text === "string" ? [text] : partsOf(text);
    if (each === undefined) return text as Known<never>;
    for (const part of each) parts.push(part);
  }
  return textOf(parts);
}

/** The rest of a text after a prefix; `undefined` unless it certainly has the prefix. */
export function afterPrefix(text: Known<string>, prefix: Known<string>): Known<string> | undefined {
  const [whole, start] = [partsOf(text), partsOf(prefix)];
  if (whole === undefined || start === undefined) return undefined;
  const last = start.length - 1;
  if (!start.every((part, place) => place === last || part === whole[place])) return undefined;
  const [end, there] = [start[last], whole[last]];
  if (end === undefined || end === there) return textOf(whole.slice(last + 1));
  if (typeof end !== "string" || typeof there !== "string" || !there.startsWith(end)) return undefined;
  return textOf([there.slice(end.length), ...whole.slice(last + 1)]);
}

/** Whether two values are equal. Two unknown ones are if they consist of the same literals and references. */
export function same<T extends string | number | boolean | null | undefined>(
  one: Known<T>,
  other: Known<T>,
): Ternary {
  const [a, b] = [whyNot(one), whyNot(other)];
  if (a === undefined && b === undefined) return (one as unknown) === (other as unknown) ? "yes" : "no";
  const [left, right] = [comparable(one, a), comparable(other, b)];
  return left === undefined || right === undefined ? "unknown" : sameParts(left, right);
}

/** True for the same object or the same bare value. Only for caches, which may miss an equal value. */
export function identical(one: Known<unknown>, other: Known<unknown>): boolean {
  return one === other;
}

/**
 * True for equal texts, and for texts of two versions of a configuration that are written with the same expressions,
 * which count as unchanged.
 */
export function areAlike(one: Known<unknown>, other: Known<unknown>): boolean {
  const [left, right] = [partsOf(one as Known<string>), partsOf(other as Known<string>)];
  if (left === undefined || right === undefined) return one === other;
  return left.length === right.length && left.every((part, place) => isAlike(part, right[place]));
}

/** Whether a value equals a bare one. */
export function is<T extends string | number | boolean | null | undefined>(
  value: Known<T>,
  wanted: T,
): Ternary {
  return same(value, known(wanted));
}

/** Whether a value has a property; `unknown` if the value is unknown. */
export function whether<T>(value: Known<T>, holds: (value: T) => Ternary | boolean): Ternary {
  if (value instanceof Unknown) return "unknown";
  const answer = holds(value as unknown as T);
  return typeof answer === "boolean" ? (answer ? "yes" : "no") : answer;
}

function comparable(value: Known<unknown>, why: Why | undefined): TextParts | undefined {
  if (why !== undefined) return "parts" in why ? why.parts : undefined;
  return typeof value === "string" ? [value] : undefined;
}

function sameParts(one: TextParts, other: TextParts): Ternary {
  if (one.length === other.length && one.every((part, place) => part === other[place])) return "yes";
  // If the first or last parts differ, so do the texts, whatever the references between them stand for.
  const differ = (place: number, holds: "startsWith" | "endsWith"): boolean => {
    const [left, right] = [one.at(place), other.at(place)];
    return (
      typeof left === "string" && typeof right === "string" && !left[holds](right) && !right[holds](left)
    );
  };
  return differ(0, "startsWith") || differ(-1, "endsWith") ? "no" : "unknown";
}

/** `no` if one answer is, even beside unknown ones; otherwise `unknown` if one is. */
export function and(...answers: readonly Ternary[]): Ternary {
  return allOf(answers);
}

/** As {@link and}, for a list of any length. */
export function allOf(answers: readonly Ternary[]): Ternary {
  if (answers.includes("no")) return "no";
  return answers.includes("unknown") ? "unknown" : "yes";
}

/** `yes` if one answer is, even beside unknown ones; otherwise `unknown` if one is. */
export function or(...answers: readonly Ternary[]): Ternary {
  return anyOf(answers);
}

/** As {@link or}, for a list of any length. */
export function anyOf(answers: readonly Ternary[]): Ternary {
  if (answers.includes("yes")) return "yes";
  return answers.includes("unknown") ? "unknown" : "no";
}

export function not(answer: Ternary): Ternary {
  if (answer === "unknown") return answer;
  return answer === "yes" ? "no" : "yes";
}

/** A value for messages; references and reasons are in angle brackets. */
export function shown(value: Known<string | number | boolean | null | undefined>): string {
  return match(
    value,
    (text) => (text === undefined || text === null ? "nothing" : String(text)),
    (why) =>
      "parts" in why
        ? partsText(why.parts)
        : why.kind === "placeholder"
          ? why.text
          : `<unknown: ${why.what}>`,
  );
}

/** A reason for messages; `<aws_iam_role.web.arn>` stands for what is known only after apply. */
export function whyText(why: Why): string {
  return why.kind === "apply" ? partsText(why.parts) : why.what;
}

function partsText(parts: TextParts): string {
  return parts.map((part) => (typeof part === "string" ? part : `<${part.expression}>`)).join("");
}

/**
 * Removes a prefix, as Terraform's `trimprefix`. From one reference this derives another, always the same, so that two
 * texts that lose the same prefix stay comparable.
 */
export function withoutPrefix(text: Known<string>, prefix: string): Known<string> {
  return trimmed(text, `without the prefix ${JSON.stringify(prefix)}`, (parts) => {
    const [first, ...rest] = parts;
    if (typeof first !== "string" || (rest.length > 0 && prefix.startsWith(first) && prefix !== first))
      return undefined;
    return first.startsWith(prefix) ? [first.slice(prefix.length), ...rest] : parts;
  });
}

/** Removes a suffix, as Terraform's `trimsuffix`; see {@link withoutPrefix}. */
export function withoutSuffix(text: Known<string>, suffix: string): Known<string> {
  return trimmed(text, `without the suffix ${JSON.stringify(suffix)}`, (parts) => {
    const last = parts.at(-1);
    if (typeof last !== "string" || (parts.length > 1 && suffix.endsWith(last) && suffix !== last))
      return undefined;
    return last.endsWith(suffix) ? [...parts.slice(0, -1), last.slice(0, -suffix.length)] : parts;
  });
}

function trimmed(
  text: Known<string>,
  name: string,
  trim: (parts: TextParts) => TextParts | undefined,
): Known<string> {
  const parts = partsOf(text);
  if (parts === undefined) return text;
  const done = trim(parts);
  if (done !== undefined) return textOf(done);
  const only = referenceOf(text);
  return only
    ? textOf([only.derived(`${only.expression} ${name}`)])
    : unread(`${shown(text)} ${name} is not evaluated`);
}
