/*
 * Arguments of plugins, including references in their values.
 */

import { type Known, is, joinedAll, match, partsOf, shown, textOf } from "../../model/known";
import { marked, unmarkedText } from "../../model/tree";
import type { PluginFacts } from "../../model/cluster";
import { type ParsedArguments, certainRefusal, parsedArguments } from "../../rules/plugin-arguments";
import { type Answer, type Evidence, broken, unknown } from "../answer";

export interface EntryArguments {
  readonly parsed: ParsedArguments;
  /** The value of a flag, the last if there are several; `undefined` if it is not given. */
  readonly value: (flag: string) => Known<string> | undefined;
  readonly word: (place: number) => Known<string> | undefined;
  /** An argument that may be any flag, for people; `undefined` if all begin with text. */
  readonly open: string | undefined;
}

const BETWEEN = "\u0000";

export function entryArguments(plugin: string, args: readonly Known<string>[]): EntryArguments {
  const open = args.find((argument) => !beginsWithText(argument));
  const readable = args.filter(beginsWithText);
  const whole = joinedAll(
    readable.flatMap((argument, place) => (place === 0 ? [argument] : [BETWEEN, argument])),
  );
  return match(
    marked(whole),
    ({ text, parts }) => {
      const parsed = parsedArguments(plugin, readable.length === 0 ? [] : text.split(BETWEEN));
      const known = (written?: string): Known<string> | undefined =>
        written === undefined ? undefined : unmarkedText(written, parts);
      return {
        parsed,
        value: (flag: string) => known(parsed.values.get(flag)),
        word: (place: number) => known(parsed.words[place]),
        open: open === undefined ? undefined : shown(open),
      };
    },
    () => ({
      parsed: parsedArguments(plugin, []),
      value: () => undefined,
      word: () => undefined,
      open: args.map(shown).join(" "),
    }),
  );
}

function beginsWithText(argument: Known<string>): boolean {
  return typeof partsOf(argument)?.[0] === "string";
}

/** What the plugin certainly refuses in its arguments; `undefined` if nothing is certain. */
export function refusedArguments(
  plugin: string,
  facts: PluginFacts,
  { parsed }: EntryArguments,
  where: Evidence,
): Answer | undefined {
  const refusal = certainRefusal(plugin, facts, parsed);
  // Whether the plugin accepts a value that is known only after apply is not known.
  if (refusal === undefined || refusal.reason.includes(MARK)) return undefined;
  return broken(refusal.reason, refusal.remedy, refusal.log, where);
}

/** What remains unknown about arguments that the plugin does not certainly refuse. */
export function openArguments(
  { parsed: { refusal }, open }: EntryArguments,
  where: Evidence,
): Answer | undefined {
  if (open !== undefined)
    return unknown(`an argument is known only after apply: ${open}`, "write it as a literal", where);
  return refusal && !refusal.reason.includes(MARK)
    ? unknown(`what the plugin does with ${refusal.flag} is not known`, refusal.remedy, where)
    : undefined;
}

/** What marks of references begin with. */
const MARK = "\ue000";

/** `-n`, `-nvalue`, `-n=value`, `--name` or `--name=value`. */
const FLAG = /^(-[^-]|--[^=]+)(=?)([^]*)$/;

/**
 * The value of the last of these flags, as spf13/pflag reads them (`parseArgs`): none follow `--`, and a name ends
 * before the first reference. `undefined` if no flag is given.
 */
export function flagOf(
  args: readonly Known<string>[],
  ...flags: readonly string[]
): Known<string> | undefined {
  const values = new Map<string, Known<string>>();
  let bare: string | undefined;
  for (const argument of args) {
    if (bare !== undefined) {
      values.set(bare, argument);
      bare = undefined;
      continue;
    }
    if (is(argument, "--") === "yes") break;
    const [first, ...rest] = partsOf(argument) ?? [];
    const [, flag = "", sign, text = ""] = typeof first === "string" ? (FLAG.exec(first) ?? []) : [];
    if (!flags.includes(flag)) continue;
    const isShort = !flag.startsWith("--");
    if (sign === "=" || (isShort && (text !== "" || rest.length > 0)))
      values.set(flag, textOf([text, ...rest]));
    else bare = flag;
  }
  return flags.flatMap((flag) => values.get(flag) ?? []).at(-1);
}
