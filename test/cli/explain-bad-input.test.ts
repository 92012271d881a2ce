/*
 * Whatever the input: exit 2 with a message that names file and line, or the document listed as skipped; never a stack
 * trace, never `allowed`.
 */

import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { folderOf } from "../fixtures/explain/artefacts";
import { plain } from "../fixtures/explain/plain";
import { type Ran, cli as run } from "../support/cli";

const cli = (...args: readonly string[]): Promise<Ran> => run("explain", ...args);

const asked = [
  "--service-account",
  "team/puller",
  "--image",
  "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web:v1",
];
const STACK_TRACE = /^\s+at .+:\d+|node:internal|RangeError|TypeError|SyntaxError/m;
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const bomb = [
  "a: &a [x, x, x, x, x, x, x, x, x, x]",
  ...[..."bcdefgh"].map((name) => {
    const inner = `*${String.fromCharCode(name.charCodeAt(0) - 1)}`;
    return `${name}: &${name} [${Array(10).fill(inner).join(", ")}]`;
  }),
].join("\n");
const utf16 = Buffer.from("\ufeffkind: ServiceAccount\n", "utf16le");

describe("exit 2, naming file and line", () => {
  it.each<[string, string, string | Buffer, number]>([
    ["malformed YAML", "m.yaml", "kind: Pod\nmetadata: {name: [}\n", 2],
    ["malformed YAML in a later document", "m.yaml", "kind: Pod\n---\nkind: Pod\nkind: Pod\n", 4],
    ["a tab as indentation", "m.yml", "metadata:\n\tname: web\n", 2],
    ["malformed JSON", "m.json", '{\n"kind": "Pod",\n}', 3],
    ["empty JSON", "m.json", "", 1],
    ["malformed Terraform JSON", "iam/other.tf.json", '{"resource": {\n"aws_iam_role": {', 2],
    ["not UTF-8", "m.yaml", Buffer.from([0x61, 0x3a, 0x0a, 0xe9, 0x0a]), 2],
    ["UTF-16", "m.yaml", utf16, 1],
    ["binary in JSON", "m.json", Buffer.from([0x7b, 0x00, 0xff]), 1],
    ["deep nesting in JSON", "m.json", nested(100_000), 1],
    ["deep nesting in YAML", "m.yaml", `kind: Pod\nspec: ${nested(20_000)}`, 2],
    ["an alias bomb", "m.yaml", bomb, 1],
    ["an alias of nothing", "m.yaml", "kind: *nothing\n", 1],
    ["an object that holds itself", "m.yaml", "spec: &spec\n  template: *spec\n", 1],
  ])("%s", async (_, name, text, line) => {
    const folder = folderOf({ ...plain, [name]: text });
    const { code, out, err } = await cli(...asked, folder, `${folder}/${name}`);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`${folder}/${name}:${line}`);
    expect(err).toMatch(/\(explain-invalid\)\n$/);
    expect(err).not.toMatch(STACK_TRACE);
  });

  it("a YAML file of 50 MB, with the most that is read", async () => {
    const folder = folderOf({ "m.yaml": Buffer.alloc(50_000_000, "#") });
    const { code, out, err } = await cli(...asked, `${folder}/m.yaml`);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`${folder}/m.yaml`);
    expect(err).toContain("at most 33554432 bytes");
    expect(err).toMatch(/\(explain-limit\)\n$/);
  });

  it("a JSON file of 50 MB, which is read and is none", async () => {
    const folder = folderOf({ "m.json": Buffer.alloc(50_000_000, " ") });
    const { code, err } = await cli(...asked, `${folder}/m.json`);
    expect(code).toBe(2);
    expect(err).toContain(`${folder}/m.json:1`);
    expect(err).not.toMatch(STACK_TRACE);
  });
});

