import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readCredentialsRequests } from "../../lib/artefact/credentials-requests-folder";
import { refusal } from "../support/refusal";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "requests-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string | Buffer): void => writeFileSync(join(folder, name), content);

describe("readCredentialsRequests", () => {
  it("reads .yaml, .yml and .json in the order of names, several documents per file, no folders", () => {
    write("02.yml", "---\n# only a comment\n---\nkind: B\n---\nkind: C\n---\n");
    write("01.yaml", "\ufeffkind: A\n");
    write("03.json", '{"kind": "D"}');
    write("04.yaml.orig", "kind: no\n");
    write("05.json", "");
    write("README", "no");
    mkdirSync(join(folder, "06.yaml"));
    write("06.yaml/x.yaml", "kind: no\n");
    const file = (name: string): string => join(folder, name);
    expect(readCredentialsRequests(folder)).toEqual([
      { value: { kind: "A" }, source: { file: file("01.yaml") } },
      { value: { kind: "B" }, source: { file: file("02.yml"), document: 2 } },
      { value: { kind: "C" }, source: { file: file("02.yml"), document: 3 } },
      { value: { kind: "D" }, source: { file: file("03.json") } },
    ]);
  });

  it("reads YAML as Kubernetes does", () => {
    write("a.yaml", "a: yes\nb: 'yes'\nc: 0755\n");
    expect(readCredentialsRequests(folder)[0]?.value).toEqual({ a: true, b: "yes", c: 493 });
  });

  it.each<[string, string | Buffer, number | undefined, RegExp]>([
    ["broken.yaml", "a: 1\nb: [1\nc: 2\n", 3, /^file of CredentialsRequests is not YAML: /],
    ["second.yaml", "a: 1\n---\na: 1\nb: 'x\n", 5, /is not YAML: Missing closing 'quote/],
    ["twice.yaml", "a: 1\nb: 1\na: 2\n", 3, /is not YAML: Map keys must be unique/],
    ["alias.yaml", "a: *b\n", 1, /is not YAML: Unresolved alias|has aliases that refer to nothing/],
    ["cut.json", '{"a": 1,\n"b": [\n', 2, /is not JSON$/],
    ["two.json", '{"a": 1}\n{"b": 2}\n', 2, /is not JSON$/],
    ["members.json", '{"a": 1,\n\t"b": 1,\n"a": 2}', 3, /has a key twice in one object$/],
    ["latin.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xe9]), undefined, /is not UTF-8$/],
    ["large.yaml", "#".repeat(4 * 1024 * 1024 + 1), undefined, /is larger than 4194304 bytes$/],
  ])("refuses %s among good files, naming file and line", (name, content, line, problem) => {
    write("00.yaml", "kind: A\n");
    write(name, content);
    write("zz.yaml", "kind: A\n");
    const file = join(folder, name);
    expect(() => readCredentialsRequests(folder)).toThrowError(
      refusal("openshift-invalid", {
        problem: expect.stringMatching(problem) as string,
        value: line === undefined ? expect.stringContaining(file) : `${file}:${line}`,
      }),
    );
  });

  it("reads names in capitals", () => {
    write("A.YAML", "kind: A\n");
    write("B.JSON", '{"kind": "B"}');
    expect(readCredentialsRequests(folder).map(({ value }) => value)).toEqual([{ kind: "A" }, { kind: "B" }]);
  });

  it.each([
    ["/nope", "cannot be read (ENOENT)"],
    ["/dev/zero", "cannot be read (it is not a regular file)"],
  ])("names a link to %s", (target, reason) => {
    symlinkSync(target, join(folder, "b.yaml"));
    expect(() => readCredentialsRequests(folder)).toThrowError(
      refusal("openshift-invalid", {
        problem: `file of CredentialsRequests ${reason}`,
        value: join(folder, "b.yaml"),
      }),
    );
  });

  it("shows nothing of a file that is not YAML", () => {
    write("a.yaml", 'kind: "A"\nhunter2-secret "x\n');
    write("b.yaml", "kind: A\n  hunter2-secret: [\n");
    write("c.yaml", "[hunter2-secret] hunter2-secret\n");
    for (const name of ["a.yaml", "b.yaml", "c.yaml"]) {
      expect(() => readCredentialsRequests(folder)).toThrowError(
        expect.objectContaining({ message: expect.not.stringContaining("hunter2") as string }),
      );
      rmSync(join(folder, name));
    }
  });

  it("refuses aliases that multiply", () => {
    const levels = "bcdefgh".split("").map((name, index) => {
      const before = "abcdefgh"[index];
      return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(", ")}]`;
    });
    write("bomb.yaml", `a: &a [x]\n${levels.join("\n")}\n`);
    expect(() => readCredentialsRequests(folder)).toThrowError(
      refusal("openshift-invalid", {
        problem: "file of CredentialsRequests has aliases that refer to nothing, or that expand to too much",
      }),
    );
  });

  it.each([
    ["deep.json", `${"[".repeat(5000)}${"]".repeat(5000)}`],
    ["deep.yaml", `${"[".repeat(250)}${"]".repeat(250)}`],
    ["itself.yaml", "a: &a\n  b: *a\n"],
  ])("refuses %s, which is nested too deep", (name, text) => {
    write(name, text);
    expect(() => readCredentialsRequests(folder)).toThrowError(
      refusal("openshift-invalid", {
        problem: "file of CredentialsRequests is nested deeper than 200 levels",
      }),
    );
  });

  it.each([
    ["holds no .yaml, .yml or .json file", () => write("a.txt", "kind: A\n")],
    ["holds no document, only empty files", () => write("a.yaml", "# nothing\n")],
    ["cannot be read (ENOENT)", () => rmSync(folder, { recursive: true })],
  ])("refuses a folder that %s", (reason, prepare) => {
    prepare();
    expect(() => readCredentialsRequests(folder)).toThrowError(
      refusal("openshift-invalid", { problem: `folder of CredentialsRequests ${reason}`, value: folder }),
    );
    mkdirSync(folder, { recursive: true });
  });
});
