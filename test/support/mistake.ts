import { expect } from "vitest";

/** Matches an error by its code and, after a colon, a part of its message that tells it from others of that code. */
export function mistake(expected: string): Error {
  const [, code, part = ""] = /^([a-z-]+)(?:: (.*))?$/.exec(expected) ?? [];
  return expect.objectContaining({ code, message: expect.stringContaining(part) }) as Error;
}
