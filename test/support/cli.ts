import { run } from "../../lib/cli/run";

/** What a command answered. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line with these arguments, in this process. */
export async function cli(...args: readonly string[]): Promise<Ran> {
  const written = { out: "", err: "" };
  const code = await run(args, {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
  });
  return { code, ...written };
}
