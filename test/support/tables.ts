/** Rows of a table that is grouped by what is expected: the case, its input, and what is expected of it. */
export function rowsOf<Input>(
  table: Readonly<Record<string, Readonly<Record<string, Input>>>>,
): readonly (readonly [name: string, input: Input, expected: string])[] {
  return Object.entries(table).flatMap(([expected, inputs]) =>
    Object.entries(inputs).map(([name, input]) => [name, input, expected] as const),
  );
}
