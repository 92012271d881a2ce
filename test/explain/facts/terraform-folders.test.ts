/*
 * Files that Terraform applies together. Sources: developer.hashicorp.com/terraform/language/files/override,
 * …/values/variables ("Variable Definition Precedence") and …/modules/sources ("Local Paths").
 */

import { describe, expect, it } from "vitest";
import { readFacts } from "../../../lib/explain/facts/facts";
import { folderOf } from "../../fixtures/explain/artefacts";

type Files = Readonly<Record<string, string | object>>;

function facts(files: Files): ReturnType<typeof readFacts> {
  const texts = Object.entries(files).map(([path, value]) => [
    path,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return readFacts([folderOf(Object.fromEntries(texts) as Record<string, string>)], {
    computed: [],
    cluster: {},
  });
}

/** The argument `a` of every resource, resolved. */
function resolved(files: Files): readonly string[] {
  const { terraform } = facts(files);
  return terraform.ofType("aws_x").map((each) => terraform.text(each, "a"));
}

const x = (body: object): object => ({ resource: { aws_x: { x: body } } });
const PERHAPS = "${0#perhaps.there}";

describe.each(["main.tf.json", "cdk.tf.json"])("beside %s", (main) => {
  it.each<[string, Files, readonly string[]]>([
    ["another file", { "z.tf.json": { resource: { aws_x: { y: { a: "2" } } } } }, ["1", "2"]],
    ["an override file", { "override.tf.json": x({ a: "2" }) }, ["2"]],
    ["an override file that comes before", { "a_override.tf.json": x({ a: "2" }) }, ["2"]],
    ["one that overrides another argument", { "a_override.tf.json": x({ b: "2" }) }, ["1"]],
    [
      "two of them, by name",
      { "b_override.tf.json": x({ a: "3" }), "a_override.tf.json": x({ a: "2" }) },
      ["3"],
    ],
    ["a second declaration, which Terraform refuses", { "z.tf.json": x({ a: "2" }) }, [PERHAPS]],
  ])("%s", (_, files, expected) => {
    expect(resolved({ [main]: x({ a: "1" }), ...files })).toEqual(expected);
  });

  const variable = { ...x({ a: "${var.v}" }), variable: { v: { default: "1" } } };

  it.each<[string, Files, readonly string[]]>([
    ["nothing", {}, ["1"]],
    ["values in JSON", { "terraform.tfvars.json": { v: "2" } }, ["2"]],
    ["values of others", { "terraform.tfvars.json": { w: "2" } }, ["1"]],
    [
      "the last of several",
      {
        "b.auto.tfvars.json": { v: "4" },
        "a.auto.tfvars.json": { v: "3" },
        "terraform.tfvars.json": { v: "2" },
      },
      ["4"],
    ],
    ["values in a file that nobody names", { "prod.tfvars.json": { v: "2" } }, ["1"]],
    ["values in Terraform's own syntax", { "terraform.tfvars": 'v = "2"' }, ["${0#var.v}"]],
    ["values of others in Terraform's own syntax", { "terraform.tfvars": 'w = "2"' }, ["1"]],
    ["values in JSON after such", { "terraform.tfvars": 'v = "2"', "z.auto.tfvars.json": { v: "3" } }, ["3"]],
    [
      "a text that looks like an expression",
      { "terraform.tfvars.json": { v: "${local.b}" } },
      ["${local.b}"],
    ],
    ["another default", { "override.tf.json": { variable: { v: { default: "2" } } } }, ["2"]],
    ["an override without default", { "override.tf.json": { variable: { v: { type: "string" } } } }, ["1"]],
  ])("variables: %s", (_, files, expected) => {
    expect(resolved({ [main]: variable, ...files })).toEqual(expected);
  });

  it("files in Terraform's own syntax are listed as skipped", () => {
    const { skipped } = facts({ [main]: x({}), "more.tf": "", "terraform.tfvars.json": {} });
    expect(skipped.map(({ source, reason }) => [source.file.split("/").at(-1), reason])).toEqual([
      ["more.tf", expect.stringContaining("its own syntax is not read")],
    ]);
  });
});

describe("modules of local folders", () => {
  const module = { ...x({ a: "${var.v}" }), variable: { v: { default: "1" } } };
  const called = (...calls: object[]): Files => ({
    "main.tf.json": {
      module: Object.fromEntries(calls.map((call, place) => [`m${place}`, { source: "./m", ...call }])),
    },
    "m/main.tf.json": module,
  });

  it.each<[string, Files, readonly string[]]>([
    ["that nobody calls are applied by themselves", { "m/main.tf.json": module }, ["1"]],
    ["take their defaults", called({}), ["1"]],
    ["take literal arguments", called({ v: "2" }), ["2"]],
    ["do not take expressions", called({ v: "${var.w}" }), ["${0#var.v}"]],
    ["are there once for each call", called({ v: "2" }, { v: "3" }), ["2", "3"]],
    ["are not there at count 0", called({ count: 0 }), []],
    ["are perhaps there", called({ for_each: ["a"] }), [PERHAPS]],
    [
      "take no values of variables from files",
      { ...called({}), "m/terraform.tfvars.json": { v: "2" } },
      ["1"],
    ],
  ])("%s", (_, files, expected) => {
    expect(resolved(files)).toEqual(expected);
  });

  it("that call each other in a circle are perhaps there", () => {
    const files = {
      "a/main.tf.json": { ...x({ a: "1" }), module: { b: { source: "../b" } } },
      "b/main.tf.json": { ...x({ a: "2" }), module: { a: { source: "../a" } } },
    };
    expect(resolved(files)).toEqual([PERHAPS, "${1#perhaps.there}"]);
  });
});
