/*
 * What a file with facts may hold: a misspelt key would leave a fact unknown, and nothing would show why. One table of
 * shapes decides what is refused, and yields the JSON schema for editors.
 */

import { nearestName } from "../model/nearest-name";
import { isRecord } from "../model/record";
import { propertyPath } from "../model/property-path";

/** What a value must be: a type, a text of a certain form, a list, an object with any keys, or one with these keys. */
export type Shape =
  | "a text"
  | "true or false"
  | "anything"
  | {
      readonly matching: RegExp;
      /** The form for people: `arn:<partition>:iam::…`. */
      readonly form: string;
    }
  | { readonly each: Shape }
  | {
      readonly byName: Shape;
      /** Names that a key may be, but not be similar to: that would be a slip of the pen; any if absent. */
      readonly known?: readonly string[];
    }
  | {
      readonly keys: Readonly<Record<string, Shape>>;
      /** Required keys; none if absent. */
      readonly needed?: readonly string[];
      /** Description for editors; none if absent. */
      readonly title?: string;
    };

export const TEXT: Shape = "a text";
export const TEXTS: Shape = { each: TEXT };

/** Keys with texts, whose names are separated by spaces. */
export function textKeys(names: string): Readonly<Record<string, Shape>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, TEXT]));
}

/** A value that does not have its shape. */
export interface Misfit {
  /** Keys and indexes that lead to it. */
  readonly path: readonly (string | number)[];
  readonly reason: string;
  readonly allowed: string;
}

/** The first value that does not have its shape; `undefined` if all do. */
export function misfitOf(value: unknown, shape: Shape, path: Misfit["path"] = []): Misfit | undefined {
  const wanted = wantedType(shape);
  if (wanted !== "anything" && typeName(value) !== wanted) {
    const where = path.length === 0 ? "is" : `has ${propertyPath(path)} with`;
    return { path, reason: `${where} ${typeName(value)}, not ${wanted}`, allowed: wanted };
  }
  if (typeof shape === "string") return undefined;
  if ("matching" in shape) {
    if (shape.matching.test(value as string)) return undefined;
    const reason = `has ${propertyPath(path)} with ${JSON.stringify(value)}, which has another form`;
    return { path, reason, allowed: shape.form };
  }
  if ("each" in shape)
    return firstOf((value as readonly unknown[]).entries(), (place, item) =>
      misfitOf(item, shape.each, [...path, place]),
    );
  const missing = "needed" in shape && shape.needed?.find((key) => !Object.hasOwn(value as object, key));
  if (missing) {
    const reason = `${path.length === 0 ? "has" : `has ${propertyPath(path)} with`} no ${missing}`;
    return { path, reason, allowed: `an object that also has ${missing}` };
  }
  return firstOf(Object.entries(value as object), (key, item: unknown) => {
    const inner = "byName" in shape ? namedShape(shape, key) : ownShape(shape.keys, key);
    if (inner !== undefined) return misfitOf(item, inner, [...path, key]);
    const allowed = ("keys" in shape ? Object.keys(shape.keys) : (shape.known ?? [])).join(", ");
    return { path: [...path, key], reason: `has ${propertyPath([...path, key])}, which is unknown`, allowed };
  });
}

/** Names of so few letters differ by few from any other. */
const SHORT = 4;

function namedShape(
  { byName, known = [] }: Extract<Shape, { readonly byName: Shape }>,
  key: string,
): Shape | undefined {
  const isOther = key.length > SHORT && nearestName(key, known) === undefined;
  return known.length === 0 || known.includes(key) || isOther ? byName : undefined;
}

function ownShape(keys: Readonly<Record<string, Shape>>, key: string): Shape | undefined {
  return Object.hasOwn(keys, key) ? keys[key] : undefined;
}

function firstOf<Key>(
  rows: Iterable<readonly [Key, unknown]>,
  find: (key: Key, item: unknown) => Misfit | undefined,
): Misfit | undefined {
  for (const [key, item] of rows) {
    const misfit = find(key, item);
    if (misfit) return misfit;
  }
  return undefined;
}

function wantedType(shape: Shape): string {
  if (typeof shape === "string") return shape;
  if ("matching" in shape) return "a text";
  return "each" in shape ? "a list" : "an object";
}

function typeName(value: unknown): string {
  if (isRecord(value)) return "an object";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "boolean") return "true or false";
  if (value === null || value === undefined) return "null";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

/** The shape as a JSON schema, draft 2020-12. */
export function jsonSchemaOf(shape: Shape): Readonly<Record<string, unknown>> {
  if (shape === "a text") return { type: "string" };
  if (shape === "true or false") return { type: "boolean" };
  if (shape === "anything") return {};
  if ("matching" in shape) return { type: "string", pattern: shape.matching.source };
  if ("each" in shape) return { type: "array", items: jsonSchemaOf(shape.each) };
  if ("byName" in shape) return { type: "object", additionalProperties: jsonSchemaOf(shape.byName) };
  const { keys, needed, title } = shape;
  return {
    type: "object",
    ...(title !== undefined && { description: title }),
    properties: Object.fromEntries(Object.entries(keys).map(([key, each]) => [key, jsonSchemaOf(each)])),
    ...(needed !== undefined && { required: needed }),
    additionalProperties: false,
  };
}

/** A resource that expresses a stated fact. */
export interface StatedResource {
  /** Where the fact is among those of its cloud, `oidcProviders[0]`. */
  readonly path: string;
  readonly type: string;
  /** Its attributes, as a state has them. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The facts that may be stated about a cloud. */
export interface StatedSection {
  readonly shape: Shape;
  /** The resources that express the facts, which have the shape. */
  resources(facts: Readonly<Record<string, readonly unknown[]>>): readonly StatedResource[];
}
