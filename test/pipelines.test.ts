/*
 * The scripts of docs/pipelines.md, run by sh: this library's program and git are real, with programs in place of npm,
 * vitest and cdktf that note what they were called with. And the workflows: which jobs get credentials, and what they run.
 */

import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { folderOf, synthesized } from "./fixtures/explain/artefacts";
import { temporaryFolder } from "./fixtures/synth/stack-fixture";
import { servedProgram } from "./support/served-program";

const page = readFileSync(resolve(__dirname, "../docs/pipelines.md"), "utf8");
const scripts = new Map(
  [...page.matchAll(/<!-- script: (\S+) -->\n+```sh\n([^]*?)```/g)].map(([, name = "", code = ""]) => [
    name,
    code,
  ]),
);
const STACK = "prod-eu";

const program = servedProgram();
let root: string;
/** A project that was synthesized, with a repository for GitOps. */
function project(): void {
  root = join(temporaryFolder(), "project");
  cpSync(folderOf(synthesized("openshift-aws")), join(root, "synth"), { recursive: true });
  mkdirSync(join(root, "bin"));
  const put = (name: string, text: string): void => {
    writeFileSync(join(root, "bin", name), `#!/bin/sh\n${text}`);
    chmodSync(join(root, "bin", name), 0o755);
  };
  put("npm", 'echo "npm $*" >> "$LOG"\n');
  put(
    "npx",
    `if [ "$1" = cdktf-workload-identity ]; then shift
${program}
exit "$code"; fi
echo "$*" >> "$LOG"
case "$*" in
  "cdktf synth"* | "cdktf deploy"* | "cdktf output"*) rm -rf cdktf.out; cp -R "$SYNTH" cdktf.out ;;
esac
case "$*" in
  *--outputs-file*) echo "{}" > outputs.json ;;
esac
`,
  );
  git("init", "--quiet", "--bare", "--initial-branch=main", join(root, "remote.git"));
  const own = (...args: readonly string[]): string => git("-C", root, ...args);
  own("init", "--quiet", "--initial-branch=main");
  own(
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@b.example",
    "commit",
    "--quiet",
    "--allow-empty",
    "--message=Base",
  );
  own("update-ref", "refs/remotes/origin/main", "HEAD");
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
    timeout: 60_000,
    env: {
      ...process.env,
      PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
      LOG: log,
      SYNTH: join(root, "synth"),
      BASE: "main",
      GITOPS_REPOSITORY: join(root, "remote.git"),
      REVISION: "abc123",
    },
  });
  return { status, stdout, stderr, calls: readFileSync(log, "utf8").trim().split("\n") };
}

const commits = (): string[] =>
  git("--git-dir", join(root, "remote.git"), "log", "--all", "--format=%s").trim().split("\n");

const CHECKS = ["npm ci", "vitest run", "cdktf synth", "npm ci", "cdktf synth"];

