/* What `lint` reads and where it finds things, its forms, exit codes, and the page about it. */

import Ajv2020 from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../lib/cli/run";
import { lineOf } from "../../lib/explain/read/source-lines";
import { lint, renderLint } from "../../lib/lint";
import { LINT_RULES } from "../../lib/lint/lint";
import { EXAMPLES, type ExampleName, folderOf, synthesized } from "../fixtures/explain/artefacts";
import { filesIn } from "../fixtures/explain/read";
import { type Ran, cli } from "../support/cli";
import { sarifProblems } from "../support/report-schemas";

const DOCS = resolve(__dirname, "../../docs");

/** Without cacheType, on the sixth line of six. */
const ENTRY = `name: quay-credential-provider
apiVersion: credentialprovider.kubelet.k8s.io/v1
matchImages: [quay.example.com]
defaultCacheDuration: 1h
tokenAttributes:
  {serviceAccountTokenAudience: quay, requireServiceAccount: true, requiredServiceAccountAnnotationKeys: [quay.io/federated-robot-account]}
`;
const CONFIG = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
- ${ENTRY.trimEnd().replaceAll("\n", "\n  ")}
`;

function indented(text: string, by: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(by));
}

const CONFIG_MAP = `apiVersion: v1
kind: ConfigMap
metadata: {name: setup, namespace: kube-system}
data:
  provider.yaml: |
${indented(ENTRY, 4)}`;
const CLOUD_INIT = `#cloud-config
write_files:
- path: /etc/kubernetes/provider.yaml
  content: |
${indented(CONFIG, 4)}`;
const MACHINE_CONFIG = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: 99-worker-pulls, labels: {machineconfiguration.openshift.io/role: worker}}
spec:
  config:
    ignition: {version: 3.2.0}
    storage:
      files:
      - path: /etc/kubernetes/credential-providers/ecr-credential-provider.yaml
        contents: {source: "data:;base64,${Buffer.from(CONFIG).toString("base64")}"}
`;

describe("a configuration is found", () => {
  it.each<[string, string, string, number]>([
    ["in a file of its own", "provider.yaml", CONFIG, 8],
    ["in a file of a node without extension of YAML", "provider.conf", CONFIG, 8],
    ["in a ConfigMap, as an entry alone", "map.yaml", CONFIG_MAP, 10],
    ["in cloud-init", "cloud.yaml", CLOUD_INIT, 12],
    ["in a MachineConfig, whose contents are one line", "mc.yaml", MACHINE_CONFIG, 10],
  ])("%s", (_, name, text, line) => {
    const folder = filesIn({ [name]: text });
    const { findings } = lint([join(folder, name)]);
    const found = findings.find(({ id }) => id === "cache-type-invalid");
    expect(found?.subject).toBe("quay-credential-provider");
    const source = found?.evidence[0]?.source;
    expect(source && [source.file, lineOf(source)]).toEqual([join(folder, name), line]);
  });
});

it("names the file that a MachineConfig brings and an installer edits", () => {
  const path = "/etc/kubernetes/credential-providers/ecr-credential-provider.yaml";
  const files = { "mc.yaml": MACHINE_CONFIG, "chart.yaml": `${CONFIG_MAP}  setup.sh: cp /host${path}\n` };
  const found = lint([filesIn(files)]).findings.filter(({ id }) => id === "node-file-edited");
  expect(found.map(({ target, reason }) => [target, reason])).toEqual([
    [path, expect.stringMatching(/, and .*mc\.yaml brings it to nodes; /)],
  ]);
});

/** The others have Secrets alone. */
const LINTED = (Object.keys(EXAMPLES) as ExampleName[]).filter((name) => !/^openshift-manual-a/.test(name));

it.each(LINTED)("finds nothing in what the example %s writes", (name) => {
  const { findings, read } = lint([folderOf(synthesized(name))]);
  expect(findings).toEqual([]);
  expect(read["roles and bindings"] ?? 0).toBeGreaterThanOrEqual(read["configurations"] ?? 0);
});

it("says nothing about placeholders, and counts what depends on them", () => {
  const text = CONFIG.replace("quay.example.com", '"${REGISTRY}"').replace("quay,", "<audience>,");
  const { findings, placeholders } = lint([filesIn({ "provider.yaml": text })]);
  expect(findings.map(({ id }) => id)).toEqual(["cache-type-invalid"]);
  // The pattern, which as it stands is not one, and the audience that Quay does not check.
  expect(placeholders).toBe(2);
});

