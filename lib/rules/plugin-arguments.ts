/*
 * Arguments of image credential provider plugins, parsed as the plugins do: the words and flags, and errors that make
 * the plugin exit before it answers. Source: spf13/pflag, flag.go (`parseArgs`, `parseLongArg`, `parseSingleShortArg`).
 */

import type { PluginFacts } from "../model/cluster";
import type { FlagKind, PluginFlags } from "../model/plugin";
import { pluginCan, pluginRow } from "./plugins";

/** Why a plugin returns nothing with its arguments. */
export interface ArgumentRefusal {
  /** The flag as written, `-v` or `--v`. */
  readonly flag: string;
  /** Whether the plugin refuses the flag's value rather than the flag. */
  readonly isOfKnownFlag: boolean;
  /** True if it is unknown here whether the plugin accepts the value. */
  readonly isOpen?: boolean;
  readonly reason: string;
  readonly remedy: string;
  /** The plugin's error text, or the kubelet's if the plugin prints something other than an answer. */
  readonly log: string;
}

/** The arguments of a plugin. */
export interface ParsedArguments {
  /** Arguments before `--` that are neither flags nor their values. */
  readonly words: readonly string[];
  readonly rest: readonly string[];
  /** Values by flag; if it is repeated, the last one. `true` for a flag without a value. */
  readonly values: ReadonlyMap<string, string>;
  /** Flags before the first word, as Go's own parser names them. */
  readonly early: readonly string[];
  /** The first argument that the plugin refuses; `undefined` if it accepts all. */
  readonly refusal: ArgumentRefusal | undefined;
}

/** Parses the arguments of a plugin; after a refused one it reads on as far as possible. */
export function parsedArguments(plugin: string, args: readonly string[]): ParsedArguments {
  const reading = new Reading(pluginRow(plugin)?.flags ?? { short: {}, kinds: {} });
  for (const argument of args) reading.take(argument);
  return reading.end();
}

/**
 * The argument that the plugin on the nodes certainly refuses, or `undefined`. The known flags are those of the
 * releases that use tokens; a build with stated abilities may have more.
 */
export function certainRefusal(
  plugin: string,
  { version, abilities = [] }: PluginFacts,
  { refusal }: ParsedArguments,
): ArgumentRefusal | undefined {
  if (refusal?.isOpen) return undefined;
  const isRelease = version !== undefined && pluginCan(plugin, { version }, "tokens").outcome === "yes";
  return isRelease && (abilities.length === 0 || refusal?.isOfKnownFlag) ? refusal : undefined;
}

/** A flag that expects its value. */
interface Waiting {
  readonly name: string;
  readonly written: string;
  readonly log: string;
}

class Reading {
  readonly #flags: PluginFlags;
  readonly #words: string[] = [];
  readonly #rest: string[] = [];
  readonly #early: string[] = [];
  readonly #values = new Map<string, string>();
  #waiting: Waiting | undefined;
  #isOver = false;
  #refusal: ArgumentRefusal | undefined;

  constructor(flags: PluginFlags) {
    this.#flags = flags;
  }

