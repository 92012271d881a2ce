import { printable, printableLines } from "../explain/render/printable";
import type { ChangedRequest, CredentialsRequestsDiff } from "../rules/openshift/credentials-requests-diff";

const LISTS: readonly (keyof CredentialsRequestsDiff)[] = ["added", "removed", "changed"];

/** The differences for people: a paragraph per request, `+` and `-` before each value; empty where there are none. */
export function diffText(diff: CredentialsRequestsDiff): string {
  return LISTS.flatMap((list) => diff[list].map((request) => paragraph(list, request))).join("\n");
}

/** The differences as JSON: `{ "version": 1, "added": [], "removed": [], "changed": [] }`. */
export function diffJson({ added, removed, changed }: CredentialsRequestsDiff): string {
  return `${printableLines(JSON.stringify({ version: 1, added, removed, changed }, undefined, 2))}\n`;
}

function paragraph(list: string, { name, providerKind, changes }: ChangedRequest): string {
  const lines = changes.flatMap(({ path, added, removed }) => [
    `  ${path}`,
    ...removed.map((value) => `    - ${value}`),
    ...added.map((value) => `    + ${value}`),
  ]);
  return `${[`${list} ${name} (${providerKind})`, ...lines].map(printable).join("\n")}\n`;
}
