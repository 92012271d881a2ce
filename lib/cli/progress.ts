import { listen } from "../explain/progress";
import type { CommandIo } from "./command";

/** How long work goes on silently, and how often it is shown afterwards, in milliseconds. */
const SILENT_FOR = 2000;
const SHOWN_EVERY = 250;
const CLEAR_LINE = "\r\u001b[K";

/**
 * Runs work whose steps are shown on `err` where that is a terminal and the work takes longer than two seconds: one line, up
 * to the first output.
 */
export async function withProgress<T>(
  io: CommandIo,
  work: (io: CommandIo) => T | Promise<T>,
  now: () => number = Date.now,
): Promise<T> {
  if (!io.progress) return work(io);
  const counts = new Map<string, number>();
  let [next, isShown] = [now() + SILENT_FOR, false];
  const clear = (): void => {
    if (isShown) io.err(CLEAR_LINE);
    isShown = false;
  };
  const cleared = (write: CommandIo["out"]) => ({
    value: (text: string): void => {
      // What is printed may not end its line, and shows by itself that work goes on.
      listen(undefined);
      clear();
      write(text);
    },
  });
  listen((what) => {
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    if (now() < next) return;
    next = now() + SHOWN_EVERY;
    isShown = true;
    io.err(`${CLEAR_LINE}${count} ${what}`);
  });
  try {
    // Copying the input would open it.
    return await work(Object.create(io, { out: cleared(io.out), err: cleared(io.err) }) as CommandIo);
  } finally {
    listen(undefined);
    clear();
  }
}
