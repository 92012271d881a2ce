/*
 * Values of Terraform as keys, and what is asked of them in many places.
 */

import {
  type Known,
  type Reference,
  type Ternary,
  match,
  partsOf,
  referenceOf,
  textOf,
} from "../../model/known";
import { Resource } from "../read/block";

/** A literal in small letters, or the one reference that a value is; `undefined` for anything else. */
export function keyOf(value: Known<string | undefined>): string | Reference | undefined {
  return match(
    value,
    (text): string | Reference | undefined => text?.toLowerCase(),
    () => referenceOf(value),
  );
}

/** What a question about a value says; of one that is not known it says nothing. */
export function asked<T>(value: Known<T>, question: (value: T) => Ternary): Ternary {
  return match(value, question, () => "unknown");
}

/** Whether a value has a property; one that is not known may have it. */
export function whether<T>(value: Known<T>, test: (value: T) => boolean): Ternary {
  return asked(value, (each) => (test(each) ? "yes" : "no"));
}

/** True where it is certain that nothing is stated. */
export function isAbsent(value: Known<unknown>): boolean {
  return whether(value, (each) => each === undefined) === "yes";
}

/** True where an attribute of a resource of a type is part of a text. */
export function mentionsType(text: Known<string>, type: string): boolean {
  const parts = partsOf(text) ?? [];
  return parts.some(
    (part) => typeof part !== "string" && part.target instanceof Resource && part.target.type === type,
  );
}

/** Small letters wherever letters are known. */
export function lowered<T extends string | undefined>(text: Known<T>): Known<T> {
  const parts = match(
    text,
    (value) => (value === undefined ? undefined : [value]),
    (why) => (why.kind === "apply" ? why.parts : undefined),
  );
  if (parts === undefined) return text;
  return textOf(parts.map((part) => (typeof part === "string" ? part.toLowerCase() : part))) as Known<T>;
}

/** What is remembered of a key, made when it is first asked for. */
export function remembered<K, V>(
  memory: { get(key: K): V | undefined; has(key: K): boolean; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  if (!memory.has(key)) memory.set(key, make());
  return memory.get(key) as V;
}

/** How many keys are kept at least: a role has a handful of policies. */
const KEPT = 16;

/**
 * What is remembered of the last keys, and of those that are asked for again and again. Questions about one of ten thousand
 * roles come in a row; what is kept longer than that costs the garbage collector more than to make it again.
 */
export class Recent<K, V extends object> {
  #last = new Map<K, V>();
  #before = new Map<K, V>();

  get(key: K, make: () => V): V {
    const known = this.#last.get(key);
    if (known) return known;
    const value = this.#before.get(key) ?? make();
    if (this.#last.size >= KEPT) {
      this.#before = this.#last;
      this.#last = new Map();
    }
    this.#last.set(key, value);
    return value;
  }
}
