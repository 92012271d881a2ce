/*
 * Values of Terraform arguments. What an expression makes of a list, of blocks or of a whole value is a text where
 * the list or the blocks should be; none of it may be overlooked.
 */

import { type Json, blocks, record } from "./access";

/** A text that only apply will tell, where nothing is known of it but that it is there. */
export const LATE_TEXT = "${unread}";

/** A reference that only apply will tell, unique per document. */
export function keptReference(scope: number, address: string, attribute: string): string {
  return `\${${scope}#${address}.${attribute}}`;
}

/** The blocks of an argument; `undefined` where an expression or a `dynamic` block makes them. */
export function knownBlocks(value: unknown): readonly Json[] | undefined {
  const written: readonly unknown[] = Array.isArray(value) ? value : [value];
  return written.some((each) => typeof each === "string") ? undefined : blocks(value);
}

/**
 * The texts of a list, unresolved. One that an expression makes is a list of one late text, and so is an element that
 * is no text: a list may be longer than what was written, but none is taken for shorter.
 */
export function listed(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((each) => plainText(each) ?? LATE_TEXT);
  return [typeof value === "string" && value.includes("${") ? value : LATE_TEXT];
}

/** Text, number or switch as Terraform makes a text of it; `undefined` for anything else. */
export function plainText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : undefined;
}

/** A switch: `undefined` where only apply tells it; off where it is absent. */
export function switched(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return false;
  return new Map([
    ["true", true],
    ["false", false],
  ]).get(String(value));
}

/** What takes the place of blocks that `dynamic` makes. */
const MADE = "${dynamic.block}";

/**
 * The arguments with a late text for every block that a `dynamic` block makes, at any depth, static ones of that name
 * among them; the same object where there is none.
 *
 * Source: developer.hashicorp.com/terraform/language/expressions/dynamic-blocks.
 */
export function withoutDynamic(values: Json): Json {
  let changed: Record<string, unknown> | undefined;
  // Without a list of the keys: there are hundreds of thousands of objects. A parsed one inherits nothing to list.
  for (const key in values) {
    const value = values[key];
    if (typeof value !== "object" || value === null) continue;
    const next = key === "dynamic" ? undefined : inner(value);
    if (next === value) continue;
    changed ??= { ...values };
    if (key === "dynamic") delete changed[key];
    else changed[key] = next;
  }
  if (changed === undefined) return values;
  for (const names of blocks(values["dynamic"])) for (const name of Object.keys(names)) changed[name] = MADE;
  return record(changed);
}

function inner(value: object): unknown {
  if (!Array.isArray(value)) return withoutDynamic(value as Json);
  const items: readonly unknown[] = value;
  const next = items.map((each) => (typeof each === "object" && each !== null ? inner(each) : each));
  return next.every((each, place) => each === items[place]) ? items : next;
}

/** The name of the provider that a resource uses where it names none: the first part of its type. */
export function defaultProvider(type: string): string {
  return type.split("_")[0] ?? "";
}
