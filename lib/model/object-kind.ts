/*
 * Shapes of the objects that callers pass: which properties they have, of which kind, and which are optional. The
 * compiler compares a shape with its interface, so both always have the same properties.
 */

import { type Located, at, refusal } from "../errors";
import { EXAMPLES } from "./examples";
import { type Kind, type Mistake, below, notMade, wrongKind } from "./kind";
import { nearestName } from "./nearest-name";
import { propertyPath } from "./property-path";
import { isPlain, isRecord } from "./record";
import { propertyMissing } from "./problems";

/** The kind of an optional property, which may also be `undefined`. */
export interface Optional<in T> extends Kind<T> {
  /** Distinguishes it from the kind of a required property. */
  readonly optional: true;
}

/** The kind of each property of an interface. */
export type Shape<T> = {
  readonly [K in keyof T]-?: undefined extends T[K]
    ? Optional<Exclude<T[K], undefined>>
    : Kind<T[K]> & { readonly optional?: never };
};

/** The kind of an object with known properties. */
export interface ObjectKind<T> extends Kind<T> {
  /** The kinds of its properties, for interfaces that extend this one. */
  readonly shape: Shape<T>;
}

/** Makes the kind of an optional property. */
export function optional<T>(kind: Kind<T>): Optional<T> {
  return { ...kind, optional: true };
}

/** The kind of settings: an object without other properties; only an instance of a class may have more. */
export function object<T>(shape: NoInfer<Shape<T>>): ObjectKind<T> {
  const title = "an object";
  const findMistake = mistakeInRows(shape);
  const names = Object.keys(shape).sort();
  return {
    title,
    shape,
    mistake: (value) => {
      if (!isRecord(value)) return wrongKind(value, title);
      if (isPlain(value))
        for (const key of Object.keys(value)) if (!Object.hasOwn(shape, key)) return unknownKey(key, names);
      return findMistake(value);
    },
    example: (key) => exampleOf(shape) ?? EXAMPLES[key],
  };
}

/** The kind of objects that users may implement themselves: anything with at least these properties. */
export function like<T>(title: string, shape: NoInfer<Partial<Shape<T>>>): Kind<T> {
  const findMistake = mistakeInRows(shape);
  return {
    title,
    mistake: (value) => {
      if (!isRecord(value)) return wrongKind(value, title);
      const mistake = findMistake(value);
      // An instance of a class is the wrong object rather than one that lacks a property.
      return mistake && !isPlain(value) ? wrongKind(value, title) : mistake;
    },
  };
}

/** The kind of objects that functions of this library make; `call` is a call of one, as programs write it. */
export function made<T>(title: string, call: string, shape: NoInfer<Partial<Shape<T>>>): Kind<T> {
  const findMistake = mistakeInRows(shape);
  return {
    title,
    mistake: (value) => {
      if (!isRecord(value)) return notMade(value, title);
      const mistake = findMistake(value);
      if (mistake === undefined) return undefined;
      if (!isPlain(value)) return notMade(value, title);
      const [key, ...deeper] = mistake.keys;
      return deeper.length > 0 ? mistake : notMade(value, title, key);
    },
    example: () => call,
  };
}

/** Checks what a caller passed to a function such as `ecr()`. */
export function checkGiven<T>(to: string, kind: Kind<T>, given: T, name: string = PROPS): void {
  const mistake = given === undefined ? missing(kind) : kind.mistake(given);
  if (!mistake) return;
  const form = mistake.form ? mistake.form() : name === PROPS ? undefined : kind.example?.(name);
  throw mistake.error(`${placeOf(name, propertyPath(mistake.keys))} of ${to}`, form);
}

function placeOf(name: string, path: string): string {
  if (path === "") return name;
  return name === PROPS ? path : `${name}${path.startsWith("[") ? "" : "."}${path}`;
}

/** Checks the properties of a construct that is about to be created; the message begins with its path. */
export function checkProps<T>(to: string, scope: Located, id: string, kind: Kind<T>, props: T): void {
  if (props !== undefined && kind.mistake(props) === undefined) return;
  const path = [scope.node.path, id].filter((part) => part !== "").join("/");
  at({ node: { path } }, () => checkGiven(to, kind, props));
}

/** Name of a single argument, which is omitted from the names of its properties. */
const PROPS = "props";

type Row = readonly [key: string, kind: Kind<unknown> & { readonly optional?: true }];

function mistakeInRows(shape: object): (value: Readonly<Record<string, unknown>>) => Mistake | undefined {
  const rows = Object.entries(shape) as readonly Row[];
  return (value) => {
    for (const [key, kind] of rows) {
      const member = value[key];
      if (member === undefined && kind.optional) continue;
      const mistake = member === undefined ? missing(kind) : kind.mistake(member);
      if (mistake) return { form: () => formOf(key, kind), ...below(key, mistake) };
    }
    return undefined;
  };
}

/** `version: "4.22"`. */
function formOf(key: string, kind: Kind<never>): string | undefined {
  const value = kind.example?.(key);
  return value && `${key}: ${value}`;
}

/** How many properties an example has; more would be a program, not a form. */
const EXAMPLE_MAX = 4;

/** An object with what is required, `undefined` if that is nothing, much, or not known. */
function exampleOf(shape: object): string | undefined {
  const required = (Object.entries(shape) as readonly Row[]).filter(([, kind]) => !kind.optional);
  const forms = required.flatMap(([key, kind]) => formOf(key, kind) ?? []);
  const isShort = forms.length > 0 && forms.length <= EXAMPLE_MAX;
  return isShort && forms.length === required.length ? `{ ${forms.join(", ")} }` : undefined;
}

function unknownKey(key: string, known: readonly string[]): Mistake {
  const nearest = nearestName(key, known);
  return {
    keys: [key],
    error: (property) =>
      refusal("property-unknown", {
        problem: `${property} is not a known property`,
        allowed: known.join(", ") || "no property",
        remedy: nearest === undefined ? "remove it, or use one of these names" : `write ${nearest}`,
      }),
  };
}

function missing({ title }: Kind<never>): Mistake {
  return {
    keys: [],
    error: (property, form) => refusal("property-missing", propertyMissing(property, title, form)),
  };
}
