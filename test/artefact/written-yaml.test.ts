import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { readWrittenYaml } from "../../lib/artefact/written-yaml";
import { YAML_RULES } from "../../lib/artefact/yaml-rules";
import { yamlText } from "../../lib/synth/bind/yaml";

/** What the package reads; `undefined` for what it refuses or finds empty. */
function byPackage(text: string): readonly unknown[] | undefined {
  const documents = parseAllDocuments(text, { ...YAML_RULES, logLevel: "silent" });
  if (!Array.isArray(documents)) return undefined;
  const sound = documents.every(({ errors, contents }) => errors.length === 0 && contents !== null);
  return sound ? documents.map((document) => document.toJS() as unknown) : undefined;
}

/** Texts that YAML 1.1 or 1.2 would take for something else, and texts that only look as if. */
const SCALARS: readonly string[] = [
  ...["null", "Null", "~", "y", "N", "yes", "On", "OFF", "true", "True", "false", "nullable", "yesterday"],
  ...[
    "0",
    "1",
    "420",
    "0755",
    "0o17",
    "0x1f",
    "0b1",
    "1_000",
    "-5",
    "+1",
    "1.5",
    "3.2.0",
    "1e5",
    "12e03",
    "e51",
    "E+5",
    ".5",
  ],
  ...[
    "12h",
    "190:20:30",
    "2001-12-14",
    "2001-12-14t21:59:43.10-05:00",
    "1.35",
    ".inf",
    "-.INF",
    ".nan",
    "0.g",
  ],
  ...["123456789012345", "1234567890123456789", "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web"],
  ...[
    "30eb1523-e97c-b10a-c1dc-d102fc9ceff9",
    "11111111-2222-4333-8444-555555555555",
    "12345678-1234",
    "1e5-3",
  ],
  ...[
    "arn:aws:iam::111122223333:role/a b",
    "a: b",
    "a:",
    "a #b",
    "a#b",
    ":a",
    "a:b",
    "#a",
    "- a",
    "-",
    "--- a",
  ],
  ...[
    "@late(a.b.c)@",
    "*.amazonaws.com",
    "&a",
    "!a",
    "|",
    "|-",
    ">",
    "%a",
    "`a`",
    "[]",
    "{}",
    "[a]",
    "{a: b}",
  ],
  ...[
    "",
    " ",
    " a",
    "a ",
    "a\tb",
    "it's",
    'say "so"',
    "back\\slash",
    "a\nb",
    "a\nb\n",
    "\na",
    "a\n\nb\n",
    " a\nb",
  ],
  ...[
    "a\n\n",
    "a\n  b\n c\n",
    "---",
    "...",
    "a\n---\nb",
    "ä",
    "\u2028",
    "\ufeff",
    "\u0007",
    "💥",
    "<<",
    "=",
    "__proto__",
  ],
  ...[
    "data:text/plain;charset=utf-8;base64,eyJhIjp7fX0+/A==",
    "constructor",
    "a/b.c/d-e",
    "$(x)",
    "${x}",
    "?",
    "? a",
  ],
];

const scalar = fc.oneof(
  fc.constantFrom(...SCALARS),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(null),
);
const key = fc.oneof(
  fc.stringMatching(/^[A-Za-z][\w./-]{0,9}$/),
  fc.constantFrom(...SCALARS.filter((text) => text !== "__proto__")),
);
const tree = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 4, withCrossShrink: true }, scalar, tie("map"), tie("list")),
  map: fc.dictionary(key, tie("node"), { maxKeys: 5 }),
  list: fc.array(tie("node"), { maxLength: 4 }),
})).map;

/** Lines that fit together now and then. */
const line = fc
  .tuple(
    fc.constantFrom("", "", "  ", "    ", "      ", " ", "- ", "  - ", "    - ", "- - ", "\t"),
    fc.constantFrom(
      "",
      "",
      "a: ",
      "b: ",
      "c:",
      "y: ",
      '"a": ',
      "a : ",
      "? a",
      "<<: ",
      "1: ",
      "&x a: ",
      "a: &x ",
    ),
    fc.oneof(
      fc.constantFrom(...SCALARS.filter((text) => !text.includes("\n"))),
      fc.constantFrom(
        '"a"',
        "'a'",
        "'it''s'",
        '"\\n\\u00e4"',
        '"\\x41"',
        '"\\/"',
        '"a" # b',
        "a # b",
        '"a',
        "*x",
      ),
    ),
  )
  .map((parts) => parts.join(""));

