import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documentsIn, readText } from "../../../lib/explain/read/documents";
import { lineOf, placeText } from "../../../lib/explain/read/source-lines";
import { filesIn } from "../../fixtures/explain/read";

const YAML = `# first comes a comment
apiVersion: v1
kind: A
metadata:
  annotations:
    a/b: "x"
    'c"d': y
spec:
  list:
    - 1
    - deep: {flow: [a, b]}
---
# an empty one

---
kind: B
text: |
  --- not a marker
  kind: C
alias: &x
  a: 1
other: *x
...
---
kind: D
`;

it.each<[number, string, number]>([
  [0, "", 2],
  [0, "kind", 3],
  [0, 'metadata.annotations["a/b"]', 6],
  [0, 'metadata.annotations["c\\"d"]', 7],
  [0, "spec.list[0]", 10],
  [0, "spec.list[1].deep.flow[1]", 11],
  [0, "spec.list[9].none", 9],
  [0, "spec (as Image/cluster).x", 8],
  [2, "", 16],
  [2, "text", 17],
  [2, "other.a", 22],
  [3, "kind", 25],
])("YAML: document %i, %s is line %i", (document, path, line) => {
  const file = join(filesIn({ "m.yaml": YAML }), "m.yaml");
  expect(lineOf({ file, document, path })).toBe(line);
});

it("documents are counted as they are read", () => {
  const file = join(filesIn({ "m.yaml": YAML }), "m.yaml");
  for (const { value, source } of documentsIn(readText(file), file))
    if (typeof value === "object" && value !== null)
      expect(readText(file).split("\n")[(lineOf({ ...source, path: "kind" }) ?? 0) - 1]).toBe(
        `kind: ${(value as { kind: string }).kind}`,
      );
});

const JSON_TEXT = `{
  "resource": {
    "aws_iam_role": {
      "a\\"b": { "name": "}{" },
      "web": {
        "policy": ["x", {"y": 1},
          "z"]
      }
    }
  },
  "output": 7
}
`;

it.each<[string, number]>([
  ["resource.aws_iam_role.web", 5],
  ['resource.aws_iam_role["a\\"b"].name', 4],
  ["resource.aws_iam_role.web.policy[2]", 7],
  ["resource.aws_iam_role.none", 3],
  ["output.x", 11],
])("JSON: %s is line %i", (path, line) => {
  const file = join(filesIn({ "m.json": JSON_TEXT }), "m.json");
  expect(lineOf({ file, path })).toBe(line);
});

it("has no line for what is gone, and for a file of one line", () => {
  const folder = filesIn({
    "one.json": '{"a": 1}',
    "none.yaml": "# nothing\n# at all\n",
    "null.yaml": "a:\n  ? \n  : 1\n  b:\n",
    "deep.json": `${"[".repeat(10_000)}\n${"]".repeat(10_000)}`,
  });
  expect(lineOf({ file: join(folder, "gone.yaml"), path: "a" })).toBeUndefined();
  expect(lineOf({ file: join(folder, "none.yaml"), path: "a" })).toBe(1);
  expect(lineOf({ file: join(folder, "null.yaml"), path: "a.b.c" })).toBe(4);
  expect(lineOf({ file: join(folder, "one.json"), path: "a" })).toBeUndefined();
  expect(lineOf({ file: join(folder, "deep.json"), path: "[0][0]" })).toBe(1);
});

it("is shown before the path", () => {
  const file = join(filesIn({ "m.yaml": YAML }), "m.yaml");
  expect(placeText({ file, document: 0, path: "metadata" })).toBe(`${file}:4 metadata`);
  writeFileSync(file, "");
  expect(placeText({ file: `${file}.gone`, path: "metadata" })).toBe(`${file}.gone metadata`);
});
