import { isAscii, isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import { readFile } from "../../artefact/read-file";
import { errorCode } from "../../artefact/synth-folder";
import { fail } from "../../errors";

const MEBIBYTE = 1024 * 1024;

/** Plans of large estates have tens of megabytes; V8 reads them in a second or two. */
const JSON_MAX = 256 * MEBIBYTE;

/** YAML takes some hundred times as long; 100,000 service accounts fit. */
const YAML_MAX = 32 * MEBIBYTE;

/**
 * The text of a file in UTF-8, without byte order mark.
 *
 * Throws `explain-file-unreadable`, `explain-file-too-large` (JSON 256 MiB, YAML 32 MiB) or `explain-file-invalid`.
 */
export function readUtf8(path: string): string {
  const most = path.endsWith(".json") ? JSON_MAX : YAML_MAX;
  const bytes = bytesOf(path, most);
  // Far faster, and true of nearly every file.
  if (isAscii(bytes)) return bytes.toString("latin1");
  const decoded = bytes.toString("utf8");
  if (isUtf8(bytes)) return decoded.startsWith("\ufeff") ? decoded.slice(1) : decoded;
  const again = Buffer.from(decoded, "utf8");
  const first = again.findIndex((byte, place) => byte !== bytes[place]);
  return fail("explain-file-invalid", path, lineAt(bytes.toString("latin1"), first), "is not UTF-8");
}

/** The line, from 1, of a position in a text. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, Math.max(0, position)).split("\n").length;
}

function bytesOf(path: string, most: number): Buffer {
  return readable(path, () => {
    const { size } = statSync(path);
    return size > most ? fail("explain-file-too-large", path, size, most) : readFile(path);
  });
}

/** What a call of the file system gives; throws `explain-file-unreadable` where the system refuses it. */
export function readable<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && !("syscall" in error)) throw error;
    return fail("explain-file-unreadable", path, errorCode(error));
  }
}

/** Whether a file is there; throws `explain-file-unreadable` where that cannot be told. */
export function isThere(path: string): boolean {
  return readable(path, () => statSync(path, { throwIfNoEntry: false })) !== undefined;
}
