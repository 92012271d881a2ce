/*
 * Arguments of image credential provider plugins, taken apart as the plugins do: the words and flags, and what makes
 * the plugin exit before it answers. Source: spf13/pflag, flag.go (`parseArgs`, `parseLongArg`, `parseSingleShortArg`).
 */

import type { PluginFacts } from "../model/cluster";
import { type FlagKind, type PluginFlags, pluginCan, pluginRow } from "./plugins";

/** Why a plugin answers nothing to its arguments. */
export interface ArgumentRefusal {
  /** The flag as written, `-v` or `--v`. */
  readonly flag: string;
  /** Whether it is its value that is refused, not the flag. */
  readonly isOfKnownFlag: boolean;
  /** True where it is not known here whether the plugin takes the value. */
  readonly isOpen?: boolean;
  readonly reason: string;
  readonly remedy: string;
  /** What the plugin prints, or the kubelet where the plugin prints something else than an answer. */
  readonly log: string;
}

/** The arguments of a plugin. */
export interface ParsedArguments {
  /** What is neither a flag nor its value, before `--`. */
  readonly words: readonly string[];
  readonly rest: readonly string[];
  /** Values by flag, of several the last; `true` for one that stands alone. */
  readonly values: ReadonlyMap<string, string>;
  /** Flags before the first word, as Go's own parser names them. */
  readonly early: readonly string[];
  /** The first that the plugin refuses; `undefined` where it takes all. */
  readonly refusal: ArgumentRefusal | undefined;
}

/** Takes the arguments of a plugin apart; what follows a refused one is read as far as it can be. */
export function parsedArguments(plugin: string, args: readonly string[]): ParsedArguments {
  const reading = new Reading(pluginRow(plugin)?.flags ?? { short: {}, kinds: {} });
  for (const argument of args) reading.take(argument);
  return reading.end();
}

/**
 * What the plugin on the nodes certainly refuses of its arguments, or `undefined`: known are the flags of the releases
 * that use tokens, and a build with abilities of its own may have more.
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

/** A flag that waits for its value. */
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
        remedy: `give ${written} a value`,
        log,
      });
    const printing = [...this.#values].find(
      ([name, value]) => this.#kind(name) === "print" && TRUE.includes(value),
    )?.[0];
    if (printing !== undefined)
      this.#refuse({
        flag: `--${printing}`,
        isOfKnownFlag: true,
        reason: `--${printing} has the plugin print something else than credentials`,
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

  /** Letters in one word: of those that need a value the first takes what follows. */
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
      reason: `the plugin does not take ${JSON.stringify(value)} for ${written}, and exits`,
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

  /** Only the first that is certain: the plugin reads no further. */
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

/** Whether a flag of a kind certainly takes a value. */
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
