/*
 * Policies as Terraform declares them: text, data source, managed policy of AWS.
 */

import { blocks, own, record, text, texts } from "../../facts/access";
import type { ComputedAttribute, Terraform, TerraformResource } from "../../facts/terraform";

/** A policy that could be anything: what is not read may allow and may deny. */
export const UNREAD_POLICY = '{"Statement":"${unread}"}';

const PULL: readonly string[] = [
  "ecr:GetAuthorizationToken",
  "ecr:BatchGetImage",
  "ecr:GetDownloadUrlForLayer",
];
const PUBLIC: readonly string[] = ["ecr-public:GetAuthorizationToken", "sts:GetServiceBearerToken"];

/**
 * Managed policies of AWS, cut down to what pulls need. Source: AWS managed policy reference. None of them denies.
 */
const MANAGED: Readonly<Record<string, readonly string[]>> = {
  AmazonEC2ContainerRegistryPullOnly: [...PULL, "ecr:BatchImportUpstreamImage"],
  AmazonEC2ContainerRegistryReadOnly: PULL,
  AmazonEC2ContainerRegistryPowerUser: PULL,
  AmazonEC2ContainerRegistryFullAccess: ["ecr:*"],
  AmazonElasticContainerRegistryPublicReadOnly: PUBLIC,
  AmazonElasticContainerRegistryPublicPowerUser: PUBLIC,
  AmazonElasticContainerRegistryPublicFullAccess: PUBLIC,
};

const MANAGED_ARN = /^arn:[a-z-]+:iam::aws:policy\/(?:service-role\/)?([\w-]+)$/;

/** The document of a policy ARN: one of AWS's own, or one that Terraform declares; unread otherwise. */
export function policyOfArn(arn: string, terraform: Terraform): string {
  const [, name] = MANAGED_ARN.exec(arn) ?? [];
  const actions = name !== undefined && Object.hasOwn(MANAGED, name) ? MANAGED[name] : undefined;
  if (actions !== undefined)
    return JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Sid: name, Effect: "Allow", Action: actions, Resource: "*" }],
    });
  const declared =
    terraform.referred(arn, "arn") ??
    terraform
      .ofType("aws_iam_policy")
      .find((policy) => arn.includes(":policy/") && terraform.text(policy, "arn") === arn);
  const document = declared === undefined ? "" : terraform.text(declared, "policy");
  return document === "" ? UNREAD_POLICY : document;
}

/** `data.aws_iam_policy_document.<name>.json`, computed from the blocks of the data source. */
export const policyDocumentJson: ComputedAttribute = {
  type: "aws_iam_policy_document",
  attribute: "json",
  value: renderedDocument,
};

/** Attributes that bring in statements from elsewhere. */
const MERGED: readonly string[] = [
  "source_policy_documents",
  "override_policy_documents",
  "source_json",
  "override_json",
];

function renderedDocument(resource: TerraformResource, terraform: Terraform): string | undefined {
  if (MERGED.some((attribute) => own(resource.values, attribute) !== undefined)) return undefined;
  const document = {
    Version: text(own(resource.values, "version")) || "2012-10-17",
    Statement: blocks(own(resource.values, "statement")).map(renderedStatement),
  };
  return terraform.resolve(JSON.stringify(document), resource.scope);
}

const LISTS: readonly (readonly [argument: string, element: string])[] = [
  ["actions", "Action"],
  ["not_actions", "NotAction"],
  ["resources", "Resource"],
  ["not_resources", "NotResource"],
];

function renderedStatement(statement: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const rendered: Record<string, unknown> = { Effect: text(statement["effect"]) || "Allow" };
  if (text(statement["sid"]) !== "") rendered["Sid"] = statement["sid"];
  for (const [argument, element] of LISTS) {
    const values = texts(statement[argument]);
    if (values.length > 0) rendered[element] = values.map(variables);
  }
  for (const [argument, element] of [
    ["principals", "Principal"],
    ["not_principals", "NotPrincipal"],
  ] as const)
    if (own(statement, argument) !== undefined) rendered[element] = principals(statement[argument]);
  const conditions = blocks(statement["condition"]);
  if (conditions.length > 0) rendered["Condition"] = renderedConditions(conditions);
  return rendered;
}

function principals(value: unknown): unknown {
  const rows = blocks(value);
  if (rows.some((row) => row["type"] === "*")) return "*";
  const byType: Record<string, string[]> = {};
  for (const row of rows)
    byType[text(row["type"])] = [...(byType[text(row["type"])] ?? []), ...texts(row["identifiers"])];
  return byType;
}

function renderedConditions(conditions: readonly Readonly<Record<string, unknown>>[]): unknown {
  const byTest: Record<string, Record<string, readonly string[]>> = {};
  for (const { test, variable, values } of conditions) {
    const keys = (byTest[text(test)] ??= {});
    keys[text(variable)] = [...(keys[text(variable)] ?? []), ...texts(values).map(variables)];
  }
  return record(byTest);
}

/** In this data source `&{…}` stands for a policy variable. */
function variables(value: string): string {
  return value.replaceAll("&{", "$${");
}
