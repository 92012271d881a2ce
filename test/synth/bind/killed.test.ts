/*
 * A process that writes a target folder may be killed at any of its changes: one process copies the folder at each, and
 * a few are killed to show that they leave the same. Then the folder holds the old files or the new ones, or else the
 * verifier refuses it; and after the next run nothing of the first is left.
 */

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explain } from "../../../lib/explain";
import { type WrittenFiles, writeTargetFolder } from "../../../lib/synth/bind/target-folder";
import { temporaryFolder } from "../../fixtures/synth/stack-fixture";
import { compiled } from "../../support/compiled";
import { refusal } from "../../support/refusal";

type Texts = Readonly<Record<string, string>>;

const EACH_CHANGE = join(__dirname, "../../fixtures/synth/each-change.cjs");
const build = temporaryFolder();
const targetFolder = compiled("synth/bind/target-folder.ts", build);
const script = join(build, "write.cjs");
writeFileSync(
  script,
  `const [to, stack, files] = JSON.parse(process.argv[2]);
require(${JSON.stringify(targetFolder)}).writeTargetFolder(to, [{ owner: { stack }, files: new Map(Object.entries(files)) }]);
`,
);

const account = (name: string): string =>
  `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ${name}, namespace: shop}\n`;
const OLD: Texts = {
  "s/manifests/10-a.yaml": account("old-a"),
  "s/manifests/20-same.yaml": account("same"),
  "s/pods/gone.yaml": account("gone"),
};
const NEW: Texts = {
  "s/manifests/10-a.yaml": account("new-a"),
  "s/manifests/20-same.yaml": account("same"),
  "s/nodes/inner/fresh.yaml": account("fresh"),
};
const OTHER: Texts = { "t/x.yaml": account("other") };

const write = (to: string, files: Texts, stack = "s"): WrittenFiles =>
  writeTargetFolder(to, [{ owner: { stack }, files: new Map(Object.entries(files)) }]);

/** Writes a folder in a process of its own, with what is preloaded there. */
function written(
  to: string,
  files: Texts,
  environment: Readonly<Record<string, string>>,
): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, ["--require", EACH_CHANGE, script, JSON.stringify([to, "s", files])], {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "", ...environment },
  });
}

const killed = (to: string, files: Texts, change: number): SpawnSyncReturns<string> =>
  written(to, files, { KILL_AT: String(change) });

/** The folder as a process that is killed leaves it, for each change at which it may be. */
function killedAtEach(to: string, files: Texts): readonly string[] {
  const copies = temporaryFolder();
  const { status, stderr } = written(to, files, { FOLDER: to, COPIES: copies });
  expect([status, stderr]).toEqual([0, ""]);
  return readdirSync(copies)
    .sort((a, b) => Number(a) - Number(b))
    .map((change) => join(copies, change, "to"));
}

/** Every path below a folder, hidden ones and empty folders included, with the texts of files. */
function everything(folder: string): Texts {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .map((entry): [string, string] => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(folder.length + 1), entry.isFile() ? readFileSync(path, "utf8") : "/"];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** What readers of manifests see. */
function manifests(folder: string): Texts {
  return Object.fromEntries(Object.entries(everything(folder)).filter(([path]) => path.endsWith(".yaml")));
}

/** A folder after these runs, none of which was killed. */
function target(...runs: readonly (readonly [Texts, string?])[]): string {
  const to = join(temporaryFolder(), "to");
  mkdirSync(join(to, "empty"), { recursive: true });
  writeFileSync(join(to, "mine.yaml"), account("mine"));
  for (const [files, stack] of runs) write(to, files, stack);
  return to;
}

function copy(folder: string): string {
  const to = join(temporaryFolder(), "copy");
  cpSync(folder, to, { recursive: true, preserveTimestamps: true });
  return to;
}

const asked = { serviceAccount: "shop/a", image: "a.example/b" };

const runs: readonly (readonly [string, readonly Texts[]])[] = [
  ["the first into the folder", []],
  ["one that replaces, adds and removes files", [OLD]],
];

describe.each(runs)("a bind that is killed at any change: %s", (_, earlier) => {
  const before = earlier.map((files) => [files] as const);
  const folders = killedAtEach(target(...before), NEW);
  const [old, fresh] = [manifests(target(...before)), manifests(target(...before, [NEW]))];
  const isWhole = (to: string): boolean => {
    const seen = JSON.stringify(manifests(to));
    return [old, fresh].some((set) => JSON.stringify(set) === seen);
  };

  it("is found dead in each of these folders, some of which hold a mixture", () => {
    expect(folders.length).toBeGreaterThan(15);
    expect(folders.filter((to) => !isWhole(to)).length).toBeGreaterThan(1);
    for (const change of [1, Math.ceil(folders.length / 2), folders.length]) {
      const to = target(...before);
      const { signal, stderr } = killed(to, NEW, change);
      expect([signal, stderr]).toEqual(["SIGKILL", ""]);
      const withoutProcess = (folder: string): string =>
        JSON.stringify(everything(folder)).replace(/lock-\d+/g, "lock");
      expect(withoutProcess(to), `change ${change}`).toBe(withoutProcess(folders[change - 1] ?? ""));
    }
  });

  it("leaves no mixture that explain reads", () => {
    for (const to of folders.filter((folder) => !isWhole(folder)))
      for (const path of [to, join(to, "s"), join(to, "s/manifests/10-a.yaml"), join(to, "..")])
        expect(() => explain([path], asked)).toThrowError(refusal("explain-mismatch", { value: to }));
  });

  it("is undone by the next run, of another stack or the same", () => {
    const again = everything(target(...before, [NEW]));
    const beside = [target(...before, [OTHER, "t"]), target(...before, [NEW], [OTHER, "t"])].map(everything);
    folders.forEach((to, place) => {
      const wasWhole = isWhole(to);
      const other = copy(to);
      write(other, OTHER, "t");
      expect(beside, `then of another stack, after change ${place + 1}`).toContainEqual(everything(other));
      const { undone } = write(to, NEW);
      expect(everything(to), `then the same, after change ${place + 1}`).toEqual(again);
      if (!wasWhole) expect(undone).not.toEqual([]);
    });
  });
});

it("a bind that is killed while it undoes what another one did that was killed", () => {
  const folders = killedAtEach(halfDone(), NEW);
  const expected = everything(target([OLD], [NEW]));
  expect(folders.length).toBeGreaterThan(15);
  folders.forEach((to, place) => {
    write(to, NEW);
    expect(everything(to), `after change ${place + 1}`).toEqual(expected);
  });
});

/** A folder in which a file is replaced already and another one not yet removed. */
function halfDone(): string {
  const found = killedAtEach(target([OLD]), NEW).find((to) => {
    const { "s/manifests/10-a.yaml": a, "s/pods/gone.yaml": gone } = manifests(to);
    return a === NEW["s/manifests/10-a.yaml"] && gone !== undefined;
  });
  return found ?? expect.fail("no kill left a mixture");
}
