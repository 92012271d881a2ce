/**
 * Text for a Terraform argument: literal template markers are doubled, late values left alone.
 *
 * Terraform reads strings of its JSON syntax as templates: `${` and `%{` begin one
 * (developer.hashicorp.com/terraform/language/syntax/json).
 */
export function terraformText(text: string): string {
  return text.replace(/\$\{(?!TfToken\[)/g, () => "$${").replace(/%\{/g, "%%{");
}

/** The same for a text that may be absent. */
export function optionalTerraformText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : terraformText(text);
}
