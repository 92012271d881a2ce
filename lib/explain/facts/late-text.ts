/*
 * Placeholders in manifests, turned into the Terraform references that they stand for.
 */

import { PLACEHOLDER_START, placeholderPieces } from "../../artefact/placeholder";
import type { WorkloadIdentityFile } from "../../artefact/workload-identity-file";
import type { Terraform, TerraformScope } from "./terraform";

/** Turns manifest text into text whose late values are Terraform references, followed as far as they go. */
export type LateReader = (text: string) => string;

/** How every placeholder ends. */
const END = ")@";

/** What the placeholder of a text that stands encoded becomes: the text itself, whose reader need not decode it. */
export const PLAIN_TEXT_URL = "data:text/plain,";

/** Address of the resource in a reference, modules before it. */
const ADDRESS = /^(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:data\.)?[\w-]+\.[\w-]+/;
const OUTPUT = "output.";

/**
 * The reader for manifests that no record was read with: a placeholder names the reference that it stands for. One whose
 * resource is not in exactly one of the configurations that were read stays late.
 */
export function plainLateReader(terraform: Terraform): LateReader {
  const meaning = (placeholder: string): string => {
    const name = placeholder.slice(PLACEHOLDER_START.length, -END.length);
    const isOutput = name.startsWith(OUTPUT);
    const key = isOutput ? name.slice(OUTPUT.length) : (ADDRESS.exec(name)?.[0] ?? "");
    const [scope, ...others] = terraform.scopes.filter(({ outputs, resources }) =>
      (isOutput ? outputs : resources).has(key),
    );
    const kept = `\${${placeholder}}`;
    if (!scope || others.length > 0) return kept;
    const written = isOutput ? scope.outputs.get(key) : `\${${name}}`;
    return typeof written === "string" ? terraform.resolve(written, scope) : kept;
  };
  return (text) =>
    text.includes(PLACEHOLDER_START)
      ? placeholderPieces(text)
          .map((piece, place) => (place % 2 === 1 ? meaning(piece) : piece))
          .join("")
      : text;
}

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
