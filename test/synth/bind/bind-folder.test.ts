import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { bind } from "../../../lib/synth/bind/bind-folder";
import { filesOf, temporaryFolder } from "../../fixtures/synth/stack-fixture";
import { refusal } from "../../support/refusal";

let root: string;
let from: string;
let to: string;

const LATE = "@late(terraform_data.d.id)@";
const identity = (stack: string, late = true): object => ({
  version: 2,
  stack,
  clusters: [],
  manifests: [{ file: "manifests/20-accounts.yaml", appliesTo: "cluster" }],
  nodes: [{ file: "nodes/all-nodes.yaml" }],
  placeholders: late
    ? { [LATE]: { output: "d_id", path: [stack, "Manifests", "d_id"], expression: "${terraform_data.d.id}" } }
    : {},
});

function put(path: string, content: unknown): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

function putStack(stack: string, late = true): void {
  const value = late ? `"${LATE}"` : "literal";
  put(`cdktf.out/stacks/${stack}/workload-identity.json`, identity(stack, late));
  put(`cdktf.out/stacks/${stack}/manifests/20-accounts.yaml`, `kind: A\nid: ${value}\n`);
  put(`cdktf.out/stacks/${stack}/nodes/all-nodes.yaml`, `files:\n  - content: ${value}\n`);
}

const flat = (value: unknown): string => put("o.json", { d_id: { value, type: "string", sensitive: false } });

beforeEach(() => {
  root = temporaryFolder();
  from = join(root, "cdktf.out");
  to = join(root, "finished");
});

