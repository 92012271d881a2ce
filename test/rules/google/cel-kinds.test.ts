/*
 * Which functions are evaluated, and for which kinds of operands: the whole table. Source: google/cel-spec,
 * doc/langdef.md, "List of Standard Definitions"; `extract`, `split`, `lowerAscii` and times of Google's documentation.
 */

import { describe, expect, it } from "vitest";
import { type CelKind, resultKind } from "../../../lib/rules/google/cel-kinds";

const KINDS: readonly CelKind[] = ["string", "int", "bool", "list", "time"];

/** Operands by function, with the result; `*` marks functions that comprehensions may repeat. */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  "_&&_*": ["bool bool: bool"],
  "_||_*": ["bool bool: bool"],
  "!_*": ["bool: bool"],
  "@not_strictly_false*": ["bool: bool"],
  "_==_*": ["string string: bool", "int int: bool", "bool bool: bool"],
  "_!=_*": ["string string: bool", "int int: bool", "bool bool: bool"],
  "_<_*": ["int int: bool", "time time: bool"],
  "_<=_*": ["int int: bool", "time time: bool"],
  "_>_*": ["int int: bool", "time time: bool"],
  "_>=_*": ["int int: bool", "time time: bool"],
  "@in*": ["string list: bool"],
  "_[_]*": ["list int: string"],
  "_+_*": ["string string: string", "int int: int"],
  "_?_:_*": [
    "bool string string: string",
    "bool int int: int",
    "bool bool bool: bool",
    "bool list list: list",
  ],
  "size*": ["string: int", "list: int"],
  ".size*": ["string: int", "list: int"],
  ".startsWith*": ["string string: bool"],
  ".endsWith*": ["string string: bool"],
  ".contains*": ["string string: bool"],
  ".matches": ["string string: bool"],
  ".extract": ["string string: string"],
  ".split": ["string string: list"],
  ".lowerAscii": ["string: string"],
  "timestamp*": ["string: time"],
  ...Object.fromEntries(
    ["FullYear", "Month", "Date", "DayOfMonth", "DayOfWeek", "DayOfYear", "Hours", "Minutes", "Seconds"].map(
      (part) => [`.get${part}*`, ["time: int", "time string: int"]],
    ),
  ),
};

/** Of the standard, and not evaluated here. */
const OTHERS: readonly string[] = [
  ...["_-_", "_*_", "_/_", "_%_", "-_", "matches", "int", "string", "double", "duration", "type", "dyn"],
  ...[".upperAscii", ".replace", ".join", ".charAt", ".indexOf", ".substring", ".trim", "constructor"],
];

/** All lists of one, two and three kinds. */
const OPERANDS: readonly (readonly CelKind[])[] = [1, 2, 3].flatMap((length) =>
  Array.from({ length }).reduce<readonly (readonly CelKind[])[]>(
    (lists) => lists.flatMap((list) => KINDS.map((kind) => [...list, kind])),
    [[]],
  ),
);

function taken(name: string, repeated: boolean): readonly string[] {
  return OPERANDS.flatMap((operands) => {
    const result = resultKind(name, operands, repeated);
    return result === undefined ? [] : [`${operands.join(" ")}: ${result}`];
  });
}

describe("resultKind", () => {
  it.each(Object.entries(TABLE))("%s", (marked, expected) => {
    const name = marked.replace(/\*$/, "");
    expect([...taken(name, false)].sort()).toEqual([...expected].sort());
    // Texts that are joined for each element of a list grow.
    const repeatable = expected.filter((each) => name !== "_+_" || !each.endsWith(": string"));
    expect([...taken(name, true)].sort()).toEqual(marked.endsWith("*") ? [...repeatable].sort() : []);
  });

  it("knows no other", () => {
    expect(OTHERS.filter((name) => taken(name, false).length > 0)).toEqual([]);
  });

  it("takes a missing claim for any kind, as its own result is an error too", () => {
    expect(resultKind("_==_", ["error", "int"], false)).toBe("bool");
    expect(resultKind("_&&_", ["error", "error"], false)).toBe("bool");
    expect(resultKind(".matches", ["error", "list"], false)).toBeUndefined();
  });
});
