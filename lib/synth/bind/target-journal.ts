/*
 * The changes that `bind` is about to make in a folder, and how to undo them: written to disk before the first change,
 * removed after the last. If a run finds a journal, an earlier run was killed, and the old files are put back.
 */

import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { BIND_JOURNAL, BIND_STAGE, isHalfBound } from "../../artefact/bind-stage";
import { jsonObject } from "../../artefact/parsed-documents";
import { errorCode } from "../../artefact/synth-folder";
import { isRecord } from "../../model/record";
import { makeFolders, missingFolders, removeEmpty } from "./make-folders";

/** A new text for a path below the folder; `undefined` removes the file. */
export type Change = readonly [path: string, text: string | undefined];

interface Entry {
  readonly path: string;
  /** SHA-256 of the new file; null if the file is removed. */
  readonly fresh: string | null;
  /** Name of the old file's copy in the staging folder; null if there was no file. */
  readonly old: string | null;
}

interface Journal {
  readonly entries: readonly Entry[];
  /** Folders to create, outer ones first. */
  readonly folders: readonly string[];
}

/** Makes all changes, or none if one fails; throws the file system's error. */
export function changeAll(folder: string, changes: readonly Change[], refuse: Refuse): void {
  const journal = begin(folder, changes, refuse);
  try {
    makeChanges(folder, changes, journal, refuse);
  } catch (error) {
    undo(folder, journal, refuse);
    throw error;
  }
  end(folder, journal);
}

/** Undoes the changes of a run that was killed, and returns the paths; empty if there was no such run. */
export function undoInterrupted(folder: string, refuse: Refuse): readonly string[] {
  return isHalfBound(folder) ? undo(folder, readJournal(folder, refuse), refuse) : [];
}

/** Throws, with the reason why nothing can be written. */
export type Refuse = (reason: string) => never;

/** Refuses a path with a symbolic link below the folder, which would lead writes elsewhere. */
export function refuseLinks(folder: string, path: string, refuse: Refuse): void {
  for (const part of [...foldersOf(path), path]) {
    const stat = lstatSync(join(folder, part), { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() === true) refuse(`ELOOP: ${join(folder, part)} is a symbolic link`);
    if (stat?.isDirectory() !== true) return;
  }
}

function begin(folder: string, changes: readonly Change[], refuse: Refuse): Journal {
  const stage = join(folder, BIND_STAGE);
  const folders = new Set(
    changes
      .filter(([, text]) => text !== undefined)
      .flatMap(([path]) => missingFolders(dirname(join(folder, path)), refuse)),
  );
  const entries = changes.map(([path, text], place): Entry => {
    const fresh = text === undefined ? null : hash(text);
    if (!existsSync(join(folder, path))) return { path, fresh, old: null };
    const old = `old-${place}`;
    copyFileSync(join(folder, path), join(stage, old));
    flush(join(stage, old));
    return { path, fresh, old };
  });
  const journal = { entries, folders: [...folders].map((path) => slashed(relative(folder, path))) };
  const draft = join(stage, `${BIND_JOURNAL}-draft`);
  writeFileSync(draft, JSON.stringify(journal), { flush: true });
  renameSync(draft, join(stage, BIND_JOURNAL));
  flush(stage);
  return journal;
}

function makeChanges(folder: string, changes: readonly Change[], { folders }: Journal, refuse: Refuse): void {
  for (const path of folders) makeFolders(join(folder, path), [], refuse);
  // All texts are written first: if the disk is full, no file has been replaced yet.
  for (const [place, [path, text]] of changes.entries())
    if (text !== undefined) writeFileSync(beside(folder, path, place), text, { flush: true });
  for (const [place, [path, text]] of changes.entries()) {
    if (text !== undefined) renameSync(beside(folder, path, place), join(folder, path));
    else rmSync(join(folder, path));
  }
  for (const [path, text] of changes)
    if (text === undefined) removeEmpty(foldersOf(path).map((each) => join(folder, each)));
}

/** Temporary path of a file, in the same folder, because another folder may be on another file system. */
function beside(folder: string, path: string, place: number): string {
  return join(folder, dirname(path), `.workload-identity-new-${place}`);
}

function end(folder: string, { entries }: Journal): void {
  const folders = new Set(entries.map(({ path }) => dirname(join(folder, path))));
  for (const path of [...folders, folder].filter(existsSync)) flush(path);
  rmSync(join(folder, BIND_STAGE, BIND_JOURNAL));
}

/**
 * Puts back the replaced files, except those that have been changed again since. Each step can be repeated, so this may
 * be killed at any time too.
 */
function undo(folder: string, journal: Journal, refuse: Refuse): readonly string[] {
  const undone = journal.entries.filter(({ path, fresh, old }, place) => {
    const target = join(folder, path);
    refuseLinks(folder, path, refuse);
    rmSync(beside(folder, path, place), { force: true });
    if (hashOf(target) !== fresh) return false;
    if (old === null) rmSync(target);
    else {
      makeFolders(dirname(target), [], refuse);
      copyFileSync(join(folder, BIND_STAGE, old), beside(folder, path, place));
      flush(beside(folder, path, place));
      renameSync(beside(folder, path, place), target);
    }
    return true;
  });
  removeEmpty(journal.folders.map((path) => join(folder, path)));
  end(folder, journal);
  return undone.map(({ path }) => path);
}

function readJournal(folder: string, refuse: Refuse): Journal {
  const path = join(folder, BIND_STAGE, BIND_JOURNAL);
  const wrong = (): never => refuse(`${path}, the journal of an interrupted bind, has been changed`);
  const { entries, folders } = jsonObject(readFileSync(path, "utf8"), wrong);
  if (!Array.isArray(entries) || !entries.every(isEntry)) return wrong();
  if (!Array.isArray(folders) || !folders.every(isBelow)) return wrong();
  return { entries, folders };
}

function isEntry(entry: unknown): entry is Entry {
  if (!isRecord(entry)) return false;
  const { path, fresh, old } = entry;
  return (
    isBelow(path) &&
    (fresh === null || typeof fresh === "string") &&
    (old === null || (typeof old === "string" && /^old-\d+$/.test(old)))
  );
}

/** Whatever the journal says, paths outside the folder are never written. */
function isBelow(path: unknown): path is string {
  return typeof path === "string" && path.split(/[/\\]/).every((part) => !["", ".", ".."].includes(part));
}

function hash(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}

function hashOf(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? hash(readFileSync(path)) : null;
}

/** Flushes a file to disk, or a folder's entries if the file system supports that. */
function flush(path: string): void {
  if (process.platform === "win32") return;
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } catch (error) {
    if (!["EINVAL", "ENOTSUP", "ENOSYS", "EPERM", "EISDIR", "EBADF"].includes(errorCode(error))) throw error;
  } finally {
    closeSync(file);
  }
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** The folders of a path, outer ones first. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, place) => parts.slice(0, place + 1).join("/"));
}
