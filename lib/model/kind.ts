/*
 * Kinds of values, to catch mistakes of callers without a compiler. Without these checks a missing property would end
 * in a TypeError somewhere inside, a misspelled one would be ignored, and a text in place of a list would be read as
 * the list of its characters.
 */

import { type WorkloadIdentityError, describe, refusal } from "../errors";
import { isLate } from "./late";
import { isRecord } from "./record";
import { lateValue, propertyInvalid } from "./problems";

/** A mistake in a value, and its place below the value. */
export interface Mistake {
  /** Keys that lead from the value to the mistake. */
  readonly keys: readonly (string | number)[];
  /** Makes the error, given the property's name. */
  readonly error: (property: string) => WorkloadIdentityError;
}

/** A kind of value, such as a string or a list of strings. */
export interface Kind<in T> {
  /** Description with an article, for errors. */
  readonly title: string;
  /** Returns the first mistake of a value; `undefined` if it is of this kind. */
  readonly mistake: (value: unknown) => Mistake | undefined;
  /**
   * Never called; tells the compiler which values are of the kind.
   *
   * @defaultValue - left out
   */
  readonly takes?: (value: T) => void;
}

/** Any text, including late text. */
export const text: Kind<string> = ofType("a string", "string");

/** Any number, including a late one. */
export const number: Kind<number> = ofType("a number", "number");

/** A function; its parameters cannot be checked. */
export const method: Kind<(...given: never[]) => unknown> = ofType("a function", "function");

/** Any object that is not an array, for values that are checked elsewhere. */
export const anyObject: Kind<object> = {
  title: "an object",
  mistake: (value) => (isRecord(value) ? undefined : wrongKind(value, "an object")),
};

/** Any value, for values that are checked elsewhere, such as parsed documents. */
export const anything: Kind<unknown> = { title: "any value", mistake: () => undefined };

/** One of a closed set of literal values. */
export function choice<const T extends string | number | boolean>(values: readonly T[]): Kind<T> {
  const known: ReadonlySet<unknown> = new Set(values);
  const title = values.map((value) => JSON.stringify(value)).join(", ");
  const wrong = (value: unknown): Mistake =>
    isUnresolved(value)
      ? { keys: [], error: (property) => refusal("late-value", lateValue(property)) }
      : invalid(typeof value === "string" ? JSON.stringify(value) : describe(value), title);
  return { title, mistake: (value) => (known.has(value) ? undefined : wrong(value)) };
}

/** The mistake of a value of another kind; does not show texts, which may be secrets. */
export function wrongKind(value: unknown, title: string): Mistake {
  return invalid(describe(value), title);
}

/** The same mistake, relative to the object that holds the value. */
export function below(key: string | number, { keys, error }: Mistake): Mistake {
  return { keys: [key, ...keys], error };
}

function invalid(given: string, title: string): Mistake {
  return {
    keys: [],
    error: (property) => refusal("property-invalid", propertyInvalid(property, given, title)),
  };
}

function ofType<T>(title: string, type: string): Kind<T> {
  return { title, mistake: (value) => (typeof value === type ? undefined : wrongKind(value, title)) };
}

/** True for a late value, including objects of cdktf such as a boolean attribute of a resource. */
function isUnresolved(value: unknown): boolean {
  return isRecord(value) ? typeof value["resolve"] === "function" : !Array.isArray(value) && isLate(value);
}
