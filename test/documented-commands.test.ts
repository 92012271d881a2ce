/*
 * Every command in README, guides and examples, run by sh in the order of the page: this library's program is real and reads what an
 * example wrote, and small scripts stand where a page calls npm, cdktf, Terraform, a cloud or a cluster. A program that neither they nor every
 * system has ends its block with an error, and so does an option or a file that is no longer there.
 */

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { run as deniedPulls } from "../examples/denied-pulls/run";
import { awsAnswers, azureAnswers, googleAnswers } from "./adopt/answers";
import { HEALTHY } from "./fixtures/doctor/bundles";
import { eksWorlds } from "./fixtures/existing/eks";
import { temporaryFolder } from "./fixtures/synth/stack-fixture";
import { example, exampleNames } from "./support/examples";
import { type Json, record, texts } from "./support/json";
import { type CodeBlock, ROOT, documentedCode } from "./support/markdown";
import { servedProgram } from "./support/served-program";
import { writtenStacks } from "./support/synth-output";
import { synthesized } from "./support/synthesized";
import { madeUpOutputs } from "./support/terraform";

/** Blocks that are not run here, with the reason. */
const ELSEWHERE: readonly (readonly [what: RegExp, reason: string])[] = [
  [/<!-- script: (?:check|deploy|gitops|drift)\.sh -->/, "pipelines.test.ts runs the scripts with git"],
  [
    /<!-- script: (?:all|aws|az|eks|gcloud|gke) -->/,
    "adopt/collect.test.ts runs the lines with the clouds' answers",
  ],
  [/^sh collect\.sh bundle$/m, "cli/doctor-command.test.ts runs the script"],
  [/^npx cdktf-workload-identity explain \[--running\]/, "a synopsis; cli/printed.test.ts compares the help"],
];

/** Blocks of other languages: how they are known to be right. */
const OTHERS: Readonly<Record<string, string>> = {
  "README.md text": "readme.test.ts compares them with what explain prints",
  "README.md yaml": "readme.test.ts compares them with what the program writes",
  "README.md json": "readme.test.ts compares them with what the program writes",
  "docs/compare.md yaml": "a job more of the workflow in docs/pipelines.md",
  "docs/compare.md text": "explain/compare/compare.test.ts prints it",
  "docs/contributing.md ": "links.test.ts looks for the folders",
  "docs/doctor.md text": "cli/doctor-command.test.ts and doctor/bundles.test.ts have the whole form",
  "docs/existing.md text": "existing-page.test.ts compares it with what explain prints",
  "docs/explain.md text": "an excerpt with dots; explain/render/reports.test.ts has the whole form",
  "docs/explain.md yaml": "the workflow's commands and both files are used below",
  "docs/moving-an-issuer.md text": "flags of kube-apiserver; moving-an-issuer.test.ts has the stages",
  "docs/pipelines.md yaml": "pipelines.test.ts reads the workflows",
  "docs/registries.md yaml": "registries/explained.test.ts reads it",
  "docs/testing.md js": "testing/jest-form.test.ts and the starters run them",
  "docs/workloads.md json":
    "cloud/aws/pod-identity-sessions.test.ts judges it as a target role's trust policy",
  "examples/aro-hcp/README.md yaml": "a part of a NodePool, which the user writes",
  "examples/denied-pulls/README.md diff": "denied-pulls.test.ts makes each damage",
  "examples/fleet-multikueue/README.md yaml": "RBAC of another project, which the user writes",
  "examples/starter-commonjs/README.md text":
    "pack/starters.test.ts compares them with what the starter prints",
  "examples/starter-esm/README.md text": "pack/starters.test.ts compares them with what the starter prints",
};

/** What pages call things that are different for each reader. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/<issuer>/g, "https://issuer.example"],
  [/\/secure\/place/g, "$PWD/secure"],
  [/\bNS\/NAME\b/g, "shop/web"],
  [/--image IMAGE\b/g, "--image registry.example/shop/web:v1"],
];

/** The example whose files a page is about; every other page is about the first. */
const ABOUT: Readonly<Record<string, string>> = {
  "docs/adopting.md": "openshift-manual-azure",
  "docs/coming-from-ccoctl-azure.md": "openshift-manual-azure",
  "docs/coming-from-ccoctl-google.md": "openshift-manual-google",
  "docs/platform-components.md": "openshift-manual-aws",
};
const FIRST = "openshift-aws";
/** Examples of several stages or stacks, whose pages ask about the first one's files or name their own. */
const WITHOUT_ONE_STACK = ["rollout", "denied-pulls"];

