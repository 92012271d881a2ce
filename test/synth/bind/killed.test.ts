/*
 * A process that writes a target folder is killed at each of its changes, one after the other. Then the folder holds the
 * old files or the new ones, or else the verifier refuses it; and after the next run nothing of the first is left.
 */

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explain } from "../../../lib/explain";
import { type WrittenFiles, writeTargetFolder } from "../../../lib/synth/bind/target-folder";
import { temporaryFolder } from "../../fixtures/synth/stack-fixture";
import { compiled } from "../../support/compiled";

type Texts = Readonly<Record<string, string>>;

const KILL_AT = join(__dirname, "../../fixtures/synth/kill-at.cjs");
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

function killed(to: string, files: Texts, change: number): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, ["--require", KILL_AT, script, JSON.stringify([to, "s", files])], {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "", KILL_AT: String(change) },
  });
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

/** How many changes there are until the process ends by itself. */
function eachKill(prepare: () => string, files: Texts, check: (to: string, change: number) => void): number {
  for (let change = 1; ; change++) {
    const to = prepare();
    const { status, signal, stderr } = killed(to, files, change);
    if (status === 0) return change - 1;
    expect([signal, stderr]).toEqual(["SIGKILL", ""]);
    check(to, change);
  }
}

// Some hundred processes, one after the other.
describe("a bind that is killed", { timeout: 300_000 }, () => {
  const runs: readonly (readonly [string, Texts | undefined])[] = [
    ["the first into the folder", undefined],
    ["one that replaces, adds and removes files", OLD],
  ];

  it.each(runs)("at any change: %s", (_, earlier) => {
    const before = earlier ? ([[earlier]] as const) : [];
    const mixtures: number[] = [];
    const [old, fresh] = [manifests(target(...before)), manifests(target(...before, [NEW]))];
    const again = everything(target(...before, [NEW]));
    const beside = [target(...before, [OTHER, "t"]), target(...before, [NEW], [OTHER, "t"])].map(everything);
    const changes = eachKill(
      () => target(...before),
      NEW,
      (to, change) => {
        const seen = manifests(to);
        const isWhole = [old, fresh].some((set) => JSON.stringify(set) === JSON.stringify(seen));
        if (!isWhole) {
          mixtures.push(change);
          for (const path of [to, join(to, "s"), join(to, "s/manifests/10-a.yaml"), join(to, "..")])
            expect(() => explain([path], asked)).toThrowError(
              expect.objectContaining({ code: "explain-mismatch", value: to }),
            );
        }
        const other = copy(to);
        write(other, OTHER, "t");
        expect(beside, `then of another stack, after change ${change}`).toContainEqual(everything(other));
        const { undone } = write(to, NEW);
        expect(everything(to), `then the same, after change ${change}`).toEqual(again);
        if (!isWhole) expect(undone).not.toEqual([]);
      },
    );
    expect(changes).toBeGreaterThan(15);
    expect(mixtures.length).toBeGreaterThan(1);
  });

  it("while it undoes what another one did that was killed", () => {
    const mixture = halfDone();
    const expected = everything(target([OLD], [NEW]));
    const changes = eachKill(
      () => copy(mixture),
      NEW,
      (to, change) => {
        write(to, NEW);
        expect(everything(to), `after change ${change}`).toEqual(expected);
      },
    );
    expect(changes).toBeGreaterThan(15);
  });
});

/** A folder in which a file is replaced already and another one not yet removed. */
function halfDone(): string {
  for (let change = 10; change < 100; change++) {
    const to = target([OLD]);
    killed(to, NEW, change);
    const { "s/manifests/10-a.yaml": a, "s/pods/gone.yaml": gone } = manifests(to);
    if (a === NEW["s/manifests/10-a.yaml"] && gone !== undefined) return to;
  }
  return expect.fail("no kill left a mixture");
}
