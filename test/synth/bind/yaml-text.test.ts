import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { boundYaml, yamlText } from "../../../lib/synth/bind/yaml";
import { placeholder } from "../../../lib/artefact/placeholder";

/** What is special to YAML, Terraform and this library. */
const SPECIAL: readonly string[] = [
  ..."\n·\r·\t· ·: · #·---·...·- ·'·\"·\\·|·>·!·&a·*a·{·[·<<·=".split("·"),
  ..."%{·${x}·$${·@·@late(·)@·é·日·\u0085·\u2028·\ufeff".split("·"),
  ..."yes·0x1f·1_000·190:20:30·~·null·2001-01-01·0o17·1e3·.inf".split("·"),
];

/** Any text that UTF-8 can hold; what is special more often than by chance. */
const nasty = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary" }) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...SPECIAL), fc.string({ maxLength: 3 })), { maxLength: 8 })
      .map((parts) => parts.join("")),
  },
);

describe("yamlText", () => {
  // Each of these, without quotes or unescaped, was refused or read as something else by sigs.k8s.io/yaml 1.6 or
  // PyYAML 6.0; quoted, both read all of them back.
  it.each([
    ["a\u007f", '"a\\u007f"'],
    ["a\u0085b", '"a\\u0085b"'],
    ["\u2028", '"\\u2028"'],
    ["x\ny\u2029", '"x\\ny\\u2029"'],
    ["\ufeff", '"\\ufeff"'],
    ["a\tb", '"a\\tb"'],
    ["\ta\n", '"\\ta\\n"'],
    [" \n", '"\\ \\n"'],
    ["0o17_1", '"0o17_1"'],
    ["=", '"="'],
    ["yes", '"yes"'],
    ["0755", '"0755"'],
    // Common and undisputed: no quotes.
    ["arn:aws:iam::111122223333:role/web", "arn:aws:iam::111122223333:role/web"],
    ["a==", "a=="],
    ["a:\n\tb\n", "|\n  a:\n  \tb\n"],
  ])("writes %j so that Kubernetes' reader takes it", (text, expected) => {
    expect(yamlText({ a: text })).toBe(`a: ${expected}\n`.replace(/\n\n$/, "\n"));
  });

  it("comes back the same from a 1.1 and a 1.2 reader, in every position", () => {
    fc.assert(
      fc.property(nasty, nasty, (text, key) => {
        const value = { [`k${key}`]: text, list: [text, { deep: text }], block: `first\n${text}` };
        const yaml = yamlText(value);
        expect(parse(yaml, { version: "1.1" })).toEqual(value);
        expect(parse(yaml, { version: "1.2" })).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });
});

describe("boundYaml", () => {
  it("gives the bytes that a literal would have given", () => {
    fc.assert(
      fc.property(nasty, nasty, (text, around) => {
        const literal = around.replaceAll("@late(", "");
        const of = (value: string): string =>
          ["a", "b"]
            .map((kind) => yamlText({ kind, data: { x: `${literal}${value}`, y: [value], z: "plain" } }))
            .join("---\n");
        const late = placeholder("a_b.c.d");
        const bound = boundYaml(of(late), "f", (scalar) => scalar.replaceAll(late, () => text));
        expect(bound).toBe(of(text));
      }),
      { numRuns: 500 },
    );
  });
});
