/*
 * The command line of the last build for scripts that call it often: it is loaded once, which takes longer than most
 * answers. `pack/` runs the installed program itself.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { ROOT } from "./markdown";
import { builtProgram } from "./empty-project";

const SERVER = join(ROOT, "test/fixtures/served-program.cjs");

/** Lines of sh that answer as the program does, with its exit code in `code`; the tests of a file share a process. */
export function servedProgram(): string {
  const folder = temporaryFolder();
  const pipe = join(folder, "calls");
  let server: ChildProcess | undefined;
  beforeAll(() => {
    spawnSync("mkfifo", [pipe]);
    const program = join(builtProgram(), "../run.js");
    server = spawn(process.execPath, [SERVER, program, pipe], { stdio: ["ignore", "ignore", "inherit"] });
  });
  afterAll(() => void server?.kill());
  return `call=$(mktemp -d "${folder}/XXXXXX"); mkfifo "$call/code"
printf '%s\\0' "$PWD" "$@" > "$call/words"
case " $* " in *" - "*) cat ;; esac > "$call/input"
echo "$call" > "${pipe}"
read -r code < "$call/code"
cat "$call/out"; cat "$call/err" >&2`;
}
