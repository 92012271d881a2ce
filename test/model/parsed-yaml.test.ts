import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { parsedYaml } from "../../lib/model/parsed-yaml";

const RULES = { version: "1.1", compat: "core" } as const;

const wrong = (documents: ReturnType<typeof parsedYaml>): unknown =>
  documents.map(({ errors }) => errors.map(({ code, pos: [place] }) => [code, place]));

describe("parsedYaml", () => {
  it.each([
    "a: 1\nb: 2\na: 3\n",
    "a: 1\n'a': 3\n\"a\": 4\n",
    "1: a\n'1': b\n0x1: c\n",
    "? [a]\n: 1\n? [a]\n: 2\n",
    "? {a: 1, a: 2}\n: 1\n",
    "- {a: 1, b: {c: 1, c: 2}, a: 3}\n",
    "a: &x {b: 1}\nc: {<<: *x, b: 2, b: 3}\n",
    "a: &x 1\n*x : 1\n*x : 2\n",
    "!!set {a, b, a}\n",
    "!!omap [a: 1, b: {c: 1, c: 2}]\n",
    "a: 1\n---\nb: 1\nb: 2\n---\nc: 1\n",
    "~: 1\nnull: 2\n",
    "? a\n? b\n? a\n",
    "",
    "# nothing\n",
  ])("finds keys given twice where the package does: %j", (text) => {
    const parsed = parseAllDocuments(text, { ...RULES, logLevel: "silent" });
    expect(wrong(parsedYaml(text, RULES))).toEqual(Array.isArray(parsed) ? wrong([...parsed]) : []);
  });

  it("finds them in any map", () => {
    const key = fc.constantFrom("a", "'a'", '"b"', "b", "1", "'1'", "c");
    const node = fc.letrec<{ node: string; map: string }>((tie) => ({
      node: fc.oneof({ depthSize: "small" }, fc.constantFrom("x", "[]"), tie("map")),
      map: fc
        .array(fc.tuple(key, tie("node")), { maxLength: 4 })
        .map((pairs) => `{${pairs.map(([name, value]) => `${name}: ${value}`).join(", ")}}`),
    })).map;
    fc.assert(
      fc.property(node, (text) => {
        const parsed = parseAllDocuments(text, { ...RULES, logLevel: "silent" });
        const places = (list: unknown): unknown => JSON.stringify(list).match(/\d+/g)?.map(Number).sort();
        expect(places(wrong(parsedYaml(text, RULES)))).toEqual(places(wrong([...parsed])));
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});
