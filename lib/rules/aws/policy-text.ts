/*
 * IAM policy documents as the text that Terraform is given.
 */

import { terraformText } from "../terraform-text";
import type { PolicyDocument } from "./policy-document";

/**
 * The document as text for a Terraform argument.
 *
 * Literal template markers are doubled; late values are left for cdktf to fill in.
 */
export function policyText(document: PolicyDocument): string {
  return terraformText(JSON.stringify(document));
}
