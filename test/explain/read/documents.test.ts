import { describe, expect, it } from "vitest";
import { documentsIn, firstDocument } from "../../../lib/explain/read/documents";
import { readFacts } from "../../../lib/explain/read/facts";
import { Reference, known, match, textOf, unread, whyText } from "../../../lib/model/known";
import { plainOf } from "../../../lib/model/tree";
import { folderOf } from "../../fixtures/explain/artefacts";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const deepYaml = (levels: number): string =>
  Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}a:\n`).join("");
const bomb = [
  "a: &a [x, x, x, x, x, x, x, x, x, x]",
  ..."bcdefgh".split("").map((name) => {
    const inner = `*${String.fromCharCode(name.charCodeAt(0) - 1)}`;
    return `${name}: &${name} [${Array(10).fill(inner).join(", ")}]`;
  }),
].join("\n");

describe("refused, naming file and line", () => {
  it.each<[string, string, string | Buffer, number, string]>([
    ["YAML that is none", "m.yaml", "a: 1\nb: [1\n", 3, "is not YAML"],
    ["a key twice", "m.yaml", "kind: Pod\nkind: Pod\n", 2, "is not YAML: Map keys must be unique"],
    ["JSON that is none", "m.json", '{\n"a": }\n', 2, "is not JSON"],
    ["a key twice in JSON", "m.json", '{\n"a": {"b": 1,\n"b": 2}\n}\n', 3, "has a key twice in one object"],
    ["JSON that ends early", "m.json", '{\n"a": 1\n', 2, "is not JSON"],
    [
      "no UTF-8",
      "m.yaml",
      Buffer.from([0x61, 0x3a, 0x20, 0x78, 0x0a, 0x62, 0x3a, 0x20, 0xff]),
      2,
      "is not UTF-8",
    ],
    ["deep JSON", "m.json", nested(100_000), 1, "is nested deeper than 200 levels"],
    ["deep YAML, flow", "m.yaml", `kind: x\na: ${nested(20_000)}`, 2, "is nested deeper than 200 levels"],
    ["deep YAML, block", "m.yaml", deepYaml(300), 1, "is nested deeper than 200 levels"],
    ["alias bomb", "m.yaml", bomb, 1, "has aliases that refer to nothing or multiply"],
    ["alias of nothing", "m.yaml", "a: *b\n", 1, "has aliases that refer to nothing"],
    [
      "too many documents",
      "m.yaml",
      "---\na: [1]\n".repeat(50_001),
      100_001,
      "has more than 50000 documents",
    ],
    ["an object that holds itself", "m.yaml", "a: &a\n  b: *a\n", 1, "has aliases|nested deeper"],
  ])("%s", (_, name, text, line, reason) => {
    const folder = folderOf({ [name]: text });
    expect(() => readFacts([folder], { computed: [], cluster: {} })).toThrowError(
      expect.objectContaining({
        code: "explain-file-invalid",
        value: `${folder}/${name}:${line}`,
        problem: expect.stringMatching(reason),
      }),
    );
  });
});

/** The package looks at every key before for each key, and at every anchor for each alias. */
it("many keys and many aliases take no longer than other lines", () => {
  const keys = Array.from({ length: 40_000 }, (_, place) => `"k ${place}": 1\n`).join("");
  const [document] = documentsIn(keys, "m.yaml");
  expect(Object.keys(document?.value as object)).toHaveLength(40_000);
  expect(() => documentsIn(`${keys}"k 7": 2\n`, "m.yaml")).toThrowError(
    expect.objectContaining({ value: "m.yaml:40001" }),
  );
  const aliases = Array.from({ length: 40_000 }, (_, place) => `- &a${place} 1\n- *a${place}\n`).join("");
  expect(() => documentsIn(aliases, "m.yaml")).toThrowError(
    expect.objectContaining({ problem: expect.stringContaining("has aliases") as string }),
  );
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