/** Programs of others: their name is noted with what they were called with. What they print is what the next command needs. */
const OUTPUTS = '*--outputs-file*) cp "$GIVEN/outputs.json" outputs.json ;; esac';
const PROGRAMS: Readonly<Record<string, string>> = {
  cdktf: `case "$*" in ${OUTPUTS}`,
  terraform:
    'case "$*" in *"output -json") cat "$GIVEN/outputs.json" ;; *"show -json plan.out") cat "$GIVEN/plan.json" ;; *"show -json") cat "$GIVEN/state.json" ;; esac',
  npm: "",
  npx: `case "$1" in
cdktf-workload-identity) shift; exec cdktf-workload-identity "$@" ;;
cdktf | cdktf-cli@0.21) shift; exec cdktf "$@" ;;
tsx) test -f "$2" ;;
*) exit 127 ;;
esac`,
  node: `case "$1" in
dist/lib/cli/main.js) shift; exec cdktf-workload-identity "$@" ;;
dist/examples/*/main.js) ;;
*) exit 127 ;;
esac`,
  openssl: 'while [ $# -gt 0 ]; do [ "$1" = -out ] && : > "$2"; shift; done; :',
  jq: 'case "$*" in *"del(.items"*) cat ;; *) cat > /dev/null ;; esac',
  curl: "",
  oc: 'case "$*" in "create token"*) echo "$TOKEN" ;; esac',
  kubectl: 'case "$*" in get*) cat "$GIVEN/running.yaml" ;; "create token"*) echo "$TOKEN" ;; esac',
  gcloud: "",
  journalctl: "",
  "openshift-install": "mkdir -p cluster/manifests",
};

const shellBlocks = documentedCode().filter(({ language }) => language === "sh");
const isElsewhere = (block: CodeBlock): boolean =>
  ELSEWHERE.some(([what]) => what.test(block.code) || what.test(before(block)));
const before = ({ file, line }: CodeBlock): string =>
  readFileSync(join(ROOT, file), "utf8")
    .split("\n")
    .slice(Math.max(0, line - 4), line - 1)
    .join("\n");

/** Commands of workflows in YAML. */
const workflows = documentedCode()
  .filter(
    ({ file, language, code }) => language === "yaml" && file === "docs/explain.md" && code.includes("jobs:"),
  )
  .map((block) => ({
    ...block,
    code: texts(parse(block.code) as Json)
      .filter(([path]) => path.endsWith(".run"))
      .map(([, command]) => `${command}\n`)
      .join(""),
  }));
const blocks = [...shellBlocks, ...workflows].filter((block) => !isElsewhere(block));
const pages = [...new Set(blocks.map(({ file }) => file))];

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const folders = new Map<string, string>();

/** What an example writes, under its own id or another; pages get copies. */
async function synthesizedOnce(about: string, id?: string): Promise<string> {
  const key = `${about} ${id}`;
  const { Stack, id: own } = await example(about);
  const outdir = folders.get(key) ?? synthesized((app) => void new Stack(app, id ?? own));
  folders.set(key, outdir);
  return outdir;
}

/** A folder with all that the commands of a page read. */
async function project(page: string): Promise<string> {
  const root = temporaryFolder();
  const [, own = ""] = /^examples\/([\w-]+)\//.exec(page) ?? [];
  const about = exampleNames.includes(own) && !WITHOUT_ONE_STACK.includes(own) ? own : (ABOUT[page] ?? FIRST);
  const outdir = await synthesizedOnce(about, page.startsWith("docs/") ? "prod" : undefined);
  for (const to of ["cdktf.out", "main/cdktf.out", "cdktf.out.before", "strict.out", "next.out"])
    cpSync(outdir, join(root, to), { recursive: true });
  if (own === "denied-pulls") deniedPulls(join(root, "cdktf.out/denied-pulls"));
  if (own) put(join(root, `examples/${own}/main.ts`), "");

  const [stack] = writtenStacks(outdir);
  put(join(root, "given/outputs.json"), JSON.stringify(madeUpOutputs(stack?.terraform ?? {})));
  const state = { format_version: "1.0", values: { root_module: {} } };
  put(join(root, "given/state.json"), JSON.stringify(state));
  const plan = { format_version: "1.2", planned_values: state.values, prior_state: state };
  put(join(root, "given/plan.json"), JSON.stringify(plan));
  const requests = about.startsWith("openshift-manual") ? about : "openshift-manual-aws";
  for (const to of ["credentials-requests", "next-requests"])
    cpSync(join(ROOT, "examples", requests, "credentials-requests"), join(root, to), { recursive: true });
  putFiles(root);
  if (page === "docs/existing.md") putExisting(root);
  if (page === "docs/doctor.md")
    for (const [name, content] of Object.entries(HEALTHY.aws.files)) put(join(root, "bundle", name), content);
  putPrograms(root);
  return root;
}

