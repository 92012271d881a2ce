/*
 * Lists and maps of callers without a compiler: a text has entries too, and would be taken letter by letter.
 */

import { fail } from "../../errors";
import type { IssuerKey } from "../../model/issuer-keys";
import { isRecord } from "../../model/record";

/** Returns a list; throws `google-list-invalid` for anything else. */
export function givenList<T>(setting: string, value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : fail("google-list-invalid", setting, value);
}

/** Returns a map, an empty one where there is none; throws `google-map-invalid` for anything else. */
export function givenMap<T>(
  setting: string,
  value: Readonly<Record<string, T>> | undefined,
): ReadonlyMap<string, T> {
  if (value === undefined) return new Map();
  return isRecord(value) ? new Map(Object.entries(value)) : fail("google-map-invalid", setting, value);
}

/** Returns the keys of an issuer; throws `google-keys-invalid`, without the value: it may be a private key. */
export function givenKeys(keys: readonly IssuerKey[]): readonly IssuerKey[] {
  const list: unknown = keys;
  return Array.isArray(list) && list.every(isRecord) ? keys : fail("google-keys-invalid");
}
