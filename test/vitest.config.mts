import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const lib = (path: string): string => fileURLToPath(new URL(`../lib/${path}`, import.meta.url));

const TESTS = "test/**/*.test.ts";
const MOCKED = "test/**/*.mocked.test.ts";
const INSTALLED = "**/node_modules/**";
// Not in every shell is there a way to set a variable for one command of package.json.
if (process.env["npm_lifecycle_event"] === "test:all") process.env["ALL_CASES"] = "1";
// What builds, installs or compiles whole projects, or starts a browser: a minute more.
const SLOW = ["test/pack/**", "test/fourth-cloud.test.ts", "test/explain/render/page.test.ts"];
const LEFT_OUT = process.env["ALL_CASES"] === "1" ? [INSTALLED] : [INSTALLED, ...SLOW];

// Vitest takes a path after the option for the option's value, and then updates the golden files of every test.
const update = process.argv.findIndex((word) => word === "-u" || word === "--update");
const path = update < 0 ? undefined : process.argv[update + 1];
if (path?.includes("/")) throw new Error(`write --update=all ${path}, so that only this test is updated`);

const ROOM = 2 * 1024 ** 3;

// Temporary folders of everything that a run starts (tests, programs, cdktf's own) are in one, and it goes with the
// run. Vitest ends its workers by a signal, so nothing that they would do at their exit can be relied on.
const temporary = inMemory() ?? mkdtempSync(join(tmpdir(), "tests-"));
for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = temporary;
process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));

// A folder in Linux's shared memory, where it has room and programs may run: a test writes some forty files for each of
// its questions, which took more time than the answers.
function inMemory(): string | undefined {
  if (process.env["TMPDIR"] !== undefined) return undefined;
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize < ROOM) return undefined;
    folder = mkdtempSync("/dev/shm/tests-");
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o700);
    execFileSync(program);
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true });
    return undefined;
  }
}

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  resolve: {
    // The names that users import, answered from the sources.
    alias: [
      { find: /^cdktf-workload-identity$/, replacement: lib("index.ts") },
      { find: /^cdktf-workload-identity\/(aws|azure|google)$/, replacement: lib("cloud/$1/index.ts") },
      { find: /^cdktf-workload-identity\/vitest$/, replacement: lib("vitest/index.mts") },
      { find: /^cdktf-workload-identity\/(\w+)$/, replacement: lib("$1/index.ts") },
    ],
  },
  test: {
    // Most of the time went into loading the clouds' bindings anew for each file, so files share their modules; a
    // file that replaces modules (`*.mocked.test.ts`) has a process of its own.
    projects: [
      {
        extends: true,
        test: { name: "shared", include: [TESTS], exclude: [MOCKED, ...LEFT_OUT], isolate: false },
      },
      { extends: true, test: { name: "mocked", include: [MOCKED], exclude: LEFT_OUT } },
    ],
    // One for each processor: by default one is left idle, half of a machine with two. What the projects inherit would
    // overrule the command line.
    maxWorkers: process.argv.some((word) => word.startsWith("--maxWorkers")) ? undefined : "100%",
    setupFiles: ["test/support/setup.ts"],
    // Most of what a test makes is gone at once: a fifth of the time went into looking for the rest after each 16 MB.
    execArgv: ["--max-semi-space-size=64"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Refuses to write snapshots, new ones included; the `--update` of `npm run test:update` overrules it.
    update: "none",
  },
});
