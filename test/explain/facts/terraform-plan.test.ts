/*
 * Source of the shapes: developer.hashicorp.com/terraform/internals/json-format, "Plan Representation".
 */

import { describe, expect, it } from "vitest";
import type { TerraformResource } from "../../../lib/explain/facts/terraform";
import { readTerraformShow } from "../../../lib/explain/facts/terraform-show";

interface Planned {
  readonly address?: string;
  readonly values?: object;
  readonly unknown?: object;
  readonly expressions?: object;
  readonly forEach?: object;
}

function planned({
  address = "aws_x.a",
  values = {},
  unknown = {},
  expressions,
  forEach: for_each_expression,
}: Planned): TerraformResource {
  const configured =
    expressions === undefined ? [] : [{ address: "aws_x.a", expressions, for_each_expression }];
  const scope = readTerraformShow(
    0,
    {
      format_version: "1.2",
      planned_values: { root_module: { resources: [{ address, mode: "managed", type: "aws_x", values }] } },
      resource_changes: [{ address, change: { after_unknown: unknown } }],
      configuration: { root_module: { resources: configured } },
    },
    { file: "plan.json", path: "" },
  );
  const resource = scope.resources.get(address);
  if (!resource) throw new Error("no resource");
  return resource;
}

const references = (...given: string[]): object => ({ references: given });

describe("what is not known", () => {
  const LATE = "${unread}";

  it.each<[string, Planned, object]>([
    [
      "an argument",
      { unknown: { boundary: true }, expressions: { boundary: references("var.b") } },
      { boundary: "${0#aws_x.a.boundary}" },
    ],
    [
      "what nobody configured and the provider computes is no argument",
      { unknown: { arn: true, inline_policy: true }, expressions: {} },
      {},
    ],
    [
      "a block that `dynamic` makes, which no configuration of a plan mentions",
      { unknown: { condition: true }, expressions: {} },
      { condition: "${0#aws_x.a.condition}" },
    ],
    [
      "anything of a resource without configuration",
      { unknown: { role: true } },
      { role: "${0#aws_x.a.role}" },
    ],
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
    expect(planned(plan).values).toEqual(expected);
  });
});

describe("a reference stands in", () => {
  const role = (...given: string[]): unknown =>
    planned({ unknown: { role: true }, expressions: { role: references(...given) } }).values["role"];

  it.each<[string, readonly string[], string]>([
    ["where it is one attribute", ["aws_y.b.name", "aws_y.b"], "${aws_y.b.name}"],
    ["with the key of an instance", ["aws_y.b[0].name", "aws_y.b[0]", "aws_y.b"], "${aws_y.b[0].name}"],
    [
      "as one of two",
      ["aws_y.b.name", "aws_y.b", "aws_y.c.name"],
      "${[aws_y.b.name, aws_y.b, aws_y.c.name]}",
    ],
    ["as one where a condition chooses", ["var.x", "aws_y.b.name"], "${[var.x, aws_y.b.name]}"],
  ])("%s", (_, given, expected) => {
    expect(role(...given)).toBe(expected);
  });

  it.each<[string, readonly string[], string]>([
    ["scope", ["aws_y.b.id", "aws_y.b", "aws_y.c.id"], "${0#aws_x.a.scope}"],
    ["scope", ["var.x", "aws_y.b.id", "aws_y.b"], "${0#aws_x.a.scope}"],
    ["roles", ["aws_y.b.name", "aws_y.b"], "${[aws_y.b.name, aws_y.b]}"],
  ])("of %s: %j", (attribute, given, expected) => {
    const plan = { unknown: { [attribute]: true }, expressions: { [attribute]: references(...given) } };
    expect(planned(plan).values[attribute]).toBe(expected);
  });
});

describe("roles of which some are not known", () => {
  it("stand for all that the expression mentions", () => {
    const plan = {
      values: { roles: ["x", null] },
      unknown: { roles: [false, true] },
      expressions: { roles: references("aws_iam_role.web.name", "aws_iam_role.web") },
    };
    expect(planned(plan).values["roles"]).toEqual(["x", "${[aws_iam_role.web.name, aws_iam_role.web]}"]);
  });

  it.each<[string, object, string]>([
    ["each.value", references("aws_iam_role.web.name"), "${[each.value, aws_iam_role.web.name]}"],
    ["each.value", {}, "${each.value}"],
    ["var.role", references("aws_iam_role.web.name"), "${var.role}"],
  ])("%s for each of %j", (reference, forEach, expected) => {
    const plan = { unknown: { role: true }, expressions: { role: references(reference) }, forEach };
    expect(planned(plan).values["role"]).toBe(expected);
  });
});

describe("provider and references in modules", () => {
  const resource = {
    address: "aws_x.a",
    provider_config_key: "aws.batch",
    expressions: { role: references("aws_y.b.name", "aws_y.b") },
  };
  const modules = {
    m: { module: { resources: [resource], module_calls: { n: { module: { resources: [resource] } } } } },
  };

  it.each([
    ["aws_x.a", "${aws_y.b.name}"],
    ["aws_x.a[0]", "${aws_y.b.name}"],
    ['aws_x.a["k.x"]', "${aws_y.b.name}"],
    ["module.m.aws_x.a", "${module.m.aws_y.b.name}"],
    ['module.m["a.b"].aws_x.a[1]', '${module.m["a.b"].aws_y.b.name}'],
    ["module.m.module.n[0].aws_x.a", "${module.m.module.n[0].aws_y.b.name}"],
  ])("%s", (address, role) => {
    const scope = readTerraformShow(
      0,
      {
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
      },
      { file: "plan.json", path: "" },
    );
    const read = scope.resources.get(address);
    expect([read?.provider, read?.values["role"]]).toEqual(["aws.batch", role]);
    expect(scope.providers.get("aws.batch")).toEqual({ region: "r" });
  });
});
