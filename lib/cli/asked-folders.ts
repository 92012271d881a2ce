import { type ExplainOptions, Explainer, readFactsFile } from "../explain";
import { placeText } from "../explain/read/source-lines";
import { grouped } from "../model/grouped";
import { printable } from "../explain/render/printable";
import type { CommandIo } from "./command";

const DEFAULT_FOLDER = "cdktf.out";

/** What files do not show. */
export interface Stated {
  readonly facts?: string | undefined;
  readonly cluster?: string | undefined;
}

/** What the commands that print a list are called with. */
export interface Listing extends Stated {
  readonly stack?: string;
  readonly format: "text" | "json";
  readonly verbose?: true;
}

/** The options of a reading, by the facts in a file and the cluster that is meant. */
export function statedOptions({ facts, cluster }: Stated): ExplainOptions {
  const stated = facts === undefined ? {} : readFactsFile(facts);
  return cluster === undefined ? stated : Object.assign(stated, { which: cluster });
}

/** Reads the folders and files that a command is asked about, and what is stated. */
export function readAsked(operands: readonly string[], stated: Stated): Explainer {
  return Explainer.read(operands.length > 0 ? operands : [DEFAULT_FOLDER], statedOptions(stated));
}

/** How many places with the same reason are named one by one. */
const NAMED_EACH = 3;

/** Names what was found but not read: of many places with the same reason only the first, unless verbose. */
export function printSkipped(
  { skipped }: Pick<Explainer, "skipped">,
  io: CommandIo,
  isVerbose?: boolean,
): void {
  for (const [reason, all] of grouped(skipped, (each) => each.reason)) {
    const places = all.map(({ source }) => placeText(source));
    const shown = isVerbose === true || all.length <= NAMED_EACH + 1 ? places.length : NAMED_EACH;
    const lines = places.slice(0, shown).map((place) => `skipped ${place}: ${reason}`);
    const others = all.length - shown;
    if (others > 0) lines.push(`skipped ${others} others: ${reason}; --verbose names each`);
    for (const line of lines) io.err(`${printable(line)}\n`);
  }
}
