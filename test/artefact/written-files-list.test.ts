import { describe, expect, it } from "vitest";
import { type WrittenFile, readWrittenFiles, writtenFilesText } from "../../lib/artefact/written-files-list";

const FILES: readonly WrittenFile[] = [
  ["a.yaml", { stack: "s", charts: "../my dist" }],
  ["s/b.yaml", { stack: "t", charts: "" }],
  ["s/c/d.yml", { stack: "s" }],
];

describe("the list of written files", () => {
  it("is one path a line, with the source where the path does not tell", () => {
    expect(writtenFilesText([...FILES].reverse())).toBe("a.yaml\ts\t../my dist\ns/b.yaml\tt\t\ns/c/d.yml\n");
  });

  it("reads what it wrote", () => {
    expect(readWrittenFiles(writtenFilesText(FILES))).toEqual(FILES);
  });

  it.each(["../a.yaml", "/a.yaml", "s/../a.yaml", "s/.a.yaml", "s\\a.yaml", "a.txt", ""])(
    "leaves out %j, which bind never writes",
    (path) => {
      expect(readWrittenFiles(`${path}\ns/a.yaml\n`)).toEqual([["s/a.yaml", { stack: "s" }]]);
    },
  );
});
