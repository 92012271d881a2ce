/*
 * The three ways out of a stack give the same objects: files that `bind` finishes, `kubernetes_manifest` resources, and
 * files that Terraform renders. With the terraform program, in which each resource is replaced by an output of the same
 * expression, and with a reader of templates that knows nothing of this library.
 */

import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider/index.js";
import { ApiObject } from "cdk8s";
import { LocalBackend, TerraformOutput, TerraformStack, Testing } from "cdktf";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { KubernetesManifests } from "../../lib/delivery";
import { LateEncoding, LateText, encodeNow } from "../../lib/model/late";
import { MachineConfig } from "../../lib/openshift";
import { Manifests } from "../../lib/synth";
import { bind } from "../../lib/synth/bind/bind-folder";
import { LateData, addAccount, filesOf, temporaryFolder } from "../fixtures/synth/stack-fixture";
import { evaluated } from "../support/hcl";
import { type Json, record } from "../support/json";
import { HOSTILE, noTerraform, runTerraform } from "../support/terraform-program";

const FILES = ["20-service-accounts", "40-config"].map((name) => `manifests/${name}.yaml`);
const sentence = (text: string): string => `before ${text} after \${literal} %{literal} $`;
const content = (text: string): string => `é: "${text}"\r\n`;

/** Objects with each text in each place. */
function writeObjects(stack: TerraformStack, texts: readonly string[]): void {
  const manifests = Manifests.of(stack);
  addAccount(manifests, texts[0]);
  const chart = manifests.chart("config", { order: 40 });
  const object = (kind: string, fields: object): ApiObject =>
    new ApiObject(chart, kind, {
      apiVersion: "v1",
      kind,
      metadata: { name: "x", namespace: "shop" },
      ...fields,
    });
  object("ConfigMap", {
    data: Object.fromEntries([
      ...HOSTILE.map((text, place) => [`literal${place}`, text]),
      ...texts.map((text, place) => [`whole${place}`, text]),
      ...texts.map((text, place) => [`inside${place}`, sentence(text)]),
      ...texts.map((text, place) => [`end${place}`, `\${ ${text}`]),
      ...texts.map((text, place) => [
        `mixed${place}`,
        new LateText(["x: '$", new LateEncoding("base64", text), "'\n"]),
      ]),
    ]),
  });
  object("Secret", {
    type: "Opaque",
    data: { first: encodeNow("base64", "first") },
    stringData: Object.fromEntries(
      [...HOSTILE, ...texts].map((text, place) => [`text${place}`, content(text)]),
    ),
  });
  new MachineConfig(chart, "worker", {
    name: "99-worker-x",
    machineRole: "worker",
    files: [...HOSTILE, ...texts].map((text, place) => ({
      path: `/etc/kubernetes/${place}.json`,
      mode: 0o600,
      content: content(text),
    })),
  });
}

/** What of Secrets the API server keeps. */
function stored(objects: readonly unknown[]): readonly unknown[] {
  return objects.map((object) => {
    const { stringData, data, ...others } = record(object);
    const encoded = Object.entries(record(stringData)).map(([key, text]) => [
      key,
      encodeNow("base64", String(text)),
    ]);
    return {
      ...others,
      ...(data !== undefined && { data: { ...record(data), ...Object.fromEntries(encoded) } }),
    };
  });
}

const parsed = (text: string): readonly unknown[] =>
  parseAllDocuments(text, { version: "1.1" }).map((each) => each.toJS() as unknown);

interface Written {
  /** Folder of the app. */
  readonly outdir: string;
  /** The resources of the second stack by name. */
  readonly names: readonly string[];
}

/** An app that delivers by files and renders them, or by resources. */
function written(byResources: boolean): Written {
  const state = temporaryFolder();
  const app = Testing.app({ outdir: temporaryFolder() });
  const cloud = new TerraformStack(app, "cloud");
  new LocalBackend(cloud, { path: join(state, "cloud.tfstate") });
  const late = HOSTILE.map((text, place) => {
    const data = new LateData(cloud, `d${place}`);
    data.addOverride("input", `\${base64decode("${Buffer.from(text, "utf8").toString("base64")}")}`);
    return data.output;
  });
  writeObjects(cloud, late);
  if (byResources) {
    const objects = new TerraformStack(app, "objects");
    new LocalBackend(objects, { path: join(state, "objects.tfstate") });
    new KubernetesProvider(objects, "kubernetes", {});
    new KubernetesManifests(objects, "manifests", { of: cloud });
  } else
    for (const file of FILES)
      new TerraformOutput(cloud, `rendered_${file.replace(/\W/g, "_")}`, {
        value: Manifests.of(cloud).rendered(file),
        staticId: true,
      });
  app.synth();
  return { outdir: app.outdir, names: byResources ? [...resources(app.outdir).keys()] : [] };
}

