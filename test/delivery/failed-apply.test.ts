/*
 * What a failed apply leaves, with the terraform program. Without provider: each resource becomes a `terraform_data` that
 * stores its manifest in a folder, refuses what is there already as `kubernetes_manifest` does, and fails while the API
 * server is said to be away. What cannot be tried so: a program that is killed between the request and its answer.
 */

import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider/index.js";
import { ApiObject } from "cdk8s";
import { LocalBackend, TerraformStack, Testing } from "cdktf";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KubernetesManifests } from "../../lib/delivery";
import { Manifests } from "../../lib/synth";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { type Json, record } from "../support/json";
import { noTerraform, tryTerraform } from "../support/terraform-program";

/** The folder of the second stack: three files, of which the second has two objects. */
function written(): string {
  const app = Testing.app({ outdir: temporaryFolder() });
  const cloud = new TerraformStack(app, "cloud");
  for (const [order, name] of [
    [10, "a"],
    [20, "b"],
    [20, "c"],
    [30, "d"],
    [30, "e"],
    [40, "f"],
  ] as const)
    new ApiObject(Manifests.of(cloud).chart(`file-${order}`, { order }), name, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "shop" },
    });
  const objects = new TerraformStack(app, "objects");
  new LocalBackend(objects, { path: join(temporaryFolder(), "objects.tfstate") });
  new KubernetesProvider(objects, "kubernetes", {});
  new KubernetesManifests(objects, "manifests", { of: cloud });
  app.synth();
  return join(app.outdir, "stacks/objects");
}

/** Stores in `cluster`, where `away-<name>` is no folder. */
const SCRIPT = 'test ! -e away-$NAME && test ! -e cluster/$NAME && printf %s "$MANIFEST" > cluster/$NAME';

function replaced(folder: string): readonly string[] {
  const file = join(folder, "cdk.tf.json");
  const { resource, terraform } = JSON.parse(readFileSync(file, "utf8")) as Json;
  const { kubernetes_manifest: manifests, terraform_data: gates } = record(resource);
  const text = (value: unknown): string =>
    JSON.stringify(value).replaceAll("kubernetes_manifest.", "terraform_data.");
  const stored = Object.entries(record(manifests)).map(([name, each]) => {
    const { manifest, depends_on } = record(each);
    const environment = { NAME: name, MANIFEST: JSON.stringify(manifest) };
    return [name, { depends_on, provisioner: { "local-exec": { command: SCRIPT, environment } } }];
  });
  const all = { ...record(gates), ...Object.fromEntries(stored) };
  const { backend } = record(terraform);
  writeFileSync(file, text({ resource: { terraform_data: all }, terraform: { backend } }));
  return Object.keys(record(manifests));
}

it.skipIf(noTerraform)(
  `the next apply heals one that failed in the middle${noTerraform ? " (skipped: no terraform on PATH)" : ""}`,
  () => {
    const folder = written();
    const names = replaced(folder);
    const apply = (): ReturnType<typeof tryTerraform> =>
      tryTerraform(folder, "apply", "-auto-approve", "-no-color");
    const stored = (): readonly string[] => readdirSync(join(folder, "cluster")).sort();
    mkdirSync(join(folder, "cluster"));
    writeFileSync(join(folder, "away-configmap_shop_c"), "");
    expect(tryTerraform(folder, "init", "-no-color").status).toBe(0);

    const failed = apply();
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringContaining("configmap_shop_c")]);
    // What stands in later files waits for all of the second one.
    expect(stored()).toEqual(["configmap_shop_a", "configmap_shop_b"]);

    rmSync(join(folder, "away-configmap_shop_c"));
    const healed = apply();
    expect(healed.status, healed.stderr).toBe(0);
    expect(stored()).toEqual([...names].sort());
    expect(apply().stdout).toContain("0 added, 0 changed, 0 destroyed");
  },
);
