import type { Terraform, TerraformScope } from "./terraform";

/** The texts of the outputs of some documents, references followed as far as they go, by name. */
export function outputTexts(
  scopes: readonly TerraformScope[],
  terraform: Terraform,
): ReadonlyMap<string, string> {
  return new Map(
    scopes.flatMap((scope) =>
      [...scope.outputs].flatMap(([name, value]): readonly (readonly [string, string])[] =>
        typeof value === "string" ? [[name, terraform.resolve(value, scope)]] : [],
      ),
    ),
  );
}
