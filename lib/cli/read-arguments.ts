import { type ParseArgsConfig, parseArgs } from "node:util";
import { UsageError } from "./command";

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
