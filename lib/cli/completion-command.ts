import type { Asked, Command, CommandIo, Option } from "./command";
import { commands } from "./commands";

const PROGRAM = "cdktf-workload-identity";
const FUNCTION = "_cdktf_workload_identity";
const HELP = "print what the options mean";

const SCRIPTS: Readonly<Record<"bash" | "zsh" | "fish", () => readonly string[]>> = { bash, zsh, fish };

/** `completion`: a script for a shell, made from the table of commands. */
export function run({ operands: [shell] }: Asked, io: CommandIo): number {
  for (const [name, script] of Object.entries(SCRIPTS))
    if (name === shell) io.out(`${script().join("\n")}\n`);
  return 0;
}

/** Files are completed where nothing else is (`-o default`). */
function bash(): readonly string[] {
  const names = commands.map(({ name }) => name);
  const values = commands.flatMap(({ name, options }) =>
    Object.entries(options)
      .filter(([, { value }]) => value !== undefined)
      .map(([long, { choices }]) => `    "${name} --${long}") words="${(choices ?? []).join(" ")}" ;;`),
  );
  const flagCases = commands.map(({ name, options }) => {
    const flags = [...Object.keys(options), "help"].map((long) => `--${long}`).join(" ");
    const plain = operandChoices(name).join(" ");
    return `    "${name} "*) if [[ $current == -* ]]; then words="${flags}"; else words="${plain}"; fi ;;`;
  });
  return [
    `${FUNCTION}() {`,
    `  local current="\${COMP_WORDS[COMP_CWORD]}" words=""`,
    `  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in`,
    `    *" ${PROGRAM}" | *"/${PROGRAM}") words="${names.join(" ")} help --help --version" ;;`,
    ...values,
    ...flagCases,
    `    "help "*) words="${names.join(" ")}" ;;`,
    "  esac",
    `  COMPREPLY=($(compgen -W "$words" -- "$current"))`,
    "}",
    `complete -o default -F ${FUNCTION} ${PROGRAM}`,
  ];
}

/** The function has the name of the file that zsh loads it from. */
function zsh(): readonly string[] {
  const value = ({ value, choices }: Option): string =>
    value === undefined
      ? ""
      : `:${value}:${choices ? `(${choices.join(" ")})` : isPath(value) ? "_files" : ""}`;
  const spec = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&");
  const cases = commands.map(({ name, options }) => {
    const flags = Object.entries(options).map(([long, option]) =>
      quoted(`--${long}[${spec(option.summary)}]${value(option)}`),
    );
    const plain = operandChoices(name);
    const operand = quoted(`*: :${plain.length > 0 ? `(${plain.join(" ")})` : "_files"}`);
    return `    ${name}) _arguments ${[...flags, quoted(`--help[${HELP}]`), operand].join(" ")} ;;`;
  });
  return [
    `#compdef ${PROGRAM}`,
    `_${PROGRAM}() {`,
    "  local state line",
    "  local -a commands",
    `  commands=(${[...commands, HELP_COMMAND].map(({ name, summary }) => quoted(`${name}:${spec(summary)}`)).join(" ")})`,
    `  _arguments -C '1:command:->command' '*::argument:->argument'`,
    "  case $state/$words[1] in",
    "    command/*) _describe command commands ;;",
    ...cases.map((each) => each.replace(/^ {4}/, "    argument/")),
    "    argument/help) _describe command commands ;;",
    "  esac",
    "}",
    `if [[ $funcstack[1] == _${PROGRAM} ]]; then _${PROGRAM} "$@"; else compdef _${PROGRAM} ${PROGRAM}; fi`,
  ];
}

function fish(): readonly string[] {
  const line = (...words: readonly string[]): string => ["complete", "-c", PROGRAM, ...words].join(" ");
  const names = commands.map(({ name }) => name).join(" ");
  return [
    line("-f"),
    ...[...commands, HELP_COMMAND].map(({ name, summary }) =>
      line("-n", "__fish_use_subcommand", "-a", name, "-d", quoted(summary)),
    ),
    line("-n", "'__fish_seen_subcommand_from help'", "-a", quoted(names)),
    ...commands.flatMap(({ name, options }) => {
      const when = ["-n", `'__fish_seen_subcommand_from ${name}'`];
      const plain = operandChoices(name);
      const flags = Object.entries(options).map(([long, { value, choices, summary }]) => {
        const takes = choices
          ? ["-x", "-a", quoted(choices.join(" "))]
          : isPath(value)
            ? ["-r", "-F"]
            : ["-x"];
        return line(...when, "-l", long, ...(value === undefined ? [] : takes), "-d", quoted(summary));
      });
      const operands = line(...when, ...(plain.length > 0 ? ["-a", quoted(plain.join(" "))] : ["-F"]));
      return [...flags, line(...when, "-l", "help", "-d", quoted(HELP)), operands];
    }),
  ];
}

const HELP_COMMAND = { name: "help", summary: "Print what a command does" };

/** The values that a command's operands can have, if the table lists them. */
function operandChoices(name: string): readonly string[] {
  const operands: Command["operands"] = commands.find((each) => each.name === name)?.operands ?? [];
  return operands.flatMap(({ choices = [] }) => choices);
}

function isPath(value: string | undefined): boolean {
  return value === "FILE" || value === "DIR";
}

/** Text in single quotes, in bash, zsh and fish alike; no summary ends with a backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
