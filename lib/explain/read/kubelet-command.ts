/*
 * What the files of a node say of the kubelet's command line: its systemd unit and the drop-ins of it.
 */

import { type Known, isKnown, known, orElse } from "../../model/known";
import type { KubeletFlags, NodeFact, NodeFileFact } from "./node-files";

/** Flag with the file or directory of CredentialProviderConfigs. */
export const CONFIG_FLAG = "image-credential-provider-config";
/** Flag with the directory of the plugins. */
export const BIN_FLAG = "image-credential-provider-bin-dir";

/** The command line, as far as files say it. */
export interface KubeletCommand {
  /** Flags and their values, without dashes. */
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
