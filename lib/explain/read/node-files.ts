/*
 * Files of nodes, and the kubelet flags that they contain: in the kubelet's systemd unit and its drop-ins, or in the
 * configuration of a distribution.
 */

import { type Known, hides, isKnown, known, orElse, partsOf, unread } from "../../model/known";
import { isRecord } from "../../model/record";
import { plainOf } from "../../model/tree";
import { unitLines } from "../../rules/node/commands";
import { flagsInTurn } from "../../rules/node/form";
import { KUBELET_FILES, type KubeletFiles } from "../../rules/node/forms";
import { CONFIG_FLAG } from "../../rules/node/host";
import { firstDocument } from "./documents";
import type { Source } from "./source";

export interface NodeFileFact {
  /** Its text; unknown if it cannot be read or determined. */
  readonly content: Known<string>;
  readonly source: Source;
  /** Permission bits; `undefined` if they are not stated. */
  readonly mode?: number | undefined;
  /** As of a `CarriedFile`. */
  readonly sha256?: string | undefined;
  /** The MachineConfig that writes it; `undefined` if none does. */
  readonly owner: string | undefined;
  /** The overwritten files that other MachineConfigs write to the same path, in their order. */
  readonly overwrites: readonly NodeFileFact[];
}

/** Flags of a kubelet, without dashes; a value that is not a string is unknown. */
export type KubeletFlags = ReadonlyMap<string, Known<string>>;

/** The nodes of one pool, or all nodes. */
export interface NodeFact {
  /** The pool, or the file's name. */
  readonly name: string;
  readonly files: ReadonlyMap<string, NodeFileFact>;
  /** Kubelet flags in the same document as the files; `undefined` if the platform sets them. */
  readonly flags: Known<KubeletFlags> | undefined;
  /** Fields of a KubeletConfiguration in the same document. */
  readonly configuration?: unknown;
  /** Version of their kubelets, as far as the documents state it. */
  readonly kubelet?: string | undefined;
  /** Commands that run on the nodes, as shells get them. */
  readonly commands?: readonly string[];
  /** Why the files are on no node; `undefined` if they are on the nodes with the name; unknown if they may be. */
  readonly absence: Known<string | undefined>;
  /** What of their documents is not understood, and may change the kubelet; a clause. */
  readonly doubt?: string | undefined;
  readonly source: Source;
}

export { BIN_FLAG, CONFIG_FLAG } from "../../rules/node/host";

/** The command line, as far as files contain it. */
export interface KubeletCommand {
  readonly flags: KubeletFlags;
  /**
   * `whole` if a file has the command and nothing else can add to it; `partial` if it also uses variables that are not
   * known, or a file cannot be read; `added` if files only set variables of a command that was not read.
   */
  readonly extent: "whole" | "partial" | "added";
  /** The file that has the command, or the last one that sets a variable. */
  readonly path: string;
  /** What keeps releases of a distribution from using the flags in its configuration. */
  readonly obstacle?: KubeletFiles["obstacle"];
}

const UNIT = "/etc/systemd/system/kubelet.service";
const FLAG =
  /--(image-credential-provider-config|image-credential-provider-bin-dir|feature-gates|config)(?:=|\s+)["']?([^\s"'-][^\s"']*)/g;

function isKubeletUnit(path: string): boolean {
  return path === UNIT || (path.startsWith(`${UNIT}.d/`) && path.endsWith(".conf"));
}

/** The text of a file; empty if it is not known, which callers must check. */
function textOf({ content }: NodeFileFact): string {
  return orElse(content, () => "");
}

/** The kubelet's command line; `undefined` if no file contains any of it. */
export function kubeletCommand(node: NodeFact): KubeletCommand | undefined {
  return distributionCommand(node) ?? unitCommand(node);
}

