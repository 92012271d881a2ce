import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { EventEmitter } from "node:events";
import { isWorkloadIdentityError } from "../errors";
import { printable } from "../explain/render/printable";
import { type CommandIo, type Command, UsageError } from "./command";
import { errorCode } from "../artefact/synth-folder";

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

/** The commands by name, in the order of `--help`. */
export const commands: Readonly<Record<string, Command>> = {
  bind: {
    synopsis: "bind --outputs FILE --to DIR [--manifests DIR] [DIR]",
    summary: "finished manifests from Terraform outputs; all or nothing",
    load: () => import("./bind-command.js"),
  },
  explain: {
    synopsis:
      "explain [--running] [--service-account NS/NAME] [--image REF] [--spoke NAME] [--stack S] [--format text|json|mermaid|html] [--facts FILE] [--fail-on denied|unknown] [DIR...]",
    summary:
      "will the pods pull, as whom, and if not, which link is broken; exit 0 all allowed, 1 denied, 2 usage or unreadable input, 3 unknown",
    load: () => import("./explain-command.js"),
    refusedExit: 2,
  },
  jwks: {
    synopsis: "jwks [--issuer URL] [--jwks-path PATH] [--to DIR] PEM...",
    summary: "the JWKS of public keys, and an issuer's discovery document; printed, or written below DIR",
    load: () => import("./jwks-command.js"),
  },
  "credentials-diff": {
    synopsis: "credentials-diff [--format text|json] OLD NEW",
    summary:
      "what the CredentialsRequests of another release ask for, by folder; exit 0 the same, 1 different, 2 usage or unreadable input",
    load: () => import("./credentials-diff-command.js"),
    refusedExit: 2,
  },
};

/**
 * Lets a reader of the output stop reading, as `head` does: what is written afterwards is lost, quietly, and the exit
 * code stays that of the command.
 */
export function allowClosedPipe(stream: EventEmitter): void {
  stream.on("error", (error: unknown) => {
    if (errorCode(error) !== "EPIPE") throw error;
  });
}
