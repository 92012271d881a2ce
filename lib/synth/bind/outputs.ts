import { jsonObject } from "../../artefact/parsed-documents";
import { refuseUnreadable } from "../../artefact/problems";
import { readFile } from "../../artefact/read-file";
import { errorCode } from "../../artefact/synth-folder";
import type { OutputPlaceholder } from "../../artefact/workload-identity-file";
import { isRecord } from "../../model/record";
import { at } from "../../model/parsed";
import { refuseOutputsFile } from "./problems";

export interface TerraformOutputs {
  /**
   * `terraform`: one stack, outputs by name (`terraform output -json`).
   * `cdktf`: any number of stacks (`cdktf output` or `cdktf deploy` with `--outputs-file`).
   */
  readonly form: "terraform" | "cdktf";
  /** Returns the value of a stack's output, or `undefined` if the file does not have it. */
  valueOf(wanted: OutputPlaceholder, stack: string): unknown;
  /** Whether Terraform marks the output as sensitive; its value must not be shown. The form of cdktf has no marks. */
  isSensitive(wanted: OutputPlaceholder): boolean;
}

/**
 * Reads the text of a file with outputs.
 *
 * Forms: `terraform output -json` prints `{ name: { value, type, sensitive } }` (Terraform's documentation of
 * `terraform output`). With `--outputs-file`, cdktf writes bare values without the sensitive ones: `cdktf deploy` nested
 * by the construct path of the output, `cdktf output` by stack and output name (hashicorp/terraform-cdk,
 * packages/@cdktf/cli-core/src/lib/output.ts and cdktf-project.ts; tried with cdktf-cli 0.21.0).
 */
export function readTerraformOutputs(text: string, file: string): TerraformOutputs {
  const document = jsonObject(text, (reason) => refuseOutputsFile(file, reason));
  const values = Object.values(document);
  if (values.length > 0 && values.every(isTerraformOutput)) {
    return {
      form: "terraform",
      valueOf: ({ output }) => at(document, output, "value"),
      isSensitive: ({ output }) => at(document, output, "sensitive") === true,
    };
  }
  return {
    form: "cdktf",
    valueOf: ({ path, output }, stack) => at(document, ...path) ?? at(document, stack, output),
    isSensitive: () => false,
  };
}

function isTerraformOutput(value: unknown): boolean {
  return isRecord(value) && "value" in value && "type" in value && typeof value["sensitive"] === "boolean";
}

/**
 * Reads a file with outputs in UTF-8, or in UTF-16 with a byte order mark.
 *
 * In Windows PowerShell 5.1 `>` writes UTF-16 with a mark, and `Out-File -Encoding utf8` UTF-8 with a mark (Microsoft's
 * about_Character_Encoding).
 */
export function readOutputsFile(path: string): TerraformOutputs {
  return readTerraformOutputs(decoded(readBytes(path), path), path);
}

function readBytes(path: string): Buffer {
  try {
    return readFile(path);
  } catch (error) {
    return refuseUnreadable(path, errorCode(error));
  }
}

function decoded(bytes: Buffer, path: string): string {
  const encoding = encodingOf(bytes);
  try {
    // Without `fatal`, replacement characters would end up in a manifest.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return refuseOutputsFile(path, `is not ${encoding.toUpperCase()} text`);
  }
}

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
}
