/*
 * A bundle: a folder with what the commands of `doctor --collect` printed, each of them optional.
 */

import { statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fail } from "../errors";
import { invalidFile, readText, readable } from "../explain/read/documents";
import { inputFiles } from "../explain/read/input-files";
import type { SkippedDocument } from "../explain/read/source";
import type { Evidence } from "../explain/answer";
import { parsedJson } from "../model/parsed";
import { COLLECTED, type Collected, OF_NODE, type Reading } from "./collect";
import { secretIn } from "./messages";

/** A file of a bundle that is not empty. */
export interface BundleFile {
  readonly path: string;
  readonly text: string;
}

export interface Bundle {
  /** Files by how they are read. */
  readonly files: ReadonlyMap<Reading, readonly BundleFile[]>;
  /** Names of the files that have something, without their folders. */
  readonly names: ReadonlySet<string>;
  /** Links, pipes and devices, which are not read. */
  readonly skipped: readonly SkippedDocument[];
}

/** Files of which lines are messages, whatever their name. */
const LOG = /\.(?:log|txt)$/;
/** What the commands that failed printed; it says nothing of a chain. */
const ERRORS = "errors.txt";
/** How a file begins whose command failed, and wrote why in the place of what it prints. */
const FAILED =
  /^\s*(?:Error from server|error:|curl:|An error occurred \(|ERROR: |[\w./-]+: .*(?:No such file|[Pp]ermission denied|not found|cannot access))/;

/** Reads a bundle. Throws if anything in it looks like a secret: nothing secret is needed, and it is often sent on. */
export function readBundle(folder: string): Bundle {
  if (!readable(folder, () => statSync(folder)).isDirectory())
    fail("explain-invalid", {
      problem: "a bundle is a folder",
      value: folder,
      allowed: "the folder that the script of `doctor --collect CLOUD --script` wrote",
      remedy: "name the folder; for one message, use --message",
    });
  const { files, others, skipped } = inputFiles([folder]);
  const byReading = new Map<Reading, BundleFile[]>();
  const names = new Set<string>();
  for (const path of [...files, ...others].sort()) {
    const name = relative(folder, path);
    const read = readingOf(name);
    const file = { path, text: readText(path) };
    refuseSecret(file);
    if (read === undefined || file.text.trim() === "" || (!LOGS.has(read) && FAILED.test(file.text)))
      continue;
    if (OF_NODE.has(basename(name)) && names.has(basename(name)))
      invalidFile(path, 1, "is in the bundle twice", "files of one node", "make a bundle of each node");
    names.add(basename(name));
    byReading.set(read, [...(byReading.get(read) ?? []), file]);
  }
  if (names.size === 0)
    fail("explain-missing", {
      problem: "the bundle has no file with anything in it",
      value: folder,
      allowed: [...COLLECTED.keys()].join(", "),
      remedy: `run the script of \`doctor --collect CLOUD --script\`; what failed is in ${join(folder, ERRORS)}`,
    });
  return { files: byReading, names, skipped };
}

const LOGS: ReadonlySet<Reading> = new Set<Reading>(["log", "pod-log"]);

function readingOf(name: string): Reading | undefined {
  const row = COLLECTED.get(basename(name));
  if (row) return row.read ?? "explain";
  if (basename(name) === ERRORS) return undefined;
  return LOG.test(name) ? "log" : "explain";
}

function refuseSecret({ path, text }: BundleFile): void {
  const secret = secretIn(text);
  if (secret === undefined) return;
  fail("explain-invalid", {
    problem: `file holds ${secret.what}`,
    value: `${path}:${secret.line}`,
    allowed: "no secrets: of tokens claims, of Secrets names and keys",
    remedy: "delete it there, or collect the file again with the command of `doctor --collect`",
  });
}

export function filesOf({ files }: Bundle, read: Reading): readonly BundleFile[] {
  return files.get(read) ?? [];
}

/** What JSON a file holds; `undefined` if it is of another form. Throws if it is cut off. */
export function jsonIn({ path, text }: BundleFile): unknown {
  const value = parsedJson(text);
  return value === undefined && /^\s*[[{]/.test(text) ? invalidFile(path, 1, "is not whole JSON") : value;
}

/** The lines that were written to their end. */
export function wholeLines({ text }: BundleFile): readonly string[] {
  return text.split(/\r?\n/).slice(0, -1);
}

export function atLine({ path }: BundleFile, line: number, text: string): Evidence {
  return { text, source: { file: path, path: "", line } };
}

export function inFile({ path }: BundleFile, text: string): Evidence {
  return { text, source: { file: path, path: "" } };
}

/** The command whose output a file is; `undefined` for a file of another name. */
export function commandOf(file: string): Collected | undefined {
  return COLLECTED.get(basename(file));
}
