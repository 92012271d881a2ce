/*
 * Files and kubelet flags of nodes, as plain node setups carry them.
 */

import type { Known } from "../../model/known";
import type { Source } from "./source";

/** A file on a node. */
export interface NodeFileFact {
  /** Its text; not known where it cannot be read, or where it is not known what stands there. */
  readonly content: Known<string>;
  /** Where it stands. */
  readonly source: Source;
  /** The MachineConfig that writes it; `undefined` where none does. */
  readonly owner: string | undefined;
  /** What other MachineConfigs write to the same path, and what is not there therefore, in their order. */
  readonly overwrites: readonly NodeFileFact[];
}

/** The nodes of one pool, or all nodes. */
export interface NodeFact {
  /** The pool, or the file's name. */
  readonly name: string;
  /** How files and flags get to the nodes. */
  readonly carrier: "plain" | "machine-config";
  /** The files by path. */
  readonly files: ReadonlyMap<string, NodeFileFact>;
  /** Kubelet flags that stand beside the files, without dashes; `undefined` where the platform sets them. */
  readonly flags: ReadonlyMap<string, Known<string>> | undefined;
  /** Known where the files are on the nodes of that name; else why that is not known, or why they are on none. */
  readonly isThere: Known<NodeFilesThere>;
  /** Where it stands. */
  readonly source: Source;
}

/** Whether files are on nodes, and why not. */
export type NodeFilesThere = { readonly there: true } | { readonly there: false; readonly reason: string };
