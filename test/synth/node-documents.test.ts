/*
 * Documents for nodes: how they are written, recorded, bound and rendered, by the ending of their names.
 */

import { TerraformOutput, Testing } from "cdktf";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LateEncoding, LateText, encodeNow } from "../../lib/model/late";
import type { NodeDocument } from "../../lib/model/node-document";
import { bind } from "../../lib/synth/bind/bind-folder";
import { stackFilesOf, stackFixture, temporaryFolder } from "../fixtures/synth/stack-fixture";
import { refusal } from "../support/refusal";

const HOSTILE = 'id "x" \\ ${y}\n';

/** Writes a document that holds the late value, and binds it. */
function bound(value: string, document: (late: string) => NodeDocument): string {
  const { app, manifests, data } = stackFixture();
  const made = document(data.output);
  manifests.nodeDocument("x", made);
  app.synth();
  const folder = temporaryFolder();
  const outputs = join(folder, "outputs.json");
  writeFileSync(
    outputs,
    JSON.stringify({ terraform_data_d_output: { value, type: "string", sensitive: false } }),
  );
  bind({ outputs, from: join(app.outdir, "stacks/prod"), to: join(folder, "to") });
  return readFileSync(join(folder, "to/prod/nodes", `x.${made.extension}`), "utf8");
}

const yaml = (late: string): NodeDocument => ({
  form: "f",
  extension: "yaml",
  head: "#cloud-config",
  content: [{ a: late }],
});
const json = (late: string): NodeDocument => ({
  form: "f",
  extension: "ign",
  content: [{ a: late, b: new LateEncoding("data-url", `x ${late}`) }],
});
const toml = (late: string): NodeDocument => ({
  form: "f",
  extension: "toml",
  content: new LateText(['a = "', new LateEncoding("base64", late), '"\n']),
});

describe("documents for nodes", () => {
  it("are written with their first line, their comment and all their objects, and are recorded by form", () => {
    const { app, manifests } = stackFixture();
    const document = {
      form: "f",
      extension: "yaml",
      head: "#cloud-config",
      content: [{ a: 1 }, { b: 2 }],
      comment: ["why"],
    };
    manifests.nodeDocument("x", document);
    manifests.nodeDocument("y", {
      form: "f",
      extension: "json",
      content: [{ a: 1 }],
      comment: ["not in JSON"],
    });
    manifests.nodeDocument("z", { form: "f", extension: "txt", content: "as it is" });
    app.synth();
    const files = stackFilesOf(app);
    expect(files).toMatchObject({
      "nodes/x.yaml": "#cloud-config\n# why\na: 1\n---\nb: 2\n",
      "nodes/y.json": '{\n  "a": 1\n}\n',
      "nodes/z.txt": "as it is",
    });
    expect(JSON.parse(files["workload-identity.json"] ?? "")).toMatchObject({
      nodes: ["x.yaml", "y.json", "z.txt"].map((name) => ({ file: `nodes/${name}`, form: "f" })),
    });
  });

  it.each<[string, (late: string) => NodeDocument, string]>([
    ["YAML", yaml, `#cloud-config\na: |\n  id "x" \\ \${y}\n`],
    ["JSON", json, `${JSON.stringify({ a: HOSTILE, b: encodeNow("data-url", `x ${HOSTILE}`) }, null, 2)}\n`],
    ["a text with encoded parts", toml, `a = "${encodeNow("base64", HOSTILE)}"\n`],
  ])("%s: bind fills any value in", (_, document, expected) => {
    expect(bound(HOSTILE, document)).toBe(expected);
  });

  it("a text takes plain values, and no others", () => {
    const plain = (late: string): NodeDocument => ({
      form: "f",
      extension: "toml",
      content: `a = "${late}"\n`,
    });
    expect(bound("id-1/x", plain)).toBe('a = "id-1/x"\n');
    expect(() => bound(HOSTILE, plain)).toThrow(refusal("bind-unsafe: would need an escape") as Error);
  });

  it.each<[string, (late: string) => NodeDocument, string]>([
    ["yaml", yaml, '#cloud-config\\na: ${jsonencode(\\"${terraform_data.d.output}\\")}'],
    ["ign", json, '\\"a\\": ${jsonencode(\\"${terraform_data.d.output}\\")}'],
    ["toml", toml, 'a = \\"${base64encode(\\"${terraform_data.d.output}\\")}\\"'],
  ])("%s: Terraform renders it", (extension, document, expected) => {
    const { stack, manifests, data } = stackFixture();
    manifests.nodeDocument("x", document(data.output));
    new TerraformOutput(stack, "o", { value: manifests.rendered(`nodes/x.${extension}`), staticId: true });
    const { locals } = JSON.parse(Testing.synth(stack)) as { locals: Record<string, unknown> };
    expect(JSON.stringify(Object.values(locals))).toContain(expected.replaceAll('\\"', '\\"'));
  });

  it.each<[string, (late: string) => NodeDocument, string]>([
    [
      "an ending of no syntax",
      () => ({ form: "f", extension: "exe", content: "" }),
      "manifest-invalid: unknown file name extension",
    ],
    [
      "a name that is no DNS label",
      () => ({ form: "f", extension: "YAML", content: [] }),
      "manifest-invalid",
    ],
  ])("%s is refused", (_, document, expected) => {
    const { manifests, data } = stackFixture();
    expect(() => manifests.nodeDocument("x", document(data.output))).toThrow(refusal(expected) as Error);
  });

  it("of one name must be the same", () => {
    const { manifests } = stackFixture();
    manifests.nodeDocument("x", { form: "f", extension: "txt", content: "a" });
    expect(() => manifests.nodeDocument("x", { form: "f", extension: "txt", content: "b" })).toThrow(
      refusal("manifest-conflict: already have a different setup") as Error,
    );
  });

  it("a text with a bare late value is not rendered by Terraform", () => {
    const { stack, manifests, data } = stackFixture();
    manifests.nodeDocument("x", { form: "f", extension: "txt", content: `a ${data.output}` });
    manifests.rendered("nodes/x.txt");
    expect(() => Testing.synth(stack)).toThrow(refusal("manifest-unsupported: safely") as Error);
  });
});
