/*
 * Files and kubelet flags of nodes, as plain node setups carry them.
 */

import { propertyPath } from "../../artefact/property-path";
import { type Known, known, notKnown, unread } from "../../model/known";
import { at, list } from "../../model/parsed";
import { isRecord } from "../../model/record";
import type { LateReader } from "./late-text";
import { type Source, below } from "./source";

/** A file on a node. */
export interface NodeFileFact {
  /** Its text; not known where it cannot be read, or where it is not known what stands there. */
  readonly content: Known<string>;
  readonly source: Source;
  /** The MachineConfig that writes it; `undefined` where none does. */
  readonly owner: string | undefined;
  /** What other MachineConfigs write to the same path, and what is not there therefore, in their order. */
  readonly overwrites: readonly NodeFileFact[];
}

/** Flags of a kubelet, without dashes; a value is not known where it is no text. */
export type KubeletFlags = ReadonlyMap<string, Known<string>>;

/** The nodes of one pool, or all nodes. */
export interface NodeFact {
  /** The pool, or the file's name. */
  readonly name: string;
  readonly files: ReadonlyMap<string, NodeFileFact>;
  /** Kubelet flags that stand beside the files; `undefined` where the platform sets them. */
  readonly flags: Known<KubeletFlags> | undefined;
  /** Why the files are on no node, `undefined` where they are on those of that name; not known where they may be. */
  readonly absence: Known<string | undefined>;
  readonly source: Source;
}

/** True for a node setup as the plain carrier writes it. */
export function isNodeSetup(document: unknown): boolean {
  const flags = at(document, "kubeletFlags");
  return (
    at(document, "kind") === undefined &&
    Array.isArray(at(document, "files")) &&
    typeof flags === "object" &&
    flags !== null
  );
}

/** Reads a plain node setup. */
export function readNodeSetup(document: unknown, source: Source, late: LateReader): NodeFact {
  const files = new Map<string, NodeFileFact>();
  for (const [index, file] of list(at(document, "files")).entries()) {
    const [path, text] = [at(file, "path"), at(file, "content")];
    if (typeof path !== "string") continue;
    const content = typeof text === "string" ? late(text) : unread(`the content of ${path} is no text`);
    files.set(path, {
      content: files.has(path)
        ? notKnown({ kind: "contested", what: `${path} stands twice among the files` })
        : content,
      source: below(source, propertyPath(["files", index, "content"])),
      owner: undefined,
      overwrites: [],
    });
  }
  const name = /([^/\\]+)\.ya?ml$/.exec(source.file)?.[1] ?? source.file;
  const flags = flagsOf(at(document, "kubeletFlags"), late);
  return { name, files, flags, absence: known(undefined), source };
}

function flagsOf(written: unknown, late: LateReader): Known<KubeletFlags> {
  if (!isRecord(written)) return unread("kubeletFlags is a list, no mapping");
  const rows = Object.entries(written).map(([key, value]): [string, Known<string>] => {
    const name = key.replace(/^--/, "");
    const isText = ["string", "number", "boolean"].includes(typeof value);
    return [name, isText ? late(String(value)) : unread(`the value of kubeletFlags.${name} is no text`)];
  });
  return known(new Map(rows));
}
