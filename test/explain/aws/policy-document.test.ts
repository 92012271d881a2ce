/*
 * The JSON that the provider makes of the blocks of a policy document.
 * Source: registry.terraform.io/providers/hashicorp/aws, data source aws_iam_policy_document.
 */

import { expect, it } from "vitest";
import { computedAttributes } from "../../../lib/explain/every-cloud";
import { readConfiguration } from "../../../lib/explain/read/terraform-configuration";
import { Terraform } from "../../../lib/explain/read/terraform";
import { known, match } from "../../../lib/model/known";

/** The first statement. */
function made(statement: object, more: object = {}): unknown {
  const terraform = new Terraform(computedAttributes);
  const value = { data: { aws_iam_policy_document: { d: { statement: [statement], ...more } } } };
  readConfiguration(terraform, "", [{ value, source: { file: "main.tf.json", path: "" } }], undefined);
  const [document] = terraform.ofType("aws_iam_policy_document");
  return match(
    document?.attribute("json") ?? known("{}"),
    (text) => (JSON.parse(text) as { readonly Statement?: readonly unknown[] }).Statement?.[0],
    () => "not known",
  );
}

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

it("is not known where statements come from elsewhere", () => {
  expect(made({}, { source_policy_documents: ["x"] })).toBe("not known");
});
