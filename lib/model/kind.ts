/*
 * Kinds of values, for what callers without a compiler can get wrong: without these checks a forgotten property ends
 * as a TypeError of some line within, a misspelled one is not seen at all, and a text in place of a list is taken
 * for the list of its characters.
 */

import { type WorkloadIdentityError, describe, refusal } from "../errors";
import { isLate } from "./late";
import { isRecord } from "./record";
import { lateValue, propertyInvalid } from "./problems";

/** What is wrong with a value, and where below it. */
export interface Mistake {
  /** Keys that lead from the value to the mistake. */
  readonly keys: readonly (string | number)[];
  /** The error, given how the property is called. */
  readonly error: (property: string) => WorkloadIdentityError;
}

/** What a value has to be, such as a string or a list of strings. */
export interface Kind<in T> {
  /** In words, with article. */
  readonly title: string;
  /** The first mistake of a value; `undefined` where it is of this kind. */
  readonly mistake: (value: unknown) => Mistake | undefined;
  /**
   * Never called; by it the compiler knows which values are of the kind.
   *
   * @defaultValue - left out
   */
  readonly takes?: (value: T) => void;
}

/** Any text, also one that is known only after apply. */
export const text: Kind<string> = ofType("a string", "string");

/** Any number, also one that is known only after apply. */
export const number: Kind<number> = ofType("a number", "number");

/** A function, of which more cannot be determined. */
export const method: Kind<(...given: never[]) => unknown> = ofType("a function", "function");

/** Any object that is not an array; for what is checked elsewhere. */
export const anyObject: Kind<object> = {
  title: "an object",
  mistake: (value) => (isRecord(value) ? undefined : wrongKind(value, "an object")),
};

/** Whatever is given; for what is checked elsewhere, such as parsed documents. */
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

/** The mistake of a value that is of another kind; shows no text, which may be a secret. */
export function wrongKind(value: unknown, title: string): Mistake {
  return invalid(describe(value), title);
}

/** The same mistake, seen from the object that holds the value. */
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

/** A late value, also one of cdktf that is not a string, such as a boolean attribute of a resource. */
function isUnresolved(value: unknown): boolean {
  return isRecord(value) ? typeof value["resolve"] === "function" : !Array.isArray(value) && isLate(value);
}
