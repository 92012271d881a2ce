/** The value of the last of these flags, written `--flag value` or `--flag=value`; `undefined` where none is there. */
export function flagOf(args: readonly string[], ...flags: readonly string[]): string | undefined {
  const values = args.flatMap((argument, index) => {
    if (flags.includes(argument)) return args[index + 1] ?? [];
    const flag = flags.find((each) => argument.startsWith(`${each}=`));
    return flag === undefined ? [] : [argument.slice(flag.length + 1)];
  });
  return values.at(-1);
}
