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
    ["another kind", { "a.json": [account, { ...account, kind: "Service" }] }, ["/a.json : 1 object of v1"]],
    ["a document", { "a.json": { a: 1 }, "b.json": [account] }, ["/a.json : neither a Kubernetes object"]],
    [
      "empty documents",
      { "a.yaml": `---\n# none\n---\n${JSON.stringify(account)}\n---\n` },
      ["/a.yaml : 2 documents of it"],
    ],
    ["an item, no object", { "a.json": [account, 1] }, ["/a.json : 1 object in a list without kind"]],
    [
      "other files",
      { "a.json": [account], "b.md": "", "c.sh": "", "d/e.txt": "" },
      [" : b.md and one more file are neither", "/d : e.txt is neither"],
    ],
    ["packages", { "a.json": [account], "node_modules/x/a.yaml": "a: 1" }, ["/node_modules : installed"]],
    [
      "Terraform's own folder",
      { "a.json": [account], ".terraform/a.json": "{}" },
      ["/.terraform : Terraform's"],
    ],
    ["Terraform in HCL syntax", { "a.json": [account], "b/main.tf": "" }, ["/b/main.tf : Terraform in HCL"]],
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
      expect.objectContaining({
        code: "explain-invalid",
        problem: expect.stringContaining("cannot be read") as unknown,
      }),
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
      ["/more.yaml : it is outside the stacks"],
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
    expect(skipped(folderOf(more))).toEqual(listed("/stacks/old : manifest.json lists no stack"));
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
      expect.objectContaining({ code: "bind-invalid" }),
    );
  });
});

describe("Terraform", () => {
  const role = (name: string): object => ({ resource: { aws_role: { r: { name } } } });
  /** Reasons of what was not read, and whether the role could be touched by it. */
  function notRead(files: FileContents): readonly string[] {
    const { terraform } = factsOf({ "main.tf.json": role("a"), ...files });
    const [resource] = terraform.ofType("aws_role");
    return terraform.scopes.flatMap((scope) =>
      scope.notRead.map(
        ({ reason, mentions }) => `${resource && mentions.has(resource) ? "touched" : "apart"}: ${reason}`,
      ),
    );
  }

  it.each<[string, FileContents, readonly string[]]>([
    ["an override file of the role", { "override.tf.json": role("b") }, ["touched: it is an override file"]],
    [
      "an override file of another, which is not looked into",
      { "a_override.tf.json": { resource: { aws_role: { s: {} } } } },
      ["touched: it is an override file"],
    ],
    [
      "an override file",
      { "a_override.tf.json": { variable: { v: {} } } },
      ["touched: it is an override file"],
    ],
    ["HCL that names it", { "b.tf": 'policy = "${aws_role.r.arn}"' }, ["touched: Terraform in HCL"]],
    ["own syntax of others", { "b.tf": "a = 1" }, ["apart: Terraform in HCL"]],
    [
      "a module",
      { "b.tf.json": { module: { m: { source: "x", role: "${aws_role.r.name}" } } } },
      ["touched: a module"],
    ],
  ])("%s", (_, files, expected) => {
    expect(notRead(files)).toEqual(listed(...expected));
    expect(factsOf({ "main.tf.json": role("a"), ...files }).skipped.map(({ reason }) => reason)).toEqual(
      listed(...expected.map((each) => each.replace(/^\w+: /, ""))),
    );
  });

  it.each<[string, FileContents, readonly string[]]>([
    ["below a configuration", { "main.tf.json": role("a"), "m/main.tf.json": role("b") }, ["a"]],
    [
      "that has a backend",
      {
        "main.tf.json": role("a"),
        "m/main.tf.json": { ...role("b"), terraform: { backend: { local: {} } } },
      },
      ["a", "b"],
    ],
    [
      "in which it was run",
      { "main.tf.json": role("a"), "m/main.tf.json": role("b"), "m/.terraform.lock.hcl": "" },
      ["a", "b"],
    ],
    ["beside a configuration", { "a/main.tf.json": role("a"), "b/main.tf.json": role("b") }, ["a", "b"]],
    [
      "beside one that calls it",
      { "a/main.tf.json": { ...role("a"), module: { m: { source: "../b" } } }, "b/main.tf.json": role("b") },
      ["a"],
    ],
  ])("a folder %s", (_, files, expected) => {
    const { terraform, skipped: all } = factsOf(files);
    const names = terraform
      .ofType("aws_role")
      .map((each) => match(each.stated("name"), (name) => name, whyText));
    expect([...names].sort()).toEqual(expected);
    expect(all.some(({ reason }) => reason.startsWith("it is a module by its place"))).toBe(
      expected.length === 1,
    );
  });

  it.each(["main.tf.json", "cdk.tf.json"])("files of one folder are one configuration beside %s", (main) => {
    const names = (more: FileContents): readonly string[] =>
      factsOf({ [main]: role("a"), ...more })
        .terraform.ofType("aws_role")
        .map((each) => match(each.stated("name"), (name) => name, whyText));
    expect(names({ "z.tf.json": { resource: { aws_role: { s: { name: "b" } } } } })).toEqual(["a", "b"]);
    // Terraform refuses a second declaration.
    expect(names({ "z.tf.json": role("b") })).toEqual([expect.stringContaining("whether aws_role.r exists")]);
  });

  it("variables that a file beside them may set are not known", () => {
    const files = { "main.tf.json": { ...role("${var.v}"), variable: { v: { default: "a" } } } };
    const name = (more: FileContents): string => {
      const [resource] = factsOf({ ...files, ...more }).terraform.ofType("aws_role");
      return match(resource?.stated("name") ?? known("none"), (text) => text, whyText);
    };
    expect(name({})).toBe("a");
    expect(name({ "prod.tfvars": 'v = "b"' })).toBe("a");
    expect(name({ "terraform.tfvars": 'v = "b"' })).toContain(
      "which is not read, may give the variable v a value",
    );
  });
});
