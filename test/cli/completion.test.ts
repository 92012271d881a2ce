/* The shells themselves judge the scripts, where they are installed. */

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../../lib/cli/commands";
import { run } from "../../lib/cli/run";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";

async function script(shell: string): Promise<string> {
  let text = "";
  const code = await run(["completion", shell], { out: (more) => void (text += more), err: () => {} });
  expect(code).toBe(0);
  return text;
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

/** What is typed before the tab, and what is offered. */
const TYPED: readonly (readonly [string, readonly string[]])[] = [
  ["ex", ["explain"]],
  ["help cr", ["credentials-diff"]],
  ["bind --ou", ["--outputs"]],
  ["explain --format m", ["markdown", "mermaid"]],
  ["explain --fail-on ", ["audit-error", "audit-warning", "denied", "unknown"]],
  ["completion ", ["bash", "zsh", "fish"]],
  ["explain cdktf.o", ["cdktf.out"]],
  ["bind --outputs outputs.j", ["outputs.json"]],
];

function folder(): string {
  const path = temporaryFolder();
  mkdirSync(join(path, "cdktf.out"));
  writeFileSync(join(path, "outputs.json"), "");
  return path;
}

function offered(shell: string, args: readonly string[], cwd: string): string[] {
  const { stdout, stderr, status } = spawnSync(shell, args, { cwd, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout
    .split("\n")
    .map((line) => line.split("\t")[0]?.replace(/\/$/, "") ?? "")
    .filter((line) => line !== "")
    .sort();
}

describe.runIf(isInstalled("bash"))("bash", () => {
  it.each(TYPED)("completes %j", async (typed, expected) => {
    const words = ["cdktf-workload-identity", ...typed.split(" ")];
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const asked = `${await script("bash")}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _cdktf_workload_identity
((\${#COMPREPLY[@]})) || COMPREPLY=($(compgen -f -- '${words.at(-1)}'))
printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(offered("bash", ["-c", asked], folder())).toEqual([...expected].sort());
  });
});

describe.runIf(isInstalled("fish"))("fish", () => {
  it.each(TYPED)("completes %j", async (typed, expected) => {
    const asked = `${await script("fish")}\ncomplete -C 'cdktf-workload-identity ${typed}'`;
    expect(offered("fish", ["--no-config", "-c", asked], folder())).toEqual([...expected].sort());
  });
});

describe.runIf(isInstalled("zsh"))("zsh", () => {
  it("reads the script", async () => {
    const path = join(temporaryFolder(), "_cdktf-workload-identity");
    writeFileSync(path, await script("zsh"));
    expect(offered("zsh", ["-f", "-n", path], temporaryFolder())).toEqual([]);
  });
});

it.each(["bash", "zsh", "fish"])("%s has every command and option", async (shell) => {
  const text = await script(shell);
  for (const { name, options } of commands)
    for (const word of [name, ...Object.keys(options)]) expect(text).toContain(word);
});