describe("exit 2, naming what was given", () => {
  const values = { "values.yaml": "replicas: 3\n" };

  it.each<[string, Readonly<Record<string, string>>, (folder: string) => string[], string]>([
    ["an empty folder", {}, (folder) => [folder], "nothing to explain.*explain-missing"],
    ["a folder that is not there", {}, (folder) => [`${folder}/none`], "no such file.*explain-missing"],
    ["documents of other kinds alone", values, (folder) => [folder], "nothing to explain.*explain-missing"],
    [
      "facts with keys that are not known",
      values,
      (folder) => ["--facts", `${folder}/values.yaml`, folder],
      "file has .*explain-invalid",
    ],
  ])("%s", async (_, files, args, code) => {
    const { code: exit, out, err } = await cli(...asked, ...args(folderOf(files)));
    expect([exit, out]).toEqual([2, ""]);
    expect(err).toMatch(new RegExp(`${code}\\)\\n$`));
    expect(err).not.toMatch(STACK_TRACE);
  });

  // Root may read everything, so that a loop of links stands for what the system refuses.
  it.each(["", "/sub.yaml"])("a path that the system refuses%s", async (below) => {
    const folder = folderOf({ ...values });
    symlinkSync("loop", `${folder}/loop`);
    const { code, out, err } = await cli(...asked, `${folder}/loop${below}`);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("file cannot be read (ELOOP)");
    expect(err).toMatch(/\(explain-invalid\)\n$/);
    expect(err).not.toMatch(STACK_TRACE);
  });

  it("a stack whose files the system refuses to look at", async () => {
    const folder = folderOf({ ...values });
    symlinkSync("cdk.tf.json", `${folder}/cdk.tf.json`);
    const { code, out, err } = await cli(...asked, folder);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/file cannot be read \(ELOOP\).*\(explain-invalid\)\n$/);
  });

  it("a folder that no synth has written", async () => {
    const { code, err } = await cli(`${folderOf({})}/cdktf.out`);
    expect(code).toBe(2);
    expect(err).toContain("run `cdktf synth` first");
  });
});

describe("no verdict is allowed", () => {
  it("of references that go round in a circle", async () => {
    const { ["iam/roles.tf.json"]: roles = "", ["iam/main.tf.json"]: main = "", ...manifests } = plain;
    const folder = folderOf({
      ...manifests,
      "iam/main.tf.json": main.replace(
        '"issuer":"oidc.example.com/c1"',
        '"issuer":"${local.again}","again":"${local.issuer}"',
      ),
      "iam/roles.tf.json": roles.replace(
        "${data.aws_iam_policy_document.trust.json}",
        "${aws_iam_role.puller.assume_role_policy}",
      ),
    });
    const { code, err } = await cli(...asked, folder);
    expect(code).toBe(3);
    expect(err).not.toMatch(STACK_TRACE);
  });

  it("where documents of other kinds are listed as skipped", async () => {
    const { ["iam/roles.tf.json"]: _, ...files } = plain;
    const folder = folderOf({ ...files, "values.yaml": "replicas: 3\n", "notes.json": "[1]" });
    const { code, out, err } = await cli(...asked, folder);
    expect(code).toBe(3);
    expect(out).not.toContain("allowed  ");
    expect(err.split("\n").filter((line) => line !== "")).toEqual([
      `skipped ${folder}/notes.json: neither a Kubernetes object, nor files of a node, nor Terraform JSON`,
      `skipped ${folder}/values.yaml: neither a Kubernetes object, nor files of a node, nor Terraform JSON`,
    ]);
  });

  it("of objects of kinds that are not read, counted by file and kind", async () => {
    const rollout = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\n";
    const folder = folderOf({
      ...plain,
      "more.yaml": `${rollout}---\n${rollout}---\napiVersion: v1\nkind: NamespaceList\nitems: [{metadata: {name: a}}]\n`,
      "old.yaml":
        "apiVersion: v1\nkind: Role\nmetadata: {name: a}\n---\n$patch: delete\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
    });
    const { err } = await cli(...asked, folder);
    expect(err.split("\n").filter((line) => line !== "")).toEqual([
      `skipped ${folder}/more.yaml: 2 objects of argoproj.io/v1alpha1 Rollout, a kind that is not read`,
      `skipped ${folder}/more.yaml: 1 object of v1 Namespace, a kind that is not read`,
      `skipped ${folder}/old.yaml: 1 object of v1 Role, a kind that is not read`,
      `skipped ${folder}/old.yaml: 1 object of v1 Secret with $patch, a kind that is not read`,
    ]);
  });
});
