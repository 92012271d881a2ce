/*
 * Policies of an organization, which limit what the roles of its accounts may do. To which accounts an organizational
 * unit leads is nowhere in Terraform, so that what they deny is only perhaps denied. Source: "Service control policies"
 * and "Resource control policies" in the AWS Organizations user guide.
 */

import { is, match, orElse, whether } from "../../model/known";
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

const SERVICE_CONTROL = "SERVICE_CONTROL_POLICY";
/** Types that take no rights away from roles ("Organization policy types", same guide); others count as if they did. */
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

/** What organizations may deny to any role. */
export function organizationPolicies(terraform: Terraform, documents: Documents): readonly HeldPolicy[] {
  return terraform.ofType("aws_organizations_policy").flatMap((each) => {
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
      `a policy of the organization denies ${action}, or may, where it counts for the role's account`,
    remedy: "exempt the role from it, or ask about the account without the Terraform of its organization",
    evidence: [seen("policy of the organization", source)],
  };
}

/** A policy allows everything, or has another beside it that does; one that allows less denies the rest. */
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
  if ("unread" in statement) return false;
  const { actions, resources, conditions } = statement;
  const isAll = ({ values, negated }: Selection): boolean =>
    !negated && values.some((value) => is(value, "*") === "yes");
  return (
    isAll(actions) &&
    resources !== undefined &&
    isAll(resources) &&
    match(
      conditions,
      (list) => list.length === 0,
      () => false,
    )
  );
}
