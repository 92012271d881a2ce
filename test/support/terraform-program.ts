/*
 * The real terraform program, where it is on the PATH: for configurations that need no provider, so that nothing is
 * downloaded.
 */

import { spawnSync } from "node:child_process";

/** What JSON, HCL templates and YAML each read as something else. */
export const HOSTILE: readonly string[] = [
  "quotes \" ' and \\ backslash",
  "templates ${x} %{if true} $${y} %%{z}",
  "lines\nand\r\nmore\n",
  "null",
  "0755",
  "yes",
  ": # - | > & * ! @",
  "é 日本 \u{1f600} \u2028",
  "  blanks around\t",
];

export const noTerraform: boolean = spawnSync("terraform", ["version"], { encoding: "utf8" }).status !== 0;

/** Runs the program in a folder, and returns its exit code and what it printed. */
export function tryTerraform(
  folder: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
  };
  return spawnSync("terraform", args, { cwd: folder, env, encoding: "utf8", maxBuffer: 1 << 26 });
}

/** Runs the program, which must succeed; state and plugins stay in the folder. */
export function runTerraform(folder: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = tryTerraform(folder, ...args);
  if (status !== 0) throw new Error(`terraform ${args.join(" ")}: ${stderr}`);
  return stdout;
}