describe("bind", () => {
  it("finishes one stack from `terraform output -json`, read as a whole or as its folder", () => {
    putStack("prod");
    const expected = {
      ".workload-identity-files": "prod/manifests/20-accounts.yaml\nprod/nodes/all-nodes.yaml\n",
      "prod/manifests/20-accounts.yaml": "kind: A\nid: one\n",
      "prod/nodes/all-nodes.yaml": "files:\n  - content: one\n",
    };
    bind({ outputs: flat("one"), from, to });
    expect(filesOf(to)).toEqual(expected);
    bind({ outputs: flat("one"), from: join(from, "stacks/prod"), to });
    expect(filesOf(to)).toEqual(expected);
  });

  it.each([
    ["deploy", { prod: { Manifests: { d_id: "p" } }, test: { Manifests: { d_id: "t" } } }],
    ["output", { prod: { d_id: "p" }, test: { d_id: "t" } }],
  ])("finishes several stacks from `cdktf %s --outputs-file`", (_, values) => {
    putStack("prod");
    putStack("test");
    const outputs = put("o.json", values);
    bind({ outputs, from, to });
    const files = filesOf(to);
    expect(files["prod/manifests/20-accounts.yaml"]).toBe("kind: A\nid: p\n");
    expect(files["test/nodes/all-nodes.yaml"]).toBe("files:\n  - content: t\n");
  });

  it("takes one stack's outputs where the other stacks need none", () => {
    putStack("prod");
    putStack("plain", false);
    bind({ outputs: flat("one"), from, to });
    expect(filesOf(to)).toMatchObject({
      "prod/manifests/20-accounts.yaml": "kind: A\nid: one\n",
      "plain/manifests/20-accounts.yaml": "kind: A\nid: literal\n",
    });
  });

  it("leaves out folders of stacks that the app no longer has", () => {
    putStack("prod");
    putStack("old");
    put("cdktf.out/manifest.json", { stacks: { prod: { name: "prod", workingDirectory: "stacks/prod" } } });
    expect(bind({ outputs: flat("one"), from, to }).files).toEqual([
      "prod/manifests/20-accounts.yaml",
      "prod/nodes/all-nodes.yaml",
    ]);
  });

  it("finishes the files of a cdk8s app", () => {
    putStack("prod");
    put("dist/a/web.k8s.yaml", `kind: B\nid: x${LATE}\n`);
    put("dist/notes.txt", LATE);
    bind({ outputs: flat("one"), from, to, manifests: join(root, "dist") });
    expect(filesOf(to)).toEqual({
      ".workload-identity-files": "a/web.k8s.yaml\tprod\t../dist\n",
      "a/web.k8s.yaml": "kind: B\nid: xone\n",
    });
  });

  it("leaves the files of stacks and cdk8s apps that are not of this run", () => {
    putStack("prod");
    putStack("test");
    put("web/web.yaml", `id: "${LATE}"\n`);
    put("jobs/jobs.yaml", `id: "${LATE}"\n`);
    const run = (stack: string, manifests?: string): readonly string[] =>
      bind({
        outputs: flat("one"),
        from: join(from, "stacks", stack),
        to,
        ...(manifests ? { manifests: join(root, manifests) } : {}),
      }).removed;
    expect([run("prod"), run("test"), run("test", "web"), run("test", "jobs"), run("prod")].flat()).toEqual(
      [],
    );
    expect(Object.keys(filesOf(to))).toEqual([
      ".workload-identity-files",
      "jobs.yaml",
      "prod/manifests/20-accounts.yaml",
      "prod/nodes/all-nodes.yaml",
      "test/manifests/20-accounts.yaml",
      "test/nodes/all-nodes.yaml",
      "web.yaml",
    ]);
    renameSync(join(root, "web/web.yaml"), join(root, "web/new.yaml"));
    expect(run("test", "web")).toEqual(["web.yaml"]);
    put("cdktf.out/stacks/test/workload-identity.json", { ...identity("test"), nodes: [] });
    expect(run("test")).toEqual(["test/nodes/all-nodes.yaml"]);
  });

  it("refuses to replace files that it never wrote", () => {
    putStack("prod");
    put("finished/prod/manifests/20-accounts.yaml", "mine: 1\n");
    const before = filesOf(to);
    expect(() => bind({ outputs: flat("one"), from, to })).toThrowError(
      refusal("bind-conflict", { value: ["prod/manifests/20-accounts.yaml"] }),
    );
    expect(filesOf(to)).toEqual(before);
  });

  it("names every missing output of all stacks, and where each is needed", () => {
    const placeholders = {
      "@late(a.b)@": { output: "a_b", path: ["x", "a_b"], expression: "${a.b}" },
      "@late(a.c)@": { output: "a_c", path: ["x", "a_c"], expression: "${a.c}" },
      "@late(a.unused)@": { output: "a_unused", path: ["x", "a_unused"], expression: "${a.unused}" },
      "@late(base64.1)@": { encoding: "base64", text: "x@late(a.c)@" },
    };
    for (const stack of ["prod", "test"]) {
      putStack(stack);
      put(`cdktf.out/stacks/${stack}/workload-identity.json`, { ...identity(stack), placeholders });
      put(
        `cdktf.out/stacks/${stack}/manifests/20-accounts.yaml`,
        'kind: A\nid: "@late(a.b)@"\n---\nkind: B\nid: "@late(a.b)@"\n',
      );
      put(`cdktf.out/stacks/${stack}/nodes/all-nodes.yaml`, 'files:\n  - content: "@late(base64.1)@"\n');
    }
    expect(() => bind({ outputs: put("o.json", { prod: { a_b: "1" } }), from, to })).toThrowError(
      refusal("bind-missing", {
        problem:
          "the outputs file lacks 3 Terraform outputs that are needed\n" +
          "  a_c by prod/nodes/all-nodes.yaml: files[0].content\n" +
          "  a_b by test/manifests/20-accounts.yaml: A: id\n" +
          "  a_c by test/nodes/all-nodes.yaml: files[0].content",
      }),
    );
  });

  it("refuses a stack whose placeholders stand in the files of a cdk8s app, and names the option", () => {
    put("cdktf.out/stacks/prod/workload-identity.json", { ...identity("prod"), manifests: [], nodes: [] });
    expect(() => bind({ outputs: flat("one"), from, to })).toThrowError(
      refusal("bind-missing", {
        value: join(from, "stacks/prod"),
        remedy: expect.stringContaining("--manifests") as unknown,
      }),
    );
    put("dist/web.yaml", `id: "${LATE}"\n`);
    expect(bind({ outputs: flat("one"), from, to, manifests: join(root, "dist") }).files).toEqual([
      "web.yaml",
    ]);
  });

  it.each([
    ["nothing late", {}, []],
    ["late facts of a cluster only", identity("prod"), [{ issuer: `https://${LATE}` }]],
  ])("has nothing to do for a stack without manifests that has %s", (_, late, clusters) => {
    const empty = { ...identity("prod", false), ...late, manifests: [], nodes: [], clusters };
    put("cdktf.out/stacks/prod/workload-identity.json", empty);
    expect(bind({ outputs: flat("one"), from, to }).files).toEqual([]);
  });

  it("takes a folder beside a stack's folder that was taken out of the synth output", () => {
    putStack("prod");
    renameSync(join(from, "stacks/prod"), join(root, "prod"));
    expect(bind({ outputs: flat("one"), from: join(root, "prod"), to }).files).toHaveLength(2);
  });

  it.each<[string, () => Partial<Parameters<typeof bind>[0]>, string, string]>([
    ["no folder", () => ({ from: join(root, "nowhere") }), "bind-invalid", "does not exist"],
    ["a folder without stacks", () => ({ from: root }), "bind-invalid", "holds no workload-identity.json"],
    ["a file as folder", () => ({ from: flat("one") }), "bind-invalid", "is not a folder"],
    ["no outputs file", () => ({ outputs: join(root, "none.json") }), "bind-missing", "ENOENT"],
    ["a folder as outputs file", () => ({ outputs: root }), "bind-missing", "EISDIR"],
    ["outputs that are no JSON", () => ({ outputs: put("x.json", "{") }), "bind-invalid", "is not JSON"],
    [
      "outputs without the value",
      () => ({ outputs: put("x.json", { a: 1 }) }),
      "bind-missing",
      "prod/manifests/20-accounts.yaml: A: id",
    ],
    [
      "an output of another type",
      () => ({ outputs: flat(null) }),
      "bind-mismatch",
      "prod/manifests/20-accounts.yaml: A: id",
    ],
    [
      "one stack's outputs for two",
      () => (putStack("test"), {}),
      "bind-conflict",
      "allowed: outputs of one of the stacks prod, test",
    ],
    [
      "a missing manifest",
      () => (rmSync(join(from, "stacks/prod/nodes"), { recursive: true }), {}),
      "bind-missing",
      "nodes/all-nodes.yaml",
    ],
    [
      "a broken list of stacks",
      () => (put("cdktf.out/manifest.json", "{"), {}),
      "bind-invalid",
      "manifest.json",
    ],
    ["the stacks folder as target", () => ({ to: join(from, "stacks") }), "bind-conflict", "stacks"],
    ["the stack's folder as target", () => ({ to: join(from, "stacks/prod") }), "bind-conflict", "prod"],
    [
      "the cdk8s folder as target",
      () => (put("finished/a.yaml", "a: 1\n"), { manifests: to }),
      "bind-conflict",
      "finished",
    ],
    ["the synth output as target", () => ({ to: from }), "bind-conflict", "cdktf.out"],
    [
      "a new folder in the synth output as target",
      () => ({ to: join(from, "a/b") }),
      "bind-conflict",
      "cdktf.out/a/b",
    ],
    [
      "a new folder in the synth output of the stack's folder as target",
      () => (
        put("cdktf.out/manifest.json", { stacks: {} }),
        { from: join(from, "stacks/prod"), to: join(from, "a") }
      ),
      "bind-conflict",
      "cdktf.out/a",
    ],
    [
      "a link to the synth output as target",
      () => (symlinkSync(from, join(root, "link")), { to: join(root, "link/new") }),
      "bind-conflict",
      "link/new",
    ],
    [
      "a folder in the cdk8s folder as target",
      () => (put("dist/a.yaml", "a: 1\n"), { manifests: join(root, "dist"), to: join(root, "dist/new") }),
      "bind-conflict",
      "dist/new",
    ],
    ["no cdk8s folder", () => ({ manifests: join(root, "none") }), "bind-invalid", "cannot be read (ENOENT)"],
    [
      "a cdk8s folder without manifests",
      () => (put("dist/notes.txt", LATE), { manifests: join(root, "dist") }),
      "bind-invalid",
      "holds no .yaml or .yml file",
    ],
    [
      "a cdk8s folder for two stacks",
      () => (putStack("plain", false), { manifests: join(root, "dist") }),
      "bind-invalid",
      "holds 2 stacks",
    ],
  ])("refuses %s and leaves the target untouched", (_, change, code, part) => {
    putStack("prod");
    put("finished/mine.yaml", "mine: 1\n");
    const props = { outputs: flat("one"), from, to, ...change() };
    const before = filesOf(to);
    expect(() => bind(props)).toThrowError(
      refusal(code, { message: expect.stringContaining(part) as unknown }),
    );
    expect(filesOf(to)).toEqual(before);
  });

  it("does not advise to synthesize the stack where the cdk8s folder is wrong", () => {
    putStack("prod");
    expect(() => bind({ outputs: flat("one"), from, to, manifests: join(root, "nope") })).toThrowError(
      expect.objectContaining({ remedy: expect.not.stringContaining("cdktf synth") as unknown }),
    );
  });

  it("writes the same bytes twice", () => {
    putStack("prod");
    bind({ outputs: flat("one"), from, to });
    const first = filesOf(to);
    bind({ outputs: flat("one"), from, to });
    expect(filesOf(to)).toEqual(first);
  });
});

