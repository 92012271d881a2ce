/*
 * What `terraform show -json` says of arguments that a plan does not know yet.
 * Source of the shapes: developer.hashicorp.com/terraform/internals/json-format, "Plan Representation".
 */

import { describe, expect, it } from "vitest";
import type { Resource } from "../../../lib/explain/read/block";
import { Terraform } from "../../../lib/explain/read/terraform";
import { readTerraformShow } from "../../../lib/explain/read/terraform-show";
import { type Known, known, match, orElse, whyText } from "../../../lib/model/known";
import { plainOf } from "../../../lib/model/tree";

interface Planned {
  readonly address?: string;
  readonly values?: object;
  readonly unknown?: object;
  readonly expressions?: object;
  readonly forEach?: object;
}

const LATE = "(late)";
const source = { file: "plan.json", path: "" };

function planned({
  address = "aws_x.a",
  values = {},
  unknown = {},
  expressions,
  forEach: for_each_expression,
}: Planned): Resource {
  const configured =
    expressions === undefined ? [] : [{ address: "aws_x.a", expressions, for_each_expression }];
  const document = {
    format_version: "1.2",
    planned_values: { root_module: { resources: [{ address, mode: "managed", type: "aws_x", values }] } },
    resource_changes: [{ address, change: { after_unknown: unknown } }],
    configuration: { root_module: { resources: configured } },
  };
  const [resource] = readShown(document);
  if (!resource) throw new Error("no resource");
  return resource;
}

function readShown(document: object): readonly Resource[] {
  const terraform = new Terraform([]);
  readTerraformShow(terraform, { ...document }, source);
  return terraform.ofType("aws_x");
}

const plain = (resource: Resource): object =>
  Object.fromEntries(resource.names.map((name) => [name, plainOf(resource.tree(name), LATE)]));
const said = (value: Known<string | undefined>): string =>
  match(value, (text) => text ?? "(absent)", whyText);
const references = (...given: string[]): object => ({ references: given });

describe("what is not known", () => {
  it.each<[string, Planned, object]>([
    [
      "an argument",
      { unknown: { boundary: true }, expressions: { boundary: references("var.b") } },
      { boundary: LATE },
    ],
    [
      "what is not configured and the provider computes is no argument",
      { unknown: { arn: true, inline_policy: true }, expressions: {} },
      {},
    ],
    [
      "a block that `dynamic` makes, which no configuration of a plan mentions",
      { unknown: { condition: true }, expressions: {} },
      { condition: LATE },
    ],
    ["anything of a resource without configuration", { unknown: { role: true } }, { role: LATE }],
    [
      "an argument of a block",
      { values: { inline_policy: [{ name: "n" }] }, unknown: { inline_policy: [{ policy: true }] } },
      { inline_policy: [{ name: "n", policy: LATE }] },
    ],
    [
      "elements of a list",
      { values: { ids: ["a", null] }, unknown: { ids: [false, true] }, expressions: { ids: {} } },
      { ids: ["a", LATE] },
    ],
    [
      "a block among others",
      { values: { statement: [{ sid: "a" }] }, unknown: { statement: [{}, true] }, expressions: {} },
      { statement: [{ sid: "a" }, LATE] },
    ],
    [
      "one value of a map",
      { values: { mapping: { a: "x" } }, unknown: { mapping: { b: true } }, expressions: { mapping: {} } },
      { mapping: { a: "x", b: LATE } },
    ],
    ["nothing", { values: { a: "x" }, unknown: { b: false, c: [{}] }, expressions: {} }, { a: "x" }],
  ])("%s", (_, plan, expected) => {
    expect(plain(planned(plan))).toEqual(expected);
  });
});

describe("a reference of the configuration is the value", () => {
  const role = (...given: string[]): string =>
    said(planned({ unknown: { role: true }, expressions: { role: references(...given) } }).text("role"));

  it.each<[string, readonly string[], string]>([
    ["where it is one attribute", ["aws_y.b.name", "aws_y.b"], "<aws_y.b.name>"],
    ["with the key of an instance", ["aws_y.b[0].name", "aws_y.b[0]", "aws_y.b"], "<aws_y.b[0].name>"],
    [
      "as one of two, which stays open",
      ["aws_y.b.name", "aws_y.b", "aws_y.c.name"],
      "<one(aws_y.b.name, aws_y.b, aws_y.c.name)>",
    ],
  ])("%s", (_, given, expected) => {
    expect(role(...given)).toBe(expected);
  });

  it.each<[string, readonly string[]]>([
    ["scope", ["aws_y.b.id", "aws_y.b", "aws_y.c.id"]],
    ["scope", ["var.x", "aws_y.b.id", "aws_y.b"]],
  ])("but not of %s: %j", (attribute, given) => {
    const plan = { unknown: { [attribute]: true }, expressions: { [attribute]: references(...given) } };
    expect(said(planned(plan).text(attribute))).toBe(`<aws_x.a.${attribute}>`);
  });
});

