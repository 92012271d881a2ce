import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { writeTargetFolder } from "../../../lib/synth/bind/target-folder";
import { BIND_STAGE } from "../../../lib/artefact/bind-stage";
import { type FileOwner, WRITTEN_FILES_LIST } from "../../../lib/artefact/written-files-list";
import { filesOf, temporaryFolder } from "../../fixtures/synth/stack-fixture";
import { refusal } from "../../support/refusal";

let root: string;
let to: string;
type Texts = Record<string, string>;

const set = (owner: FileOwner, files: Texts): Parameters<typeof writeTargetFolder>[1][number] => ({
  owner,
  files: new Map(Object.entries(files)),
});
const write = (files: Texts, owner: FileOwner = DIST): ReturnType<typeof writeTargetFolder> =>
  writeTargetFolder(to, [set(owner, files)]);

const DIST = { stack: "s", charts: "../dist" };
const OTHER_DIST = { stack: "s", charts: "../other" };
const OTHER_STACK = { stack: "t", charts: "../dist" };

beforeEach(() => {
  root = temporaryFolder();
  to = join(root, "a/b/target");
});

describe("writeTargetFolder", () => {
  it("makes the folder and writes the files and their list", () => {
    const own = set({ stack: "p" }, { "p/manifests/20-b.yaml": "b\n", "p/manifests/10-a.yaml": "a\n" });
    expect(writeTargetFolder(to, [own, set(DIST, { "p/c.yaml": "c\n" })])).toEqual({
      files: ["p/c.yaml", "p/manifests/10-a.yaml", "p/manifests/20-b.yaml"],
      changed: [WRITTEN_FILES_LIST, "p/c.yaml", "p/manifests/10-a.yaml", "p/manifests/20-b.yaml"],
      removed: [],
      undone: [],
    });
    expect(filesOf(to)).toEqual({
      [WRITTEN_FILES_LIST]: "p/c.yaml\ts\t../dist\np/manifests/10-a.yaml\np/manifests/20-b.yaml\n",
      "p/c.yaml": "c\n",
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

  it("removes only what the same source wrote before", () => {
    const sources: readonly FileOwner[] = [{ stack: "s" }, { stack: "t" }, DIST, OTHER_DIST, OTHER_STACK];
    const texts = sources.map(({ stack }, place): Texts => ({ [`${stack}/${place}.yaml`]: "x" }));
    for (const [place, owner] of sources.entries())
      expect(write(texts[place] ?? {}, owner).removed).toEqual([]);
    const names = texts.flatMap(Object.keys);
    for (const [place, owner] of sources.entries()) {
      expect(write({}, owner).removed).toEqual([names[place]]);
      expect(Object.keys(filesOf(to)).sort()).toEqual([WRITTEN_FILES_LIST, ...names.slice(place + 1)].sort());
    }
  });

  it("keeps another source's files in the list, as long as they exist", () => {
    write({ "s/x.yaml": "x", "s/y.yaml": "y" }, { stack: "s" });
    rmSync(join(to, "s/y.yaml"));
    write({ "t/x.yaml": "x" }, { stack: "t" });
    expect(filesOf(to)[WRITTEN_FILES_LIST]).toBe("s/x.yaml\nt/x.yaml\n");
  });

  it.each<[string, FileOwner | undefined, FileOwner]>([
    ["no one's", undefined, DIST],
    ["another stack's charts", OTHER_STACK, DIST],
    ["the same stack's own", { stack: "s" }, DIST],
    ["its charts'", DIST, { stack: "s" }],
  ])("refuses to replace a file that is %s", (_, earlier, owner) => {
    write({ "s/a.yaml": "a", "s/same.yaml": "same" }, earlier ?? DIST);
    if (!earlier) rmSync(join(to, WRITTEN_FILES_LIST));
    const before = snapshot(root);
    const files = { "s/new.yaml": "new", "s/a.yaml": "b", "s/same.yaml": "same" };
    expect(() => write(files, owner)).toThrowError(refusal("bind-conflict", { value: ["s/a.yaml"] }));
    expect(snapshot(root)).toEqual(before);
  });

  it("replaces and from then on owns what the charts of its stack wrote from another folder", () => {
    write({ "a.yaml": "a", "b.yaml": "b" }, OTHER_DIST);
    expect(write({ "a.yaml": "A" }).removed).toEqual([]);
    expect(filesOf(to)).toEqual({
      [WRITTEN_FILES_LIST]: "a.yaml\ts\t../dist\nb.yaml\ts\t../other\n",
      "a.yaml": "A",
      "b.yaml": "b",
    });
  });

  it("takes up a file that has the bytes already", () => {
    mkdir(to);
    writeFileSync(join(to, "a.yaml"), "a");
    write({ "a.yaml": "a" });
    expect(write({}).removed).toEqual(["a.yaml"]);
  });

  it("never removes outside of the folder, whatever the list says", () => {
    const outside = join(root, "outside.yaml");
    writeFileSync(outside, "x");
    write({ "p/x.yaml": "x" });
    writeFileSync(
      join(to, WRITTEN_FILES_LIST),
      ["../../../outside.yaml", "/etc/x.yaml", "p/../p/x.yaml"]
        .map((path) => `${path}\ts\t../dist\n`)
        .join(""),
    );
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

  it.each<[string, () => unknown, string]>([
    [
      "the folder is a file",
      () => writeFileSync(join(mkdir(root, "a/b"), "target"), "file"),
      "ENOTDIR: ROOT/a/b/target is a file",
    ],
    [
      "a parent of the folder is a file",
      () => writeFileSync(join(root, "a"), "file"),
      "ENOTDIR: ROOT/a is a file",
    ],
    [
      "a file is in the way of a folder",
      () => writeFileSync(join(mkdir(to), "q"), "file"),
      "ENOTDIR: ROOT/a/b/target/q is a file",
    ],
    [
      "a folder is in the way of a file",
      () => mkdir(to, "z.yaml/inner"),
      "EISDIR: ROOT/a/b/target/z.yaml is a folder",
    ],
    [
      "a link to nowhere is in the way of a folder",
      () => symlinkSync(join(root, "nowhere"), join(mkdir(to), "q")),
      "ELOOP: ROOT/a/b/target/q is a symbolic link",
    ],
  ])("changes nothing where %s, and names the path", (_, block, reason) => {
    block();
    const before = snapshot(root);
    expect(() => write({ "p/x.yaml": "x", "q/y.yaml": "y", "z.yaml": "z" })).toThrowError(
      refusal("bind-unsupported", {
        value: to,
        problem: `folder cannot be written (${reason.replace("ROOT", root)}); nothing in it was changed`,
      }),
    );
    expect(snapshot(root)).toEqual(before);
  });

  it.each<[string, (outside: string) => void, string]>([
    ["a folder", (outside) => symlinkSync(outside, join(mkdir(to), "p")), "p"],
    ["an inner folder", (outside) => symlinkSync(outside, join(mkdir(to, "p"), "q")), "p/q"],
    [
      "a file",
      (outside) => symlinkSync(join(outside, "q/x.yaml"), join(mkdir(to, "p/q"), "x.yaml")),
      "p/q/x.yaml",
    ],
    [
      "a folder of files that go",
      (outside) => {
        write({ "p/q/x.yaml": "outside", "gone/q/x.yaml": "outside" });
        rmSync(join(to, "gone"), { recursive: true });
        symlinkSync(outside, join(to, "gone"));
      },
      "gone",
    ],
    ["the staging folder", (outside) => symlinkSync(outside, join(mkdir(to), BIND_STAGE)), ""],
  ])("does not write through a symbolic link: %s", (_, link, place) => {
    const outside = mkdir(root, "outside");
    writeFileSync(join(mkdir(outside, "q"), "x.yaml"), "outside");
    link(outside);
    const before = snapshot(root);
    expect(() => write({ "p/q/x.yaml": "x" })).toThrowError(
      refusal(
        `bind-unsupported: ${place === "" ? "EEXIST" : `ELOOP: ${join(to, place)} is a symbolic link`}`,
      ),
    );
    expect(snapshot(root)).toEqual(before);
  });

  it("writes into a folder that is named by a link", () => {
    mkdir(root, "real");
    symlinkSync(join(root, "real"), join(mkdir(root, "a/b"), "target"));
    write({ "p/x.yaml": "x" });
    expect(readFileSync(join(root, "real/p/x.yaml"), "utf8")).toBe("x");
  });

  // mkdir in /proc answers ENOENT though /proc is there; recursive mkdirSync of Node 20 then never returns.
  it.runIf(existsSync("/proc/self"))("ends where no folder can be made", () => {
    const impossible = "/proc/no-such-process/x";
    expect(() => writeTargetFolder(impossible, [set(DIST, { "a.yaml": "a" })])).toThrowError(
      refusal("bind-unsupported: ENOENT at /proc/no-such-process)"),
    );
  });
});

function mkdir(...parts: string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Every path below a folder, empty folders and links included, and the texts of files. */
function snapshot(folder: string): unknown {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path, "utf8") : ""];
    })
    .sort();
}
