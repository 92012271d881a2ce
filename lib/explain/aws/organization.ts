/*
 * Policies of an organization, which limit what the roles of its accounts may do. To which accounts an organizational
 * unit leads is nowhere in Terraform, so that what they deny is only perhaps denied.
 *
 * Source: "Service control policies" and "Resource control policies" in the AWS Organizations user guide.
 */

import { type Known, type Ternary, is, isKnown, match, or, orElse, same } from "../../model/known";
import {
  type Policy,
  type Selection,
  type Statement,
  type UnreadStatement,
  denyingEverything,
} from "../../rules/aws/policy/document";
import { seen } from "../answer";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { HeldPolicy } from "./attachments";
import type { Documents } from "./documents";

const POLICY = "aws_organizations_policy";
const ATTACHMENT = "aws_organizations_policy_attachment";
const SERVICE_CONTROL = "SERVICE_CONTROL_POLICY";
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
  readonly held: HeldPolicy;
}

/** What organizations may deny to the roles of an account. */
export function organizationPolicies(
  terraform: Terraform,
  documents: Documents,
): (account: Known<string>) => readonly HeldPolicy[] {
  const limits = terraform.ofType(POLICY).flatMap((each) => limitOf(each, terraform, documents) ?? []);
  return (account) =>
    limits
      .filter(({ accounts }) => {
        const own = orElse(account, () => undefined);
        return own === undefined || accounts === undefined || accounts.includes(own);
      })
      .map(({ held }) => held);
}

function limitOf(resource: Resource, terraform: Terraform, documents: Documents): Limit | undefined {
  const type = resource.text("type");
  if (HARMLESS.some((each) => is(type, each) === "yes")) return undefined;
  const isServiceControl = or(is(type, SERVICE_CONTROL), is(type, undefined));
  const read = documents.ofText(resource.stated("content"), "resource");
  const policy = isServiceControl === "yes" ? denialsOf(read) : denyingEverything;
  if (policy === undefined) return undefined;
  return {
    accounts: accountsOf(resource, terraform),
    held: { policy, doubt: doubtOf(resource) },
  };
}

function doubtOf({ source }: Resource): HeldPolicy["doubt"] {
  return {
    reason: (action) =>
      `a policy of the organization denies ${action}, or may, where it counts for the role's account`,
    remedy: "except the role from it, or attach it to other accounts by their ids",
    evidence: [seen("policy of the organization", source)],
  };
}

/** Only where each attachment is to an account. */
function accountsOf(policy: Resource, terraform: Terraform): readonly string[] | undefined {
  const targets = terraform
    .ofType(ATTACHMENT)
    .filter((each) => isOf(each, policy) !== "no")
    .map((each) => orElse(each.text("target_id"), () => undefined) ?? "");
  return targets.length > 0 && targets.every((target) => ACCOUNT.test(target)) ? targets : undefined;
}

function isOf(attachment: Resource, policy: Resource): Ternary {
  const id = attachment.stated("policy_id");
  const referred = attachment.referred("policy_id", ["id"]);
  if (referred) return referred === policy ? "yes" : "no";
  return isKnown(id) && !isKnown(policy.attribute("id")) ? "no" : same(id, policy.attribute("id"));
}

/**
 * The denials of a policy that allows everything, or says nothing of that because another one does; `undefined` where it
 * has none.
 */
function denialsOf(policy: Policy): Policy | undefined {
  if (policy.kind !== "read") return denyingEverything;
  const allows = policy.statements.filter((each) => !isDenial(each));
  if (allows.length > 0 && !allows.some(isForEverything)) return denyingEverything;
  const denials = policy.statements.filter(isDenial);
  return denials.length > 0 ? { kind: "read", statements: denials } : undefined;
}

function isDenial(statement: Statement | UnreadStatement): boolean {
  return "unread" in statement || orElse(statement.effect, () => "Deny") === "Deny";
}

function isForEverything(statement: Statement | UnreadStatement): boolean {
  if ("unread" in statement) return false;
  const { actions, resources, conditions } = statement;
  const isAll = ({ values, negated }: Selection): boolean =>
    !negated && values.some((value) => is(value, "*") === "yes");
  const isUnconditional = match(
    conditions,
    (list) => list.length === 0,
    () => false,
  );
  return isAll(actions) && resources !== undefined && isAll(resources) && isUnconditional;
}
