/*
 * Recognises values that Terraform knows only after apply, by the texts that cdktf uses for them, without importing
 * cdktf. A late value is opaque: it is never parsed, re-cased, hashed or encoded.
 */

import { fail } from "../errors";
import { lateValue } from "./problems";

const LATE_TEXT = /[$#&]\{TfToken\[/;

/** Upper 16 bits of cdktf's late doubles: first of a late number, second of an entry of a late number list. */
const LATE_NUMBER_BITS: readonly number[] = [0xfdff, 0xfbff];

/**
 * True for a value that is, or contains, one that Terraform knows only after apply.
 *
 * Looks into strings, numbers, arrays and plain objects, keys included.
 */
export function isLate(value: unknown): boolean {
  if (typeof value === "string") return LATE_TEXT.test(value);
  if (typeof value === "number") return isLateNumber(value);
  return typeof value === "object" && value !== null && holdsLate(value);
}

/** Visits each object once and without recursion, because a caller's value may be circular or very deep. */
function holdsLate(root: object): boolean {
  const seen = new Set<object>([root]);
  for (const each of seen) {
    if (each instanceof LateEncoding || each instanceof LateText) return true;
    const members: Iterable<unknown> = Array.isArray(each) ? each : Object.entries(each).flat();
    for (const member of members) {
      if (typeof member === "object" && member !== null) seen.add(member);
      else if (isLate(member)) return true;
    }
  }
  return false;
}

/** Returns a literal value; throws `late-value` with the property's name if the value is late. */
export function literal<T>(value: T, property: string): T {
  return isLate(value) ? fail("late-value", lateValue(property)) : value;
}

function isLateNumber(value: number): boolean {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  return LATE_NUMBER_BITS.includes(bits.getUint16(0));
}

/** An encoding of texts: an Ignition data URL, or plain base64. */
export type Encoding = "data-url" | "base64";

/**
 * A text with late values that must be encoded in a manifest: bind first, encode last.
 *
 * The manifest writer of `./synth` turns it into a placeholder; `bind` fills in the late values, then encodes.
 */
export class LateEncoding {
  /** The encoding to apply. */
  readonly encoding: Encoding;
  /** The text, late values included, not yet encoded. */
  readonly text: string;

  constructor(encoding: Encoding, text: string) {
    this.encoding = encoding;
    this.text = text;
  }

  /** Called by cdk8s if no resolver replaced the value; throws, because encoding now would hide the late value. */
  resolve(): never {
    return unbound(this.encoding);
  }
}

/**
 * Encodes a literal text at once; returns a {@link LateEncoding} for a late one.
 *
 * `data-url` gives `data:text/plain;charset=utf-8;base64,…`, the form of the Machine Config Operator's own writer.
 */
export function encode(encoding: Encoding, text: string): string | LateEncoding {
  return isLate(text) ? new LateEncoding(encoding, text) : encodeNow(encoding, text);
}

/** Encodes a literal text. */
export function encodeNow(encoding: Encoding, text: string): string {
  const base64 = Buffer.from(text, "utf8").toString("base64");
  return encoding === "base64" ? base64 : `data:text/plain;charset=utf-8;base64,${base64}`;
}

/**
 * A text with parts that are late and must be encoded, for example a manifest inside a ConfigMap.
 *
 * The manifest writer of `./synth` turns each {@link LateEncoding} among the parts into a placeholder; `bind` fills in
 * the late values and then encodes. Strings stay as they are.
 */
export class LateText {
  /** The parts in order; the whole is their concatenation after encoding. */
  readonly parts: readonly (string | LateEncoding)[];

  constructor(parts: readonly (string | LateEncoding)[]) {
    this.parts = parts;
  }

  /** Called by cdk8s if no resolver replaced the value; throws `manifest-missing`. */
  resolve(): never {
    const encoding = this.parts.find((part) => part instanceof LateEncoding);
    return unbound(encoding ? encoding.encoding : "text");
  }
}

function unbound(encoding: string): never {
  return fail("manifest-missing", {
    problem: `a value that Terraform knows only after apply would be encoded (${encoding}) too early`,
    remedy: "add `new LateValueResolver(stack)` of the /synth subpath to the `resolvers` of your cdk8s App",
  });
}
