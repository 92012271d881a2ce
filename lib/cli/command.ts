import { type ParseArgsConfig, parseArgs } from "node:util";

/** Where a command writes; `process` in the program, texts in tests. */
export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /**
   * True where results go to a terminal that shows colours.
   *
   * @defaultValue false
   */
  readonly colour?: boolean;
}

/** A command with its arguments still unread. */
export interface Command {
  /** One line for `--help`, after the command's name. */
  readonly synopsis: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
  /**
   * Exit code where the library refuses the input.
   *
   * @defaultValue 1
   */
  readonly refusedExit?: number;
}

/** The code of a command. */
export interface CommandModule {
  /**
   * Runs with the arguments after the command's name; resolves to the exit code.
   *
   * Throws {@link UsageError}, or an error of this library.
   */
  readonly run: (args: readonly string[], io: CommandIo) => number | Promise<number>;
}

/** A command line that makes no sense: usage on stderr, exit 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** Options in the form of Node's `parseArgs`. */
export type Options = NonNullable<ParseArgsConfig["options"]>;

/** What `parseArgs` gives for these options. */
export type Arguments<T extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>
>;

/** Node's own argument parser; throws {@link UsageError} for what it refuses. */
export function readArguments<T extends Options>(args: readonly string[], options: T): Arguments<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message);
  }
}
