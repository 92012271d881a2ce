import { closeSync, openSync, readSync } from "node:fs";

const CHUNK = 65_536;

/**
 * The bytes of a file; `undefined` where it has more than so many. A device such as `/dev/zero`, which never ends, is
 * read no further either.
 *
 * Throws what Node throws for a file that cannot be read.
 */
export function readAtMost(path: string, bytes: number): Buffer | undefined {
  const file = openSync(path, "r");
  try {
    const chunks: Buffer[] = [];
    for (let length = 0; length <= bytes;) {
      const chunk = Buffer.alloc(Math.min(CHUNK, bytes + 1 - length));
      const read = readSync(file, chunk);
      if (read === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, read));
      length += read;
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}
