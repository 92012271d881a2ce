/*
 * What Terraform's answer for an attribute looks like, where that is certain: an output that holds something else was
 * written by other means, or belongs to another resource.
 */

import { type Json, at, record } from "../model/parsed";
import { readRoleArn } from "./aws/arn";
import { isGuid } from "./azure/names";

interface LateForm {
  /** Matches the whole expression. */
  readonly attribute: RegExp;
  /** The form, for messages, if the value does not have it. */
  readonly missed: (value: string, resource: Json | undefined) => string | undefined;
}

const FORMS: readonly LateForm[] = [
  {
    attribute:
      /^\$\{(?:data\.)?azurerm_user_assigned_identity\.[\w-]+\.(?:client_id|principal_id|tenant_id)\}$/,
    missed: (value) => (isGuid(value) ? undefined : "a GUID"),
  },
  { attribute: /^\$\{aws_iam_role\.[\w-]+\.arn\}$/, missed: missedRole },
];

const RESOURCE = /^\$\{(\w+)\.([\w-]+)\./;

/**
 * The form that the value of an expression should have and does not; `undefined` if it has it, or any is right.
 * `resources` is what the configuration has of them, by type and name.
 */
export function missedForm(expression: string, value: string, resources: Json = {}): string | undefined {
  const [, type = "", name = ""] = RESOURCE.exec(expression) ?? [];
  const form = FORMS.find(({ attribute }) => attribute.test(expression));
  const resource = at(resources, type, name);
  return form?.missed(value, resource === undefined ? undefined : record(resource));
}

function missedRole(value: string, resource: Json | undefined): string | undefined {
  // Of a resource that was not read, neither is known.
  const { name, path = "/" } = resource ?? { path: null };
  const { path: givenPath, name: givenName } = readRoleArn(value) ?? {};
  const isOther = (given: string | undefined, declared: unknown): boolean =>
    given === undefined || (isLiteral(declared) && declared !== given);
  if (!isOther(givenPath, path) && !isOther(givenName, name)) return undefined;
  const end = isLiteral(path) && isLiteral(name) ? `${path}${name}` : "/[<path>/]<name>";
  return `arn:<partition>:iam::<account>:role${end}`;
}

function isLiteral(value: unknown): value is string {
  return typeof value === "string" && !value.includes("${");
}
