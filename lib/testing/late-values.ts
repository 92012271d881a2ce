import { placeholdersIn } from "../artefact/placeholder";
import type { WorkloadIdentityFile } from "../artefact/workload-identity-file";
import { isLate } from "../model/late";
import type { Finding } from "./finding";
import type { SynthesizedStack } from "./synthesized-stack";

/** Whether the manifests and node files are final at synth, so that nobody needs `bind`. Throws `bind-invalid`. */
export function hasNoLateValues(stack: SynthesizedStack): Finding {
  const placeholders = stack.identity?.placeholders ?? {};
  const late = stack.manifestFiles.flatMap((file) =>
    stack
      .text(file)
      .split("\n")
      .flatMap((line, index) => lateIn(line, placeholders).map((what) => `  ${file}:${index + 1}: ${what}`)),
  );
  const count = late.length === 1 ? "1 late value" : `${late.length} late values`;
  return {
    holds: late.length === 0,
    text:
      late.length === 0
        ? `${stack.name} holds no late value`
        : `${stack.name} holds ${count}\n\n${late.join("\n")}\n`,
  };
}

function lateIn(line: string, placeholders: WorkloadIdentityFile["placeholders"]): readonly string[] {
  const found = placeholdersIn(line).map((each) => {
    const entry = placeholders[each];
    if (entry === undefined) return each;
    if ("expression" in entry) return entry.expression;
    const within = [...new Set(placeholdersIn(entry.text))].join(", ");
    return `${entry.encoding} of a text with ${within}`;
  });
  return isLate(line) ? [...found, line.trim()] : found;
}
