import { isRecord } from "../model/record";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { jsonObject } from "./parsed-documents";
import { readFile } from "./read-file";
import {
  WORKLOAD_IDENTITY_FILE,
  type WorkloadIdentityFile,
  readWorkloadIdentity,
} from "./workload-identity-file";
import { refuseFolder, refuseUnreadable, refuseFile } from "./problems";

/** What one stack's folder holds. */
export interface StackFolder {
  readonly path: string;
  /** Its `workload-identity.json`. */
  readonly identity: WorkloadIdentityFile;
}

/**
 * Reads a synth output folder (`cdktf.out`) or the folder of one stack (`cdktf.out/stacks/prod`).
 *
 * Stacks that `manifest.json` of the output folder no longer names are left out: cdktf does not remove
 * their folders.
 */
export function readSynthFolder(path: string): readonly StackFolder[] {
  if (!isFolder(path)) return refuseFolder(path, existsSync(path) ? "is not a folder" : "does not exist");
  const folders = existsSync(join(path, WORKLOAD_IDENTITY_FILE)) ? [path] : stackFolders(path);
  const stacks = folders
    .filter((folder) => existsSync(join(folder, WORKLOAD_IDENTITY_FILE)))
    .map((folder) => {
      const file = join(folder, WORKLOAD_IDENTITY_FILE);
      return { path: folder, identity: readWorkloadIdentity(readText(file), file) };
    });
  return stacks.length > 0 ? stacks : refuseFolder(path, `holds no ${WORKLOAD_IDENTITY_FILE} of any stack`);
}

export function readText(path: string): string {
  try {
    return readFile(path).toString("utf8");
  } catch (error) {
    return refuseUnreadable(path, errorCode(error));
  }
}

/** `ENOENT` and the like, for messages. */
export function errorCode(error: unknown): string {
  return isRecord(error) && typeof error["code"] === "string" ? error["code"] : String(error);
}

/** The folders of the stacks of an output folder, sorted; none if it is not an output folder. */
export function stackFolders(path: string): readonly string[] {
  const stacks = join(path, "stacks");
  if (!isFolder(stacks)) return [];
  const manifest = join(path, "manifest.json");
  const named = existsSync(manifest) ? namedFolders(manifest) : undefined;
  return readdirSync(stacks)
    .sort()
    .filter((name) => named === undefined || named.has(name))
    .map((name) => join(stacks, name))
    .filter(isFolder);
}

/** Folder names of the stacks in cdktf's own manifest. */
function namedFolders(manifest: string): ReadonlySet<string> {
  const document = jsonObject(readText(manifest), (reason) => refuseFile(manifest, reason));
  const stacks = isRecord(document["stacks"]) ? Object.values(document["stacks"]) : [];
  return new Set(
    stacks.flatMap((stack) =>
      isRecord(stack) && typeof stack["workingDirectory"] === "string"
        ? [basename(stack["workingDirectory"])]
        : [],
    ),
  );
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