const configuration = (outdir: string, stack: string): Json =>
  JSON.parse(readFileSync(join(outdir, "stacks", stack, "cdk.tf.json"), "utf8")) as Json;

/** The manifests of the second stack with their annotations, in the order of the objects. */
function resources(outdir: string): ReadonlyMap<string, unknown> {
  const { kubernetes_manifest: manifests, kubernetes_annotations: apart } = record(
    configuration(outdir, "objects")["resource"],
  );
  const found = record(manifests);
  const order = ["serviceaccount_", "configmap_", "secret_", "machineconfig_"];
  const names = order.map((start) => Object.keys(found).find((name) => name.startsWith(start)) ?? "");
  const annotated = (name: string): unknown => {
    const manifest = record(record(found[name])["manifest"]);
    const { annotations } = record(record(apart)[name]);
    return annotations === undefined
      ? manifest
      : { ...manifest, metadata: { ...record(manifest["metadata"]), annotations } };
  };
  return new Map(names.map((name) => [name, annotated(name)]));
}

const expected = (): readonly unknown[] => {
  const app = Testing.app({ outdir: temporaryFolder() });
  const stack = new TerraformStack(app, "plain");
  writeObjects(stack, HOSTILE.map(String));
  app.synth();
  return stored(FILES.flatMap((file) => parsed(Manifests.of(stack).render().get(file) ?? "")));
};

describe("the three deliveries give equal objects", () => {
  it("by an independent reader of templates", () => {
    const rendered = configuration(written(false).outdir, "cloud");
    const input = (name: string): unknown =>
      evaluated(record(record(record(rendered["resource"])["terraform_data"])[name])["input"], () => "");
    const ofCloud = (reference: string): unknown => {
      const [type = "", name = "", ...rest] = reference.split(".");
      if (type === "local") return evaluated(record(rendered["locals"])[name], ofCloud);
      if (type === "terraform_data") return input(name);
      throw new Error(`${[type, name, ...rest].join(".")} is nothing of this stack`);
    };
    const files = FILES.map((file) =>
      evaluated(record(record(rendered["output"])[`rendered_${file.replace(/\W/g, "_")}`])["value"], ofCloud),
    );
    expect(stored(files.flatMap((text) => parsed(String(text))))).toEqual(expected());

    const { outdir } = written(true);
    const outputs = record(configuration(outdir, "cloud")["output"]);
    const ofObjects = (reference: string): unknown =>
      evaluated(record(outputs[reference.split(".").at(-1) ?? ""])["value"], ofCloud);
    const delivered = [...resources(outdir).values()].map((manifest) => evaluated(manifest, ofObjects));
    expect(delivered).toEqual(expected());
  });

  it.skipIf(noTerraform)(`by terraform${noTerraform ? " (skipped: it is not on PATH)" : ""}`, () => {
    const first = written(false);
    const cloud = join(first.outdir, "stacks/cloud");
    runTerraform(cloud, "init", "-no-color");
    runTerraform(cloud, "apply", "-auto-approve", "-no-color");
    const outputs = join(temporaryFolder(), "outputs.json");
    writeFileSync(outputs, runTerraform(cloud, "output", "-json"));
    const to = join(temporaryFolder(), "finished");
    bind({ outputs, from: first.outdir, to });
    const bound = filesOf(join(to, "cloud"));
    expect(stored(FILES.flatMap((file) => parsed(bound[file] ?? "")))).toEqual(expected());
    const values = JSON.parse(readFileSync(outputs, "utf8")) as Readonly<Record<string, { value: string }>>;
    for (const file of FILES)
      expect(parsed(values[`rendered_${file.replace(/\W/g, "_")}`]?.value ?? "")).toEqual(
        parsed(bound[file] ?? ""),
      );

    const second = written(true);
    const [source, objects] = ["cloud", "objects"].map((name) => join(second.outdir, "stacks", name));
    runTerraform(source ?? "", "init", "-no-color");
    runTerraform(source ?? "", "apply", "-auto-approve", "-no-color");
    replaceByOutputs(second.outdir);
    runTerraform(objects ?? "", "init", "-no-color");
    runTerraform(objects ?? "", "apply", "-auto-approve", "-no-color");
    const shown = JSON.parse(runTerraform(objects ?? "", "output", "-json")) as Readonly<
      Record<string, { value: unknown }>
    >;
    expect(second.names.map((name) => shown[name]?.value)).toEqual(expected());
  });
});

/** Takes the provider out of the second stack: an output of the same expression stands for each resource. */
function replaceByOutputs(outdir: string): void {
  const { data, terraform } = configuration(outdir, "objects");
  const output = Object.fromEntries(
    [...resources(outdir)].map(([name, value]) => [name, { value, sensitive: true }]),
  );
  const { backend } = record(terraform);
  writeFileSync(
    join(outdir, "stacks/objects/cdk.tf.json"),
    JSON.stringify({ data, output, terraform: { backend } }),
  );
}