describe("check.sh", () => {
  it("asks every gate, compares with the target branch, and keeps the reports", () => {
    project();
    const { status, calls, stdout, stderr } = runScript("check.sh");
    expect(stderr).not.toContain("cdktf-workload-identity:");
    expect([status, calls]).toEqual([0, CHECKS]);
    expect(stdout).toContain("3 allowed, 0 denied, 0 unknown");
    expect(readFileSync(join(root, "explain.html"), "utf8")).toContain("<!DOCTYPE html>");
    expect(readFileSync(join(root, "compare.md"), "utf8")).toMatch(/no difference/i);
  });

  it.each([
    [
      "is denied",
      1,
      "the role of another service account",
      "arn:aws:iam::111122223333:role/prod-eu_shop_web",
    ],
    ["is unknown", 3, "a role that was not read", "arn:aws:iam::111122223333:role/elsewhere"],
  ])("fails where something %s: exit code %i for %s", (_, code, _what, role) => {
    project();
    const file = join(root, "synth/stacks", STACK, "manifests/20-service-accounts.yaml");
    const text = readFileSync(file, "utf8");
    const changed = text.replace(/(?<=name: jobs\n[^]*?role-arn: )\S+/, role);
    expect(changed).not.toBe(text);
    writeFileSync(file, changed);
    const { status, stdout, calls } = runScript("check.sh");
    expect([status, calls]).toEqual([code, CHECKS]);
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
    calls: ["cdktf deploy prod prod-objects --auto-approve"],
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

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly permissions: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly steps: readonly Step[];
}
interface GitLabJob {
  readonly extends?: string;
  readonly environment?: string;
  readonly id_tokens?: object;
  readonly variables?: Readonly<Record<string, string>>;
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
}

const yamlOf = (text: string): readonly string[] =>
  [...text.matchAll(/```yaml\n([^]*?)```/g)].map(([, code = ""]) => code);
const [github = "", gitlab = ""] = yamlOf(page);
const explainPage = readFileSync(resolve(__dirname, "../docs/explain.md"), "utf8");
const explainWorkflow = yamlOf(explainPage).find((text) => text.includes("jobs:")) ?? "";

/** Runs code that a pull request brings: its packages, tests or program. */
const runsProgram = (command = ""): boolean =>
  /\bnpm ci\b(?! --ignore-scripts)|\bnpx\b|check\.sh/.test(command);

describe.each([
  ["docs/pipelines.md", github],
  ["docs/explain.md", explainWorkflow],
])("the workflow for GitHub in %s", (_, text) => {
  const { permissions, jobs } = parse(text) as { permissions: object; jobs: Record<string, Job> };

  it("grants permissions to jobs alone", () => {
    expect(permissions).toEqual({});
    expect(Object.keys(jobs).length).toBeGreaterThan(1);
    for (const job of Object.values(jobs)) expect(job.permissions).toBeDefined();
  });

  it("pins each action by commit, and names its version", () => {
    const lines = text.split("\n").filter((line) => line.includes("uses:"));
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("gives no token, and nothing to write, to the job that runs the pull request's code", () => {
    const running = Object.values(jobs).filter(({ steps }) => steps.some(({ run }) => runsProgram(run)));
    expect(running.map((job) => job.permissions)).toEqual([{ contents: "read" }]);
    expect(JSON.stringify(running)).not.toMatch(/credentials@|secrets\./);
  });

  it("leaves no credentials of Git behind", () => {
    for (const [checkout] of text.matchAll(/actions\/checkout@.*\n.*/g))
      expect(checkout).toContain("persist-credentials: false");
  });
});

it("on GitHub, packages are installed before a job logs in, and every login has an environment", () => {
  const { jobs } = parse(github) as { jobs: Record<string, Job> };
  const logins = Object.values(jobs).filter(({ permissions }) => permissions["id-token"] !== undefined);
  expect(logins.map(({ environment }) => environment)).toEqual(["plan", "prod", "drift"]);
  for (const { steps } of logins) {
    const login = steps.findIndex(({ uses = "" }) => uses.includes("configure-aws-credentials"));
    const installed = steps.findIndex(({ run = "" }) => run.startsWith("npm ci"));
    expect(login).toBeGreaterThan(installed);
  }
});

it("on GitLab, only jobs with an environment get a token, and the merge request's code runs in none of them", () => {
  const jobs = parse(gitlab) as Record<string, GitLabJob>;
  const whole = (job: GitLabJob): GitLabJob => ({ ...jobs[job.extends ?? ""], ...job });
  const named = Object.entries(jobs).filter(([name]) => !name.startsWith("."));
  const withToken = named.filter(([, job]) => whole(job).id_tokens !== undefined);
  expect(withToken.map(([name]) => name)).toEqual(["plan", "gitops", "drift"]);
  for (const [, job] of withToken) {
    expect(job.environment).toBeDefined();
    expect([...(whole(job).before_script ?? []), ...(job.script ?? [])].filter(runsProgram)).toEqual([]);
  }
  expect(jobs["default"]).toBeUndefined();
  expect(jobs["plan"]?.variables).toMatchObject({ GIT_STRATEGY: "none" });
});

it("both systems run these scripts, and each is run", () => {
  const named = (text: string): string[] =>
    [...text.matchAll(/pipelines\/(\S+?\.sh)/g)].map(([, name = ""]) => name).sort();
  for (const text of [github, gitlab]) expect(named(text)).toEqual(["check.sh", "drift.sh", "gitops.sh"]);
  expect([...scripts.keys()].sort()).toEqual(["check.sh", "deploy.sh", "drift.sh", "gitops.sh"]);
});