/** What Terraform and a cluster print where they were there before. */
function putExisting(root: string): void {
  const [world] = eksWorlds;
  put(join(root, "given/state.json"), world?.files["state.json"] ?? "");
  put(join(root, "given/running.yaml"), world?.files["dump.yaml"] ?? "");
}

/** Files that are the same for every page. */
function putFiles(root: string): void {
  const clouds = { aws: awsAnswers("private"), az: azureAnswers(), gcloud: googleAnswers() };
  for (const [name, answers] of Object.entries(clouds))
    put(join(root, `${name}.json`), JSON.stringify(answers));
  cpSync(join(ROOT, "examples/rollout"), join(root, "examples/rollout"), { recursive: true });
  for (const to of ["given/running.yaml", "running.yaml"])
    cpSync(join(ROOT, "examples/rollout/running-before.yaml"), join(root, to));
  for (const { file, language, code } of documentedCode()) {
    if (file !== "docs/explain.md" || language !== "yaml") continue;
    if (code.includes("baseline.schema.json")) put(join(root, "accepted.yaml"), code);
    if (code.includes("facts.schema.json")) put(join(root, "facts.yaml"), code);
  }
  for (const path of ["main.ts", "secure/issuer-key"]) put(join(root, path), "");
  for (const path of [".zfunc", ".config/fish/completions", ".local/share/bash-completion/completions"])
    mkdirSync(join(root, "home", path), { recursive: true });
}

const program = servedProgram();

function putPrograms(root: string): void {
  const script = (name: string, text: string): void => {
    put(join(root, "bin", name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(root, "bin", name), 0o755);
  };
  for (const [name, text] of Object.entries(PROGRAMS)) script(name, `echo "${name} $*" >> "$LOG"\n${text}`);
  // Denied and unknown are answers; what ends a block is a mistake in how the program was called, or a refusal.
  script(
    "cdktf-workload-identity",
    `${program}
echo "$code $*" >> "$LOG"
case $code in 0 | 1 | 3) ;; *) exit $code ;; esac`,
  );
}

function shell(root: string, code: string): { status: number | null; stderr: string; calls: string } {
  const log = join(root, "log");
  rmSync(log, { force: true });
  const text = PLACEHOLDERS.reduce((all, [from, to]) => all.replace(from, to), code);
  const { status, stderr } = spawnSync("sh", ["-euc", text], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
    env: {
      PATH: `${join(root, "bin")}:/usr/bin:/bin`,
      HOME: join(root, "home"),
      LOG: log,
      GIVEN: join(root, "given"),
      TOKEN: [{ alg: "RS256", kid: "a" }, { iss: "https://issuer.example" }, {}]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join("."),
      GITHUB_STEP_SUMMARY: join(root, "summary.md"),
    },
  });
  return { status, stderr, calls: existsSync(log) ? readFileSync(log, "utf8") : "" };
}

const scripts = record(record(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")))["scripts"]);

describe.each(pages)("commands of %s", (page) => {
  it("do what they say", async () => {
    const root = await project(page);
    for (const { line, code } of blocks.filter(({ file }) => file === page)) {
      const { status, stderr, calls } = shell(root, code);
      const refused = stderr.split("\n").filter((each) => each.startsWith("cdktf-workload-identity: "));
      expect({ line, status, refused, stderr: status === 0 ? "" : stderr }).toEqual({
        line,
        status: 0,
        refused: [],
        stderr: "",
      });
      const starter = page.includes("/starter-") || code === "npm install\nnpm run synth\n";
      const names = [...calls.matchAll(/^npm run (?:--silent )?([\w:]+)/gm)].map(([, name = ""]) => name);
      if (!starter) expect(names.filter((name) => !(name in scripts))).toEqual([]);
      const mains = [...calls.matchAll(/(?:dist\/)?(examples\/[\w-]+\/main)\.[jt]s/g)].map(
        ([, path = ""]) => `${path}.ts`,
      );
      expect(mains.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    }
  });
});

describe("blocks of other languages", () => {
  it("are each known to be right", () => {
    const known = new Set(["sh", "ts"]);
    const keys = documentedCode()
      .filter(({ language }) => !known.has(language))
      .map(({ file, language }) => `${file} ${language}`);
    expect([...new Set(keys)].sort()).toEqual(Object.keys(OTHERS).sort());
  });

  it("have the test that is named", () => {
    const named = [...Object.values(OTHERS), ...ELSEWHERE.map(([, reason]) => reason)].flatMap((reason) =>
      [...reason.matchAll(/[\w/-]+\.test\.ts/g)].map(([path]) => path),
    );
    expect(named.filter((path) => !existsSync(join(ROOT, "test", path)))).toEqual([]);
  });
});
