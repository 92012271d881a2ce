/*
 * Everything below a named path is judged, or listed with the reason why it is not.
 */

import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readFacts } from "../../../lib/explain/read/facts";
import { known, match, whyText } from "../../../lib/model/known";
import { folderOf, synthesized } from "../../fixtures/explain/artefacts";
import { type FileContents, factsOf, filesIn } from "../../fixtures/explain/read";

const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "shop", name: "web" } };
const stack = synthesized("three-clouds");
const FOLDER = "stacks/edge-1";

/** Path below the folder and reason of each. */
function skipped(folder: string, change: (folder: string) => void = () => undefined): readonly string[] {
  change(folder);
  return readFacts([folder], { computed: [], cluster: {} })
    .skipped.map(({ source, reason }) => `${source.file.replace(folder, "")} ${source.path}: ${reason}`)
    .sort();
}

const listed = (...expected: readonly string[]): unknown =>
  expected.map((each) => expect.stringContaining(each) as string);

describe("below a folder", () => {
  it.each<[string, FileContents, readonly string[]]>([
    ["nothing but objects", { "a.json": [account] }, []],
    [
      "a kind that is not read",
      { "a.json": [account, { ...account, kind: "Service" }] },
      ["/a.json : 1 object of v1 Service"],
    ],
    [
      "another document",
      { "a.json": { a: 1 }, "b.json": [account] },
      ["/a.json : neither a Kubernetes object"],
    ],
    [
      "an empty document",
      { "a.yaml": `---\n# none\n---\n${JSON.stringify(account)}\n---\n` },
      ["/a.yaml : 2 documents of it are empty"],
    ],
    ["an item that is no object", { "a.json": [account, 1] }, ["/a.json : 1 object in a list without kind"]],
    [
      "other files",
      { "a.json": [account], "b.md": "", "c.sh": "", "d/e.txt": "" },
      [" : b.md and one more file are neither", "/d : e.txt is neither"],
    ],
    [
      "packages",
      { "a.json": [account], "node_modules/x/a.yaml": "a: 1" },
      ["/node_modules : installed packages"],
    ],
    [
      "Terraform's own folder",
      { "a.json": [account], ".terraform/a.json": "{}" },
      ["/.terraform : Terraform's working folder"],
    ],
    [
      "Terraform in its own syntax",
      { "a.json": [account], "b/main.tf": "" },
      ["/b/main.tf : Terraform in its own syntax"],
    ],
    [
      "values of variables",
      { "a.json": [account], "x.tfvars": "", "y.tfvars.json": "{}" },
      ["/x.tfvars : values of variables", "/y.tfvars.json : values of variables"],
    ],
  ])("%s", (_, files, expected) => {
    expect(skipped(filesIn(files))).toEqual(listed(...expected));
  });

  it("links, to files and folders, and pipes", () => {
    const change = (folder: string): void => {
      symlinkSync("/etc/hostname", join(folder, "file.yaml"));
      symlinkSync("/etc", join(folder, "folder"));
      execFileSync("mkfifo", [join(folder, "pipe.yaml")]);
    };
    expect(skipped(filesIn({ "a.json": [account] }), change)).toEqual(
      listed(
        "/file.yaml : a symbolic link",
        "/folder : a symbolic link",
        "/pipe.yaml : a pipe, socket or device",
      ),
    );
  });

  it("a pipe that is named is refused before it is opened", () => {
    const folder = filesIn({ "a.json": [account] });
    const pipe = join(folder, "pipe.yaml");
    execFileSync("mkfifo", [pipe]);
    expect(() => readFacts([pipe], { computed: [], cluster: {} })).toThrowError(
      expect.objectContaining({ code: "explain-file-unreadable" }),
    );
  });
});

describe("a synth output folder", () => {
  const write = (name: string, text: string) => (folder: string) => {
    writeFileSync(join(folder, name), text);
  };

  it.each<[string, (folder: string) => void, readonly string[]]>([
    ["as it was written", () => undefined, []],
    [
      "a manifest that is not listed",
      write(`${FOLDER}/manifests/99-more.yaml`, JSON.stringify(account)),
      [`${FOLDER}/manifests/99-more.yaml : workload-identity.json does not list it`],
    ],
    ["a file of others in the stack", write(`${FOLDER}/notes.md`, ""), [`${FOLDER} : notes.md is neither`]],
    [
      "a manifest beside the stacks",
      write("more.yaml", JSON.stringify(account)),
      ["/more.yaml : it stands beside the stacks"],
    ],
    [
      "a link in the stack",
      (folder) => symlinkSync("/etc/hostname", join(folder, FOLDER, "x.yaml")),
      [`${FOLDER}/x.yaml : a symbolic link`],
    ],
  ])("%s", (_, change, expected) => {
    expect(skipped(folderOf(stack), change)).toEqual(listed(...expected));
  });

  it("the folder of a stack of an earlier synth", () => {
    const more = new Map([
      ...stack,
      ["stacks/old/cdk.tf.json", "{}"],
      ["stacks/old/manifests/a.yaml", "a: 1"],
    ]);
    expect(skipped(folderOf(more))).toEqual(listed("/stacks/old : manifest.json names no stack"));
  });

  const recorded = (clusters: string): string => {
    const path = `${FOLDER}/workload-identity.json`;
    const record = {
      ...(JSON.parse(stack.get(path) ?? "") as object),
      clusters: JSON.parse(clusters) as unknown,
    };
    return folderOf(new Map([...stack, [path, JSON.stringify(record)]]));
  };
  it.each(["[]", '[{"pulls": 7, "openShift": {"version": 4}, "fleet": []}]'])(
    "a record whose clusters are %s",
    (clusters) => {
      const [cluster] = readFacts([recorded(clusters)], { computed: [], cluster: {} }).clusters;
      expect(cluster?.serviceAccounts.has("shop/web")).toBe(true);
    },
  );
  it.each(["null", "{}", '"x"'])("refuses a record whose clusters are %s", (clusters) => {
    const folder = recorded(clusters);
    expect(() => readFacts([folder], { computed: [], cluster: {} })).toThrowError(
      expect.objectContaining({ code: "bind-file-invalid" }),
    );
  });
});
