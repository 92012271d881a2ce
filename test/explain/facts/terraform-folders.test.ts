/*
 * Files that Terraform applies together. Sources: developer.hashicorp.com/terraform/language/files/override,
 * …/values/variables ("Variable Definition Precedence") and …/modules/sources ("Local Paths").
 */

import { describe, expect, it } from "vitest";
import { readFacts } from "../../../lib/explain/facts/facts";
import { providerOf } from "../../../lib/explain/facts/terraform";
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
    ["keep expressions of their caller that are not known", called({ v: "${var.w}" }), ["${1#var.w}"]],
    ["keep lists", called({ v: ["2"] }), ["${0#var.v}"]],
    [
      "take expressions of their caller",
      { "more.tf.json": { locals: { v: "2" } }, ...called({ v: "${local.v}" }) },
      ["2"],
    ],
    [
      "take what their caller is given",
      {
        "main.tf.json": { module: { n: { source: "./n", w: "2" } } },
        "n/main.tf.json": { module: { m: { source: "../m", v: "${var.w}-3" } }, variable: { w: {} } },
        "m/main.tf.json": module,
      },
      ["2-3"],
    ],
    [
      "keep what a caller is given that is there twice",
      {
        "main.tf.json": { module: { n: { source: "./n", w: "2" }, o: { source: "./n", w: "3" } } },
        "n/main.tf.json": { module: { m: { source: "../m", v: "${var.w}" } }, variable: { w: {} } },
        "m/main.tf.json": module,
      },
      ["${0#var.v}"],
    ],
    [
      "below a folder with a configuration that nobody calls are perhaps there",
      { "main.tf": "", "a/m/x.tf.json": module },
      [PERHAPS],
    ],
    [
      "below such a folder, with a provider, are applied by themselves",
      { "main.tf": "", "m/x.tf.json": { ...module, provider: { aws: {} } } },
      ["1"],
    ],
    [
      "below such a folder, where Terraform was run, are applied by themselves",
      { "main.tf": "", "m/x.tf.json": module, "m/.terraform.lock.hcl": "" },
      ["1"],
    ],
    [
      "below such a folder, with a state of their own, are applied by themselves",
      { "main.tf": "", "m/x.tf.json": { ...module, terraform: { backend: { s3: {} } } } },
      ["1"],
    ],
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

  const account = (id: string, alias?: string): object => ({
    allowed_account_ids: [id],
    ...(alias && { alias }),
  });
  const two = { aws: [account("1"), account("${local.two}", "two")] };

  it.each<[string, object, unknown]>([
    ["the caller's default one", { provider: two, module: { m: { source: "./m" } } }, ["1"]],
    [
      "the one that the call names",
      {
        provider: two,
        locals: { two: "2" },
        module: { m: { source: "./m", providers: { aws: "aws.two" } } },
      },
      ["2"],
    ],
    [
      "the one that the call names, as an expression",
      {
        provider: two,
        locals: { two: "2" },
        module: { m: { source: "./m", providers: { aws: "${aws.two}" } } },
      },
      ["2"],
    ],
    [
      "no other where the one that the call names is not there",
      { provider: two, module: { m: { source: "./m", providers: { aws: "aws.three" } } } },
      undefined,
    ],
    [
      "the default one beside others that the call names",
      { provider: two, module: { m: { source: "./m", providers: { "aws.other": "aws.two" } } } },
      ["1"],
    ],
  ])("have of providers: %s", (_, main, expected) => {
    const { terraform } = facts({ "main.tf.json": main, "m/main.tf.json": x({ a: "1" }) });
    expect(terraform.ofType("aws_x").map((each) => providerOf(each)["allowed_account_ids"])).toEqual([
      expected,
    ]);
  });

  it("have what several callers hand down, late where it differs", () => {
    const call = (aws: string): object => ({ source: "./n", providers: { aws } });
    const files = {
      "main.tf.json": {
        provider: {
          aws: [
            { region: "r", ...account("1") },
            { region: "r", ...account("2", "two") },
          ],
        },
        module: { a: call("aws"), b: call("aws.two") },
      },
      "n/main.tf.json": { module: { m: { source: "../m" } } },
      "m/main.tf.json": x({ a: "1" }),
    };
    const [only] = facts(files).terraform.ofType("aws_x");
    expect(only && providerOf(only)).toMatchObject({ region: "r", allowed_account_ids: ["${unread}"] });
  });

  it("have nothing that one of several callers does not hand down", () => {
    const files = {
      "main.tf.json": {
        provider: { aws: account("1") },
        module: { a: { source: "./n" }, b: { source: "./n", providers: { aws: "aws.unread" } } },
      },
      "n/main.tf.json": { module: { m: { source: "../m" } } },
      "m/main.tf.json": x({ a: "1" }),
    };
    const [only] = facts(files).terraform.ofType("aws_x");
    expect(only && providerOf(only)).toEqual({ allowed_account_ids: ["${unread}"] });
  });

  it("that call each other in a circle are perhaps there", () => {
    const files = {
      "a/main.tf.json": { ...x({ a: "1" }), module: { b: { source: "../b" } } },
      "b/main.tf.json": { ...x({ a: "2" }), module: { a: { source: "../a" } } },
    };
    expect(resolved(files)).toEqual([PERHAPS, "${1#perhaps.there}"]);
    expect(facts(files).terraform.ofType("aws_x").map(providerOf)).toEqual([{}, {}]);
  });
});
