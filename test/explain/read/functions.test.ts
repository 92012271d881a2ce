/*
 * The functions and operators of Terraform that explain evaluates, and what it leaves alone. Where the terraform program
 * is on the PATH, it says the same.
 */

import { describe, expect, it, test } from "vitest";
import { Terraform } from "../../../lib/explain/read/terraform";
import { readConfiguration } from "../../../lib/explain/read/terraform-configuration";
import { shown } from "../../../lib/model/known";
import { plainOf } from "../../../lib/model/tree";
import { folderOf } from "../../fixtures/explain/artefacts";
import { noTerraform, runTerraform } from "../../support/terraform-program";

/** An expression and its value as JSON. */
const ROWS: readonly (readonly [expression: string, value: string])[] = [
  ['replace("https://a/b", "https://", "")', '"a/b"'],
  ['replace("a.b.c", ".", "-")', '"a-b-c"'],
  ['replace("a$b", "$", "$&")', '"a$&b"'],
  ['trimprefix("https://a", "https://")', '"a"'],
  ['trimsuffix("a/", "/")', '"a"'],
  ['trimspace("  a\\n")', '"a"'],
  ['lower("Shop")', '"shop"'],
  ['upper("shop")', '"SHOP"'],
  ['startswith("https://a", "https://")', "true"],
  ['endswith("a", "/")', "false"],
  ['split("/", "a/b")', '["a","b"]'],
  ['split("/", "a/b")[1]', '"b"'],
  ['element(split(":", "x:y:z"), 4)', '"y"'],
  ['join(",", ["a", "b"])', '"a,b"'],
  ['join("", [])', '""'],
  ['format("system:serviceaccount:%s:%s", "shop", "web")', '"system:serviceaccount:shop:web"'],
  ['format("%d%%", 5)', '"5%"'],
  ['jsonencode({ b = [1, true, null], a = "x" })', '"{\\"a\\":\\"x\\",\\"b\\":[1,true,null]}"'],
  ['jsonencode("<&>")', '"\\"\\\\u003c\\\\u0026\\\\u003e\\""'],
  ['jsonencode({ "a:b" : { (upper("c")) = 1 } })', '"{\\"a:b\\":{\\"C\\":1}}"'],
  ['jsondecode("{\\"a\\": [1]}").a[0]', "1"],
  ['length("é日")', "2"],
  ['length(["a", "b"])', "2"],
  ["length({ a = 1 })", "1"],
  ['one(["a"])', '"a"'],
  ['coalesce(null, "", "a")', '"a"'],
  ['try("a", "b")', '"a"'],
  ['concat(["a"], ["b", "c"])', '["a","b","c"]'],
  ['flatten(["a", ["b"]])', '["a","b"]'],
  ['compact(["a", "", null])', '["a"]'],
  ["merge({ a = 1 }, { a = 2, b = 3 })", '{"a":2,"b":3}'],
  ['lookup({ a = "x" }, "a", "y")', '"x"'],
  ['lookup({ a = "x" }, "b", "y")', '"y"'],
  ["keys({ b = 1, a = 2 })", '["a","b"]'],
  ["values({ b = 1, a = 2 })", "[2,1]"],
  ['contains(["a"], "a")', "true"],
  ['contains(["a"], "b")', "false"],
  ['true ? "a" : "b"', '"a"'],
  ['1 == 2 ? "a" : 1 != 2 ? "c" : "d"', '"c"'],
  ['"a" == "a" && !(1 > 2)', "true"],
  ["false || 2 >= 2 && 1 < 2", "true"],
  ['"1" == 1', "false"],
  ["null == null", "true"],
  ['length([]) > 0 ? "a" : "b"', '"b"'],
  ['{ a = { "b" = "c" } }.a.b', '"c"'],
  ["{ a = 1\n b = 2 }", '{"a":1,"b":2}'],
  ['[{ a = "x" }, { a = "y" }][*].a', '["x","y"]'],
  ['one([{ a = { b = "x" } }].*.a.b)', '"x"'],
];

function evaluated(expression: string): unknown {
  const terraform = new Terraform([]);
  const source = { file: "cdk.tf.json", path: "" };
  const value = { locals: { it: `\${${expression}}` }, resource: { aws_eks_cluster: { c: {} } } };
  const scope = readConfiguration(terraform, "", [{ value, source }], undefined);
  const tree = scope.evaluated("${local.it}");
  return plainOf(tree, (unknown) => shown(unknown));
}

test.each(ROWS)("%s", (expression, value) => {
  expect(JSON.stringify(evaluated(expression))).toBe(value);
});

describe("of a value that only apply tells", () => {
  const late = "aws_eks_cluster.c.issuer";
  it.each([
    ["a host by replace", `replace(${late}, "https://", "")`, `trimprefix(${late}, "https://")`],
    ["a host by split", `split("https://", ${late})[1]`, `trimprefix(${late}, "https://")`],
    ["a host by element", `element(split("//", ${late}), 1)`, `trimprefix(${late}, "https://")`],
    ["a joined text", `join(":", [${late}, "sub"])`, `format("%s:%s", ${late}, "sub")`],
    ["JSON", `jsondecode(jsonencode({ a = ${late} })).a`, late],
    ["a known condition", `true ? ${late} : "b"`, late],
  ])("%s", (_, one, other) => {
    expect(evaluated(one)).toEqual(evaluated(other));
  });

  it.each([
    `replace(${late}, "a", "b")`,
    `replace("abc", "/b/", "x")`,
    `split("/", ${late})`,
    `length(${late})`,
    `coalesce(${late}, "a")`,
    `try(${late}, "a")`,
    `contains(["a"], ${late})`,
    `${late} == "a" ? "b" : "c"`,
    `compact([${late}])`,
    `format("%q", "a")`,
    "one([])",
    `merge({}, ${late})`,
    "1 + 1",
    "[for x in [1] : x]",
    'sha256("a")',
  ])("%s is not evaluated", (expression) => {
    expect(evaluated(expression)).toMatch(/^<.*>$/s);
  });
});

test.skipIf(noTerraform)("terraform says the same", () => {
  const locals = ROWS.map(([expression], place) => `  v${place} = jsonencode(${expression})`);
  const folder = folderOf({
    "main.tf": `locals {\n${locals.join("\n")}\n}\noutput "all" {\n  value = [${ROWS.map((_, place) => `local.v${place}`).join(", ")}]\n}\n`,
  });
  runTerraform(folder, "init", "-input=false");
  runTerraform(folder, "apply", "-auto-approve", "-input=false");
  const all = JSON.parse(runTerraform(folder, "output", "-json", "all")) as readonly string[];
  const plain = (text: string): unknown => JSON.parse(text) as unknown;
  expect(all.map(plain)).toEqual(ROWS.map(([, value]) => plain(value)));
});
