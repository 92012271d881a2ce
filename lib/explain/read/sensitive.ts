/*
 * Values that must not be shown: what Terraform marks as sensitive, and what is secret in resources that are
 * credentials, marked or not. They are taken out where documents are read: whoever reads an argument gets a value that
 * has no text, and that is equal to another exactly if both are the same secret.
 */

import { type Known, type Reference, hidden, known, match, partsOf } from "../../model/known";
import { once } from "../../model/once";
import type { Json } from "../../model/parsed";
import { isPlain } from "../../model/record";
import { type Tree, plainOf } from "../../model/tree";
import { isSecretArgument } from "./secret-arguments";

/** Such a value among arguments as written. Only a {@link Scope} reads it. */
export class Hidden {
  /** Where it is, for people: `aws_iam_access_key.ci.secret`. */
  readonly name: string;
  readonly #written: unknown;

  constructor(name: string, written: unknown) {
    this.name = name;
    this.#written = written;
  }

  /** What a reader makes of it, which must not be shown either. */
  read<T>(reader: (written: unknown) => T): T {
    return reader(this.#written);
  }

  /** The hidden parts of a list or an object, where its keys may be shown; `undefined` for a text. */
  get parts(): readonly Hidden[] | Readonly<Record<string, Hidden>> | undefined {
    const written = this.#written;
    if (typeof written !== "object" || written === null) return undefined;
    const entries = Object.entries(written).map(
      ([key, each]) => [key, new Hidden(`${this.name}.${key}`, each)] as const,
    );
    if (Array.isArray(written)) return entries.map(([, each]) => each);
    const isStated = ([key]: (typeof entries)[number]): boolean => (written as Json)[key] !== null;
    return isPlain(written) ? Object.fromEntries(entries.filter(isStated)) : undefined;
  }

  /** The part at a step; a single block need not be in a list. */
  child(step: string | number): Hidden | undefined {
    const { parts } = this;
    return partOf(parts, step) ?? (Number(step) === 0 && !Array.isArray(parts) ? this : undefined);
  }

  toJSON(): string {
    return "<sensitive>";
  }

  toString(): string {
    return this.toJSON();
  }
}

function partOf<T>(
  value: readonly T[] | Readonly<Record<string, T>> | undefined,
  step: string | number,
): T | undefined {
  return value !== undefined && Object.hasOwn(value, step) ? (value as Record<string, T>)[step] : undefined;
}

/** The value with {@link Hidden} in place of what `marks` say; they have `true` for it, in the shape of the value. */
export function withoutMarked(name: string, value: unknown, marks: unknown): unknown {
  const isAbsent = value === undefined || value === null;
  // What only apply shows is a symbol or a reference, which shows no value.
  if (isAbsent || typeof value === "symbol" || value instanceof Hidden) return value;
  if (marks === true) return new Hidden(name, value);
  if (typeof marks !== "object" || marks === null || typeof value !== "object") return value;
  const inner = marks as Json;
  if (Array.isArray(value))
    return (value as readonly unknown[]).map((item, place) =>
      withoutMarked(`${name}[${place}]`, item, partOf(inner, place)),
    );
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    key,
    withoutMarked(`${name}.${key}`, item, partOf(inner, key)),
  ]);
  return Object.fromEntries(entries);
}

/** The arguments of a block of a type, with {@link Hidden} in place of what is secret in every block of that type. */
export function withoutSecrets(type: string, name: string, values: Json): Json {
  // Most have none, and there are many.
  return holdsSecret(type, values) ? (without(type, name, values) as Json) : values;
}

function holdsSecret(type: string, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => holdsSecret(type, item));
  if (!isPlain(value)) return false;
  const fields = value as Json;
  return Object.keys(fields).some(
    (key) => isSecretArgument(type, key, fields[key]) || holdsSecret(type, fields[key]),
  );
}

function without(type: string, name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, place) => without(type, `${name}[${place}]`, item));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const path = `${name}.${key}`;
    return [
      key,
      isSecretArgument(type, key, item) ? withoutMarked(path, item, true) : without(type, path, item),
    ];
  });
  return Object.fromEntries(entries);
}

let numbered = 0;
const numberOf = once(() => ++numbered);

/** A list or an object as one hidden value, with its keys; two are equal if their parts are. */
export function hiddenTree(tree: Tree): Tree {
  const part = (each: string | Reference): string =>
    typeof each === "string" ? each : `\ue000${numberOf(each)}\ue001`;
  const open = (unknown: Known<never>): string =>
    partsOf(unknown)?.map(part).join("") ?? `\ue000${++numbered}\ue001`;
  return match(
    tree,
    (value) => {
      // What is absent hides nothing.
      if (value === undefined || value === null) return tree;
      return hidden(typeof value === "object" ? known(JSON.stringify(plainOf(tree, open))) : tree);
    },
    () => hidden(tree),
  );
}
