/*
 * The JSON that the provider makes of the blocks of a policy document.
 * Source: registry.terraform.io/providers/hashicorp/aws, data source aws_iam_policy_document.
 */

import { describe, expect, it } from "vitest";
import { computedAttributes } from "../../../lib/explain/every-cloud";
import { readConfiguration } from "../../../lib/explain/read/terraform-configuration";
import { Terraform } from "../../../lib/explain/read/terraform";
import { known, match } from "../../../lib/model/known";

/** The statements. */
function all(statement: object, more: object = {}): readonly unknown[] | "not known" {
  const terraform = new Terraform(computedAttributes);
  const value = { data: { aws_iam_policy_document: { d: { statement: [statement], ...more } } } };
  readConfiguration(terraform, "", [{ value, source: { file: "main.tf.json", path: "" } }], undefined);
  const [document] = terraform.ofType("aws_iam_policy_document");
  return match<string, readonly unknown[] | "not known">(
    document?.attribute("json") ?? known("{}"),
    (text) => (JSON.parse(text) as { readonly Statement: readonly unknown[] }).Statement,
    () => "not known",
  );
}

/** The first statement. */
const made = (statement: object): unknown => all(statement)[0];

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
  ["every principal", { principals: { type: "*", identifiers: ["*"] } }, { Effect: "Allow", Principal: "*" }],
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
  expect(made(statement)).toEqual(expected);
});

const row = (Sid: string | undefined, Action: string): object => ({ Sid, Effect: "Allow", Action });
const document = (...Statement: readonly object[]): string => JSON.stringify({ Statement });
const [A, B, DENIAL] = [row("A", "a:x"), row("B", "b:x"), { Effect: "Deny", Action: "*" }];
const OWN = { sid: "A", actions: ["own:x"] };
const AS_OWN = { Sid: "A", Effect: "Allow", Action: ["own:x"] };

// hashicorp/terraform-provider-aws, internal/service/iam: policy_document_data_source.go, and Merge in policy_model.go.
describe("documents that are merged", () => {
  it.each<[string, readonly string[], readonly string[], readonly object[] | "not known"]>([
    ["sources come first", [document(B), document(DENIAL)], [], [B, DENIAL, AS_OWN]],
    ["its own statement replaces one of a source", [document(A, B)], [], [AS_OWN, B]],
    ["one that overrides replaces its own", [], [document(A)], [A]],
    [
      "the last that overrides counts",
      [],
      [document(A), document({ ...DENIAL, Sid: "A" })],
      [{ ...DENIAL, Sid: "A" }],
    ],
    ["statements without a Sid are added", [document(DENIAL)], [document(DENIAL)], [DENIAL, AS_OWN, DENIAL]],
    ["two sources with one Sid are refused", [document(A), document(A)], [], "not known"],
    ["no list of statements", [JSON.stringify({ Statement: A })], [], "not known"],
    ["no JSON", ["x"], [], "not known"],
    ["a text that only apply tells", ["${var.text}"], [], "not known"],
    ["a Sid that only apply tells", [document(row("${var.sid}", "a:x"))], [], "not known"],
  ])("%s", (_, sources, overrides, expected) => {
    const documents = { source_policy_documents: sources, override_policy_documents: overrides };
    expect(all(OWN, documents)).toEqual(expected);
  });
});
