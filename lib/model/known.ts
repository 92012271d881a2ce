/*
 * What is known of a value: the value, or the reason why it is not known.
 *
 * At run time a known value is the value itself (a million of them cost nothing) and one that is not known is an
 * `Unknown`. The type is opaque, so that the compiler refuses to compare it with a value or to pass it on as one, and
 * turning it into text throws. This file is the only one that casts.
 */

import { Reference, Sensitive, isAlike } from "./reference";

export { Reference };

/** A three-valued answer. */
export type Ternary = "yes" | "no" | "unknown";

declare const brand: unique symbol;

/** A value that is known, or the reason why it is not. Open it with {@link match}, compare it with {@link same}. */
export interface Known<out T> {
  /** Never there; it makes the type opaque. */
  readonly [brand]: T;
}

/** A text in pieces, some of which are known only after apply. */
export type TextParts = readonly (string | Reference)[];

/** Why a value is not known. */
export type Why =
  | {
      /** It is known only after apply. */
      readonly kind: "apply";
      /** The text, as far as it is known. */
      readonly parts: TextParts;
    }
  | {
      /** It must not be shown, so that it is only compared. */
      readonly kind: "sensitive";
      readonly what: string;
      readonly parts: TextParts;
    }
  | {
      /** It was not read, it is not in a form that can be read, or two sources disagree. */
      readonly kind: "unread" | "malformed" | "contested";
      /** One clause for people: "a variable without a default gives it". */
      readonly what: string;
    };

class Unknown {
  readonly why: Why;

  constructor(why: Why) {
    this.why = why;
  }

  /** A value that is not known has no text. */
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

/** A value that is known. */
export function known<T>(value: T): Known<T> {
  return value as unknown as Known<T>;
}

/** A value that is not known. */
export function notKnown(why: Why): Known<never> {
  return new Unknown(why) as unknown as Known<never>;
}

/** A value that was not read, with the reason as a clause. */
export function unread(what: string): Known<never> {
  return notKnown({ kind: "unread", what });
}

/** A text made of its parts: known where no part is a reference. */
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
 * The same value, a text or an object, as one that must not be shown; a reference to a resource stays one, since it
 * shows no value.
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

/** True where the value is known, even if it must not be shown. */
export function isWritten(value: Known<unknown>): boolean {
  const parts = partsOf(value as Known<string>);
  return isKnown(value) || parts?.every((part) => part instanceof Sensitive && part.isWritten) === true;
}

/** Whether a part that must not be shown has a property. */
export function hides(value: Known<unknown>, test: (text: string) => boolean): boolean {
  const parts = partsOf(value as Known<string>) ?? [];
  return parts.some((part) => part instanceof Sensitive && part.holds(test));
}

/** True where a value, or a part of its text, must not be shown. */
export function isSensitive(value: Known<unknown>): boolean {
  const why = whyNot(value);
  return why !== undefined && "parts" in why && why.parts.some((part) => part instanceof Sensitive);
}

/** True if certainly nothing is stated. */
export function isAbsent(value: Known<unknown>): boolean {
  return isKnown(value) && (value as unknown) === undefined;
}

/** True if certainly no text is stated: nothing, or an empty one, which Go and Terraform's providers treat alike. */
export function isBlank(value: Known<unknown>): boolean {
  return isKnown(value) && [undefined, null, ""].includes(value as unknown as undefined);
}

/** Opens a value: one function for what is known, the other for the reason why it is not. */
export function match<T, R>(value: Known<T>, isKnown: (value: T) => R, isUnknown: (why: Why) => R): R {
  return value instanceof Unknown ? isUnknown(value.why) : isKnown(value as unknown as T);
}

/** The value where it is known, else what a function makes of the reason. */
export function orElse<T, D>(value: Known<T>, isUnknown: (why: Why) => D): T | D {
  return value instanceof Unknown ? isUnknown(value.why) : (value as unknown as T);
}

/** True where the value is known. */
export function isKnown(value: Known<unknown>): boolean {
  return !(value instanceof Unknown);
}

/** The reason why a value is not known, `undefined` where it is. */
export function whyNot(value: Known<unknown>): Why | undefined {
  return value instanceof Unknown ? value.why : undefined;
}

/** What a function makes of the value, where it is known. */
export function map<T, R>(value: Known<T>, change: (value: T) => R): Known<R> {
  return value instanceof Unknown ? (value as unknown as Known<never>) : known(change(value as unknown as T));
}

/** As {@link map}, for a function whose result may be not known. */
export function andThen<T, R>(value: Known<T>, change: (value: T) => Known<R>): Known<R> {
  return value instanceof Unknown ? (value as unknown as Known<never>) : change(value as unknown as T);
}

/** Known where all are; else not known for the reason of the first that is not. */
export function all<T>(values: readonly Known<T>[]): Known<readonly T[]> {
  const first = values.find((value) => value instanceof Unknown);
  return first === undefined ? known(values as unknown as readonly T[]) : (first as unknown as Known<never>);
}

/** The parts of a text; `undefined` where it is not known for another reason than that it is known only after apply. */
export function partsOf(text: Known<string>): TextParts | undefined {
  return match(
    text,
    (value): TextParts | undefined => [value],
    (why) => ("parts" in why ? why.parts : undefined),
  );
}

/** The one reference that a text is and nothing else; `undefined` where it is anything else. */
export function referenceOf(text: Known<unknown>): Reference | undefined {
  const why = whyNot(text);
  if (why === undefined || !("parts" in why) || why.parts.length !== 1) return undefined;
  const [only] = why.parts;
  return only instanceof Reference ? only : undefined;
}

/** The texts one after the other. */
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

/** What follows a beginning that the text certainly has; `undefined` where it is not certain. */
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

/** Whether two values are equal; two that are not known are where they consist of the same texts and references. */
export function same<T extends string | number | boolean | null | undefined>(
  one: Known<T>,
  other: Known<T>,
): Ternary {
  const [a, b] = [whyNot(one), whyNot(other)];
  if (a === undefined && b === undefined) return (one as unknown) === (other as unknown) ? "yes" : "no";
  const [left, right] = [comparable(one, a), comparable(other, b)];
  return left === undefined || right === undefined ? "unknown" : sameParts(left, right);
}

/** True where two are the same object or the same bare value: for memories only, which may miss but never mistake. */
export function identical(one: Known<unknown>, other: Known<unknown>): boolean {
  return one === other;
}

/**
 * True for equal texts, and for those of two configurations that are written with the same expressions: these count as
 * unchanged between two versions of one configuration.
 */
export function areAlike(one: Known<unknown>, other: Known<unknown>): boolean {
  const [left, right] = [partsOf(one as Known<string>), partsOf(other as Known<string>)];
  if (left === undefined || right === undefined) return one === other;
  return left.length === right.length && left.every((part, place) => isAlike(part, right[place]));
}

/** Whether a value is the one given. */
export function is<T extends string | number | boolean | null | undefined>(
  value: Known<T>,
  wanted: T,
): Ternary {
  return same(value, known(wanted));
}

/** Whether something holds of a value; not known where the value is not. */
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
  return beginDifferently(one[0], other[0]) || endDifferently(one.at(-1), other.at(-1)) ? "no" : "unknown";
}

