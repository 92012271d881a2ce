import { type Known, is, partsOf, textOf } from "../../model/known";

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
  const found = new Map<string, Known<string>>();
  let bare: string | undefined;
  for (const argument of args) {
    if (bare !== undefined) {
      found.set(bare, argument);
      bare = undefined;
      continue;
    }
    if (is(argument, "--") === "yes") break;
    const [first, ...rest] = partsOf(argument) ?? [];
    const [, flag = "", sign, text = ""] = typeof first === "string" ? (FLAG.exec(first) ?? []) : [];
    if (!flags.includes(flag)) continue;
    const isShort = !flag.startsWith("--");
    if (sign === "=" || (isShort && (text !== "" || rest.length > 0)))
      found.set(flag, textOf([text, ...rest]));
    else bare = flag;
  }
  return flags.flatMap((flag) => found.get(flag) ?? []).at(-1);
}
