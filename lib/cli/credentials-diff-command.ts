import { readCredentialsRequests } from "../artefact/credentials-requests-folder";
import {
  type CredentialsRequestsDiff,
  type ChangedRequest,
  credentialsRequestsDiff,
} from "../rules/openshift/two-releases";
import { type CommandIo, UsageError, readArguments } from "./command";
import { printable, printableLines } from "../explain/render/printable";

const EXIT_SAME = 0;
const EXIT_DIFFERENT = 1;

const RENDERERS: Readonly<Record<string, (diff: CredentialsRequestsDiff) => string>> = {
  json: diffJson,
  text: diffText,
};

/**
 * `credentials-diff OLD NEW [--format text|json]`: what the components of another release ask of the clouds.
 *
 * Exits as `diff` does: 0 where both folders ask for the same, 1 where they differ.
 */
export function run(args: readonly string[], io: CommandIo): number {
  const { values, positionals } = readArguments(args, { format: { type: "string", default: "text" } });
  const { format } = values;
  const render = Object.hasOwn(RENDERERS, format) ? RENDERERS[format] : undefined;
  if (!render) throw new UsageError(`unknown format ${format}; one of ${Object.keys(RENDERERS).join(", ")}`);
  const [before, after, ...others] = positionals;
  if (before === undefined || after === undefined || others.length > 0)
    throw new UsageError(`credentials-diff takes two folders, got ${positionals.length}`);

  const diff = credentialsRequestsDiff(readCredentialsRequests(before), readCredentialsRequests(after));
  io.out(render(diff));
  const same = Object.values(diff).every((list: readonly unknown[]) => list.length === 0);
  return same ? EXIT_SAME : EXIT_DIFFERENT;
}

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
