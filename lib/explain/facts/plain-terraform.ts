import { dirname } from "node:path";
import { isRecord } from "../../model/record";
import type { PlainDocument } from "./file-documents";
import type { StackInput } from "./input-files";
import type { SkippedDocument } from "./skipped";
import type { TerraformScope } from "./terraform";
import { isTerraformConfiguration } from "./terraform-configuration";
import { addConfigurations, unreadConfigurations } from "./terraform-folders";
import { isTerraformShow, readTerraformShow } from "./terraform-show";
import { isVariablesFile } from "./terraform-variables";

/** The files of one folder are one configuration; a state or plan stands alone. `paths` were named to be read. */
export function addPlainScopes(
  plain: readonly PlainDocument[],
  paths: readonly string[],
  scopes: TerraformScope[],
): void {
  for (const { value, source } of plain)
    if (isTerraformShow(value)) scopes.push(readTerraformShow(scopes.length, value, source));
  addConfigurations(plain.filter(isConfiguration), paths, scopes);
}

/** True for a configuration; by its name also where it holds only variables or locals, which other files have as well. */
export function isConfiguration({ value, source: { file } }: PlainDocument): boolean {
  if (isTerraformShow(value) || isVariablesFile(file)) return false;
  return isTerraformConfiguration(value) || (file.endsWith(".tf.json") && isRecord(value));
}

/** What stands beside what was read: Terraform applies the files of a folder together, and the ones in its own syntax say more. */
export function unreadTerraform(
  stacks: readonly StackInput[],
  plain: readonly PlainDocument[],
): readonly SkippedDocument[] {
  const folders = plain.filter(isConfiguration).map(({ source }) => dirname(source.file));
  return unreadConfigurations([...stacks.map(({ folder }) => folder), ...folders]).map((source) => ({
    source,
    reason: "Terraform in its own syntax is not read; what it declares counts nowhere",
  }));
}
