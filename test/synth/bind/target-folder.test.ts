import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { WRITTEN_FILES_LIST, writeTargetFolder } from "../../../lib/synth/bind/target-folder";
import { filesOf, temporaryFolder } from "../../fixtures/synth/stack-fixture";

let root: string;
let to: string;
const write = (files: Record<string, string>): ReturnType<typeof writeTargetFolder> =>
  writeTargetFolder(to, new Map(Object.entries(files)));

beforeEach(() => {
  root = temporaryFolder();
  to = join(root, "a/b/target");
});

describe("writeTargetFolder", () => {
  it("makes the folder and writes the files and their list", () => {
    expect(write({ "p/manifests/20-b.yaml": "b\n", "p/manifests/10-a.yaml": "a\n" })).toEqual({
      files: ["p/manifests/10-a.yaml", "p/manifests/20-b.yaml"],
      removed: [],
    });
    expect(filesOf(to)).toEqual({
      [WRITTEN_FILES_LIST]: "p/manifests/10-a.yaml\np/manifests/20-b.yaml\n",
      "p/manifests/10-a.yaml": "a\n",
      "p/manifests/20-b.yaml": "b\n",
    });
  });

  it("removes what it wrote before, with folders that become empty, and nothing else", () => {
    write({ "p/x.yaml": "x", "q/manifests/y.yaml": "y", "p/z.yaml": "z" });
    writeFileSync(join(to, "p/mine.yaml"), "mine");
    expect(write({ "p/z.yaml": "z" }).removed).toEqual(["p/x.yaml", "q/manifests/y.yaml"]);
    expect(Object.keys(filesOf(to))).toEqual([WRITTEN_FILES_LIST, "p/mine.yaml", "p/z.yaml"]);
    expect(readdirSync(to)).not.toContain("q");
  });

  it("never removes outside of the folder, whatever the list says", () => {
    const outside = join(root, "outside.yaml");
    writeFileSync(outside, "x");
    write({ "p/x.yaml": "x" });
    writeFileSync(join(to, WRITTEN_FILES_LIST), "../../../outside.yaml\n/etc/x.yaml\np/../p/x.yaml\n");
    expect(write({}).removed).toEqual([]);
    expect(readFileSync(outside, "utf8")).toBe("x");
    expect(readFileSync(join(to, "p/x.yaml"), "utf8")).toBe("x");
  });

  it("does not touch files that have the bytes already", () => {
    write({ "x.yaml": "x", "y.yaml": "y" });
    const before = statSync(join(to, "x.yaml"), { bigint: true });
    write({ "x.yaml": "x", "y.yaml": "new" });
    const after = statSync(join(to, "x.yaml"), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    expect(readFileSync(join(to, "y.yaml"), "utf8")).toBe("new");
  });

  it.each([
    [
      "the folder is a file",
      () => writeFileSync(join(mkdir(root, "a/b"), "target"), "file"),
      "EEXIST|ENOTDIR",
    ],
    ["a parent of the folder is a file", () => writeFileSync(join(root, "a"), "file"), "ENOTDIR"],
    ["a file is in the way of a folder", () => writeFileSync(join(mkdir(to), "q"), "file"), "EEXIST|ENOTDIR"],
    [
      "a folder is in the way of a file",
      () => mkdirSync(join(to, "z.yaml/inner"), { recursive: true }),
      "EISDIR",
    ],
  ])("changes nothing where %s", (_, block, reason) => {
    block();
    const before = snapshot(root);
    expect(() => write({ "p/x.yaml": "x", "q/y.yaml": "y", "z.yaml": "z" })).toThrowError(
      expect.objectContaining({
        code: "bind-target-unwritable",
        value: to,
        problem: expect.stringMatching(reason) as unknown,
      }),
    );
    expect(snapshot(root)).toEqual(before);
  });
});

function mkdir(...parts: string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Every path below a folder, empty folders included, and the texts of files. */
function snapshot(folder: string): unknown {
  return [readdirSync(folder, { recursive: true, encoding: "utf8" }).sort(), filesOf(folder)];
}
