/*
 * Go's time.ParseDuration and Duration.String (go/src/time), which decide whether a `defaultCacheDuration` is valid.
 * Nanoseconds are bigints, because Go counts in 64 bits.
 */

import { toBytes } from "./go-text";

const LIMIT = 2n ** 63n;
const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;

/** The micro sign and the Greek letter mu appear as the bytes of UTF-8. */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "\xc2\xb5s": 1_000n,
  "\xce\xbcs": 1_000n,
  ms: 1_000_000n,
  s: SECOND,
  m: MINUTE,
  h: HOUR,
};

/** A duration in nanoseconds, or Go's error text. */
export type GoDuration =
  | { readonly nanoseconds: bigint; readonly error?: undefined }
  | { readonly nanoseconds?: undefined; readonly error: string };

/** Reads `12h`, `1h30m`, `-1.5s`, `300ms`, `0`. Never throws. */
export function parseGoDuration(text: string): GoDuration {
  const bytes = toBytes(text);
  const negative = bytes.startsWith("-");
  const magnitude = /^[-+]/.test(bytes) ? bytes.slice(1) : bytes;
  if (magnitude === "0") return { nanoseconds: 0n };
  const sum = magnitude === "" ? "invalid duration" : addParts(magnitude);
  if (typeof sum === "string") return { error: `time: ${sum} ${quote(bytes)}` };
  if (sum === LIMIT && !negative) return { error: `time: invalid duration ${quote(bytes)}` };
  return { nanoseconds: negative ? -sum : sum };
}

/** The sum of all parts, or the complaint about the first invalid one. */
function addParts(magnitude: string): bigint | string {
  const part = /([0-9]*)(\.([0-9]*))?([^.0-9]*)/y;
  let sum = 0n;
  while (part.lastIndex < magnitude.length) {
    const [, whole = "", dot, fraction = "", unit = ""] = part.exec(magnitude) ?? [];
    if (whole === "" && (dot === undefined || fraction === "")) return "invalid duration";
    const amount = leadingInt(whole);
    if (amount === undefined) return "invalid duration";
    if (unit === "") return "missing unit in duration";
    const scale = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
    if (scale === undefined) return `unknown unit ${quote(unit)} in duration`;
    if (amount > LIMIT / scale) return "invalid duration";
    const value = amount * scale + fractionOf(fraction, scale);
    sum += value;
    if (value > LIMIT || sum > LIMIT) return "invalid duration";
  }
  return sum;
}

const DIGITS_MAX = 20;

function leadingInt(digits: string): bigint | undefined {
  const significant = digits.replace(/^0+/, "");
  if (significant.length > DIGITS_MAX) return undefined;
  const value = BigInt(significant || "0");
  return value > LIMIT ? undefined : value;
}

/** As in Go, drops digits beyond 63 bits and computes the rest in floating point. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    if (value > (LIMIT - 1n) / 10n) break;
    const next = value * 10n + BigInt(digit);
    if (next > LIMIT) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/** The time package's own quoting, which writes every byte outside printable ASCII as `\xNN`. */
function quote(bytes: string): string {
  const escaped = bytes.replace(/["\\]|[^ -\x7f]/g, (c) =>
    c === '"' || c === "\\" ? `\\${c}` : `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return `"${escaped}"`;
}

/** Go's text of a duration: `1h30m0s`, `-1m0s`, `1.5ms`, `0s`. */
export function formatGoDuration(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? "-" : "";
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return sign + (size < SECOND ? formatSmall(size) : formatLarge(size));
}

function formatSmall(size: bigint): string {
  if (size === 0n) return "0s";
  if (size < 1_000n) return `${size}ns`;
  return size < 1_000_000n ? `${decimal(size, 3)}µs` : `${decimal(size, 6)}ms`;
}

function formatLarge(size: bigint): string {
  const seconds = `${decimal(size % MINUTE, 9)}s`;
  if (size < MINUTE) return seconds;
  const minutes = `${(size / MINUTE) % 60n}m`;
  return size < HOUR ? minutes + seconds : `${size / HOUR}h${minutes}${seconds}`;
}

function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/(?<!0)0+$/, "");
  return digits.slice(0, -places) + (fraction && `.${fraction}`);
}
