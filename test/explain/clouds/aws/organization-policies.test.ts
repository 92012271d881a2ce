import { describe, expect, it } from "vitest";
import { actionsGranted } from "../../../../lib/explain/clouds/aws/granted-actions";
import { Roles } from "../../../../lib/explain/clouds/aws/iam";
import { Terraform } from "../../../../lib/explain/facts/terraform";
import { readTerraformConfiguration } from "../../../../lib/explain/facts/terraform-configuration";
import { ACCOUNT, OTHER, repositoryAnswer } from "./repository-answer";

const EVERYTHING = { Effect: "Allow", Action: "*", Resource: "*" };
const DENY = { Effect: "Deny", Action: "ecr:*", Resource: "*" };

/** A policy of the organization, and to what it is attached. */
function organization(
  content: unknown,
  more: object = {},
  targets: readonly string[] = [],
): Record<string, object> {
  const attachments = targets.map((target_id, index) => [
    `to${index}`,
    { policy_id: "${aws_organizations_policy.limit.id}", target_id },
  ]);
  return {
    aws_organizations_policy: { limit: { name: "limit", content: JSON.stringify(content), ...more } },
    aws_organizations_policy_attachment: Object.fromEntries(attachments) as object,
  };
}

// "SCP evaluation" in the AWS Organizations user guide: what no policy allows on the way to the account is denied.
describe("a policy of the organization", () => {
  it.each<[string, Record<string, object>, "pass" | "unknown"]>([
    ["that allows everything", organization({ Statement: EVERYTHING }), "pass"],
    ["that denies the pull", organization({ Statement: [EVERYTHING, DENY] }), "unknown"],
    ["that denies the pull, beside another that allows", organization({ Statement: DENY }), "unknown"],
    [
      "that denies something else",
      organization({
        Statement: [{ Effect: "Deny", Action: "organizations:LeaveOrganization", Resource: "*" }],
      }),
      "pass",
    ],
    [
      "that denies the pull under a condition",
      organization({ Statement: { ...DENY, Condition: { Null: { "aws:SourceVpc": "true" } } } }),
      "unknown",
    ],
    ["that allows a few things", organization({ Statement: { ...EVERYTHING, Action: "s3:*" } }), "unknown"],
    ["that only apply will tell", organization({}, { content: "${var.content}" }), "unknown"],
    ["of resources", organization({ Statement: DENY }, { type: "RESOURCE_CONTROL_POLICY" }), "unknown"],
    [
      "of a type that only apply will tell",
      organization({ Statement: DENY }, { type: "${var.type}" }),
      "unknown",
    ],
    ["about tags", organization({ tags: {} }, { type: "TAG_POLICY" }), "pass"],
    ["about Security Hub", organization({ securityhub: {} }, { type: "SECURITYHUB_POLICY" }), "pass"],
    ["of the role's account", organization({ Statement: DENY }, {}, [OTHER, ACCOUNT]), "unknown"],
    ["of another account", organization({ Statement: DENY }, {}, [OTHER]), "pass"],
    ["of a unit", organization({ Statement: DENY }, {}, [OTHER, "ou-ab12-cdefghij"]), "unknown"],
  ])("%s", (_, resources, status) => {
    expect(repositoryAnswer(resources)).toMatchObject({ status });
  });

  it("grants nothing", () => {
    const none = { Effect: "Allow", Action: "s3:*", Resource: "*" };
    expect(repositoryAnswer(organization({ Statement: EVERYTHING }), ACCOUNT, none)).toMatchObject({
      status: "fail",
    });
    expect(repositoryAnswer(organization({}, { content: "${var.c}" }), ACCOUNT, none)).toMatchObject({
      status: "fail",
    });
  });

  it("is called by its name", () => {
    expect(repositoryAnswer(organization({ Statement: DENY }))).toMatchObject({
      reason: expect.stringContaining("a policy of the organization denies ecr:BatchGetImage"),
    });
  });
});

// What components ask for is judged by the same role.
it.each<[string, object, "pass" | "unknown"]>([
  ["that denies it", { Statement: { ...DENY, Action: "ec2:*" } }, "unknown"],
  ["that denies something else", { Statement: DENY }, "pass"],
])("a policy of the organization %s, for a component", (_, content, status) => {
  const provider = { aws: [{ allowed_account_ids: [ACCOUNT] }] };
  const resource = {
    aws_iam_role: { web: { name: "web", assume_role_policy: "{}" } },
    aws_iam_role_policy: { own: { role: "web", policy: JSON.stringify({ Statement: EVERYTHING }) } },
    ...organization(content),
  };
  const source = { file: "main.tf.json", path: "" };
  const scope = readTerraformConfiguration(0, [{ value: { provider, resource }, source }]);
  const role = new Roles(new Terraform([scope], [])).ofArn(ACCOUNT, "web");
  const statementEntries = [{ effect: "Allow", action: ["ec2:DescribeInstances"], resource: "*" }];
  expect(role && actionsGranted(role, { statementEntries })).toMatchObject({
    status,
    reason: expect.stringContaining(
      status === "pass" ? "is granted all" : "a policy of the organization, which may count",
    ) as string,
  });
});
