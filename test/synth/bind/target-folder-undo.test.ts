import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { writeTargetFolder } from "../../../lib/synth/bind/target-folder";
import { filesOf, temporaryFolder } from "../../fixtures/synth/stack-fixture";

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
    writeTargetFolder(
      to,
      new Map([
        ["a.yaml", "a"],
        ["p/b.yaml", "b"],
        ["p/gone.yaml", "gone"],
      ]),
    );
    mkdirSync(join(to, "mine"));
    writeFileSync(join(to, "mine/x.yaml"), "mine");
    const before = [readdirSync(to), filesOf(to)];

    failing.target = join(to, name);
    const files = new Map([
      ["a.yaml", "A"],
      ["p/b.yaml", "B"],
      ["p/new.yaml", "new"],
      ["q/r/new.yaml", "new"],
    ]);
    expect(() => writeTargetFolder(to, files)).toThrowError(
      expect.objectContaining({
        code: "bind-target-unwritable",
        problem: expect.stringContaining("ENOSPC") as unknown,
      }),
    );
    expect([readdirSync(to), filesOf(to)]).toEqual(before);
  },
);
