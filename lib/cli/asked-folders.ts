import { Explainer, readFactsFile } from "../explain";
import { placeText } from "../explain/read/source-lines";
import { printable } from "../explain/render/printable";
import type { CommandIo } from "./command";

const DEFAULT_FOLDER = "cdktf.out";

/** Reads what a command is asked about: the folders and files, and the facts that are stated besides. */
export function readAsked(operands: readonly string[], facts: string | undefined): Explainer {
  const paths = operands.length > 0 ? operands : [DEFAULT_FOLDER];
  return Explainer.read(paths, facts === undefined ? {} : readFactsFile(facts));
}

/** Names what was found and not read. */
export function printSkipped({ skipped }: Explainer, io: CommandIo): void {
  for (const { source, reason } of skipped)
    io.err(`${printable(`skipped ${placeText(source)}: ${reason}`)}\n`);
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
