/*
 * Which expressions are evaluated here: those whose functions Google documents for pool providers or that are
 * standard CEL, whose operands have the kinds that the functions take, and for which the evaluator and cel-go gave
 * the same answers. Google checks kinds when a pool provider is created; this check keeps an expression that it
 * would refuse from being answered.
 *
 * Sources: google/cel-spec, doc/langdef.md, "List of Standard Definitions"; cloud.google.com/iam/docs, workload identity
 * federation: `extract` and `split` (deployment pipelines), `lowerAscii` (attribute mappings); conditions attribute
 * reference: times.
 */

/** Kind of a value; lists hold texts only, `time` is a timestamp, and `error` is what reading a missing claim gives. */
export type CelKind = "string" | "int" | "bool" | "list" | "time" | "error";

/** Kinds of the operands, kind of the result. */
type Overload = readonly [operands: readonly CelKind[], result: CelKind];

const BOOLEAN: readonly Overload[] = [[["bool", "bool"], "bool"]];
const EQUALITY: readonly Overload[] = [
  [["string", "string"], "bool"],
  [["int", "int"], "bool"],
  [["bool", "bool"], "bool"],
];
/** Texts are ordered by code points in CEL and by UTF-16 units in the evaluator: numbers only. */
const ORDER: readonly Overload[] = [
  [["int", "int"], "bool"],
  [["time", "time"], "bool"],
];
/** Parts of a time, in UTC or in a time zone. */
const PART: readonly Overload[] = [
  [["time"], "int"],
  [["time", "string"], "int"],
];
const TEST: readonly Overload[] = [[["string", "string"], "bool"]];
const SIZE: readonly Overload[] = [
  [["string"], "int"],
  [["list"], "int"],
];

/** Functions by name, methods by name with a dot before it. */
const FUNCTIONS: Readonly<Record<string, readonly Overload[]>> = {
  "_&&_": BOOLEAN,
  "_||_": BOOLEAN,
  "!_": [[["bool"], "bool"]],
  "@not_strictly_false": [[["bool"], "bool"]],
  "_==_": EQUALITY,
  "_!=_": EQUALITY,
  "_<_": ORDER,
  "_<=_": ORDER,
  "_>_": ORDER,
  "_>=_": ORDER,
  "@in": [[["string", "list"], "bool"]],
  "_[_]": [[["list", "int"], "string"]],
  "_+_": [
    [["string", "string"], "string"],
    [["int", "int"], "int"],
  ],
  "_?_:_": (["string", "int", "bool", "list"] as const).map((kind) => [["bool", kind, kind], kind]),
  timestamp: [[["string"], "time"]],
  ...Object.fromEntries(
    ["FullYear", "Month", "Date", "DayOfMonth", "DayOfWeek", "DayOfYear", "Hours", "Minutes", "Seconds"].map(
      (part) => [`.get${part}`, PART],
    ),
  ),
  size: SIZE,
  ".size": SIZE,
  ".startsWith": TEST,
  ".endsWith": TEST,
  ".contains": TEST,
  ".matches": TEST,
  ".extract": [[["string", "string"], "string"]],
  ".split": [[["string", "string"], "list"]],
  ".lowerAscii": [[["string"], "string"]],
};

/** Those that may be repeated for every element of a list without making a short expression costly. */
const REPEATABLE: ReadonlySet<string> = new Set(
  Object.keys(FUNCTIONS).filter((name) => ![".matches", ".split", ".lowerAscii", ".extract"].includes(name)),
);

/**
 * Kind of a function's result; `undefined` where the function is not evaluated here for such operands.
 *
 * In a comprehension, where functions are repeated, texts are not joined and only cheap functions are taken.
 */
export function resultKind(
  name: string,
  operands: readonly CelKind[],
  repeated: boolean,
): CelKind | undefined {
  const overloads = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (repeated && !REPEATABLE.has(name)) return undefined;
  const fitting = overloads?.find(
    ([kinds]) =>
      kinds.length === operands.length &&
      kinds.every((kind, place) => operands[place] === kind || operands[place] === "error"),
  );
  if (repeated && name === "_+_" && fitting?.[1] === "string") return undefined;
  return fitting?.[1];
}
