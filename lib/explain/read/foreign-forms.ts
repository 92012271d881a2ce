/*
 * Files in forms that explain does not read, each with the command that prints what it reads.
 */

import { basename } from "node:path";

export interface ForeignForm {
  /** "Terraform in HCL". */
  readonly what: string;
  /** A clause with the command: "give explain what `helm template` prints". */
  readonly remedy: string;
}

/**
 * Words that only templates have, which may parse as YAML without being what becomes of them. Source:
 * helm.sh/docs/chart_template_guide; jinja.palletsprojects.com/templates.
 */
const TEMPLATE =
  /\{\{-?\s*(?:(?:if|range|with|end|else|define|include|template|block|toYaml|tpl|required|default)\b|\.(?:Values|Release|Chart|Files|Capabilities|Template)\b)|\{%-?\s*(?:if|for|set|include|extends|macro|import|raw|end\w+)\b/;
/** The members that every state has. Source: hashicorp/terraform, internal/states/statefile, `stateV4`. */
const STATE = /^\s*\{(?=[^]{0,400}"terraform_version")(?=[^]{0,400}"(?:serial|lineage)")/;
/** The first bytes of a zip file, which a saved plan is. */
const ZIP = "PK\u0003\u0004";

/** The form of a file; `undefined` if it may be one that explain reads. */
export function foreignForm(file: string, text: string): ForeignForm | undefined {
  const name = basename(file);
  if (text.startsWith(ZIP))
    return { what: "a saved plan of Terraform", remedy: shows(`terraform show -json ${name} > plan.json`) };
  if (/\.tf$/.test(name))
    return { what: "Terraform in HCL", remedy: shows("terraform show -json > state.json") };
  if (STATE.test(text))
    return { what: "a raw Terraform state", remedy: shows(`terraform show -json ${name} > state.json`) };
  if ((text.includes("{{") || text.includes("{%")) && TEMPLATE.test(text))
    return {
      what: "a template",
      remedy: "give explain the manifests that `helm template` or the like prints",
    };
  return undefined;
}

function shows(command: string): string {
  return `give explain the file that \`${command}\` writes`;
}
