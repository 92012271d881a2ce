import { placeholdersIn } from "../../artefact/placeholder";
import type { BoundFilesInput } from "./bound-files";
import { boundYaml } from "./bound-yaml";
import { refuseMissingOutput } from "./problems";

/** Where an output is needed (`file: Kind ns/name: path`), and its name. */
type Need = readonly [where: string, output: string];

export function assertOutputs(inputs: readonly BoundFilesInput[]): void {
  const [first, ...others] = inputs.flatMap(missingOutputs);
  if (first) refuseMissingOutput(...first, others);
}

function missingOutputs(input: BoundFilesInput): readonly Need[] {
  const missing = absentOutputs(input);
  if (missing.size === 0) return [];
  const needs = new Map<string, Need>();
  const visit = (text: string, where: string, inside: boolean): void => {
    for (const placeholder of placeholdersIn(text)) {
      const output = missing.get(placeholder);
      if (output !== undefined && !needs.has(output)) needs.set(output, [where, output]);
      const template = inside ? undefined : templateOf(input, placeholder);
      if (template !== undefined) visit(template, where, true);
    }
  };
  for (const [file, text] of input.files) {
    boundYaml(text, file, (scalar, where) => {
      visit(scalar, where, false);
      return scalar;
    });
  }
  return [...needs.values()];
}

/** The outputs without a value, by placeholder. */
function absentOutputs({ placeholders, outputs, stack }: BoundFilesInput): ReadonlyMap<string, string> {
  const absent = new Map<string, string>();
  for (const [placeholder, entry] of Object.entries(placeholders)) {
    if ("output" in entry && outputs.valueOf(entry, stack) === undefined)
      absent.set(placeholder, entry.output);
  }
  return absent;
}

/** The text behind a placeholder for an encoded one. */
function templateOf({ placeholders }: BoundFilesInput, placeholder: string): string | undefined {
  const entry = Object.hasOwn(placeholders, placeholder) ? placeholders[placeholder] : undefined;
  return entry !== undefined && "encoding" in entry ? entry.text : undefined;
}
