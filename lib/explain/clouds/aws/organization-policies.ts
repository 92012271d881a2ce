/*
 * Policies of an organization, which limit what the roles of its accounts may do. To which accounts an organizational
 * unit leads is nowhere in Terraform, so that what they deny is only perhaps denied.
 *
 * Source: "Service control policies" and "Resource control policies" in the AWS Organizations user guide.
 */

import { type Statement, readPolicy } from "../../../rules/aws/evaluate/statements";
import { own, record, text } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import type { PerhapsPolicy } from "./attached-policies";

const POLICY = "aws_organizations_policy";
const ATTACHMENT = "aws_organizations_policy_attachment";
/** Types that take no rights away from roles; source: "Organization policy types" in the same guide. */
const HARMLESS: readonly string[] = [
  "AISERVICES_OPT_OUT_POLICY",
  "BACKUP_POLICY",
  "BEDROCK_POLICY",
  "CHATBOT_POLICY",
  "DECLARATIVE_POLICY_EC2",
  "INSPECTOR_POLICY",
  "NETWORK_SECURITY_DIRECTOR_POLICY",
  "S3_POLICY",
  "SECURITYHUB_POLICY",
  "TAG_POLICY",
  "UPGRADE_ROLLOUT_POLICY",
];
const ACCOUNT = /^\d{12}$/;

/** A policy with the accounts that it is attached to; `undefined` where those are not known. */
interface Limit {
  readonly accounts: readonly string[] | undefined;
  readonly policy: PerhapsPolicy;
}

/** What organizations may deny. */
export class OrganizationPolicies {
  readonly #limits: readonly Limit[];

  constructor(terraform: Terraform) {
    this.#limits = terraform.ofType(POLICY).flatMap((resource) => limitOf(resource, terraform) ?? []);
  }

  /** Besides the given policies, those that may limit roles of an account, which is empty where it is not known. */
  joined(policies: readonly PerhapsPolicy[], account: string): readonly PerhapsPolicy[] {
    if (this.#limits.length === 0) return policies;
    const near = this.#limits.filter(
      ({ accounts }) => account === "" || accounts === undefined || accounts.includes(account),
    );
    return [...policies, ...near.map(({ policy }) => policy)];
  }
}

function limitOf(resource: TerraformResource, terraform: Terraform): Limit | undefined {
  const type = terraform.text(resource, "type") || "SERVICE_CONTROL_POLICY";
  if (HARMLESS.includes(type)) return undefined;
  const content = terraform.text(resource, "content");
  const policy = type === "SERVICE_CONTROL_POLICY" ? denialsOf(content) : PERHAPS_EVERYTHING;
  if (policy === undefined) return undefined;
  return {
    accounts: accountsOf(resource, terraform),
    policy: { policy, source: resource.source, isOfOrganization: true },
  };
}

/** Only where each attachment is to an account. */
function accountsOf(policy: TerraformResource, terraform: Terraform): readonly string[] | undefined {
  const targets = terraform
    .ofType(ATTACHMENT)
    .filter(({ values, scope }) => {
      const id = terraform.resolve(text(own(values, "policy_id")), scope);
      return !isLateText(id) || [undefined, policy].includes(terraform.referred(id, "id"));
    })
    .map((attachment) => terraform.text(attachment, "target_id"));
  return targets.length > 0 && targets.every((target) => ACCOUNT.test(target)) ? targets : undefined;
}

/** Denies everything under a condition of which nothing is known. */
const PERHAPS_EVERYTHING = JSON.stringify({
  Statement: {
    Effect: "Deny",
    Action: "*",
    Resource: "*",
    Condition: { StringEquals: { "aws:PrincipalOrgID": "of the organization" } },
  },
});

/**
 * The denials of a policy that allows everything, or says nothing of that because another one does; `undefined` where it
 * has none.
 */
function denialsOf(content: string): string | undefined {
  const read = readPolicy(content);
  if ("problem" in read) return PERHAPS_EVERYTHING;
  const allows = read.statements.filter(({ effect }) => effect === "Allow");
  if (allows.length > 0 && !allows.some(isForEverything)) return PERHAPS_EVERYTHING;
  const { Statement } = JSON.parse(content) as { readonly Statement: unknown };
  // Sids are IAM's to judge only where a policy is a role's.
  const denials = (Array.isArray(Statement) ? Statement : [Statement])
    .filter((each: unknown) => own(each, "Effect") === "Deny")
    .map((each: unknown) => ({ ...record(each), Sid: undefined }));
  return denials.length > 0 ? JSON.stringify({ Version: "2012-10-17", Statement: denials }) : undefined;
}

function isForEverything({ actions, resources, conditions }: Statement): boolean {
  const isAll = (each: Statement["actions"]): boolean => !each.negated && each.values.includes("*");
  return isAll(actions) && resources !== undefined && isAll(resources) && conditions.length === 0;
}
