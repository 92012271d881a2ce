/** The value of the last of these flags, written `--flag value` or `--flag=value`; `undefined` where none is there. */
export function flagOf(args: readonly string[], ...flags: readonly string[]): string | undefined {
  const values = args.flatMap((argument, index) => {
    if (flags.includes(argument)) return args[index + 1] ?? [];
    const flag = flags.find((each) => argument.startsWith(`${each}=`));
    return flag === undefined ? [] : [argument.slice(flag.length + 1)];
  });
  return values.at(-1);
}

/**
 * The flag of `--name=value`, `--name`, `-n=value`, `-nvalue` or `-n`, as spf13/pflag reads it; no name for a word.
 * `short` names the flags of single letters.
 */
export function flagIn(
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
