/*
 * What was seen on a node: the kubelet's command line, and the folder with the plugins.
 *
 * Sources: kubernetes/kubernetes, cmd/kubelet/app/options (the two flags), pkg/credentialprovider/plugin/plugin.go
 * (a kubelet with one of them, or without the executable of an entry, exits); coreutils, ls and sha256sum; file(1).
 */

import { basename } from "node:path";
import { askedImage } from "../../explain/asked-image";
import { firstDocument } from "../../explain/read/documents";
import { known } from "../../model/known";
import { at, list, text, texts } from "../../model/parsed";
import { plainOf } from "../../model/tree";
import { BIN_FLAG, CONFIG_FLAG } from "../../rules/node/host";
import { imageMatches } from "../../rules/kubelet/image-matches";
import type { ExplainResult } from "../../explain";
import { type Bundle, type BundleFile, atLine, filesOf, inFile, wholeLines } from "../bundle";
import { type Note, type Observation, isPull, stateBroken } from "./observation";

const ON_NODE = "provider-on-node";

/** The kubelet's flags by all lines; `undefined` if none is a kubelet with flags, since wrappers and subcommands have none. */
function kubeletLine(file: BundleFile): readonly [line: number, words: string] | undefined {
  const lines = wholeLines(file);
  const place = lines.findIndex((line) => /^\s*(?:\S*\/)?kubelet\s+"?-/.test(line));
  return place < 0 ? undefined : [place + 1, lines.join(" ")];
}

function flagIn(words: string, flag: string): string | undefined {
  return new RegExp(String.raw`-${flag}(?:=|\s+)["']?([^\s"']+)`).exec(words)?.[1];
}

/** Feature gates on the kubelet's command line. */
export function gatesOf(bundle: Bundle): Readonly<Record<string, boolean>> {
  const [file] = filesOf(bundle, "command-line");
  const [, words] = (file && kubeletLine(file)) ?? [];
  const rows = flagIn(words ?? "", "feature-gates")?.split(",") ?? [];
  return Object.fromEntries(
    rows.flatMap((row) => {
      const [, gate, value] = /^(\w+)=(true|false)$/.exec(row) ?? [];
      return gate === undefined ? [] : [[gate, value === "true"] as const];
    }),
  );
}

/** What the command line says: without both flags the kubelet runs no plugin. */
export function flagsSeen(bundle: Bundle): readonly Observation[] {
  return filesOf(bundle, "command-line").flatMap((file) => {
    const [line, words = ""] = kubeletLine(file) ?? [];
    if (line === undefined) return [];
    const missing = [CONFIG_FLAG, BIN_FLAG].filter((flag) => flagIn(words, flag) === undefined);
    if (missing.length === 0) return [];
    const flags = missing.map((flag) => `--${flag}`).join(" and ");
    return stateBroken(ON_NODE, isPull, {
      reason: `the kubelet runs without ${flags}, so it reads no CredentialProviderConfig`,
      fix: "set both flags where the kubelet is started, and restart it",
      evidence: [atLine(file, line, "command line of the kubelet")],
    });
  });
}

interface Plugin {
  readonly line: number;
  readonly mode: string;
}

/** What the listing of the folder says. */
interface Listing {
  readonly plugins: ReadonlyMap<string, Plugin>;
  /** What `file` says, by the name of the plugin. */
  readonly kinds: ReadonlyMap<string, { readonly line: number; readonly text: string }>;
  readonly loaders: readonly string[];
  readonly machine: string | undefined;
  /** Whether something follows the list of names, so that it is not cut off. */
  readonly isWhole: boolean;
}

const LISTED = /^([-l][-rwxsStT]{9})\S*\s.*?\s(\S+)$/;
const KIND = /^(\S+):\s+(.*(?:ELF|script|executable|text).*)$/;
const LOADER = /^\/(?:usr\/)?lib\S*\/ld-\S+$/;
const MACHINE = /^(?:x86_64|aarch64|arm64|ppc64le|s390x|riscv64)$/;
/** Colours, the targets of links, and the marks of `ls -F`. */
const ORNAMENT = /\u001b\[[\d;]*m|\s->\s.*$|[*@]$/g;

function listingOf(file: BundleFile): Listing {
  const plugins = new Map<string, Plugin>();
  const kinds = new Map<string, { readonly line: number; readonly text: string }>();
  const loaders: string[] = [];
  let machine: string | undefined;
  let [isBegun, isWhole] = [false, false];
  for (const [place, each] of wholeLines(file).entries()) {
    const line = each.replace(ORNAMENT, "").trim();
    const [, mode, name] = LISTED.exec(line) ?? [];
    const [, of, kind] = KIND.exec(line) ?? [];
    isBegun ||= mode !== undefined || /^total \d/.test(line);
    isWhole = isBegun && mode === undefined && (isWhole || !/^total |^$/.test(line));
    if (mode !== undefined && name !== undefined) {
      // A name with spaces, or another folder, may end alike.
      if (!isExecutable(plugins.get(name))) plugins.set(name, { line: place + 1, mode });
    } else if (LOADER.test(line)) loaders.push(basename(line));
    else if (MACHINE.test(line)) machine = line;
    else if (of !== undefined && kind !== undefined) kinds.set(basename(of), { line: place + 1, text: kind });
  }
  return { plugins, kinds, loaders, machine, isWhole };
}

function isExecutable(plugin: Plugin | undefined): boolean {
  return /x|s|t/.test(plugin?.mode ?? "");
}

/** An entry of the provider file in the bundle. */
interface Entry {
  readonly name: string;
  readonly patterns: readonly string[];
}

function entriesIn(bundle: Bundle): readonly Entry[] {
  return filesOf(bundle, "explain").flatMap(({ text: all, path }) => {
    if (!/\.ya?ml$/.test(path) || !all.includes("CredentialProviderConfig")) return [];
    const value = plainOf(firstDocument(known(all)).value, "");
    return list(at(value, "providers")).map((each) => ({
      name: text(at(each, "name")),
      patterns: texts(at(each, "matchImages")),
    }));
  });
}

/** The entries that run for an image: those that match it, or all if none does. */
function running(entries: readonly Entry[], { target }: ExplainResult): readonly Entry[] {
  const { repository } = askedImage(target);
  const matching = entries.filter(
    ({ patterns }) => repository && patterns.some((each) => imageMatches(each, repository.name)),
  );
  return matching.length > 0 ? matching : entries;
}

/** What the listing says of the plugins that the provider file names. */
export function pluginsSeen(bundle: Bundle): readonly Observation[] {
  const entries = entriesIn(bundle).filter(({ name }) => name !== "");
  const [command] = filesOf(bundle, "command-line");
  const [, words = ""] = (command && kubeletLine(command)) ?? [];
  const folder = flagIn(words, BIN_FLAG) ?? "";
  return filesOf(bundle, "plugins").flatMap((file) => {
    const listing = listingOf(file);
    // Checksums have the folder's path: it may be another than the kubelet's.
    if (!file.text.includes(folder.replace(/\/+$/, ""))) return [];
    return entries.flatMap((entry): readonly Observation[] => {
      const plugin = listing.plugins.get(entry.name);
      if (plugin === undefined) return listing.isWhole ? [absent(entry, file, listing)] : [];
      const problem = unfit(entry, plugin, file, listing);
      const runs = (chain: ExplainResult): boolean =>
        isPull(chain) && running(entries, chain).includes(entry);
      return problem ? [stateBroken(ON_NODE, runs, problem)] : [];
    });
  });
}

function absent({ name }: Entry, file: BundleFile, { plugins }: Listing): Observation {
  return stateBroken(ON_NODE, isPull, {
    reason: `the plugin ${name} is not in the folder, so the kubelet does not start with this file, and no entry of it works; there ${plugins.size === 0 ? "is nothing" : `are ${[...plugins.keys()].slice(0, 10).join(", ")}`}`,
    fix: `install ${name} on the node before the file that names it`,
    evidence: [inFile(file, "listing of the folder")],
  });
}

/** Architectures as `file` names them, by the machine's name. */
const PROCESSORS: Readonly<Record<string, RegExp>> = {
  x86_64: /x86-64|80386/,
  aarch64: /aarch64/i,
  arm64: /aarch64/i,
  ppc64le: /PowerPC/,
  s390x: /S\/390/,
  riscv64: /RISC-V/,
};

function unfit(
  { name }: Entry,
  plugin: Plugin,
  file: BundleFile,
  { kinds, loaders, machine = "" }: Listing,
): Note | undefined {
  const { mode, line } = plugin;
  if (!isExecutable(plugin))
    return {
      reason: `the plugin ${name} has the mode ${mode}, so the kubelet may not execute it`,
      fix: `give it mode 0755: chmod 0755 ${name}`,
      evidence: [atLine(file, line, mode)],
    };
  const kind = kinds.get(name);
  if (kind === undefined || !kind.text.includes("ELF")) return undefined;
  const evidence = [atLine(file, kind.line, kind.text)];
  const processor = Object.hasOwn(PROCESSORS, machine) ? PROCESSORS[machine] : undefined;
  if (processor && !processor.test(kind.text))
    return {
      reason: `the plugin ${name} is for another processor than the node's ${machine}`,
      fix: `install the build for ${machine}`,
      evidence,
    };
  const [, loader] = /interpreter ([^\s,]+)/.exec(kind.text) ?? [];
  // A folder may be a link to another, so that the name alone counts.
  const isSeen = machine !== "" && loader !== undefined && loaders.length > 0 && LOADER.test(loader);
  if (!isSeen || loaders.includes(basename(loader))) return undefined;
  return {
    reason: `the plugin ${name} needs the loader ${loader}, which the node does not have; starting it fails with "no such file or directory" although the plugin is there`,
    fix: "install a statically linked build, or one for the node's system",
    evidence,
  };
}
