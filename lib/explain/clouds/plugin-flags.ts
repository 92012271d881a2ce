import { pluginCan } from "../../rules/plugins";

/** The value of the last of these flags, written `--flag value` or `--flag=value`; `undefined` where none is there. */
export function flagOf(args: readonly string[], ...flags: readonly string[]): string | undefined {
  const values = args.flatMap((argument, index) => {
    if (flags.includes(argument)) return args[index + 1] ?? [];
    const flag = flags.find((each) => argument.startsWith(`${each}=`));
    return flag === undefined ? [] : [argument.slice(flag.length + 1)];
  });
  return values.at(-1);
}

/** The flags of a plugin. */
export interface PluginFlags {
  /** Names of single letters. */
  readonly short: Readonly<Record<string, string>>;
  /** Those that take a value. */
  readonly valued: readonly string[];
  /** Those that stand alone. */
  readonly switches: readonly string[];
}

/** What a plugin is told. */
export interface ParsedArguments {
  /** What is neither a flag nor its value. */
  readonly words: readonly string[];
  /** Values by flag, of several the last; `true` for one that stands alone. */
  readonly values: ReadonlyMap<string, string>;
  /** Flags that the plugin does not have. */
  readonly others: readonly string[];
  /** Flags before the first word, known or not. */
  readonly early: readonly string[];
  /** A flag at the end that lacks its value. */
  readonly bare: string | undefined;
}

/** Arguments as spf13/pflag takes them apart (`parseArgs`): behind `--` everything is a word. */
export function parsedArguments(args: readonly string[], flags: PluginFlags): ParsedArguments {
  const [words, others, early]: [string[], string[], string[]] = [[], [], []];
  const values = new Map<string, string>();
  let bare: string | undefined;
  let isOver = false;
  for (const argument of args) {
    const { name, value } = isOver ? {} : flagIn(argument, flags.short);
    if (name !== undefined && bare === undefined && words.length === 0) early.push(name);
    if (bare !== undefined) {
      values.set(bare, argument);
      bare = undefined;
    } else if (argument === "--" && !isOver) isOver = true;
    else if (name === undefined) words.push(argument);
    else if (flags.switches.includes(name)) values.set(name, value ?? "true");
    else if (!flags.valued.includes(name)) others.push(name);
    else if (value === undefined) bare = name;
    else values.set(name, value);
  }
  return { words, values, others, early, bare };
}

/** True for the releases that use tokens: of these it is known which flags the plugin has. */
export function areFlagsKnown(plugin: string, version: string | undefined): boolean {
  return version !== undefined && pluginCan(plugin, { version }, "tokens").outcome === "yes";
}

/**
 * The flag of `--name=value`, `--name`, `-n=value`, `-nvalue` or `-n`, as spf13/pflag reads it; no name for a word.
 * `short` names the flags of single letters.
 */
function flagIn(
  argument: string,
  short: Readonly<Record<string, string>>,
): {
  /** The flag's name. */
  readonly name?: string;
  /** What is given with it. */
  readonly value?: string;
} {
  const [, letter, long, joined] = /^(?:-([^-])|--([^=]+))(?:=?([^]*))$/.exec(argument) ?? [];
  if (letter !== undefined) return { name: short[letter] ?? letter, ...(joined && { value: joined }) };
  if (long === undefined) return {};
  return { name: long, ...(argument.includes("=") && { value: joined ?? "" }) };
}
