/*
 * Commands that run on nodes beside the files: those that this library writes, and a few that change neither the kubelet
 * nor its files whatever they are given. The effect of every other command is not known.
 */

import { isCleanPath } from "../../model/node-file";
import { list, texts } from "../../model/parsed";
import { fetchCommand } from "./plugin-source";

const FETCH =
  /mkdir -p \S+ && curl -fsSL --retry 5 -o (\/[\w./+-]+)\.new (https:\/\/[\w.~:/@%+,=-]+) && echo "([0-9a-f]{64}) .*?&& mv \S+ [^\s']+/g;

/** Change neither files, nor services, nor programs of the kubelet. */
const HARMLESS =
  /^(?:date|echo|free|getent|hostnamectl|id|localectl|logger|modprobe|printf|setenforce|sleep|swapoff|sync|sysctl|timedatectl|true|uname|update-ca-(?:certificates|trust))$/;
/** Change what their arguments name. */
const ON_PATHS = /^(?:chgrp|chmod|chown|mkdir|touch)$/;
const PACKAGES = /^(?:apk|apt|apt-get|dnf|microdnf|yum|zypper)$/;
const PACKAGE_WORD = /^(?:--?(?:y|q|qq|yes|assumeyes|quiet|no-install-recommends|n)|[a-z0-9][\w.+:=~-]*)$/i;
const SERVICES =
  /^(?:daemon-reload|enable|is-active|is-enabled|reload|restart|start|status|try-restart|unmask)$/;
const STOPS = /^(?:disable|mask|stop)$/;
const KUBELETS =
  /^(?:containerd|crio|docker|k3s|k3s-agent|kubelet|microshift|rke2-(?:agent|server))(?:\.\w+)?$/;

/** Whether a unit runs pods: without it, or its runtime, a node does what was not read. */
export function isKubeletUnit(name: string): boolean {
  return KUBELETS.test(name);
}

/** An executable that a command downloads. */
export interface Fetched {
  readonly path: string;
  readonly sha256: string;
}

/** The executables that commands of this library's own form download. */
export function fetchedBy(text: string): readonly Fetched[] {
  return [...text.matchAll(FETCH)].flatMap(([written, path = "", url = "", sha256 = ""]) =>
    written === fetchCommand({ path, url, sha256 }) ? [{ path, sha256 }] : [],
  );
}

/** What commands must leave as it is. */
export interface Kept {
  readonly files: readonly string[];
  /** The folder of the plugins. */
  readonly directory: string | undefined;
}

/** The first command of a shell's text whose effect on the kept files is not known. */
export function unknownCommand(text: string, kept: Kept): string | undefined {
  const plain = text
    .replace(FETCH, (written, path: string, url: string, sha256: string) =>
      written === fetchCommand({ path, url, sha256 }) ? "true" : written,
    )
    .replace(/\\\r?\n/g, " ");
  const commands = plain.split(/\r?\n|;|&&|\|\|/).map((each) => each.trim());
  return commands.find((each) => each !== "" && !each.startsWith("#") && !isUnderstood(each, kept));
}

/** The text that a shell gets from a command: a text, or a list of words, perhaps for a shell of its own. */
export function shellText(command: unknown): string {
  if (typeof command === "string") return command;
  const words = texts(command);
  if (words.length === 0 || words.length !== list(command).length) return JSON.stringify(command);
  const [shell = "", flag = "", script = "", ...more] = words;
  if (/^(?:\/(?:usr\/)?bin\/)?(?:ba)?sh$/.test(shell) && flag === "-c" && more.length === 0) return script;
  return words.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word}'`)).join(" ");
}

function isUnderstood(command: string, kept: Kept): boolean {
  const words = wordsOf(command.replace(/\s(?:[12]?>\s?\/dev\/null|2>&1)(?=\s|$)/g, ""));
  if (words === undefined) return false;
  const [program = "", ...args] = words[0] === "sudo" ? words.slice(1) : words;
  const verb = program.replace(/^\/(?:usr\/)?s?bin\//, "");
  const named = args.filter((each) => !each.startsWith("-"));
  if (verb === "set")
    return args.every((each) => /^(?:[-+][euxo]+|pipefail|errexit|nounset|xtrace)$/.test(each));
  if (HARMLESS.test(verb)) return true;
  if (PACKAGES.test(verb)) return args.every((each) => PACKAGE_WORD.test(each));
  if (ON_PATHS.test(verb)) return named.every((each) => !each.includes("/") || isFree(each, verb, kept));
  if (verb !== "systemctl") return false;
  const [action = "", ...units] = named;
  if (units.some((each) => !/^[\w@.:-]+$/.test(each))) return false;
  return SERVICES.test(action) || (STOPS.test(action) && !units.some(isKubeletUnit));
}

/** `mkdir` may make the folders above a file. */
function isFree(path: string, verb: string, { files, directory }: Kept): boolean {
  const clean = path.replace(/\/$/, "");
  const isWithin = (inner: string, outer: string): boolean => `${inner}/`.startsWith(`${outer}/`);
  if (!isCleanPath(clean) || files.some((file) => isWithin(clean, file))) return false;
  const folders = directory === undefined ? files : [...files, directory];
  return verb === "mkdir" || !folders.some((each) => isWithin(each, clean) || isWithin(clean, each));
}

/** Words of which the shell expands none; adjoining quotes would be joined to one word. */
const PLAIN = /^(?:(?:'[^']*'|"[^"$`\\]*"|[^\s'"$`\\|&<>(){}*?[\]!#~]+)(?:\s+|$))+$/;

/** The words of a simple command; `undefined` if the shell would expand or redirect anything. */
function wordsOf(command: string): readonly string[] | undefined {
  if (!PLAIN.test(command)) return undefined;
  return (command.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((each) => each.replace(/^(['"])(.*)\1$/s, "$2"));
}

/** The lines of a systemd unit without comments; a backslash at the end of a line continues it. */
export function unitLines(unit: string): readonly string[] {
  const lines = unit.replace(/\\\r?\n/g, " ").split(/\r?\n/);
  return lines.map((line) => line.trim()).filter((line) => line !== "" && !/^[#;]/.test(line));
}

/** The commands of a systemd unit. */
export function unitCommands(unit: string): readonly string[] {
  return unitLines(unit).flatMap((line) => {
    const [, command = ""] = /^Exec\w+\s*=\s*[-@:+!]*(.*)$/.exec(line) ?? [];
    const [, script] = /^\/(?:usr\/)?bin\/(?:ba)?sh -c (?:'([^']*)'|"[^"]*")$/.exec(command) ?? [];
    return command === "" ? [] : [script ?? command];
  });
}
