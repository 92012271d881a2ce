/*
 * The list of what `bind` wrote into a folder, one path per line. Behind a file of a cdk8s app follow the stack that
 * filled it and the app's folder, which its path does not show.
 */

/** Name of the list of what earlier runs wrote; it has no extension, so that no reader of manifests picks it up. */
export const WRITTEN_FILES_LIST = ".workload-identity-files";

const SEPARATOR = "\t";

// A path that leaves the folder is never removed, whatever the list says.
const LISTED = /^(?:[^./\\][^/\\]*\/)*[^./\\][^/\\]*\.ya?ml$/;

/** What files were made from. */
export interface FileOwner {
  /** Id of the stack whose outputs filled them. */
  readonly stack: string;
  /**
   * Folder of the cdk8s app that they come from, relative to the target folder; if absent, they are the stack's
   * own, below a folder of its name.
   */
  readonly charts?: string;
}

/** A path below the folder, and its owner. */
export type WrittenFile = readonly [name: string, owner: FileOwner];

/** Reads the list's text; lines that are not the path of a YAML file below the folder are left out. */
export function readWrittenFiles(text: string): readonly WrittenFile[] {
  return text
    .split("\n")
    .map((line): WrittenFile => {
      const [name = "", stack = name.split("/")[0] ?? "", ...charts] = line.split(SEPARATOR);
      return [name, charts.length === 0 ? { stack } : { stack, charts: charts.join(SEPARATOR) }];
    })
    .filter(([name]) => LISTED.test(name));
}

/** The list's text, sorted by path. */
export function writtenFilesText(files: readonly WrittenFile[]): string {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { stack, charts }]) => [name, ...(charts === undefined ? [] : [stack, charts])])
    .map((parts) => `${parts.join(SEPARATOR)}\n`)
    .join("");
}

/** A text that is equal for equal owners. */
export function ownerKey({ stack, charts = "" }: FileOwner): string {
  return stack + SEPARATOR + charts;
}

/** Whether one may replace the other's files: a cdk8s app of the same stack may have moved to another folder. */
export function mayReplace(a: FileOwner, b: FileOwner): boolean {
  return a.stack === b.stack && (a.charts === undefined) === (b.charts === undefined);
}