describe("readWrittenYaml", () => {
  it("reads every text as the package does, or leaves it to the package", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 7 }), fc.constantFrom("", "\n"), (lines, end) => {
        const text = lines.join("\n") + end;
        const read = readWrittenYaml(text);
        if (read !== undefined) expect(read).toEqual(byPackage(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it("reads what this library writes as the package does, or leaves it to the package", () => {
    fc.assert(
      fc.property(fc.array(tree, { minLength: 1, maxLength: 3 }), (documents) => {
        const text = documents.map(yamlText).join("---\n");
        const read = readWrittenYaml(text);
        if (read !== undefined) expect(read).toEqual(byPackage(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(SCALARS)("reads the scalar %j as the package does, or leaves it to the package", (text) => {
    for (const written of [`a: ${text}\n`, `a:\n  - ${text}\n`, `${text}: a\n`, yamlText({ a: text })]) {
      const read = readWrittenYaml(written);
      if (read !== undefined) expect(read).toEqual(byPackage(written));
    }
  });

  it.each<[what: string, text: string, read: readonly unknown[]]>([
    ["comments before a document", "# a\n#\n#   b: c\na: b\n", [{ a: "b" }]],
    ["several documents", "a: b\n---\n# c\nd: e\n", [{ a: "b" }, { d: "e" }]],
    [
      "maps and lists in each other",
      "a:\n  - b: c\n    d:\n      - e\n      - f\ng: h\n",
      [{ a: [{ b: "c", d: ["e", "f"] }], g: "h" }],
    ],
    ["a list of maps", "- a: b\n- c: d\n", [[{ a: "b" }, { c: "d" }]]],
    [
      "numbers, booleans and empty ones",
      "a: 420\nb: true\nc: {}\nd: []\n",
      [{ a: 420, b: true, c: {}, d: [] }],
    ],
    [
      "quoted texts",
      `a: "@late(b.c)@"\nd: 'say "so"'\ne: "\\n\\u00e4"\n`,
      [{ a: "@late(b.c)@", d: 'say "so"', e: "\nä" }],
    ],
    ["a text of several lines", "a: |\n  b\n\n    c\nd: |-\n  e\n", [{ a: "b\n\n  c\n", d: "e" }]],
    [
      "identifiers that begin with a digit",
      "a: 30eb1523-e97c-b10a-c1dc-d102fc9ceff9\nb: 3.2.0\nc: 12h\n",
      [{ a: "30eb1523-e97c-b10a-c1dc-d102fc9ceff9", b: "3.2.0", c: "12h" }],
    ],
  ])("reads %s by itself", (_, text, read) => {
    expect(readWrittenYaml(text)).toEqual(read);
    expect(byPackage(text)).toEqual(read);
  });

  it.each<[what: string, text: string]>([
    ["nothing", ""],
    ["an empty document", "a: b\n---\n"],
    ["a key given twice", "a: b\na: c\n"],
    ["a key that is a boolean", "y: a\n"],
    ["anchors and aliases", "a: &b c\nd: *b\n"],
    ["a text that goes on below", "a: b\n  c\n"],
    ["a comment behind a value", "a: b # c\n"],
    ["a list that is not indented", "a:\n- b\n"],
    ["a half line at the end", "a: b"],
    ["carriage returns", "a: b\r\n"],
    ["a number that a double does not hold", "a: 1234567890123456789\n"],
    [
      "more levels than manifests have",
      Array.from({ length: 60 }, (__, level) => `${" ".repeat(level * 2)}a:\n`).join(""),
    ],
    ["a line without end", `a: ${"b".repeat(100_000)}\n`],
  ])("leaves %s to the package", (_, text) => {
    expect(readWrittenYaml(text)).toBeUndefined();
  });
});