describe("what changes", () => {
  const OLD = new Date("2020-01-01T00:00:00Z");
  const accounts = "prod/manifests/20-accounts.yaml";
  const nodes = "prod/nodes/all-nodes.yaml";

  it("is written, and nothing else is touched", () => {
    putStack("prod");
    expect(bind({ outputs: flat("one"), from, to }).changed).toEqual([
      ".workload-identity-files",
      accounts,
      nodes,
    ]);
    for (const file of Object.keys(filesOf(to))) utimesSync(join(to, file), OLD, OLD);
    put("cdktf.out/stacks/prod/nodes/all-nodes.yaml", "files: []\n");
    expect(bind({ outputs: flat("one"), from, to })).toEqual({
      files: [accounts, nodes],
      changed: [nodes],
      removed: [],
      undone: [],
    });
    const touched = Object.keys(filesOf(to)).filter((file) => statSync(join(to, file)).mtime > OLD);
    expect(touched).toEqual([nodes]);
    expect(bind({ outputs: flat("one"), from, to }).changed).toEqual([]);
  });

  it("is the same in a dry run, which writes nothing", () => {
    putStack("prod");
    const dry = bind({ outputs: flat("one"), from, to, dryRun: true });
    expect(existsSync(to)).toBe(false);
    expect(bind({ outputs: flat("one"), from, to })).toEqual(dry);

    const without: object = { ...identity("prod"), nodes: [] };
    put("cdktf.out/stacks/prod/workload-identity.json", without);
    const before = filesOf(to);
    const again = bind({ outputs: flat("two"), from, to, dryRun: true });
    expect(again).toMatchObject({ changed: [".workload-identity-files", accounts], removed: [nodes] });
    expect(filesOf(to)).toEqual(before);
    expect(readdirSync(to)).toEqual([".workload-identity-files", "prod"]);
    expect(bind({ outputs: flat("two"), from, to })).toEqual(again);
  });

  it("is refused in a dry run where a bind would be", () => {
    putStack("prod");
    put("finished/prod/manifests/20-accounts.yaml", "mine\n");
    const dryRun = (): unknown => bind({ outputs: flat("one"), from, to, dryRun: true });
    expect(dryRun).toThrowError(refusal("bind-conflict"));
    put("finished/.workload-identity-bind/journal", "{}");
    expect(dryRun).toThrowError(/its files cannot be compared.*run bind again/s);
    rmSync(to, { recursive: true });
    put("finished", "a file");
    expect(dryRun).toThrowError(/ENOTDIR/);
  });
});
