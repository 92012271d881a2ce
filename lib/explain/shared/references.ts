/*
 * Terraform values as keys, and questions about them that many places ask.
 */

import { type Known, type Reference, match, referenceOf, textOf, whyNot } from "../../model/known";
import { Resource } from "../read/block";

/** A literal in lower case, or the single reference that a value is; `undefined` for anything else. */
export function keyOf(value: Known<string | undefined>): string | Reference | undefined {
  return match(
    value,
    (text): string | Reference | undefined => text?.toLowerCase(),
    () => referenceOf(value),
  );
}

/** The resources to which a value refers, in their order. */
export function resourcesIn(value: Known<unknown>): readonly Resource[] {
  const why = whyNot(value);
  return (why?.kind === "apply" ? why.parts : []).flatMap((part) =>
    typeof part !== "string" && part.target instanceof Resource ? [part.target] : [],
  );
}

/** True if a text contains an attribute of a resource of a type. */
export function mentionsType(text: Known<string>, type: string): boolean {
  return resourcesIn(text).some((each) => each.type === type);
}

/** Lower case, as far as letters are known. */
export function lowered<T extends string | undefined>(text: Known<T>): Known<T> {
  const parts = match(
    text,
    (value) => (value === undefined ? undefined : [value]),
    (why) => (why.kind === "apply" ? why.parts : undefined),
  );
  if (parts === undefined) return text;
  return textOf(parts.map((part) => (typeof part === "string" ? part.toLowerCase() : part))) as Known<T>;
}

/** How many keys are kept at least: a role has a handful of policies. */
const KEPT = 16;

/**
 * Remembers the values of the last keys, and of those that are needed again and again. Questions about one of ten
 * thousand roles come in a row; keeping values longer costs the garbage collector more than making them again.
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
