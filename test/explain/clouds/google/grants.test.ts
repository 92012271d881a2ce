import { expect, it } from "vitest";
import { bindingsOf } from "../../../../lib/explain/clouds/google/grants";
import { Terraform } from "../../../../lib/explain/facts/terraform";
import { readTerraformConfiguration } from "../../../../lib/explain/facts/terraform-configuration";

const binding = { role: "roles/x", condition: { expression: 'name == "a%%{b}"' } };

// developer.hashicorp.com/terraform/language/expressions/strings, "Escape Sequences".
it.each<[string, object]>([
  ["iam_member", { ...binding, member: "user:%%{a}@example.com" }],
  ["iam_binding", { ...binding, members: ["user:%%{a}@example.com"] }],
  [
    "iam_policy",
    { policy_data: JSON.stringify({ bindings: [{ ...binding, members: ["user:%%{a}@example.com"] }] }) },
  ],
  ["iam_policy", { policy_data: "${data.google_iam_policy.p.policy_data}" }],
])("reads what %s escapes as Terraform hands it over, once", (form, values) => {
  const data = {
    google_iam_policy: { p: { binding: [{ ...binding, members: ["user:%%{a}@example.com"] }] } },
  };
  const value = { data, resource: { [`google_project_${form}`]: { x: values } } };
  const scope = readTerraformConfiguration(0, [{ value, source: { file: "main.tf.json", path: "" } }]);
  const read = new Terraform([scope], []);
  const [resource] = read.ofType(`google_project_${form}`);
  expect(resource && bindingsOf(resource, form, read)).toEqual([
    {
      members: ["user:%{a}@example.com"],
      role: "roles/x",
      conditional: true,
      condition: 'name == "a%{b}"',
    },
  ]);
});
