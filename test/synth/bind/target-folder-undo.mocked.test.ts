import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { writeTargetFolder } from "../../../lib/synth/bind/target-folder";
import { filesOf, temporaryFolder } from "../../fixtures/synth/stack-fixture";
import { refusal } from "../../support/refusal";

const write = (to: string, files: Record<string, string>): unknown =>
  writeTargetFolder(to, [
    { owner: { stack: "s", charts: "../dist" }, files: new Map(Object.entries(files)) },
  ]);

/** The move that fails, everything before it succeeds; or all moves from one folder to another. */
const failing = vi.hoisted(() => ({ target: "", acrossFolders: false }));

/** Whether files from the staging folder can be copied. */
const copying = vi.hoisted(() => ({ fails: false }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  return {
    ...fs,
    copyFileSync: (from: string, to: string): void => {
      if (copying.fails && /old-\d+$/.test(from))
        throw Object.assign(new Error("input/output error"), { code: "EIO" });
      fs.copyFileSync(from, to);
    },
    renameSync: (from: string, to: string): void => {
      if (failing.acrossFolders && dirname(from) !== dirname(to))
        throw Object.assign(new Error("cross-device link not permitted"), { code: "EXDEV" });
      if (to !== failing.target) return fs.renameSync(from, to);
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    },
  };
});

it.each(["a.yaml", "p/b.yaml", "p/new.yaml", ".workload-identity-files"])(
  "undoes every move before one that fails: %s",
  (name) => {
    const to = temporaryFolder();
    failing.target = "";
    write(to, { "a.yaml": "a", "p/b.yaml": "b", "p/gone.yaml": "gone" });
    mkdirSync(join(to, "mine"));
    writeFileSync(join(to, "mine/x.yaml"), "mine");
    const before = [readdirSync(to), filesOf(to)];

    failing.target = join(to, name);
    const files = { "a.yaml": "A", "p/b.yaml": "B", "p/new.yaml": "new", "q/r/new.yaml": "new" };
    expect(() => write(to, files)).toThrowError(refusal("bind-unsupported: ENOSPC"));
    expect([readdirSync(to), filesOf(to)]).toEqual(before);
  },
);

it("writes into folders that are other file systems", () => {
  const to = temporaryFolder();
  Object.assign(failing, { target: "", acrossFolders: true });
  write(to, { "a.yaml": "a", "p/b.yaml": "b" });
  expect(write(to, { "p/b.yaml": "B", "q/c.yaml": "c" })).toMatchObject({ removed: ["a.yaml"] });
  const { ".workload-identity-files": _, ...files } = filesOf(to);
  expect(files).toEqual({ "p/b.yaml": "B", "q/c.yaml": "c" });

  failing.target = join(to, "q/c.yaml");
  expect(() => write(to, { "p/b.yaml": "again", "q/c.yaml": "again" })).toThrowError(
    refusal("bind-unsupported"),
  );
  expect(filesOf(to)).toMatchObject(files);
  failing.acrossFolders = false;
});

it("says so where it cannot undo what it did, and undoes it the next time", () => {
  const to = temporaryFolder();
  failing.target = "";
  write(to, { "a.yaml": "a", "b.yaml": "b" });
  failing.target = join(to, "b.yaml");
  const refused: unknown = expect.objectContaining({
    code: "bind-unsupported",
    problem: expect.stringContaining("; it holds changes of a bind that has not ended") as unknown,
  });
  copying.fails = true;
  expect(() => write(to, { "a.yaml": "A", "b.yaml": "B" })).toThrowError(refused);
  // The copies of the old files were made; only putting them back fails.
  Object.assign(failing, { target: "" });
  copying.fails = false;
  expect(write(to, { "a.yaml": "A", "b.yaml": "B" })).toMatchObject({ undone: ["a.yaml"] });
  expect(filesOf(to)).toMatchObject({ "a.yaml": "A", "b.yaml": "B" });
  expect(readdirSync(to)).toHaveLength(3);
});
