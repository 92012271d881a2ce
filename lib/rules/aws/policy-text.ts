/*
 * IAM policy documents as the text that Terraform is given.
 */

import type { PolicyDocument } from "./policy-document";

/**
 * The document as text for a Terraform argument.
 *
 * Literal `${` and `%{` are doubled, since Terraform reads strings of its JSON syntax as templates
 * (developer.hashicorp.com/terraform/language/syntax/json); late values are left for cdktf to fill in.
 */
export function policyText(document: PolicyDocument): string {
  return terraformText(JSON.stringify(document));
}

/** Text for a Terraform argument: literal template markers are doubled, late values left alone. */
export function terraformText(text: string): string {
  return text.replace(/\$\{(?!TfToken\[)/g, () => "$${").replace(/%\{/g, "%%{");
}