/** Whatever follows, texts whose beginnings differ are not equal. */
function beginDifferently(
  one: string | Reference | undefined,
  other: string | Reference | undefined,
): boolean {
  if (typeof one !== "string" || typeof other !== "string") return false;
  return !one.startsWith(other) && !other.startsWith(one);
}

function endDifferently(one: string | Reference | undefined, other: string | Reference | undefined): boolean {
  if (typeof one !== "string" || typeof other !== "string") return false;
  return !one.endsWith(other) && !other.endsWith(one);
}

/** Whether all hold: one that does not decides, even beside one that is not known. */
export function and(...answers: readonly Ternary[]): Ternary {
  return allOf(answers);
}

/** As {@link and}, for a list of any length. */
export function allOf(answers: readonly Ternary[]): Ternary {
  if (answers.includes("no")) return "no";
  return answers.includes("unknown") ? "unknown" : "yes";
}

/** Whether one holds: one that does decides, even beside one that is not known. */
export function or(...answers: readonly Ternary[]): Ternary {
  return anyOf(answers);
}

/** As {@link or}, for a list of any length. */
export function anyOf(answers: readonly Ternary[]): Ternary {
  if (answers.includes("yes")) return "yes";
  return answers.includes("unknown") ? "unknown" : "no";
}

/** The opposite. */
export function not(answer: Ternary): Ternary {
  if (answer === "unknown") return answer;
  return answer === "yes" ? "no" : "yes";
}

/** A value for people: as it is; or in angle brackets its references, or why it is not known. */
export function shown(value: Known<string | number | boolean | null | undefined>): string {
  return match(
    value,
    (text) => (text === undefined || text === null ? "nothing" : String(text)),
    (why) => ("parts" in why ? partsText(why.parts) : `<unknown: ${why.what}>`),
  );
}

/** A reason for people: `<aws_iam_role.web.arn>` in place of what is known only after apply. */
export function whyText(why: Why): string {
  return why.kind === "apply" ? partsText(why.parts) : why.what;
}

function partsText(parts: TextParts): string {
  return parts.map((part) => (typeof part === "string" ? part : `<${part.expression}>`)).join("");
}

/**
 * The text without a prefix that it has. Of a reference this is another value, the same for each who asks, so that two
 * texts of which the same prefix was taken are compared as ever.
 */
export function withoutPrefix(text: Known<string>, prefix: string): Known<string> {
  return trimmed(text, `without the prefix ${JSON.stringify(prefix)}`, (parts) => {
    const [first, ...rest] = parts;
    if (typeof first !== "string" || (rest.length > 0 && prefix.startsWith(first) && prefix !== first))
      return undefined;
    return first.startsWith(prefix) ? [first.slice(prefix.length), ...rest] : parts;
  });
}

/** As {@link withoutPrefix}, at the end of the text. */
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
