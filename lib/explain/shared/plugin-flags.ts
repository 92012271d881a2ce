/*
 * Arguments of plugins, as spf13/pflag takes them apart (`parseArgs`): behind `--` everything is a word.
 */

import { type Known, known, map, match, partsOf, textOf } from "../../model/known";
import { pluginCan } from "../../rules/plugins";

/** The flags of a plugin. */
export interface PluginFlags {
  /** Names of single letters. */
  readonly short: Readonly<Record<string, string>>;
  /** Those that take a value. */
  readonly valued: readonly string[];
  /** Those that stand alone. */
  readonly switches: readonly string[];
}

/** The arguments that a plugin is called with. */
export interface ParsedArguments {
  /** What is neither a flag nor its value. */
  readonly words: readonly Known<string>[];
  /** Values by flag, of several the last; `true` for one that stands alone. */
  readonly values: ReadonlyMap<string, Known<string>>;
  /** Flags that the plugin does not have. */
  readonly others: readonly string[];
  /** Flags before the first word, known or not. */
  readonly early: readonly string[];
  /** A flag at the end that lacks its value; `undefined` where none does. */
  readonly bare: string | undefined;
  /** An argument of which not even the beginning is known: it may be any flag. */
  readonly open: Known<string> | undefined;
}

/** Takes arguments apart. */
export function parsedArguments(args: readonly Known<string>[], flags: PluginFlags): ParsedArguments {
  const [words, others, early]: [Known<string>[], string[], string[]] = [[], [], []];
  const values = new Map<string, Known<string>>();
  let bare: string | undefined;
  let open: Known<string> | undefined;
  let isOver = false;
  for (const argument of args) {
    const { name, value } = isOver || bare !== undefined ? {} : flagIn(argument, flags.short);
    if (name !== undefined && words.length === 0) early.push(name);
    if (bare !== undefined) {
      values.set(bare, argument);
      bare = undefined;
    } else if (!isOver && isExactly(argument, "--")) isOver = true;
    else if (name === undefined) {
      words.push(argument);
      open ??= isOver || typeof partsOf(argument)?.[0] === "string" ? undefined : argument;
    } else if (flags.switches.includes(name)) values.set(name, value ?? known("true"));
    else if (!flags.valued.includes(name)) others.push(name);
    else if (value === undefined) bare = name;
    else values.set(name, value);
  }
  return { words, values, others, early, bare, open };
}

/** The value of the last of these flags, written `--flag value` or `--flag=value`; `undefined` where none is there. */
export function flagOf(
  args: readonly Known<string>[],
  ...flags: readonly string[]
): Known<string> | undefined {
  const plain = flags.map((flag) => flag.replace(/^--?/, ""));
  const { values } = parsedArguments(args, { short: {}, valued: plain, switches: [] });
  const all = plain.flatMap((flag) => values.get(flag) ?? []);
  return all.at(-1);
}

/** True for the releases that use tokens: of these it is known which flags the plugin has. */
export function areFlagsKnown(plugin: string, version: string | undefined): boolean {
  return version !== undefined && pluginCan(plugin, { version }, "tokens").outcome === "yes";
}

function isExactly(argument: Known<string>, text: string): boolean {
  return match(
    map(argument, (each) => each === text),
    (same) => same,
    () => false,
  );
}

/**
 * The flag of `--name=value`, `--name`, `-n=value`, `-nvalue` or `-n`, as spf13/pflag reads it; no name for a word.
 * `short` names the flags of single letters. A name ends before the first reference.
 */
function flagIn(
  argument: Known<string>,
  short: Readonly<Record<string, string>>,
): { readonly name?: string; readonly value?: Known<string> } {
  const [first, ...rest] = partsOf(argument) ?? [];
  if (typeof first !== "string") return {};
  const [, letter, long, joined = ""] = /^(?:-([^-])|--([^=]+))(?:=?([^]*))$/.exec(first) ?? [];
  const value = textOf([joined, ...rest]);
  if (letter !== undefined)
    return { name: short[letter] ?? letter, ...((joined !== "" || rest.length > 0) && { value }) };
  return long === undefined ? {} : { name: long, ...(first.includes("=") && { value }) };
}
