import type { EventEmitter } from "node:events";
import { PACKAGE, packageManifest } from "../artefact/package-manifest";
import { Argument, Command as Parser, CommanderError, Option } from "commander";
import { errorCode } from "../artefact/synth-folder";
import { isWorkloadIdentityError } from "../errors";
import { printable } from "../explain/render/printable";
import { type Asked, type Command, type CommandIo, UsageError } from "./command";
import { commands } from "./commands";
import { withProgress } from "./progress";

const EXIT_OK = 0;
const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

/** The suggestion that the parser appends to a message; it holds only names of commands and options. */
const SUGGESTION = /\n(?=\(Did you mean [\w, -]+\?\)$)/;

/** A command that was chosen, and what it was called with. */
interface Choice {
  readonly command: Command;
  readonly parser: Parser;
  readonly asked: Asked;
}

/**
 * Runs the command line and resolves to the exit code; never rejects for a mistake of the caller.
 *
 * Exit codes: 0 done (a command may define more), 1 (or the command's own) refused by the library, 2 wrong usage.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const choices: Choice[] = [];
  const program = parserOf(io, (choice) => choices.push(choice));
  try {
    // A message about the argument would show it, and the key may be a private one.
    if (args.some((argument) => argument.includes("-----BEGIN")))
      throw new UsageError("keys are read from files, not from the command line");
    program.parse(isHelpOfUnknown(args) ? args.slice(1) : args, { from: "user" });
    const [choice] = choices;
    if (!choice) return EXIT_OK;
    const command = await choice.command.load();
    return await withProgress(io, (shown) => command.run(choice.asked, shown));
  } catch (error) {
    const [choice] = choices;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    if (error instanceof UsageError) {
      io.err(`${shown(`error: ${error.message}`)}\n${usage(choice?.parser ?? program)}`);
      return EXIT_USAGE;
    }
    if (!isWorkloadIdentityError(error)) throw error;
    // Messages are in lines of their own making; what a line quotes stays in it, and none begins with the quoted text.
    const lines = error.message.split(/\n */).map(printable);
    io.err(`${PACKAGE}: ${lines.join("\n  - ")} (${error.code})\n`);
    return choice?.command.refusedExit ?? EXIT_REFUSED;
  }
}

/** For `help` of an unknown command, the parser would print the program's help instead of a suggestion. */
function isHelpOfUnknown([first, asked]: readonly string[]): boolean {
  return first === "help" && asked !== undefined && commands.every(({ name }) => name !== asked);
}

function parserOf(io: CommandIo, choose: (choice: Choice) => void): Parser {
  const program = new Parser(PACKAGE)
    .description("Workload identity for Kubernetes: finish and check what cdktf synthesized.")
    .helpOption("-h, --help", "print what a command does and what its options mean")
    .helpCommand("help [command]", "the same as --help")
    .version(packageManifest().version, "--version", "print the version of this package")
    .exitOverride();
  program.configureOutput({
    writeOut: io.out,
    writeErr: io.err,
    outputError: (message, write) => write(shown(message)),
  });
  for (const command of commands) addCommand(program, command, choose);
  for (const parser of [program, ...program.commands])
    parser.showHelpAfterError(`\n${usage(parser).trimEnd()}`);
  return program;
}

function addCommand(program: Parser, command: Command, choose: (choice: Choice) => void): void {
  const { name, summary, more, operands, options, examples, exits } = command;
  const parser = program
    .command(name)
    .summary(summary)
    .description([`${summary}.`, ...(more === undefined ? [] : [more])].join("\n\n"));
  for (const { name: operand, summary: means, choices } of operands) {
    const argument = new Argument(operand, means);
    parser.addArgument(choices ? argument.choices(choices) : argument);
  }
  const added = Object.entries(options).map(([long, spec]) => {
    const flags = `--${long}${spec.value === undefined ? "" : ` <${spec.value}>`}`;
    const option = new Option(flags, `${spec.summary}${spec.required ? " (required)" : ""}`);
    if (spec.choices) option.choices(spec.choices);
    if (spec.default !== undefined) option.default(spec.default);
    if (spec.many) option.argParser((value: string, before: readonly string[] = []) => [...before, value]);
    parser.addOption(option);
    return { long, flags, key: option.attributeName(), required: spec.required === true };
  });
  const required = added.filter((option) => option.required);
  parser.usage(
    [...required.map(({ flags }) => flags), "[options]", ...operands.map((each) => each.name)].join(" "),
  );
  parser.addHelpText("after", () => closing(examples, { ...exits, [EXIT_USAGE]: "wrong usage" }));
  parser.action(() => {
    const options: Readonly<Record<string, unknown>> = parser.opts();
    const values = added.flatMap(({ long, key }) =>
      options[key] === undefined ? [] : [[long, options[key]]],
    );
    // Checked after misspelt options, so that the message names the misspelling.
    const missing = required.find(({ key }) => !options[key]);
    if (missing) parser.error(`error: ${name} needs ${missing.flags}`);
    choose({ command, parser, asked: { values: Object.fromEntries(values), operands: parser.args } });
  });
}

/** A message about arguments, with control characters escaped. */
function shown(message: string): string {
  return `${message.trimEnd().split(SUGGESTION).map(printable).join("\n")}\n`;
}

/** The end of a command's help: examples and exit codes. */
function closing(examples: Command["examples"], exits: Command["exits"]): string {
  return [
    "\nExamples:",
    ...examples.map(([args, does]) => `  ${PACKAGE} ${args}\n      ${does}`),
    "\nExit codes:",
    ...Object.entries(exits).map(([code, means]) => `  ${code}  ${means}`),
  ].join("\n");
}

function usage(parser: Parser): string {
  const line = parser.createHelp().commandUsage(parser);
  return `Usage: ${line}\nMore:  ${PACKAGE} help${parser.parent ? ` ${parser.name()}` : ""}\n`;
}

/**
 * Lets a reader of the output stop reading, as `head` does: later output is dropped silently, and the exit code stays
 * that of the command.
 */
export function allowClosedPipe(stream: EventEmitter): void {
  stream.on("error", (error: unknown) => {
    if (errorCode(error) !== "EPIPE") throw error;
  });
}
