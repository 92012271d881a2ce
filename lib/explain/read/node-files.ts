/*
 * Files and kubelet flags of nodes: as plain node setups carry them, and as the files themselves say them, which are the
 * kubelet's systemd unit and the drop-ins of it.
 */

import { propertyPath } from "../../artefact/property-path";
import { type Known, isKnown, known, match, notKnown, orElse, unread } from "../../model/known";
import { at, list } from "../../model/parsed";
import { isRecord } from "../../model/record";
import type { LateReader } from "./late-text";
import { type Source, below } from "./source";

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

/** Flag with the file or directory of CredentialProviderConfigs. */
export const CONFIG_FLAG = "image-credential-provider-config";
/** Flag with the directory of the plugins. */
export const BIN_FLAG = "image-credential-provider-bin-dir";

/** The command line, as far as files say it. */
export interface KubeletCommand {
  readonly flags: KubeletFlags;
  /**
   * `whole` where a file has the command and nothing else can add to it; `partial` where it also takes variables that
   * are not known, or a file cannot be read; `added` where files only set variables of a command that was not read.
   */
  readonly extent: "whole" | "partial" | "added";
  /** The file that has the command, or the last one that sets a variable. */
  readonly path: string;
}

const UNIT = "/etc/systemd/system/kubelet.service";
const FLAG =
  /--(image-credential-provider-config|image-credential-provider-bin-dir|feature-gates|config)(?:=|\s+)["']?([^\s"'-][^\s"']*)/g;

function isKubeletUnit(path: string): boolean {
  return path === UNIT || (path.startsWith(`${UNIT}.d/`) && path.endsWith(".conf"));
}

/** The text of a file; empty where it is not known, which whoever asks has to see to. */
function textOf({ content }: NodeFileFact): string {
  return orElse(content, () => "");
}

/**
 * The kubelet's command line; `undefined` where no file says anything of it.
 *
 * Source: systemd.unit(5) and systemd.service(5): drop-ins are read by the names of their files after the unit; the
 * later setting wins, and an empty `ExecStart=` forgets the commands before it.
 */
export function kubeletCommand({ files }: NodeFact): KubeletCommand | undefined {
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

/** By path, of which the unit's is the shortest. */
function unitFirst([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** The values of a setting, in their order; a backslash at the end of a line goes on in the next. */
function settings(content: string, name: string): readonly string[] {
  return content
    .replace(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => new RegExp(`^${name}\\s*=`).test(line))
    .map((line) => line.slice(line.indexOf("=") + 1).trim());
}

function flagsIn(text: string): KubeletFlags {
  return new Map(
    [...text.matchAll(FLAG)].map(([, name = "", value = ""]): [string, Known<string>] => [
      name,
      known(value),
    ]),
  );
}

/** Whether a text holds a word, in one of its known parts where it is late. */
export function mayHold(content: Known<string>, word: string): boolean {
  return match(
    content,
    (text) => text.includes(word),
    (why) =>
      why.kind === "apply" && why.parts.some((part) => typeof part === "string" && part.includes(word)),
  );
}
