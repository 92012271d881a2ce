import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentsIn, firstDocument, readText } from "../../../lib/explain/read/documents";
import { Reference, known, match, textOf, unread, whyText } from "../../../lib/model/known";
import { plainOf } from "../../../lib/model/tree";
import { folderOf } from "../../fixtures/explain/artefacts";
import { refusal } from "../../support/refusal";
import { runsOf } from "../../support/sample";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const bomb = [
  "a: &a [x, x, x, x, x, x, x, x, x, x]",
  ..."bcdefgh".split("").map((name) => {
    const inner = `*${String.fromCharCode(name.charCodeAt(0) - 1)}`;
    return `${name}: &${name} [${Array(10).fill(inner).join(", ")}]`;
  }),
].join("\n");

/** The package looks at every key before for each key, and at every anchor for each alias. */
it("many keys and many aliases take no longer than other lines", () => {
  const length = runsOf(40_000, 8);
  const keys = Array.from({ length }, (_, place) => `"k ${place}": 1\n`).join("");
  const [document] = documentsIn(keys, "m.yaml");
  expect(Object.keys(document?.value as object)).toHaveLength(length);
  expect(() => documentsIn(`${keys}"k 7": 2\n`, "m.yaml")).toThrowError(
    expect.objectContaining({ value: `m.yaml:${length + 1}` }),
  );
  const aliases = Array.from({ length }, (_, place) => `- &a${place} 1\n- *a${place}\n`).join("");
  expect(() => documentsIn(aliases, "m.yaml")).toThrowError(
    expect.objectContaining({ problem: expect.stringContaining("has aliases") as string }),
  );
});

it.each([
  ["plain", "kind: A", "kind: A"],
  ["with a byte order mark", "\ufeffkind: A", "kind: A"],
  ["with a byte order mark and other characters", "\ufeffkind: \u00e9", "kind: \u00e9"],
  ["with other characters", "kind: \u00e9\ufeff", "kind: \u00e9\ufeff"],
])("a text %s is read without the mark", (_, content, text) => {
  expect(readText(join(folderOf({ "a.yaml": content }), "a.yaml"))).toBe(text);
});

it("says in which line a text is not UTF-8", () => {
  const path = join(folderOf({ "a.yaml": Buffer.from([0x61, 0x0a, 0x0a, 0xff, 0x0a]) }), "a.yaml");
  expect(() => readText(path)).toThrowError(refusal("explain-invalid: is not UTF-8"));
  expect(() => readText(path)).toThrowError(/a.yaml:3"/);
});

/** Source: kubernetes-sigs/yaml, goyaml.v2, `scalar` in decode.go, and README.md ("base-60 floats"). */
it.each([
  ["a date", "2026-01-01", "2026-01-01"],
  ["a time", "2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z"],
  ["a number to the base 60", "12:30:45", "12:30:45"],
  ["an octal number", "0755", 0o755],
  ["a word for true", "yes", true],
  ["a number with a dash", "1_000", 1000],
])("%s is what Kubernetes takes it for", (_, written, value) => {
  expect(documentsIn(`a: ${written}`, "m.yaml")[0]?.value).toEqual({ a: value });
});

describe("the first document of a node's file", () => {
  const reference = textOf(["a: ", new Reference("x.y.z")]);
  it.each([
    ["a document", known("a: 1"), '{"a":1}', undefined],
    ["the first of two", known("a: 1\n---\nb: ["), '{"a":1}', undefined],
    ["nothing", known(""), "null", undefined],
    ["no YAML", known("a: ["), '"?"', expect.stringContaining("Flow sequence")],
    ["a key twice", known("a: 1\na: 2"), '"?"', "Map keys must be unique"],
    ["too deep", known(nested(300)), '"?"', undefined],
    ["with a reference", reference, '{"a":"?"}', undefined],
    ["with a reference and no YAML", textOf(["a: [", new Reference("x.y.z")]), '"?"', undefined],
    ["not read", unread("it is compressed"), '"?"', undefined],
  ])("%s", (_, text, value, error) => {
    const first = firstDocument(text);
    expect(JSON.stringify(plainOf(first.value, "?"))).toBe(value);
    expect(first.error).toEqual(error);
  });
  it("says why it is not read", () => {
    const { value } = firstDocument(known(bomb));
    expect(match(value, () => "read", whyText)).toContain("it has aliases");
  });
});
