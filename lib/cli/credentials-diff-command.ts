import { readCredentialsRequests } from "../artefact/credentials-requests-folder";
import {
  type CredentialsRequestsDiff,
  type ChangedRequest,
  credentialsRequestsDiff,
} from "../rules/openshift/two-releases";
import { printable, printableJson } from "../explain/render/printable";
import type { Asked, CommandIo } from "./command";

const EXIT_SAME = 0;
const EXIT_DIFFERENT = 1;

const RENDERERS: Readonly<Record<"json" | "text", (diff: CredentialsRequestsDiff) => string>> = {
  json: ({ added, removed, changed }) => `${printableJson({ version: 1, added, removed, changed })}\n`,
  text: (diff) => LISTS.flatMap((list) => diff[list].map((request) => paragraph(list, request))).join("\n"),
};

interface Values {
  readonly format: keyof typeof RENDERERS;
}

/**
 * `credentials-diff`: compares what the components of two releases ask of the clouds.
 *
 * Exits as `diff` does: 0 if both folders ask for the same, 1 if they differ.
 */
export function run({ values, operands }: Asked<Values>, io: CommandIo): number {
  const [before = "", after = ""] = operands;
  const diff = credentialsRequestsDiff(readCredentialsRequests(before), readCredentialsRequests(after));
  io.out(RENDERERS[values.format](diff));
  const same = Object.values(diff).every((list: readonly unknown[]) => list.length === 0);
  return same ? EXIT_SAME : EXIT_DIFFERENT;
}

const LISTS: readonly (keyof CredentialsRequestsDiff)[] = ["added", "removed", "changed"];

/** A request for people: `+` and `-` before each value. */
function paragraph(list: string, { name, providerKind, changes }: ChangedRequest): string {
  const lines = changes.flatMap(({ path, added, removed }) => [
    `  ${path}`,
    ...removed.map((value) => `    - ${value}`),
    ...added.map((value) => `    + ${value}`),
  ]);
  return `${[`${list} ${name} (${providerKind})`, ...lines].map(printable).join("\n")}\n`;
}
