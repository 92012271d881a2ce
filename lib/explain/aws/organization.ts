/*
 * Policies of an organization, which limit what the roles of its accounts may do. Terraform does not say which accounts
 * an organizational unit holds, so a denial in these policies is only a possible one. Source: "Service control
 * policies" and "Resource control policies" in the AWS Organizations user guide.
 */

import { orElse, whether } from "../../model/known";
import {
  type Policy,
  type Statement,
  type UnreadStatement,
  denyingEverything,
} from "../../rules/aws/policy/document";
import { seen } from "../answer";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { HeldPolicy } from "./attachments";
import type { Documents } from "./documents";
import { textOf } from "./held";

const SERVICE_CONTROL = "SERVICE_CONTROL_POLICY";
/** Types that take no rights from roles ("Organization policy types", same guide); any other type is assumed to. */
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

export const ORGANIZATION_POLICY = "aws_organizations_policy";

/** The policies by which organizations may deny actions to any role. */
export function organizationPolicies(terraform: Terraform, documents: Documents): readonly HeldPolicy[] {
  return terraform.ofType(ORGANIZATION_POLICY).flatMap((each) => {
    const isHarmless = whether(each.text("type"), (type = SERVICE_CONTROL) => HARMLESS.includes(type));
    if (isHarmless === "yes") return [];
    const isServiceControl = whether(each.text("type"), (type = SERVICE_CONTROL) => type === SERVICE_CONTROL);
    const policy =
      isServiceControl === "yes"
        ? denialsOf(documents.ofText(each.stated("content"), "resource"))
        : denyingEverything;
    return policy ? [{ policy, doubt: doubtOf(each) }] : [];
  });
}

function doubtOf({ source }: Resource): HeldPolicy["doubt"] {
  return {
    reason: (action) =>
      `a policy of the organization denies ${action}, or may do so, if it applies to the role's account`,
    remedy: "exempt the role from it, or leave the organization's Terraform out if it does not apply",
    evidence: [seen("policy of the organization", source)],
  };
}

/** The denials of a policy; one that was not read, or that allows only some actions, may deny anything. */
function denialsOf(policy: Policy): Policy | undefined {
  if (policy.kind !== "read") return denyingEverything;
  const denials = policy.statements.filter(isDenial);
  const allows = policy.statements.filter((each) => !isDenial(each));
  if (allows.length > 0 && !allows.some(allowsEverything)) return denyingEverything;
  return denials.length > 0 ? { kind: "read", statements: denials } : undefined;
}

function isDenial(statement: Statement | UnreadStatement): boolean {
  return "unread" in statement || orElse(statement.effect, () => "Deny") === "Deny";
}

function allowsEverything(statement: Statement | UnreadStatement): boolean {
  return !("unread" in statement) && textOf(statement) === "Allow * on *";
}
