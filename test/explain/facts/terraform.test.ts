import { describe, expect, it } from "vitest";
import { computedAttributes } from "../../../lib/explain/clouds/clouds";
import { Terraform, sameText } from "../../../lib/explain/facts/terraform";
import {
  isTerraformConfiguration,
  readTerraformConfiguration,
} from "../../../lib/explain/facts/terraform-configuration";
import { readTerraformShow } from "../../../lib/explain/facts/terraform-show";

const source = { file: "main.tf.json", path: "" };

function terraform(...values: readonly unknown[]): Terraform {
  const scopes = values.map((value, id) => readTerraformConfiguration(id, [{ value, source }]));
  return new Terraform(scopes, computedAttributes);
}

function resolved(text: string, value: unknown): string {
  const read = terraform(value);
  const [scope] = read.scopes;
  if (!scope) throw new Error("no scope");
  return read.resolve(text, scope);
}

describe("references", () => {
  const configuration = {
    locals: [{ host: "example.com" }, { url: "https://${local.host}" }],
    variable: { region: { default: "eu-west-1" }, open: {} },
    resource: {
      aws_x: { "a-b": { name: "n", nested: [{ inner: "${local.url}" }], loop: "${aws_x.a-b.loop}" } },
    },
  };

  it.each([
    ["plain", "plain"],
    ["${local.url}/p", "https://example.com/p"],
    ["${var.region}", "eu-west-1"],
    ["${aws_x.a-b.nested[0].inner}", "https://example.com"],
    ["${aws_x.a-b.nested.0.inner}", "https://example.com"],
    ["${ aws_x.a-b.name }", "n"],
    // What only apply tells stays, told apart by its document.
    ["${aws_x.a-b.arn}", "${0#aws_x.a-b.arn}"],
    ["${var.open}", "${0#var.open}"],
    ["${aws_x.none.arn}", "${0#aws_x.none.arn}"],
    ["${upper(local.url)}", "${0#upper(local.url)}"],
    // Terraform's escape for a literal; IAM's policy variables are written so.
    ["$${aws:username}", "${aws:username}"],
  ])("%s is %s", (text, expected) => {
    expect(resolved(text, configuration)).toBe(expected);
  });

  it("end where they go round in a circle", () => {
    expect(resolved("${aws_x.a-b.loop}", configuration)).toBe("${0#aws_x.a-b.loop}");
  });

  it("of two documents are two values", () => {
    const value = { resource: { aws_x: { a: {} } } };
    const read = terraform(value, value);
    const [one, other] = read.scopes.map((scope) => read.resolve("${aws_x.a.id}", scope));
    expect(sameText(one ?? "", other ?? "")).toBe("unknown");
    expect(sameText(one ?? "", one ?? "")).toBe("same");
    expect(read.referred(other ?? "", "id")?.scope.id).toBe(1);
    expect(read.referred(other ?? "", "arn")).toBeUndefined();
  });
});

describe("resources that may not be there", () => {
  const names = (resource: object): unknown =>
    terraform({ resource: { aws_x: { a: { name: "n", role: "r", ...resource } } } })
      .ofType("aws_x")
      .map(({ values }) => [values["name"], values["role"]]);

  it.each<[string, object, unknown]>([
    ["one", {}, [["n", "r"]]],
    ["count 1", { count: 1 }, [["n", "r"]]],
    ["count 0", { count: 0 }, []],
    ['count "0"', { count: "0" }, []],
    ["count of an expression", { count: "${var.on ? 1 : 0}" }, [["${perhaps.there}", "r"]]],
    ["for_each", { for_each: ["a"] }, [["${perhaps.there}", "r"]]],
  ])("%s", (_, resource, expected) => {
    expect(names(resource)).toEqual(expected);
  });
});

describe("forms", () => {
  it.each<[string, unknown]>([
    ["blocks in lists", { resource: [{ aws_x: [{ a: [{ name: "n" }] }] }] }],
    ["blocks in objects", { resource: { aws_x: { a: { name: "n" } } } }],
  ])("%s", (_, value) => {
    expect(
      terraform(value)
        .ofType("aws_x")
        .map(({ values }) => values["name"]),
    ).toEqual(["n"]);
  });

  it("is no configuration where it is a Kubernetes object", () => {
    expect(isTerraformConfiguration({ kind: "Widget", resource: {} })).toBe(false);
    expect(isTerraformConfiguration({ resource: {} })).toBe(true);
  });
});

