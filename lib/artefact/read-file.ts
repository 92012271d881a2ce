import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * The bytes of a regular file. Pipes, whose readers wait, and devices, which may never end, are refused.
 *
 * Throws Node's error for a file that cannot be read, and an error of that form for what is not a regular file.
 */
export function readFile(path: string): Buffer {
  return readAtMost(path, Infinity) ?? Buffer.alloc(0);
}

let notes: Map<string, string> | undefined;

/** What a reader returns, with a digest of each file that it has read, by the file's path. */
export function noting<T>(reader: () => T): readonly [read: T, digests: ReadonlyMap<string, string>] {
  const digests = (notes = new Map<string, string>());
  try {
    return [reader(), digests];
  } finally {
    notes = undefined;
  }
}

/** The bytes of a regular file; `undefined` if it has more than `bytes`. Throws what {@link readFile} throws. */
export function readAtMost(path: string, bytes: number): Buffer | undefined {
  // Without the second flag, opening a pipe waits for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() && !stat.isDirectory())
      throw Object.assign(new Error(path), { code: "it is not a regular file", syscall: "open", path });
    if (stat.size > bytes) return undefined;
    const read = readFileSync(file);
    notes?.set(path, createHash("sha256").update(read).digest("hex"));
    return read;
  } finally {
    closeSync(file);
  }
}
