/*
 * Generated cases: `npm test` tries a sample of them, `npm run test:all` (ALL_CASES=1) tries them all. Rows that people
 * wrote are never left out.
 */

import { createHash } from "node:crypto";

const isComplete = (): boolean => process.env["ALL_CASES"] === "1";

/**
 * Whether a case is tried, by its name alone, so that it does not change when others come or go: one in so many, and one in
 * `ofAll` even of all cases where these would take hours.
 */
export function isSampled(name: string, oneIn: number, ofAll: number = 1): boolean {
  const hash = createHash("sha256").update(name).digest().readUInt32LE(0);
  return hash % (isComplete() ? ofAll : oneIn * ofAll) === 0;
}

/** The cases that are tried; at least one, where there is any. */
export function sampleOf<T>(cases: readonly T[], oneIn: number, nameOf: (each: T) => string): readonly T[] {
  const sample = cases.filter((each) => isSampled(nameOf(each), oneIn));
  return sample.length > 0 ? sample : cases.slice(0, 1);
}

/** How many are tried of a number that is drawn at random. */
export function runsOf(all: number, oneIn: number): number {
  return isComplete() ? all : Math.ceil(all / oneIn);
}

/** For the name of a test, ` (1 of 8)`; empty where all cases are tried. */
export function sampleNote(oneIn: number): string {
  return isComplete() ? "" : ` (1 of ${oneIn})`;
}
