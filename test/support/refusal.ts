import { expect } from "vitest";

/** A refusal as `code: part of its problem`, or the code alone where that says enough; with other members where stated. */
export function refusal(expected: string, more: object = {}): unknown {
  const [code = "", ...problem] = expected.split(": ");
  return expect.objectContaining({
    code,
    problem: expect.stringContaining(problem.join(": ")) as string,
    ...more,
  });
}

/** The same, by its message where that matters. */
export function code(expected: string, message: RegExp = /./): unknown {
  return refusal(expected, { message: expect.stringMatching(message) as string });
}
