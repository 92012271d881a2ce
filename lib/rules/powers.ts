/*
 * Rights that amount to more than their words say.
 */

export interface Power {
  /**
   * What they amount to: everything or the right to change who may do what (`admin`), tokens of a further identity provider
   * (`issuer`), or acting as other identities (`others`).
   */
  readonly danger: "admin" | "issuer" | "others";
  /** The same in words, a clause: "it may give itself any right". */
  readonly says: string;
}

/** By a text that names a right. */
export type PowerRow = readonly [danger: Power["danger"], names: RegExp, says: string];

/** The power of the first row that names a right. */
export function powerIn(rows: readonly PowerRow[], text: string): Power | undefined {
  const [danger, , says] = rows.find(([, names]) => names.test(text)) ?? [];
  return danger && says !== undefined ? { danger, says } : undefined;
}
