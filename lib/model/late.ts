/*
 * Recognises values that Terraform knows only after apply. Knows the texts that cdktf uses for them, not cdktf:
 * a late value is opaque here, it is never parsed, re-cased, hashed or encoded.
 */

import { fail } from "../errors";
import { lateEncodingUnbound, lateValue } from "./problems";

const LATE_TEXT = /[$#&]\{TfToken\[/;

/** cdktf writes a late number as a double with these upper 16 bits, an entry of a late number list with the second. */
const LATE_NUMBER_BITS: readonly number[] = [0xfdff, 0xfbff];

/**
 * True where a value is, or contains, one that Terraform knows only after apply.
 *
 * Looks into strings, numbers, arrays and plain objects, keys included.
 */
export function isLate(value: unknown): boolean {
  if (typeof value === "string") return LATE_TEXT.test(value);
  if (typeof value === "number") return isLateNumber(value);
  return typeof value === "object" && value !== null && holdsLate(value);
}

/** Each object is looked into once, and without recursion: a caller's value may hold itself, or be very deep. */
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

/** A late text, for rules that take plain documents and pass over what is late; it must reach no one. */
export const LATE_VALUE: string = "${TfToken[TOKEN.0]}";

/** Returns the value, or throws `late-value` naming the property when it is late. */
export function literal<T>(value: T, property: string): T {
  return isLate(value) ? fail("late-value", lateValue(property)) : value;
}

function isLateNumber(value: number): boolean {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  return LATE_NUMBER_BITS.includes(bits.getUint16(0));
}

/** How a text is written where it must stand encoded: an Ignition data URL, or plain base64. */
export type Encoding = "data-url" | "base64";

/**
 * A text with late values that must stand encoded in a manifest: bind first, encode last.
 *
 * The manifest writer of `./synth` turns it into a placeholder; `bind` fills the late values in and encodes then.
 */
export class LateEncoding {
  /** How the text will be written. */
  readonly encoding: Encoding;
  /** The text, late values included, not yet encoded. */
  readonly text: string;

  constructor(encoding: Encoding, text: string) {
    this.encoding = encoding;
    this.text = text;
  }

  /** Called by cdk8s when no resolver took the value: encoding now would hide the late value for good. */
  resolve(): never {
    return fail("manifest-missing", lateEncodingUnbound(this.encoding));
  }
}

/**
 * Encodes a text at once when it is literal, and leaves a {@link LateEncoding} otherwise.
 *
 * `data-url` gives `data:text/plain;charset=utf-8;base64,…`, the form of the Machine Config Operator's own writer.
 */
export function encode(encoding: Encoding, text: string): string | LateEncoding {
  return isLate(text) ? new LateEncoding(encoding, text) : encodeNow(encoding, text);
}

/** Encodes a finished text; for `encode` and for `bind`. */
export function encodeNow(encoding: Encoding, text: string): string {
  const base64 = Buffer.from(text, "utf8").toString("base64");
  return encoding === "base64" ? base64 : `data:text/plain;charset=utf-8;base64,${base64}`;
}

/**
 * A text of which some parts must stand encoded and are late: a manifest inside a ConfigMap, say.
 *
 * The manifest writer of `./synth` turns each {@link LateEncoding} among the parts into a placeholder; `bind` fills
 * the late values in and encodes then. Parts that are strings stay as they are.
 */
export class LateText {
  /** The text in order; joining the parts, each encoding encoded, gives the whole. */
  readonly parts: readonly (string | LateEncoding)[];

  constructor(parts: readonly (string | LateEncoding)[]) {
    this.parts = parts;
  }

  /** Called by cdk8s when no resolver took the value: throws `late-encoding-unbound`. */
  resolve(): never {
    const encoding = this.parts.find((part) => part instanceof LateEncoding);
    return fail("manifest-missing", lateEncodingUnbound(encoding ? encoding.encoding : "text"));
  }
}
