import { expect } from "vitest";
import type { ErrorCode } from "../../lib/errors";
import { rowsOf } from "./tables";

/** A code, also with a part of the problem: `google-invalid: project number`. */
export type Refusal = ErrorCode | `${ErrorCode}: ${string}`;

/**
 * Matches a refusal, `code: part of its problem` or the code alone where that says enough; with its whole message or other
 * members where stated.
 */
export function refusal(expected: string, more: string | object = {}): unknown {
  const [code = "", ...problem] = expected.split(": ");
  return expect.objectContaining({
    code,
    problem: expect.stringContaining(problem.join(": ")) as string,
    ...(typeof more === "string" ? { message: more } : more),
  });
}

/** The same, by the message where that matters. */
export function code(expected: string, message: RegExp = /./): unknown {
  return refusal(expected, { message: expect.stringMatching(message) as string });
}

/** Rows of a table that is grouped by what refuses them: what is wrong, the input, and the refusal. */
export function refusedBy<Input>(
  table: Partial<Readonly<Record<Refusal, Readonly<Record<string, Input>>>>>,
): readonly (readonly [what: string, input: Input, refusal: string])[] {
  return rowsOf<Input>(table as Readonly<Record<string, Readonly<Record<string, Input>>>>);
}

/** Rows of a table of what each refusal refuses, where the input says what is wrong. */
export function refusedWith<Input>(
  table: Partial<Readonly<Record<Refusal, readonly Input[]>>>,
): readonly (readonly [refusal: Refusal, input: Input])[] {
  return Object.entries<readonly Input[] | undefined>(table).flatMap(([expected, inputs = []]) =>
    inputs.map((input) => [expected as Refusal, input] as const),
  );
}
