import { ApiObject } from "cdk8s";
import { Fn, LocalBackend, TerraformOutput } from "cdktf";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { LateEncoding, LateText, encodeNow } from "../../lib/model/late";
import { bind } from "../../lib/synth/bind/bind-folder";
import {
  LateData,
  filesOf,
  stackFixture,
  temporaryFolder,
  type StackFixture,
} from "../fixtures/synth/stack-fixture";
import { HOSTILE, noTerraform, runTerraform } from "../support/terraform-program";

/** A resource whose output is the text, known only after apply. */
function lateText({ stack }: StackFixture, id: string, text: string): string {
  const data = new LateData(stack, id);
  // No escaping of cdktf or HCL is in the way, so that the resource holds exactly the text.
  const base64 = Buffer.from(text, "utf8").toString("base64");
  data.addOverride("input", `\${base64decode("${base64}")}`);
  return data.output;
}

it.skipIf(noTerraform)(
  `brings every text through terraform apply and bind unharmed${noTerraform ? " (skipped: no terraform on PATH)" : ""}`,
  () => {
    const fixture = stackFixture();
    const { app, stack, manifests } = fixture;
    new LocalBackend(stack, { path: join(temporaryFolder(), "terraform.tfstate") });
    const late = HOSTILE.map((text, place) => lateText(fixture, `d${place}`, text));
    const plain = lateText(fixture, "plain", "id");

    new ApiObject(manifests.chart("config", { order: 40 }), "x", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x", annotations: { upper: Fn.upper(plain) } },
      data: {
        whole: late,
        inside: late.map((value) => `before ${value} after \${literal} %{literal}`),
        encoded: late.map((value) => new LateEncoding("data-url", `é ${value}\n`)),
        mixed: late.map((value) => new LateText(["x: '", new LateEncoding("base64", value), "'\n"])),
      },
    });
    manifests.nodeSetup("all-nodes", {
      files: [{ path: "/etc/kubernetes/a.json", mode: 0o600, content: late.join("\n--\n") }],
      kubeletFlags: {},
    });
    const rendered = ["manifests/40-config.yaml", "nodes/all-nodes.yaml"].map((file, place) => {
      const output = new TerraformOutput(stack, `rendered${place}`, {
        value: manifests.rendered(file),
        staticId: true,
      });
      return [file, output.node.id] as const;
    });
    app.synth();

    const folder = join(app.outdir, "stacks/prod");
    runTerraform(folder, "init", "-no-color");
    runTerraform(folder, "apply", "-auto-approve", "-no-color");
    const outputs = join(temporaryFolder(), "outputs.json");
    writeFileSync(outputs, runTerraform(folder, "output", "-json"));
    const to = join(temporaryFolder(), "finished");
    mkdirSync(to);
    bind({ outputs, from: app.outdir, to });

    const files = filesOf(to);
    expect(parse(files["prod/manifests/40-config.yaml"] ?? "")).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x", annotations: { upper: "ID" } },
      data: {
        whole: HOSTILE,
        inside: HOSTILE.map((text) => `before ${text} after \${literal} %{literal}`),
        encoded: HOSTILE.map((text) => encodeNow("data-url", `é ${text}\n`)),
        mixed: HOSTILE.map((text) => `x: '${encodeNow("base64", text)}'\n`),
      },
    });
    expect(parse(files["prod/nodes/all-nodes.yaml"] ?? "")).toEqual({
      files: [{ path: "/etc/kubernetes/a.json", mode: "0600", content: HOSTILE.join("\n--\n") }],
      kubeletFlags: {},
    });
    const values = JSON.parse(readFileSync(outputs, "utf8")) as Readonly<Record<string, { value: string }>>;
    for (const [file, output] of rendered) {
      const text = values[output]?.value ?? "";
      expect(parse(text), file).toEqual(parse(files[`prod/${file}`] ?? ""));
      expect(text).not.toMatch(/@late\(|TfToken|cdktf-workload-identity bind/);
    }
    expect(Object.values(files).join("")).not.toMatch(/@late\(|TfToken|cdktf-workload-identity bind/);
  },
);
