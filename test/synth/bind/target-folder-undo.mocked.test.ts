import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { writeTargetFolder } from "../../../lib/synth/bind/target-folder";
import { filesOf, temporaryFolder } from "../../fixtures/synth/stack-fixture";

const write = (to: string, files: Record<string, string>): unknown =>
  writeTargetFolder(to, [
    { owner: { stack: "s", charts: "../dist" }, files: new Map(Object.entries(files)) },
  ]);

/** The move that fails; everything before it succeeds. */
const failing = vi.hoisted(() => ({ target: "" }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  return {
    ...fs,
    renameSync: (from: string, to: string): void => {
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
    expect(() => write(to, files)).toThrowError(
      expect.objectContaining({
        code: "bind-target-unwritable",
        problem: expect.stringContaining("ENOSPC") as unknown,
      }),
    );
    expect([readdirSync(to), filesOf(to)]).toEqual(before);
  },
);
