import { expect } from "vitest";

/** Matches an error by its code and, after a colon, by a part of what it says is wrong; by its message where that matters. */
export function code(refusal: string, message: RegExp = /./): unknown {
  const [name, ...about] = refusal.split(": ");
  return expect.objectContaining({
    code: name,
    problem: expect.stringContaining(about.join(": ")) as string,
    message: expect.stringMatching(message) as string,
  });
}
