import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { BIND_JOURNAL, BIND_STAGE } from "../../../lib/artefact/bind-stage";
import { whileLocked } from "../../../lib/synth/bind/target-lock";
import { writeTargetFolder } from "../../../lib/synth/bind/target-folder";
import { filesOf, temporaryFolder } from "../../fixtures/synth/stack-fixture";
import { compiled } from "../../support/compiled";
import { refusal } from "../../support/refusal";

const refuse = (reason: string): never => {
  throw new Error(reason);
};
const host = hostname().replace(/[^\w.-]/g, "_");

/** The id of a process that has ended. */
const ended = spawnSync(process.execPath, ["--version"]).pid;

function folderWithLock(name: string, minutes: number): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, BIND_STAGE));
  const lock = join(folder, BIND_STAGE, name);
  writeFileSync(lock, "");
  const made = new Date(Date.now() - minutes * 60_000);
  utimesSync(lock, made, made);
  return folder;
}

describe("a lock of another bind", () => {
  it.each([
    ["a process that runs", `lock-${process.ppid}.0@${host}`, 9],
    ["another thread of this process", `lock-${process.pid}.99@${host}`, 9],
    ["another host", `lock-${ended}.0@other`, 9],
  ])("is waited for, then refused: of %s", (_, name, minutes) => {
    const folder = folderWithLock(name, minutes);
    expect(() => whileLocked(folder, refuse, () => expect.fail("it ran"), 50)).toThrowError(
      `EBUSY: another bind (${name}) is writing there`,
    );
    expect(readdirSync(join(folder, BIND_STAGE))).toEqual([name]);
  });

  it.each([
    ["a process that has ended", `lock-${ended}.0@${host}`, 0],
    ["another host, long ago", `lock-${process.ppid}.0@other`, 11],
    ["a process that has got the same id since", `lock-${process.ppid}.0@${host}`, 11],
  ])("no longer counts: of %s", (_, name, minutes) => {
    const folder = folderWithLock(name, minutes);
    expect(whileLocked(folder, refuse, () => readdirSync(join(folder, BIND_STAGE)).length, 0)).toBe(1);
    expect(existsSync(join(folder, BIND_STAGE))).toBe(false);
  });
});

it("keeps what an interrupted bind has left until it is undone", () => {
  const folder = folderWithLock(`lock-${ended}.0@${host}`, 0);
  writeFileSync(join(folder, BIND_STAGE, BIND_JOURNAL), "{}");
  writeFileSync(join(folder, BIND_STAGE, "old-0"), "old");
  whileLocked(folder, refuse, () => undefined);
  expect(readdirSync(join(folder, BIND_STAGE)).sort()).toEqual([BIND_JOURNAL, "old-0"]);
});

it.each([
  "{}",
  "[",
  JSON.stringify({ entries: [{ path: "../x.yaml", fresh: null, old: "old-0" }], folders: [] }),
  JSON.stringify({ entries: [{ path: "a/../../x.yaml", fresh: null, old: "old-0" }], folders: [] }),
  JSON.stringify({ entries: [{ path: "/x.yaml", fresh: null, old: "old-0" }], folders: [] }),
  JSON.stringify({ entries: [{ path: "x.yaml", fresh: null, old: "../../x" }], folders: [] }),
  JSON.stringify({ entries: [], folders: [".."] }),
])("refuses a journal that bind did not write: %s", (journal) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, BIND_STAGE));
  writeFileSync(join(folder, BIND_STAGE, BIND_JOURNAL), journal);
  writeFileSync(join(folder, BIND_STAGE, "old-0"), "old");
  const before = filesOf(folder);
  expect(() => writeTargetFolder(folder, [])).toThrowError(refusal("bind-unsupported: has been changed"));
  expect(filesOf(folder)).toEqual(before);
});

it("lets processes that start at once write one after the other", async () => {
  const [build, to] = [temporaryFolder(), temporaryFolder()];
  const script = join(build, "write.cjs");
  writeFileSync(
    script,
    `const { writeTargetFolder } = require(${JSON.stringify(compiled("synth/bind/target-folder.ts", build))});
const [to, stack] = process.argv.slice(2);
for (let round = 0; round < 5; round++)
  writeTargetFolder(to, [{ owner: { stack }, files: new Map([[stack + "/" + round + ".yaml", "x"]]) }]);
`,
  );
  const stacks = ["a", "b", "c"];
  await Promise.all(stacks.map((stack) => promisify(execFile)(process.execPath, [script, to, stack])));
  expect(filesOf(to)).toEqual({
    ".workload-identity-files": stacks.map((stack) => `${stack}/4.yaml\n`).join(""),
    ...Object.fromEntries(stacks.map((stack) => [`${stack}/4.yaml`, "x"])),
  });
});
