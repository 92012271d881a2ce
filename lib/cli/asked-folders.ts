import { Explainer, readFactsFile } from "../explain";
import { placeText } from "../explain/read/source-lines";
import { grouped } from "../model/grouped";
import { printable } from "../explain/render/printable";
import type { CommandIo } from "./command";

const DEFAULT_FOLDER = "cdktf.out";

/** Reads the folders and files that a command is asked about, and the stated facts. */
export function readAsked(operands: readonly string[], facts: string | undefined): Explainer {
  const paths = operands.length > 0 ? operands : [DEFAULT_FOLDER];
  return Explainer.read(paths, facts === undefined ? {} : readFactsFile(facts));
}

/** How many places with the same reason are named one by one. */
const NAMED_EACH = 3;

/** Names what was found but not read: of many places with the same reason only the first, unless verbose. */
export function printSkipped({ skipped }: Explainer, io: CommandIo, isVerbose?: boolean): void {
  for (const [reason, all] of grouped(skipped, (each) => each.reason)) {
    const places = all.map(({ source }) => placeText(source));
    const shown = isVerbose === true || all.length <= NAMED_EACH + 1 ? places.length : NAMED_EACH;
    const lines = places.slice(0, shown).map((place) => `skipped ${place}: ${reason}`);
    const others = all.length - shown;
    if (others > 0) lines.push(`skipped ${others} others: ${reason}; explain --verbose names each`);
    for (const line of lines) io.err(`${printable(line)}\n`);
  }
}

/** How long work goes on silently, and how often it is shown afterwards, in milliseconds. */
const SILENT_FOR = 2000;
const SHOWN_EVERY = 250;
const CLEAR_LINE = "\r\u001b[K";

/** The items; where stderr is a terminal and they take longer than two seconds, how many there are so far. */
export function* withProgress<T>(
  items: Iterable<T>,
  what: string,
  io: CommandIo,
  now: () => number = Date.now,
): Generator<T> {
  if (!io.progress) return yield* items;
  let [count, next, isShown] = [0, now() + SILENT_FOR, false];
  try {
    for (const item of items) {
      count += 1;
      if (now() >= next) {
        io.err(`${CLEAR_LINE}${count} ${what}`);
        next = now() + SHOWN_EVERY;
        isShown = true;
      }
      yield item;
    }
  } finally {
    if (isShown) io.err(CLEAR_LINE);
  }
}
