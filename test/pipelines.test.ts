/*
 * The scripts of docs/pipelines.md, run by sh: this library's program and git are real, with programs in place of npm,
 * vitest and cdktf that note what they were called with.
 */

import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { folderOf, synthesized } from "./fixtures/explain/artefacts";
import { temporaryFolder } from "./fixtures/synth/stack-fixture";
import { compiled } from "./support/compiled";

const page = readFileSync(resolve(__dirname, "../docs/pipelines.md"), "utf8");
const scripts = new Map(
  [...page.matchAll(/<!-- script: (\S+) -->\n+```sh\n([^]*?)```/g)].map(([, name = "", code = ""]) => [
    name,
    code,
  ]),
);
const STACK = "prod-eu";

let root: string;
let program: string;

beforeAll(() => {
  const folder = temporaryFolder();
  const exports = { "./package.json": "./package.json" };
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "cdktf-workload-identity", version: "0", exports }),
  );
  program = compiled("cli/main.ts", folder);
  const assets = "lib/explain/render/page";
  cpSync(resolve(__dirname, "..", assets), join(folder, assets), { recursive: true });
  // Everything that the commands need: some seconds on a machine that does nothing else.
}, 120_000);

/** A project that was synthesized, with a repository for GitOps. */
function project(): void {
  root = temporaryFolder();
  cpSync(folderOf(synthesized("openshift-aws")), join(root, "synth"), { recursive: true });
  mkdirSync(join(root, "bin"));
  const put = (name: string, text: string): void => {
    writeFileSync(join(root, "bin", name), `#!/bin/sh\n${text}`);
    chmodSync(join(root, "bin", name), 0o755);
  };
  put("npm", 'echo "npm $*" >> "$LOG"\n');
  put(
    "npx",
    `if [ "$1" = cdktf-workload-identity ]; then shift; exec "${process.execPath}" "${program}" "$@"; fi
echo "$*" >> "$LOG"
case "$*" in
  "cdktf synth"* | "cdktf deploy"*) rm -rf cdktf.out; cp -R synth cdktf.out ;;
esac
case "$*" in
  *--outputs-file*) echo "{}" > outputs.json ;;
esac
`,
  );
  git("init", "--quiet", "--bare", "--initial-branch=main", join(root, "remote.git"));
}

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}

function runScript(name: string): { status: number | null; stdout: string; stderr: string; calls: string[] } {
  const log = join(root, "log");
  writeFileSync(log, "");
  const { status, stdout, stderr } = spawnSync("sh", ["-c", scripts.get(name) ?? "exit 99"], {
    cwd: root,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
      LOG: log,
      GITOPS_REPOSITORY: join(root, "remote.git"),
      REVISION: "abc123",
    },
  });
  return { status, stdout, stderr, calls: readFileSync(log, "utf8").trim().split("\n") };
}

const commits = (): string[] =>
  git("--git-dir", join(root, "remote.git"), "log", "--all", "--format=%s").trim().split("\n");

describe("plan.sh", () => {
  it("asks every gate, and keeps the report", () => {
    project();
    const { status, calls, stdout, stderr } = runScript("plan.sh");
    expect(stderr).toBe("");
    expect([status, calls]).toEqual([0, ["npm ci", "vitest run", "cdktf synth", "cdktf diff prod"]]);
    expect(stdout).toContain("3 allowed, 0 denied, 0 unknown");
    expect(readFileSync(join(root, "explain.html"), "utf8")).toContain("<!DOCTYPE html>");
  });

  it.each([
    [
      "is denied",
      1,
      "the role of another service account",
      "arn:aws:iam::111122223333:role/prod-eu_shop_web",
    ],
    ["is unknown", 3, "a role that was not read", "arn:aws:iam::111122223333:role/elsewhere"],
  ])("ends before the plan where something %s: exit code %i for %s", (_, code, _what, role) => {
    project();
    const file = join(root, "synth/stacks", STACK, "manifests/20-service-accounts.yaml");
    const text = readFileSync(file, "utf8");
    const changed = text.replace(/(?<=name: jobs\n[^]*?role-arn: )\S+/, role);
    expect(changed).not.toBe(text);
    writeFileSync(file, changed);
    const { status, stdout, calls } = runScript("plan.sh");
    expect([status, calls]).toEqual([code, ["npm ci", "vitest run", "cdktf synth"]]);
    expect(stdout).toContain(
      code === 1 ? "2 allowed, 1 denied, 0 unknown" : "2 allowed, 0 denied, 1 unknown",
    );
    expect(readFileSync(join(root, "explain.html"), "utf8")).toContain("<!DOCTYPE html>");
  });
});

it("deploy.sh deploys both stacks", () => {
  project();
  expect(runScript("deploy.sh")).toMatchObject({
    status: 0,
    calls: ["npm ci", "cdktf deploy prod prod-objects --auto-approve"],
  });
});

describe("gitops.sh and drift.sh", () => {
  it("commit what changed, once, and find what was edited", () => {
    project();
    expect(runScript("gitops.sh")).toMatchObject({ status: 0 });
    expect(commits()).toEqual(["Bind abc123"]);
    const again = runScript("gitops.sh");
    expect([again.status, again.stdout]).toEqual([0, expect.stringContaining("nothing changed")]);
    expect(commits()).toHaveLength(1);
    expect(runScript("drift.sh").status).toBe(0);

    appendFileSync(join(root, "synth/stacks", STACK, "manifests/20-service-accounts.yaml"), "# changed\n");
    const drift = runScript("drift.sh");
    expect(drift.status).toBe(1);
    expect(drift.stdout).toContain(`changed  gitops/clusters/${STACK}/manifests/20-service-accounts.yaml\n`);
    expect(runScript("gitops.sh").status).toBe(0);
    expect(commits()).toHaveLength(2);
    expect(runScript("drift.sh").status).toBe(0);
  });

  it("commit nothing where bind refuses", () => {
    project();
    rmSync(join(root, "synth/stacks", STACK, "manifests/20-service-accounts.yaml"));
    const { status, stderr } = runScript("gitops.sh");
    expect([status, stderr]).toEqual([1, expect.stringContaining("bind-")]);
    expect(commits()).toEqual([""]);
  });
});

it("both systems run these scripts, and each is run", () => {
  const [github = "", gitlab = ""] = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = ""]) => text);
  const named = (text: string): string[] =>
    [...text.matchAll(/pipelines\/(\S+?\.sh)/g)].map(([, name = ""]) => name).sort();
  expect(Object.keys((parse(github) as { jobs: object }).jobs)).toEqual(["plan", "gitops", "drift"]);
  expect(Object.keys(parse(gitlab) as object)).toEqual(["default", "plan", "gitops", "drift"]);
  for (const text of [github, gitlab]) expect(named(text)).toEqual(["drift.sh", "gitops.sh", "plan.sh"]);
  expect([...scripts.keys()].sort()).toEqual(["deploy.sh", "drift.sh", "gitops.sh", "plan.sh"]);
});