/** The flags in a distribution's configuration, which holds the kubelet's whole command line. */
function distributionCommand({ files }: NodeFact): KubeletCommand | undefined {
  for (const { isOne, isRead, flags, obstacle } of KUBELET_FILES) {
    const units = [...files].filter(([path]) => isOne(path)).sort(unitFirst);
    const parsed = units
      .filter(([file]) => isRead(file))
      .map(([file, { content }]) => ({ file, tree: firstDocument(content).value }));
    const path = parsed.at(-1)?.file ?? units[0]?.[0];
    if (path === undefined) continue;
    const documents = parsed.map(({ tree }) => plainOf(tree, ""));
    // Neither K3s nor MicroShift starts with a file that is not a mapping; an empty file is accepted.
    const unread = parsed.find(
      ({ tree }, place) => !isKnown(tree) || !(isRecord(documents[place]) || (documents[place] ?? "") === ""),
    );
    if (unread) return { flags: new Map(), extent: "partial", path: unread.file };
    return {
      flags: flagsOf(flags(documents), known),
      extent: "whole",
      path,
      ...(obstacle && { obstacle }),
    };
  }
  return undefined;
}

export function flagsOf(
  stated: Readonly<Record<string, unknown>>,
  late: (text: string) => Known<string>,
): KubeletFlags {
  return new Map(
    Object.entries(stated).map(([flag, value]): [string, Known<string>] => [
      flag,
      ["string", "number", "boolean"].includes(typeof value)
        ? late(String(value))
        : unread(`the value of the kubelet flag ${flag} is not a string`),
    ]),
  );
}

/**
 * Source: systemd.unit(5) and systemd.service(5): drop-ins are read by the names of their files after the unit; the
 * later setting wins, and an empty `ExecStart=` forgets the commands before it.
 */
function unitCommand({ files }: NodeFact): KubeletCommand | undefined {
  const units = [...files].filter(([path]) => isKubeletUnit(path)).sort(unitFirst);
  const [unread] = units.find(([, { content }]) => !isKnown(content)) ?? [];
  if (unread !== undefined) return { flags: new Map(), extent: "partial", path: unread };
  let command: { readonly text: string; readonly path: string } | undefined;
  for (const [path, file] of units)
    for (const text of settings(textOf(file), "ExecStart")) command = { text, path };
  if (command === undefined || command.text === "") {
    const [path, file] = flagDropIns(files).at(-1) ?? [];
    return path === undefined || file === undefined
      ? undefined
      : { flags: flagsIn(textOf(file)), extent: "added", path };
  }
  const variables = units.flatMap(([, file]) => settings(textOf(file), "Environment")).join("\n");
  const takesVariables = command.text.includes("$");
  const flags = flagsIn(takesVariables ? `${variables}\n${command.text}` : command.text);
  return { flags, extent: takesVariables ? "partial" : "whole", path: command.path };
}

/** The drop-ins of the kubelet's unit that hold one of the flags, in the order in which systemd reads them. */
export function flagDropIns(
  files: ReadonlyMap<string, NodeFileFact>,
): readonly (readonly [string, NodeFileFact])[] {
  return [...files]
    .filter(
      ([path, file]) => path !== UNIT && isKubeletUnit(path) && textOf(file).includes(`--${CONFIG_FLAG}`),
    )
    .sort(unitFirst);
}

/** Sorts by path: the unit's is the shortest. */
function unitFirst([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** The values of a setting, in order. */
function settings(content: string, name: string): readonly string[] {
  return unitLines(content)
    .filter((line) => new RegExp(`^${name}\\s*=`).test(line))
    .map((line) => line.slice(line.indexOf("=") + 1).trim());
}

function flagsIn(text: string): KubeletFlags {
  const rows = [...text.matchAll(FLAG)].map(([, name = "", value = ""]) => [name, value] as const);
  return flagsOf(flagsInTurn(rows), known);
}

/** Whether a text, or a known part of a late text, contains a word. */
export function mayHold(content: Known<string>, word: string): boolean {
  const holds = (text: string): boolean => text.includes(word);
  const parts = partsOf(content) ?? [];
  return hides(content, holds) || parts.some((part) => typeof part === "string" && holds(part));
}
