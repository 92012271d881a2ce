/*
 * Policies of an organization, which limit what the roles of its accounts may do. Terraform does not say which accounts
 * an organizational unit holds, so such a policy denies at most perhaps; what it says is not judged. Source: "Service
 * control policies" and "Resource control policies" in the AWS Organizations user guide.
 */

import { is, shown, whether } from "../../model/known";
import { denyingEverything } from "../../rules/aws/policy/document";
import { seen } from "../answer";
import type { Granted, HeldRight } from "../cloud";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import type { HeldPolicy } from "./attachments";
import type { Documents } from "./documents";
import { boundedBy } from "./held";

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
export function organizationPolicies(terraform: Terraform): readonly HeldPolicy[] {
  return terraform
    .ofType(ORGANIZATION_POLICY)
    .filter((each) => whether(each.text("type"), (type = "") => HARMLESS.includes(type)) !== "yes")
    .map(({ source }) => ({ policy: denyingEverything, doubt: doubtOf(source) }));
}

/** What these policies deny, and what they leave, whomever they apply to. */
export function organizationRights(terraform: Terraform, documents: Documents): readonly Granted[] {
  return terraform.ofType(ORGANIZATION_POLICY).map((each) => {
    const kind = is(each.text("type"), "RESOURCE_CONTROL_POLICY") === "yes" ? "resource" : "identity";
    const rights = (): readonly HeldRight[] =>
      boundedBy("boundary", documents.ofText(each.stated("content"), kind), each.source);
    const to = `whomever the policy ${shown(each.stated("name"))} of the organization applies to`;
    return { to, isHeld: false, isOwn: true, rights };
  });
}

function doubtOf(source: Source): HeldPolicy["doubt"] {
  return {
    reason: (action) =>
      `a policy of the organization may deny ${action}, if it applies to the role's account`,
    remedy: "exempt the role from it, or leave the organization's Terraform out if it does not apply",
    evidence: [seen("policy of the organization", source)],
  };
}