it("names every kind of object and file that no rule looks at", () => {
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" } };
  const { read, skipped } = lint([
    filesIn({ "a.yaml": CONFIG, "b.json": [service], "c.json": {}, "d.txt": "" }),
  ]);
  expect(read).toEqual({
    files: 3,
    configurations: 1,
    entries: 1,
    "roles and bindings": 0,
    "service accounts": 0,
    pods: 0,
  });
  expect(skipped.map(({ reason }) => reason).sort()).toEqual([
    "1 object of v1 Service, a kind that is not read",
    "d.txt is neither YAML nor JSON",
    "neither a Kubernetes object, nor files of a node, nor Terraform JSON",
  ]);
});

it("never shows the values of variables and arguments", () => {
  const secret = `${CONFIG}  env: [{name: TOKEN, value: hunter2}]\n  args: [--password, hunter2]\n`;
  const broken = secret.replace("kind: CredentialProviderConfig\n", "");
  const report = lint([filesIn({ "a.yaml": secret, "b.yaml": broken })]);
  expect(report.findings.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["secret-in-entry", "config-invalid"]),
  );
  for (const format of ["text", "json", "sarif", "github"] as const)
    expect([...renderLint(report, format)].join("")).not.toContain("hunter2");
});

describe("formats", () => {
  const shown = async (format: string): Promise<string> =>
    (await cli("lint", "--format", format, filesIn({ "provider.yaml": CONFIG }))).out;

  it("text and github have a line for each cause, and what was looked at", async () => {
    expect(await shown("text")).toMatch(
      /^error {4}quay-credential-provider: cache-type-invalid: .*; remedy: .*\n {9}at .*provider\.yaml:8 providers\[0\]\.tokenAttributes\.cacheType\n {9}log: Failed to register CRI auth plugins\nnote .*\n.*\n2 found for kubelets 1\.34 to 1\.37; looked at files: 1, /,
    );
    expect(await shown("github")).toMatch(
      /^::error file=.*,line=8,title=cache-type-invalid::.*\n::notice .*\n2 /,
    );
  });

  it("json fits its schema", async () => {
    const schema = JSON.parse(readFileSync(join(DOCS, "lint.schema.json"), "utf8")) as object;
    const isValid = new Ajv2020({ allErrors: true }).compile(schema);
    isValid(JSON.parse(await shown("json")));
    expect(isValid.errors ?? []).toEqual([]);
  });

  it("sarif fits its schema, and lists every rule", async () => {
    const sarif = await shown("sarif");
    expect(sarifProblems(sarif)).toEqual([]);
    const { runs } = JSON.parse(sarif) as {
      runs: [{ tool: { driver: { rules: { id: string }[] } }; results: { ruleId: string }[] }];
    };
    expect(runs[0].tool.driver.rules.map(({ id }) => id)).toEqual(LINT_RULES.map(({ id }) => id));
    expect(runs[0].results.map(({ ruleId }) => ruleId)).toEqual(["cache-type-invalid", "audience-unchecked"]);
  });
});

describe("the command", () => {
  const files = {
    "error.yaml": CONFIG,
    "warning.yaml": CONFIG.replace("requireS", "cacheType: ServiceAccount, requireS").replace(
      "quay.ex",
      "*.*.ex",
    ),
    "note.yaml": CONFIG.replace("requireS", "cacheType: ServiceAccount, requireS"),
  };

  async function given(text: string, ...args: readonly string[]): Promise<Ran> {
    const written = { out: "", err: "" };
    const code = await run(args, {
      out: (more) => void (written.out += more),
      err: (more) => void (written.err += more),
      input: (async function* () {
        yield await Promise.resolve(Buffer.from(text));
      })(),
    });
    return { code, ...written };
  }

  it.each<[string[], number]>([
    [["error.yaml"], 1],
    [["error.yaml", "--fail-on", "error"], 1],
    [["warning.yaml"], 3],
    [["warning.yaml", "--fail-on", "error"], 0],
    [["note.yaml"], 0],
    [["error.yaml", "--kubelet", "1.33", "--fail-on", "error"], 0],
    [["error.yaml", "--kubelet", "1.33", "--kubelet", "1.34"], 1],
    [["none.yaml"], 2],
    [["error.yaml", "--kubelet", "1.20"], 2],
  ])("%j exits with %i", async ([name = "", ...options], code) => {
    expect((await cli("lint", join(filesIn(files), name), ...options)).code).toBe(code);
  });

  it("reads standard input, and knows its lines", async () => {
    const { code, out } = await given(CONFIG, "lint", "-");
    expect([code, out]).toEqual([
      1,
      expect.stringContaining("at -:8 providers[0].tokenAttributes.cacheType"),
    ]);
    expect(await given("", "lint", "-")).toMatchObject({ code: 2, out: "" });
  });
});

it("docs/lint.md lists the rules", () => {
  const rows = readFileSync(join(DOCS, "lint.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| |\|$/g, "").trim()));
  expect(rows).toEqual(
    LINT_RULES.map(({ id, severity, question, effect, source }) => [
      `\`${id}\``,
      severity,
      question,
      effect,
      source,
    ]),
  );
});
