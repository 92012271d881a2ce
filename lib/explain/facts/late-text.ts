/*
 * Placeholders in manifests, turned into the Terraform references that they stand for.
 */

import { PLACEHOLDER_START, placeholderPieces } from "../../artefact/placeholder";
import type { WorkloadIdentityFile } from "../../artefact/workload-identity-file";
import type { Terraform, TerraformScope } from "./terraform";

/** Turns manifest text into text whose late values are Terraform references, followed as far as they go. */
export type LateReader = (text: string) => string;

/** What the placeholder of a text that stands encoded becomes: the text itself, whose reader need not decode it. */
export const PLAIN_TEXT_URL = "data:text/plain,";

/** The reader for the manifests of a stack; one that knows no placeholder leaves it as it is, which is late. */
export function lateReader(
  placeholders: WorkloadIdentityFile["placeholders"],
  terraform: Terraform,
  scope: TerraformScope | undefined,
): LateReader {
  const meaning = (placeholder: string, inside: boolean): string => {
    const entry = Object.hasOwn(placeholders, placeholder) ? placeholders[placeholder] : undefined;
    if (entry === undefined || ("encoding" in entry && inside)) return `\${${placeholder}}`;
    if (!("encoding" in entry)) return scope ? terraform.resolve(entry.expression, scope) : entry.expression;
    const plain = read(entry.text, true);
    return entry.encoding === "base64" ? plain : PLAIN_TEXT_URL + encodeURIComponent(plain);
  };
  const read = (text: string, inside: boolean): string =>
    text.includes(PLACEHOLDER_START)
      ? placeholderPieces(text)
          .map((piece, place) => (place % 2 === 1 ? meaning(piece, inside) : piece))
          .join("")
      : text;
  return (text) => read(text, false);
}
