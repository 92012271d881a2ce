import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isWorkloadIdentityError } from "../errors";
import { printable } from "../explain/render/printable";
import { type CommandIo, UsageError } from "./command";
import { commands } from "./commands";

const PACKAGE = "cdktf-workload-identity";

const EXIT_OK = 0;
const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

/**
 * Runs the command line; resolves to the exit code and never rejects for a mistake of the caller.
 *
 * 0 done (a command may define more), 1 (or the command's own) refused by the library with its message and code, 2 usage.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = args;
  if (name === "--version") {
    io.out(`${version()}\n`);
    return EXIT_OK;
  }
  const help = args.some((argument) => argument === "--help" || argument === "-h");
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (help) {
    io.out(command ? `usage: ${PACKAGE} ${command.synopsis}\n\n${command.summary}\n` : usage());
    return EXIT_OK;
  }
  try {
    if (!command) throw new UsageError(name === undefined ? "no command" : `unknown command ${name}`);
    return await (await command.load()).run(rest, io);
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(
        `${printable(error.message)}\n\n${command ? `usage: ${PACKAGE} ${command.synopsis}\n` : usage()}`,
      );
      return EXIT_USAGE;
    }
    if (!isWorkloadIdentityError(error)) throw error;
    io.err(`${PACKAGE}: ${printable(error.message)} (${error.code})\n`);
    return command?.refusedExit ?? EXIT_REFUSED;
  }
}

function usage(): string {
  const all = Object.values(commands);
  const lines = all.map(({ synopsis, summary }) => `  ${synopsis}\n      ${summary}\n`);
  return `usage: ${PACKAGE} <command>\n\n${lines.join("")}\n  --help, --version\n`;
}

function version(): string {
  const manifest = createRequire(__filename).resolve(`${PACKAGE}/package.json`);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}
