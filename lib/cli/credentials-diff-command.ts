import { readCredentialsRequests } from "../artefact/credentials-requests-folder";
import {
  type CredentialsRequestsDiff,
  credentialsRequestsDiff,
} from "../rules/openshift/credentials-requests-diff";
import { type CommandIo, UsageError } from "./command";
import { diffJson, diffText } from "./credentials-diff-text";
import { readArguments } from "./read-arguments";

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