it("takes of the state before a plan only what was looked up", () => {
  const resource = (mode: string, name: string): object => ({
    address: `${mode === "data" ? "data." : ""}aws_x.${name}`,
    mode,
    type: "aws_x",
    name,
    values: { name },
  });
  const scope = readTerraformShow(
    0,
    {
      format_version: "1.2",
      planned_values: {
        root_module: {
          resources: [resource("managed", "new"), { ...resource("managed", "late"), values: { name: null } }],
        },
      },
      prior_state: {
        values: { root_module: { resources: [resource("managed", "gone"), resource("data", "seen")] } },
      },
      configuration: {
        root_module: {
          resources: [
            {
              address: "aws_x.late",
              expressions: {
                role: { references: ["aws_x.new.name", "aws_x.new"] },
                name: { references: ["var.x"] },
              },
            },
          ],
        },
      },
    },
    source,
  );
  const read = new Terraform([scope], []);
  expect(
    read
      .ofType("aws_x")
      .map((each) => [each.address, each.adopted, read.text(each, "name"), read.text(each, "role")]),
  ).toEqual([
    ["data.aws_x.seen", true, "seen", ""],
    ["aws_x.new", false, "new", ""],
    // A reference stands in only where the argument holds nothing else.
    ["aws_x.late", false, "", "new"],
  ]);
});

// developer.hashicorp.com/terraform/language/expressions/strings, "Escape Sequences" and "Directives".
it.each([
  ["a literal percent sign without any expression", "100%%{x}", "100%{x}"],
  ["a literal dollar sign without any expression", "$${aws:username}", "${aws:username}"],
  ["both, beside an expression", "%%{a}$${b}${local.c}", "%{a}${b}c"],
  [
    "a directive is known after apply",
    "a%{ if var.x }b%{ endif }",
    "a${0#directive if var.x}b${0#directive endif}",
  ],
  ["a percent sign alone", "100% {", "100% {"],
])("resolves %s", (_, written, expected) => {
  const read = terraform({ locals: { c: "c" }, resource: { aws_x: { x: { name: written } } } });
  expect(read.ofType("aws_x").map((each) => read.text(each, "name"))).toEqual([expected]);
});

describe("policy documents as data source", () => {
  const json = (statement: object, more: object = {}): unknown => {
    const read = terraform({ data: { aws_iam_policy_document: { d: { statement: [statement], ...more } } } });
    const [resource] = read.ofType("aws_iam_policy_document");
    const text = resource ? read.attribute(resource, "json") : "";
    return text.startsWith("${") ? text : (JSON.parse(text) as { Statement: unknown[] }).Statement[0];
  };

  // registry.terraform.io/providers/hashicorp/aws, data source aws_iam_policy_document.
  it.each<[string, object, object]>([
    [
      "defaults to Allow",
      { actions: ["a:B"], resources: ["*"] },
      { Effect: "Allow", Action: ["a:B"], Resource: ["*"] },
    ],
    [
      "the negated forms",
      { effect: "Deny", sid: "S", not_actions: ["a:B"], not_resources: ["x"] },
      { Effect: "Deny", Sid: "S", NotAction: ["a:B"], NotResource: ["x"] },
    ],
    [
      "principals by type",
      {
        principals: [
          { type: "AWS", identifiers: ["1"] },
          { type: "AWS", identifiers: ["2"] },
        ],
      },
      { Effect: "Allow", Principal: { AWS: ["1", "2"] } },
    ],
    ["everybody", { principals: { type: "*", identifiers: ["*"] } }, { Effect: "Allow", Principal: "*" }],
    [
      "conditions by operator",
      {
        condition: [
          { test: "StringEquals", variable: "a:b", values: ["c"] },
          { test: "StringEquals", variable: "d:e", values: ["f"] },
        ],
      },
      { Effect: "Allow", Condition: { StringEquals: { "a:b": ["c"], "d:e": ["f"] } } },
    ],
  ])("%s", (_, statement, expected) => {
    expect(json(statement)).toEqual(expected);
  });

  it("stay open where statements come from elsewhere", () => {
    expect(json({}, { source_policy_documents: ["x"] })).toBe("${0#data.aws_iam_policy_document.d.json}");
  });
});
