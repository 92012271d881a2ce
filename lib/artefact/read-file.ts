import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * The bytes of a regular file. Pipes, whose readers wait, and devices, which may never end, are refused.
 *
 * Throws Node's error for a file that cannot be read, and an error of that form for what is not a regular file.
 */
export function readFile(path: string): Buffer {
  return readAtMost(path, Infinity) ?? Buffer.alloc(0);
}

/** The bytes of a regular file; `undefined` if it has more than `bytes`. Throws what {@link readFile} throws. */
export function readAtMost(path: string, bytes: number): Buffer | undefined {
  // Without the second flag, opening a pipe waits for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() && !stat.isDirectory())
      throw Object.assign(new Error(path), { code: "it is not a regular file", syscall: "open", path });
    return stat.size > bytes ? undefined : readFileSync(file);
  } finally {
    closeSync(file);
  }
}
