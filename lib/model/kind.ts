/*
 * Kinds of values, to catch mistakes of callers without a compiler. Without these checks a missing property would end
 * in a TypeError somewhere inside, a misspelled one would be ignored, and a text in place of a list would be read as
 * the list of its characters.
 */

import { type WorkloadIdentityError, describe, refusal } from "../errors";
import { EXAMPLES } from "./examples";
import { isLate } from "./late";
import { nearestName } from "./nearest-name";
import { isRecord } from "./record";
import { lateValue, propertyInvalid } from "./problems";
import { unfilledPart } from "./unfilled";

/** A mistake in a value, and its place below the value. */
export interface Mistake {
  /** Keys that lead from the value to the mistake. */
  readonly keys: readonly (string | number)[];
  /** Makes the error, given the property's name, and how it is written: `version: "4.22"`. */
  readonly error: (property: string, form?: string) => WorkloadIdentityError;
  /**
   * True if the value is of this kind, or an attempt at it, although the mistake is not at a key.
   *
   * @defaultValue false
   */
  readonly meant?: true;
  /**
   * Returns how the innermost property around the mistake is written.
   *
   * @defaultValue - the mistake is not inside a property
   */
  readonly form?: () => string | undefined;
}

/** A kind of value, such as a string or a list of strings. */
export interface Kind<in T> {
  /** Description with an article, for errors. */
  readonly title: string;
  /** Returns the first mistake of a value; `undefined` if it is of this kind. */
  readonly mistake: (value: unknown) => Mistake | undefined;
  /**
   * Returns a value of the kind as programs write it, for a property of that name; `undefined` if none is known.
   *
   * @defaultValue - none is known
   */
  readonly example?: (key: string) => string | undefined;
  /**
   * Never called; tells the compiler which values are of the kind.
   *
   * @defaultValue - left out
   */
  readonly takes?: (value: T) => void;
}

/** Any text, including late text; one that a template literal made of a value that is not there is refused. */
export const text: Kind<string> = {
  ...ofType("a string", "string"),
  mistake: (value) => (typeof value === "string" ? unfilled(value) : wrongKind(value, "a string")),
};

/** Any number, including a late one. */
export const number: Kind<number> = ofType("a number", "number");

/** A function; its parameters cannot be checked. */
export const method: Kind<(...given: never[]) => unknown> = {
  ...ofType("a function", "function"),
  example: () => undefined,
};

/** Any object that is not an array, for values that are checked elsewhere. */
export const anyObject: Kind<object> = {
  title: "an object",
  mistake: (value) => (isRecord(value) ? undefined : wrongKind(value, "an object")),
  example: (key) => EXAMPLES[key],
};

/** Any value, for values that are checked elsewhere, such as parsed documents. */
export const anything: Kind<unknown> = { title: "any value", mistake: () => undefined };

/** The same kind with a value of its own as example, for a name that means something else in other places. */
export function example<T>(kind: Kind<T>, written: string): Kind<T> {
  return { ...kind, example: () => written };
}

/** One of a closed set of literal values. */
export function choice<const T extends string | number | boolean>(values: readonly T[]): Kind<T> {
  const known: ReadonlySet<unknown> = new Set(values);
  const title = values.map((value) => JSON.stringify(value)).join(", ");
  const names = values.filter((value) => typeof value === "string");
  const wrong = (value: unknown): Mistake => {
    if (isUnresolved(value))
      return { keys: [], error: (property) => refusal("late-value", lateValue(property)) };
    const isText = typeof value === "string";
    const nearest = isText ? nearestName(value, names) : undefined;
    const remedy = nearest === undefined ? "correct the value" : `write ${JSON.stringify(nearest)}`;
    return invalid(isText ? JSON.stringify(value) : shown(value), title, remedy);
  };
  return {
    title,
    mistake: (value) => (known.has(value) ? undefined : wrong(value)),
    example: () => JSON.stringify(values[0]),
  };
}

/** The mistake of a value of another kind. */
export function wrongKind(value: unknown, title: string): Mistake {
  return invalid(shown(value), title);
}

/** The mistake of a value that is made by functions of this library; `key` is what an object lacks. */
export function notMade(value: unknown, title: string, key?: string | number): Mistake {
  const member = key === undefined || !isRecord(value) ? undefined : value[key];
  const isMissing = key !== undefined && member === undefined;
  const lack = isMissing ? `without \`${key}\`` : `whose \`${key}\` is ${shown(member)}`;
  const what = key === undefined ? shown(value) : `${describe(value)} ${lack}`;
  return {
    keys: [],
    ...(key !== undefined && { meant: true }),
    error: (property, form) => {
      const remedy = form && `call one of these functions, as in \`${form}\``;
      const problem = propertyInvalid(property, what, title, remedy);
      return isMissing ? refusal("property-missing", problem) : refusal("property-invalid", problem);
    },
  };
}

/** The same mistake, relative to the object that holds the value. */
export function below(key: string | number, mistake: Mistake): Mistake {
  return { ...mistake, keys: [key, ...mistake.keys] };
}

/** The mistake of a text with a part that a template literal made of a value that is not there. */
export function unfilled(value: string): Mistake | undefined {
  const part = unfilledPart(value);
  return part === undefined
    ? undefined
    : {
        keys: [],
        meant: true,
        error: (property) =>
          refusal("property-invalid", {
            problem: `${property} has the part \`${part}\`, as template literals write a value that is not there`,
            value,
            allowed: "a text whose parts are all known",
            remedy: "check the variable from which the text is built",
          }),
      };
}

function invalid(given: string, title: string, remedy?: string): Mistake {
  return {
    keys: [],
    error: (property, form) =>
      refusal(
        "property-invalid",
        propertyInvalid(property, given, title, remedy ?? (form && `write it as in \`${form}\``)),
      ),
  };
}

function ofType<T>(title: string, type: string): Kind<T> {
  return {
    title,
    mistake: (value) => (typeof value === type ? undefined : wrongKind(value, title)),
    example: (key) => EXAMPLES[key],
  };
}

/** Keys and tokens of clouds are longer, so a shorter text is shown. */
const SHOWN_MAX = 30;

/** The value and its kind, or its kind alone. */
function shown(value: unknown): string {
  if (typeof value === "function" && value.name !== "") return `the function ${value.name}`;
  const isShown =
    typeof value === "string" ? value.length <= SHOWN_MAX : ["number", "boolean"].includes(typeof value);
  if (!isShown || isLate(value)) return describe(value);
  return `${typeof value === "string" ? JSON.stringify(value) : String(value)}, ${describe(value)}`;
}

/** True for a late value, including objects of cdktf such as a boolean attribute of a resource. */
function isUnresolved(value: unknown): boolean {
  return isRecord(value) ? typeof value["resolve"] === "function" : !Array.isArray(value) && isLate(value);
}
