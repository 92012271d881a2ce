import { isAscii, isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import { type InvalidText, lineAt, readJson, readYaml } from "../../artefact/parsed-documents";
import { readFile } from "../../artefact/read-file";
import { errorCode } from "../../artefact/synth-folder";
import { fail } from "../../errors";
import { type Known, notKnown, unread, whyNot } from "../../model/known";
import { syntaxOf } from "../../model/node-document";
import { type Tree, parsedTree, treeOf } from "../../model/tree";
import { withoutCredentials } from "./credentials";
import { foreignForm } from "./foreign-forms";
import type { Source } from "./source";

export interface FileDocument {
  /** The parsed document; `null` or `undefined` for an empty one. */
  readonly value: unknown;
  readonly source: Source;
  /** The first line of a file with a single YAML document; empty for one of several. */
  readonly head?: string;
}

const MEBIBYTE = 1024 * 1024;
/** Plans of large estates have tens of megabytes, which V8 reads in a second or two. */
const JSON_MAX = 256 * MEBIBYTE;
/** YAML takes some hundred times as long; 100,000 service accounts fit. */
const YAML_MAX = 32 * MEBIBYTE;

/** Refuses a file; `reason` follows "file". */
export function invalidFile(
  file: string,
  line: number,
  reason: string,
  allowed: string = "YAML or JSON in UTF-8",
  remedy: string = "correct the file: a verdict from half of the facts would be worthless",
): never {
  return fail("explain-invalid", {
    problem: `file ${reason}`,
    value: `${file}:${line}`,
    allowed,
    remedy,
  });
}

/** The result of a file system call; throws if the system refuses it. */
export function readable<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && !("syscall" in error)) throw error;
    const code = errorCode(error);
    return fail("explain-invalid", {
      problem: `file cannot be read (${code})`,
      value: path,
      remedy:
        code === "ENOENT"
          ? "there is no such file: check the path, and that no other program removes it while it is read"
          : "check its permissions",
    });
  }
}

/** The text of a UTF-8 file without its byte order mark; throws above 256 MiB for JSON, 32 MiB for YAML. */
export function readText(path: string): string {
  const bytes = readable(path, () => {
    const { size } = statSync(path);
    const most = path.endsWith(".json") ? JSON_MAX : YAML_MAX;
    if (size <= most) return readFile(path);
    return fail("explain-limit", {
      problem: `file of ${size} bytes is larger than explain reads`,
      value: path,
      allowed: `at most ${most} bytes`,
      remedy: "split the file, or name only the files that the question is about",
    });
  });
  // Much faster, and true for nearly every file.
  if (isAscii(bytes)) return bytes.toString("latin1");
  const decoded = bytes.toString("utf8");
  if (isUtf8(bytes)) return decoded.startsWith("\ufeff") ? decoded.slice(1) : decoded;
  const again = Buffer.from(decoded, "utf8");
  const first = again.findIndex((byte, place) => byte !== bytes[place]);
  const form = foreignForm(path, bytes.toString("latin1"));
  const line = lineAt(bytes.toString("latin1"), first);
  return invalidFile(path, line, form ? `is ${form.what}` : "is not UTF-8", undefined, form?.remedy);
}

/** The text of a file; `undefined` if it is gone or is not a file. */
export function textIfReadable(path: string): string | undefined {
  try {
    return readText(path);
  } catch {
    return undefined;
  }
}

/**
 * The documents of a text, JSON or YAML by the name of its file. Throws, with file and line, for syntax errors,
 * repeated keys, more than 200 levels, aliases that multiply, and more than 50,000 documents that this library did not
 * write.
 */
export function documentsIn(text: string, file: string): readonly FileDocument[] {
  const read = triedDocuments(text, file);
  return "reason" in read ? invalidFile(file, read.line, read.reason) : read;
}

/** As {@link documentsIn}, without throwing. */
export function triedDocuments(text: string, file: string): readonly FileDocument[] | InvalidText {
  const syntax = syntaxOf(file);
  // Only forms of node configuration have such files, and each form reads its own.
  if (syntax === "text") return [{ value: text, source: { file, path: "" } }];
  const read = syntax === "json" ? readJson(text) : readYaml(text);
  if ("reason" in read) return read;
  if (syntax === "json") return read.values.map((value) => ({ value, source: { file, path: "" } }));
  const head = read.values.length === 1 ? (/^.*/.exec(text)?.[0] ?? "") : "";
  return read.values.map((value, document) => ({ value, source: { file, document, path: "" }, head }));
}

/**
 * Parses one JSON document. Throws, with file and line, for syntax errors, for more than 200 levels, so that readers
 * may recurse, and for repeated keys, unless a program wrote the file that never repeats one.
 */
export function parseJson(text: string, file: string, writtenByProgram: boolean): unknown {
  const read = readJson(text, writtenByProgram);
  return "reason" in read ? invalidFile(file, read.line, read.reason) : read.values[0];
}

/** All documents of a YAML or JSON text; `undefined` if it is neither. */
export function yamlValues(text: string): readonly unknown[] | undefined {
  const read = readYaml(text);
  return "values" in read ? read.values : undefined;
}

/** The JSON or YAML that another document holds as a text, without its credentials; unknown if it is neither. */
export function embedded(text: Known<string>): Tree {
  return withoutCredentials(firstDocument(text).value);
}

export interface FirstDocument {
  /** The parsed value; `null` for an empty document, unknown if it cannot be read. */
  readonly value: Tree;
  /** What is certainly wrong with it; `undefined` if nothing is. */
  readonly error: string | undefined;
}

/**
 * Reads only the first document, as the kubelet does. Errors are returned, not thrown, because a node reads this file,
 * and the caller did not name it.
 */
export function firstDocument(text: Known<string>): FirstDocument {
  let error: string | undefined;
  const value = parsedTree(text, (plain) => {
    const read = readYaml(plain, true);
    if ("values" in read) return treeOf(read.values[0] ?? null);
    if (read.isTooMuch) return unread(`it cannot be read here: it ${read.reason}`);
    error = read.reason.replace(/^is not YAML: /, "");
    return notKnown({ kind: "malformed", what: `it ${read.reason}` });
  });
  // If it holds references, the values that they get may make it valid.
  return { value, error: whyNot(text) === undefined ? error : undefined };
}
