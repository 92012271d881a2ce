/*
 * What the files of a node say of the kubelet's command line: its systemd unit and the drop-ins of it.
 */

import type { NodeFact, NodeFileFact } from "./node-facts";
import { CONFIG_FLAG } from "./node-flags";

/** The command line, as far as files say it. */
export interface KubeletCommand {
  /** Flags and their values, without dashes. */
  readonly flags: Readonly<Record<string, string>>;
  /**
   * `whole` where a file has the command and nothing else can add to it; `partial` where it also takes variables that
   * are not known; `added` where files only set variables of a command that was not read.
   */
  readonly extent: "whole" | "partial" | "added";
  /** The file that has the command, or the last one that sets a variable. */
  readonly path: string;
}

const UNIT = "/etc/systemd/system/kubelet.service";
const FLAG =
  /--(image-credential-provider-config|image-credential-provider-bin-dir|feature-gates|config)(?:=|\s+)["']?([^\s"'-][^\s"']*)/g;

/** True for the kubelet's unit and drop-ins of it. */
export function isKubeletUnit(path: string): boolean {
  return path === UNIT || (path.startsWith(`${UNIT}.d/`) && path.endsWith(".conf"));
}

/**
 * The kubelet's command line; `undefined` where no file says anything of it.
 *
 * Source: systemd.unit(5) and systemd.service(5): drop-ins are read by the names of their files after the unit; the
 * later setting wins, and an empty `ExecStart=` forgets the commands before it.
 */
export function kubeletCommand({ files }: NodeFact): KubeletCommand | undefined {
  const units = [...files].filter(([path]) => isKubeletUnit(path)).sort(unitFirst);
  let command: { readonly text: string; readonly path: string } | undefined;
  for (const [path, { content }] of units)
    for (const text of settings(content, "ExecStart")) command = { text, path };
  const variables = units.flatMap(([, { content }]) => settings(content, "Environment")).join("\n");
  if (command === undefined || command.text === "") {
    const path = flagDropIns(files).at(-1)?.[0];
    return path === undefined
      ? undefined
      : { flags: flagsIn(files.get(path)?.content ?? ""), extent: "added", path };
  }
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
      ([path, { content }]) =>
        path !== UNIT && isKubeletUnit(path) && content?.includes(`--${CONFIG_FLAG}`) === true,
    )
    .sort(unitFirst);
}

/** By path, of which the unit's is the shortest. */
function unitFirst([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** The values of a setting, in their order; a backslash at the end of a line goes on in the next. */
function settings(content: string | undefined, name: string): readonly string[] {
  return (content ?? "")
    .replace(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => new RegExp(`^${name}\\s*=`).test(line))
    .map((line) => line.slice(line.indexOf("=") + 1).trim());
}

function flagsIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(FLAG)].map(([, name = "", value = ""]) => [name, value]));
}