describe("roles of which some are not known", () => {
  const target = { address: "aws_iam_role.web", type: "aws_x", mode: "managed", values: {} };
  const mentioned = (attribute: string, plan: Planned): readonly string[] => {
    const document = {
      format_version: "1.2",
      planned_values: {
        root_module: {
          resources: [
            target,
            { address: "aws_x.a", mode: "managed", type: "aws_x", values: plan.values ?? {} },
          ],
        },
      },
      resource_changes: [{ address: "aws_x.a", change: { after_unknown: plan.unknown } }],
      configuration: {
        root_module: {
          resources: [
            { address: "aws_x.a", expressions: plan.expressions, for_each_expression: plan.forEach },
          ],
        },
      },
    };
    const asked = readShown(document).find(({ address }) => address === "aws_x.a");
    return (asked?.mentioned(attribute) ?? []).map(({ address }) => address);
  };

  it("may be all that the expression mentions", () => {
    const expressions = { roles: references("aws_iam_role.web.name", "aws_iam_role.web") };
    const plan = { values: { roles: ["x", null] }, unknown: { roles: [false, true] }, expressions };
    expect(new Set(mentioned("roles", plan))).toEqual(new Set(["aws_iam_role.web"]));
  });

  it.each<[string, object, readonly string[]]>([
    ["each.value", references("aws_iam_role.web.name"), ["aws_iam_role.web"]],
    ["each.value", {}, []],
    ["var.role", references("aws_iam_role.web.name"), []],
  ])("%s for each of %j", (reference, forEach, expected) => {
    const plan = { unknown: { role: true }, expressions: { role: references(reference) }, forEach };
    expect(mentioned("role", plan)).toEqual(expected);
  });
});

describe("provider and references in modules", () => {
  const resource = {
    address: "aws_x.a",
    provider_config_key: "aws.batch",
    expressions: {
      role: references("aws_y.b.name", "aws_y.b"),
      policy_arn: references("aws_y.local.arn", "aws_y.local"),
      scope: references("local.scope"),
    },
  };
  const modules = {
    m: { module: { resources: [resource], module_calls: { n: { module: { resources: [resource] } } } } },
  };

  it.each([
    ["aws_x.a", "<aws_y.b.name>"],
    ["aws_x.a[0]", "<aws_y.b.name>"],
    ['aws_x.a["k.x"]', "<aws_y.b.name>"],
    ["module.m.aws_x.a", "<module.m.aws_y.b.name>"],
    ['module.m["a.b"].aws_x.a[1]', '<module.m["a.b"].aws_y.b.name>'],
    ["module.m.module.n[0].aws_x.a", "<module.m.module.n[0].aws_y.b.name>"],
  ])("%s", (address, role) => {
    const [read] = readShown({
      format_version: "1.2",
      planned_values: {
        root_module: { child_modules: [{ resources: [{ address, type: "aws_x", values: {} }] }] },
      },
      configuration: {
        provider_config: {
          "aws.batch": { name: "aws", alias: "batch", expressions: { region: { constant_value: "r" } } },
        },
        root_module: { resources: [resource], module_calls: modules },
      },
    });
    const texts = ["role", "policy_arn", "scope"].map((name) => said(read?.text(name) ?? known("none")));
    // A resource may be named like the prefix of a local value.
    expect(texts).toEqual([role, role.replace("b.name", "local.arn"), "<local.scope>"]);
    expect(read?.providerKey).toBe("aws.batch");
    expect(orElse(read?.provider.text("region") ?? known("none"), () => "late")).toBe("r");
  });
});

// The key of a module may be written like the type of a resource.
it.each([
  "",
  "module.m.",
  "module.m[0].",
  'module.m["web"].',
  'module.m["aws_y"].',
  'module.m["a"].module.n["b"].',
])("follows references between the resources of %j", (module) => {
  const resource = { address: "aws_x.a", expressions: { role: references("aws_y.b.name", "aws_y.b") } };
  const inner = { resources: [resource], module_calls: { n: { module: { resources: [resource] } } } };
  const resources = [
    { address: `${module}aws_x.a`, type: "aws_x", values: {} },
    { address: `${module}aws_y.b`, type: "aws_y", values: { name: "there" } },
  ];
  const [read] = readShown({
    format_version: "1.2",
    planned_values: { root_module: { child_modules: [{ resources }] } },
    configuration: { root_module: { resources: [resource], module_calls: { m: { module: inner } } } },
  });
  expect(said(read?.text("role") ?? known("none"))).toBe("there");
});

it("takes of the state before a plan only what was looked up", () => {
  const resource = (mode: string, name: string): object => ({
    address: `${mode === "data" ? "data." : ""}aws_x.${name}`,
    mode,
    type: "aws_x",
    name,
    values: { name },
  });
  const read = readShown({
    format_version: "1.2",
    planned_values: { root_module: { resources: [resource("managed", "new")] } },
    prior_state: {
      values: { root_module: { resources: [resource("managed", "gone"), resource("data", "seen")] } },
    },
  });
  expect(read.map((each) => [each.address, each.adopted, said(each.text("name"))])).toEqual([
    ["data.aws_x.seen", true, "seen"],
    ["aws_x.new", false, "new"],
  ]);
});