  take(argument: string): void {
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      this.#set(waiting.name, waiting.written, argument);
    } else if (this.#isOver) this.#rest.push(argument);
    else if (argument === "--") this.#isOver = true;
    else if (!argument.startsWith("-") || argument === "-") this.#words.push(argument);
    else {
      if (this.#words.length === 0) this.#early.push(argument.replace(/^--?/, "").replace(/=[^]*/, ""));
      if (argument.startsWith("--")) this.#long(argument);
      else this.#short(argument);
    }
  }

  end(): ParsedArguments {
    const { written, log } = this.#waiting ?? {};
    if (written !== undefined && log !== undefined)
      this.#refuse({
        flag: written,
        isOfKnownFlag: true,
        reason: `${written} has no value`,
        remedy: `set a value for ${written}`,
        log,
      });
    const printing = [...this.#values].find(
      ([name, value]) => this.#kind(name) === "print" && TRUE.includes(value),
    )?.[0];
    if (printing !== undefined)
      this.#refuse({
        flag: `--${printing}`,
        isOfKnownFlag: true,
        reason: `--${printing} makes the plugin print something other than credentials`,
        remedy: `leave --${printing} out`,
        log: "error decoding credential provider plugin response from stdout",
      });
    return {
      words: this.#words,
      rest: this.#rest,
      values: this.#values,
      early: this.#early,
      refusal: this.#refusal,
    };
  }

  #long(argument: string): void {
    const [, name = "", joined] = /^--([^=]*)(?:=([^]*))?$/.exec(argument) ?? [];
    const written = `--${name}`;
    if (name === "" || name.startsWith("-")) this.#unknown(written, `bad flag syntax: ${argument}`);
    else if (this.#kind(name) === undefined) this.#unknown(written, `unknown flag: ${written}`);
    else if (joined !== undefined) this.#set(name, written, joined);
    else this.#without(name, { name, written, log: `flag needs an argument: ${written}` });
  }

  /** Letters in one word: the first that needs a value takes the rest as its value. */
  #short(argument: string): void {
    for (let letters = argument.slice(1); letters !== ""; letters = letters.slice(1)) {
      const [letter = ""] = letters;
      const written = `-${letter}`;
      const name = Object.hasOwn(this.#flags.short, letter) ? this.#flags.short[letter] : undefined;
      if (name === undefined)
        return this.#unknown(written, `unknown shorthand flag: '${letter}' in -${letters}`);
      if (letters.length > 2 && letters[1] === "=") return this.#set(name, written, letters.slice(2));
      if (!this.#isSwitch(name) && letters.length > 1) return this.#set(name, written, letters.slice(1));
      this.#without(name, { name, written, log: `flag needs an argument: '${letter}' in -${letters}` });
    }
  }

  #without(name: string, waiting: Waiting): void {
    if (this.#isSwitch(name)) this.#set(name, waiting.written, "true");
    else this.#waiting = waiting;
  }

  #set(name: string, written: string, value: string): void {
    this.#values.set(name, value);
    const kind = this.#kind(name) ?? "string";
    if (TAKES[kind](value)) return;
    const [letter] = Object.entries(this.#flags.short).find(([, long]) => long === name) ?? [];
    const full = letter === undefined ? `--${name}` : `-${letter}, --${name}`;
    this.#refuse({
      flag: written,
      isOfKnownFlag: true,
      isOpen: kind === "unread",
      reason: `the plugin does not accept ${JSON.stringify(value)} for ${written}, and exits`,
      remedy: kind === "unread" ? `leave ${written} out` : `give ${written} ${ALLOWED[kind]}`,
      log: `invalid argument ${JSON.stringify(value)} for "${full}" flag`,
    });
  }

  #unknown(written: string, log: string): void {
    this.#refuse({
      flag: written,
      isOfKnownFlag: false,
      reason: `the plugin has no flag ${written}, and exits`,
      remedy: `leave ${written} out`,
      log,
    });
  }

  /** Keeps only the first certain refusal: the plugin reads no further. */
  #refuse(refusal: ArgumentRefusal): void {
    if (this.#refusal === undefined || (this.#refusal.isOpen && !refusal.isOpen)) this.#refusal = refusal;
  }

  #kind(name: string): FlagKind | undefined {
    return Object.hasOwn(this.#flags.kinds, name) ? this.#flags.kinds[name] : undefined;
  }

  #isSwitch(name: string): boolean {
    const kind = this.#kind(name);
    return kind === "bool" || kind === "print";
  }
}

/** Go's strconv.ParseBool. */
const TRUE: readonly string[] = ["1", "t", "T", "TRUE", "true", "True"];
const FALSE: readonly string[] = ["0", "f", "F", "FALSE", "false", "False"];
const ALLOWED = {
  level: "a whole number",
  bool: "true or false",
  print: "true or false",
  string: "any text",
};

/** Whether a flag of this kind certainly accepts a value. */
const TAKES: Readonly<Record<FlagKind, (value: string) => boolean>> = {
  string: () => true,
  // Go's strconv.ParseInt(value, 10, 32).
  level: (value) => /^[+-]?\d+$/.test(value) && BigInt.asIntN(32, wholeOf(value)) === wholeOf(value),
  bool: isBool,
  print: isBool,
  unread: () => false,
};

function wholeOf(value: string): bigint {
  return BigInt(value.replace("+", ""));
}

function isBool(value: string): boolean {
  return TRUE.includes(value) || FALSE.includes(value);
}
