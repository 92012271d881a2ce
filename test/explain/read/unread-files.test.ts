/*
 * Files below a folder that explain does not read: they are listed, end no run, and whatever they name is unknown.
 */

import { describe, expect, it } from "vitest";
import { explain } from "../../../lib/explain";
import { readFacts } from "../../../lib/explain/read/facts";
import { foreignForm } from "../../../lib/explain/read/foreign-forms";
import { edited, explained, folderOf, synthesized } from "../../fixtures/explain/artefacts";
import { cluster, plain } from "../../fixtures/explain/plain";

const HOST = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const ask = { serviceAccount: "team/puller", image: `${HOST}/team/web:v1` };
const TEMPLATE = `apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .Values.name }}
  namespace: team
---
# of the account puller-2
`;

const skipped = (files: Readonly<Record<string, string>>): readonly string[] => {
  const folder = folderOf({
    "account.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n",
    ...files,
  });
  return readFacts([folder], { computed: [], cluster: {} }).skipped.map(
    ({ source, reason }) => `${source.file.replace(`${folder}/`, "")} ${source.path}: ${reason}`,
  );
};

describe("is listed with what to do", () => {
  it.each([
    [
      "a template",
      { "a.yaml": TEMPLATE },
      "a.yaml : a template: give explain the manifests that `helm template`",
    ],
    ["YAML that is none", { "a.yaml": "a: 1\nb: [1\n" }, "a.yaml line 3: it is not YAML"],
    ["JSON that is none", { "a.json": '{\n"a": }' }, "a.json line 2: it is not JSON"],
    ["deep JSON", { "a.json": "[".repeat(500) + "]".repeat(500) }, "a.json line 1: it is nested deeper"],
    ["no UTF-8", { "a.json": "\xff" }, undefined],
    [
      "a raw state",
      { "a.json": JSON.stringify({ version: 4, terraform_version: "1.9.0", serial: 3, resources: [] }) },
      "a.json : a raw Terraform state: give explain the file that `terraform show -json a.json > state.json` writes",
    ],
    ["Terraform JSON that is none", { "a.tf.json": "{" }, "a.tf.json line 1: it is not JSON"],
  ])("%s", (_, files, expected) => {
    const all = skipped(files);
    if (expected !== undefined) expect(all).toEqual([expect.stringContaining(expected)]);
  });

  it("many templates together", () => {
    const templates = Array.from(
      { length: 20 },
      (_, place) => [`templates/${place}.yaml`, TEMPLATE] as const,
    );
    const reasons = skipped(Object.fromEntries(templates)).map((each) => each.replace(/^.*?: /, ""));
    expect([reasons.length, new Set(reasons).size]).toEqual([20, 1]);
  });
});

it.each([
  ["main.tf", "", "terraform show -json > state.json"],
  ["plan.out", "PK\u0003\u0004", "terraform show -json plan.out > plan.json"],
  ["x.yaml", 'a: {{ include "x" . }}', "helm template"],
  ["x.yaml", "{% if a %}", "helm template"],
])("%s is met with the command that helps", (name, text, command) => {
  expect(foreignForm(name, text)?.remedy).toContain(command);
  const folder = folderOf({ [name]: text });
  for (const path of [folder, `${folder}/${name}`])
    expect(() => explain([path])).toThrowError(
      expect.objectContaining({ remedy: expect.stringContaining(command) as string }),
    );
});

it.each([
  ["labels of alerts", 'a: "{{ $labels.pod }}"'],
  ["an argument of a workflow", 'a: "{{workflow.name}}"'],
  ["a list in a list", "a: {{}}"],
])("%s are no template", (_, text) => {
  expect(foreignForm("a.yaml", text)).toBeUndefined();
});

describe("whatever it names is unknown", () => {
  const without = Object.fromEntries(
    Object.entries(plain).map(([file, text]) => [file, text.replaceAll("name: puller", "name: pusher")]),
  );
  const template = TEMPLATE.replace("{{ .Values.name }}", "puller") + "{{- end }}\n";

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["an account that is in no manifest", without, "denied"],
    ["and in a template", { ...without, "chart/sa.yaml": template }, "unknown"],
    ["and in a template, by a value", { ...without, "chart/sa.yaml": TEMPLATE }, "unknown"],
    [
      "and in a file that is not YAML",
      { ...without, "sa.yaml": `a: [\n${template.replace("{{- end }}", "")}` },
      "unknown",
    ],
    [
      "and another in no template",
      { ...without, "sa.yaml": `a: [\n${TEMPLATE.replace(/\{\{.*\}\}/, "x")}` },
      "denied",
    ],
    [
      "and in a template of another kind",
      { ...without, "chart/a.yaml": template.replace("ServiceAccount", "Service") },
      "denied",
    ],
  ])("%s", (_, files, verdict) => {
    expect(explained(files, ask, { cluster }).map((each) => each.verdict)).toEqual([verdict]);
  });

  it.each<[string, string, string]>([
    ["beside it is none", "chart/x.yaml", template.replace("puller", "other")],
    ["is also in a template", "chart/x.yaml", template],
    ["is also in a template without a namespace", "x.yaml", template.replace("  namespace: team\n", "")],
    [
      "is in a template of another namespace",
      "x.yaml",
      template.replace("namespace: team", "namespace: other"),
    ],
  ])("an account in a manifest that %s", (what, file, text) => {
    const [result] = explained({ ...plain, [file]: text }, ask, { cluster });
    const isOpen = what.startsWith("is also");
    expect([result?.verdict, result?.checks.find(({ id }) => id === "all-understood")?.status]).toEqual(
      isOpen ? ["unknown", "unknown"] : ["allowed", "pass"],
    );
  });

  it("an account in a file that the stack does not list", () => {
    const name = "20-service-accounts.yaml";
    const files = synthesized("talos");
    const [path = "", text = ""] = [...files].find(([each]) => each.endsWith(name)) ?? [];
    const moved = new Map([...files, [path, "# moved\n"], [path.replace(name, "all.yaml"), text]]);
    expect(explained(moved).map(({ verdict }) => verdict)).toEqual(["unknown"]);
    const gone = edited(files, [[name, text, "# gone\n"]]);
    expect(explained(gone).map(({ verdict }) => verdict)).toEqual(["denied"]);
  });
});
