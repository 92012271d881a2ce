/*
 * Quantities as the API server writes them: it answers `1000m` with `1`, which Terraform takes for a provider's bug.
 *
 * Source: kubernetes/apimachinery, pkg/api/resource/quantity.go (CanonicalizeBytes) and suffix.go.
 */

import { isRecord } from "../model/record";

const TEXT = /^([+-]?)(\d+)?(?:\.(\d*))?([numkMGTPE]?|[KMGTPE]i|[eE][+-]?\d{1,3})$/;
const DECIMAL: readonly string[] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/** Quantities are multiples of 10^-9; the API server rounds what is finer. */
const NANO = -9;
const STEP = 3;
const THOUSAND = 1000n;
const KIBI = 1024n;
const ONE = 10n ** BigInt(-NANO);

/** A quantity as the API server writes it; the text itself if it is none, or finer than a quantity can be. */
export function canonicalQuantity(text: string): string {
  const [, sign = "", whole = "", fraction = "", suffix = ""] = TEXT.exec(text) ?? [];
  const digits = whole + fraction;
  if (digits === "") return text;
  const binary = suffix === "" ? -1 : BINARY.indexOf(suffix);
  const isExponent = /^[eE].*\d$/.test(suffix);
  const exponent =
    binary > 0 ? 0 : isExponent ? Number(suffix.slice(1)) : NANO + STEP * DECIMAL.indexOf(suffix);
  const factor = binary > 0 ? KIBI ** BigInt(binary) : 1n;
  const nanos = scaled(BigInt(digits) * factor, exponent - fraction.length - NANO);
  if (nanos === undefined) return text;
  if (nanos === 0n) return "0";
  const written =
    binary > 0 && nanos % ONE === 0n && nanos / ONE >= KIBI
      ? reduced(nanos / ONE, KIBI, BINARY)
      : reduced(nanos, THOUSAND, isExponent ? EXPONENTS : DECIMAL);
  return `${sign === "-" ? "-" : ""}${written}`;
}

const EXPONENTS: readonly string[] = DECIMAL.map((_, place) => {
  const exponent = NANO + STEP * place;
  return exponent === 0 ? "" : `e${exponent}`;
});

/** The number times 10^exponent; `undefined` if that is no integer. */
function scaled(number: bigint, exponent: number): bigint | undefined {
  const power = 10n ** BigInt(Math.abs(exponent));
  if (exponent >= 0) return number * power;
  return number % power === 0n ? number / power : undefined;
}

/** The number with the largest suffix that leaves an integer. */
function reduced(number: bigint, base: bigint, suffixes: readonly string[]): string {
  let [rest, place] = [number, 0];
  for (; rest % base === 0n && place < suffixes.length - 1; place++) rest /= base;
  return `${rest}${suffixes[place]}`;
}

/** Fields of pods, claims, volumes and quotas whose entries are quantities, and fields that are one. */
const MAPS: readonly string[] = ["limits", "requests", "capacity", "hard"];
const SINGLE: readonly string[] = ["sizeLimit", "divisor"];

/** A copy of the `spec` of one of Kubernetes' own kinds, with its quantities as the API server writes them. */
export function withCanonicalQuantities(spec: unknown): unknown {
  return copied(spec, "");
}

function copied(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((each) => copied(each, ""));
  if (!isRecord(value)) return SINGLE.includes(key) ? quantity(value) : value;
  const isMap = MAPS.includes(key);
  const rows = Object.entries(value).map(([name, each]) => [
    name,
    isMap ? quantity(each) : copied(each, name),
  ]);
  return Object.fromEntries(rows);
}

function quantity(value: unknown): unknown {
  return typeof value === "string" || typeof value === "number" ? canonicalQuantity(String(value)) : value;
}
