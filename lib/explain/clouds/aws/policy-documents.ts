/*
 * Policies as Terraform declares them: text, data source, managed policy of AWS.
 */

import {
  inlineCharactersMax,
  isOverlong,
  managedCharactersMax,
} from "../../../rules/aws/evaluate/role-policy";
import { unreadPolicy, unreadReason } from "../../../rules/aws/evaluate/unread-policy";
import { type Json, own, record, text } from "../../facts/access";
import {
  type ComputedAttribute,
  type Terraform,
  type TerraformResource,
  isLateText,
} from "../../facts/terraform";
import { knownBlocks, listed } from "../../facts/terraform-values";

/** A policy that could be anything: what is not read may allow and may deny. */
export const UNREAD_POLICY: string = unreadPolicy("a policy of the role is not declared in what was read");

/** What to do about a policy that was not read. */
const UNREAD_REMEDY =
  "name the Terraform that declares it as well; what a managed policy of AWS says, the IAM console tells";

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
  return document === ""
    ? unreadPolicy(notDeclared(arn, name))
    : taken(document, "managed policy", managedCharactersMax);
}

/** The document of an inline policy; unread where AWS takes none of its length. */
export function inlinePolicy(document: string): string {
  return taken(document, "inline policy", inlineCharactersMax);
}

function taken(document: string, what: string, max: number): string {
  if (!isOverlong(document, max)) return document;
  return unreadPolicy(`AWS refuses the ${what}, which is longer than ${max} characters without white space`);
}

/** What to do where a decision about a role is not certain. */
export function remedyOf({
  policies,
  boundary,
}: {
  readonly policies: readonly string[];
  readonly boundary: string | undefined;
}): string {
  const isUnread = [...policies, boundary].some((policy) => unreadReason(policy) !== undefined);
  return isUnread ? UNREAD_REMEDY : "see the role's policies";
}

function notDeclared(arn: string, managed: string | undefined): string {
  if (managed !== undefined) return `what the managed policy ${managed} of AWS says is not known here`;
  const which = isLateText(arn) || arn === "" ? "a policy that only apply tells" : `the policy ${arn}`;
  return `${which} is not declared in what was read`;
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

/** `undefined` where an expression makes blocks of it, at whatever place: any of them could deny. */
function renderedDocument(resource: TerraformResource, terraform: Terraform): string | undefined {
  const { values, scope } = resource;
  if (MERGED.some((attribute) => own(values, attribute) !== undefined)) return undefined;
  const statements = knownBlocks(values["statement"]);
  if (statements === undefined || statements.some(hasMadeBlocks)) return undefined;
  const document = {
    Version: text(own(values, "version")) || "2012-10-17",
    Statement: statements.map(renderedStatement),
  };
  return terraform.resolve(JSON.stringify(document), scope);
}

const INNER: readonly string[] = ["principals", "not_principals", "condition"];

function hasMadeBlocks(statement: Json): boolean {
  return INNER.some((name) => knownBlocks(statement[name]) === undefined);
}

const LISTS: readonly (readonly [argument: string, element: string])[] = [
  ["actions", "Action"],
  ["not_actions", "NotAction"],
  ["resources", "Resource"],
  ["not_resources", "NotResource"],
];

function renderedStatement(statement: Json): Record<string, unknown> {
  const rendered: Record<string, unknown> = { Effect: text(statement["effect"]) || "Allow" };
  if (text(statement["sid"]) !== "") rendered["Sid"] = statement["sid"];
  for (const [argument, element] of LISTS) {
    const values = listed(statement[argument]);
    if (values.length > 0) rendered[element] = values.map(variables);
  }
  for (const [argument, element] of [
    ["principals", "Principal"],
    ["not_principals", "NotPrincipal"],
  ] as const)
    if (own(statement, argument) !== undefined)
      rendered[element] = principals(knownBlocks(statement[argument]) ?? []);
  const conditions = knownBlocks(statement["condition"]) ?? [];
  if (conditions.length > 0) rendered["Condition"] = renderedConditions(conditions);
  return rendered;
}

function principals(rows: readonly Json[]): unknown {
  if (rows.some((row) => row["type"] === "*")) return "*";
  const byType: Record<string, string[]> = {};
  for (const row of rows)
    byType[text(row["type"])] = [...(byType[text(row["type"])] ?? []), ...listed(row["identifiers"])];
  return byType;
}

function renderedConditions(conditions: readonly Json[]): unknown {
  const byTest: Record<string, Record<string, readonly string[]>> = {};
  for (const { test, variable, values } of conditions) {
    const keys = (byTest[text(test)] ??= {});
    keys[text(variable)] = [...(keys[text(variable)] ?? []), ...listed(values).map(variables)];
  }
  return record(byTest);
}

/** In this data source `&{…}` stands for a policy variable. */
function variables(value: string): string {
  return value.replaceAll("&{", "$${");
}
