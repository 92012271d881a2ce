/**
 * Text for a Terraform argument: doubles literal template markers, leaves late values unchanged.
 *
 * Terraform reads strings of its JSON syntax as templates: `${` and `%{` begin one
 * (developer.hashicorp.com/terraform/language/syntax/json).
 */
export function terraformText(text: string): string {
  return text.replace(/\$\{(?!TfToken\[)/g, () => "$${").replace(/%\{/g, "%%{");
}

/** Like {@link terraformText}, for a text that may be absent. */
export function optionalTerraformText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : terraformText(text);
}
