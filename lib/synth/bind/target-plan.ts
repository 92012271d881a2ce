import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../../errors";
import {
  type FileOwner,
  WRITTEN_FILES_LIST,
  type WrittenFile,
  mayReplace,
  ownerKey,
  readWrittenFiles,
  writtenFilesText,
} from "../../artefact/written-files-list";
import { refuseLinks } from "./target-journal";

/** All finished files of one source. */
export interface FileSet {
  /** The source: what it wrote earlier and no longer has is removed. */
  readonly owner: FileOwner;
  /** Texts by path below the target folder, with `/`. */
  readonly files: ReadonlyMap<string, string>;
}

/** What makes a folder hold the files of some sources. */
export interface TargetPlan {
  /** Every path of the sources, sorted. */
  readonly files: readonly string[];
  /** Paths of files to remove, sorted. */
  readonly removed: readonly string[];
  /** Texts that the folder does not have yet, with the list of files. */
  readonly texts: readonly (readonly [name: string, text: string])[];
}

/**
 * Compares the folder with what it shall hold; changes nothing.
 */
export function targetPlan(
  folder: string,
  sets: readonly FileSet[],
  refuse: (reason: string) => never,
): TargetPlan {
  const current = (name: string): string | undefined => {
    refuseLinks(folder, name, refuse);
    return textOf(join(folder, name), refuse);
  };
  const isMissing = ([name, text]: readonly [string, string]): boolean => current(name) !== text;
  const listed = readWrittenFiles(current(WRITTEN_FILES_LIST) ?? "").filter(([name]) =>
    existsSync(join(folder, name)),
  );
  const texts = sets.flatMap(({ files }) => [...files].filter(isMissing));
  const fresh = new Map(
    sets.flatMap(({ owner, files }) => [...files.keys()].map((name): WrittenFile => [name, owner])),
  );
  assertOwn(folder, texts, fresh, new Map(listed));

  const owners = new Set(sets.map(({ owner }) => ownerKey(owner)));
  const others = listed.filter(([name]) => !fresh.has(name));
  const kept = others.filter(([, owner]) => !owners.has(ownerKey(owner)));
  const removed = others.filter(([, owner]) => owners.has(ownerKey(owner))).map(([name]) => name);
  for (const name of removed) refuseLinks(folder, name, refuse);
  const list: readonly [string, string] = [WRITTEN_FILES_LIST, writtenFilesText([...kept, ...fresh])];
  return {
    files: [...fresh.keys()].sort(),
    removed: removed.sort(),
    texts: [...texts, ...[list].filter(isMissing)],
  };
}

function assertOwn(
  folder: string,
  texts: TargetPlan["texts"],
  fresh: ReadonlyMap<string, FileOwner>,
  listed: ReadonlyMap<string, FileOwner>,
): void {
  const isOwn = (name: string): boolean => {
    const [owner, earlier] = [fresh.get(name), listed.get(name)];
    return owner !== undefined && earlier !== undefined && mayReplace(owner, earlier);
  };
  const taken = texts
    .map(([name]) => name)
    .filter((name) => existsSync(join(folder, name)) && !isOwn(name))
    .sort();
  if (taken.length > 0)
    fail("bind-conflict", {
      problem: `files in ${folder} that bind did not write for the same stack would be replaced`,
      value: taken,
      allowed: "files that .workload-identity-files in the folder lists for the stack, and free paths",
      remedy:
        "move them away or choose another folder; where an earlier bind wrote them, put its .workload-identity-files back beside them",
    });
}

/** The text of a file, if there is one. */
function textOf(path: string, refuse: (reason: string) => never): string | undefined {
  if (!existsSync(path)) return undefined;
  const stat = statSync(path);
  // Reading a folder fails with an error that does not name it; reading a pipe never ends.
  if (stat.isDirectory()) refuse(`EISDIR: ${path} is a folder`);
  if (!stat.isFile()) refuse(`${path} is not a regular file`);
  return readFileSync(path, "utf8");
}
