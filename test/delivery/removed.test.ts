/*
 * What Terraform does with objects that are no longer delivered, with the terraform program. Without provider: each
 * resource becomes a `terraform_data` of the same name.
 */

import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider/index.js";
import { ApiObject } from "cdk8s";
import { LocalBackend, TerraformStack, Testing } from "cdktf";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { KubernetesManifests } from "../../lib/delivery";
import { NodeDisruptionPolicy } from "../../lib/openshift";
import { Manifests } from "../../lib/synth";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { type Json, list, record } from "../support/json";
import { noTerraform, runTerraform } from "../support/terraform-program";

const CONFIG = "manifests/20-config.yaml";

interface Wanted {
  readonly policy: boolean;
  readonly config: boolean;
  readonly files: readonly string[];
}

/** The folder of the second stack, whose state is at `path`. */
function written(path: string, { policy, config, files }: Wanted): string {
  const app = Testing.app({ outdir: temporaryFolder() });
  const cloud = new TerraformStack(app, "cloud");
  const chart = (name: string, order: number) => Manifests.of(cloud).chart(name, { order });
  if (policy) new NodeDisruptionPolicy(chart("policy", 10), "x", { paths: ["/etc/x"] });
  const metadata = { name: "a", namespace: "shop" };
  if (config) new ApiObject(chart("config", 20), "a", { apiVersion: "v1", kind: "ConfigMap", metadata });
  const objects = new TerraformStack(app, "objects");
  new LocalBackend(objects, { path });
  new KubernetesProvider(objects, "kubernetes", {});
  new KubernetesManifests(objects, "manifests", { of: cloud, files });
  app.synth();
  return join(app.outdir, "stacks/objects");
}

/** Replaces the provider's resources; imports are left out, because `terraform_data` has its own. */
function withoutProvider(folder: string): void {
  const file = join(folder, "cdk.tf.json");
  const { resource, terraform, removed } = JSON.parse(readFileSync(file, "utf8")) as Json;
  const { required_version, backend } = record(terraform);
  const names = Object.keys(record(record(resource)["kubernetes_manifest"]));
  const all = names.map((name) => [name, { input: name }]);
  const forgotten = list(removed)
    .map(record)
    .filter(({ from }) => String(from).startsWith("kubernetes_manifest."));
  const config = {
    ...(all.length > 0 && { resource: { terraform_data: Object.fromEntries(all) } }),
    removed: forgotten,
    terraform: { required_version, backend },
  };
  writeFileSync(file, JSON.stringify(config).replaceAll("kubernetes_manifest.", "terraform_data."));
}

const WHOLE: Wanted = { policy: true, config: true, files: [] };
const POLICY = "terraform_data.machineconfiguration_cluster";
const CONFIG_MAP = "terraform_data.configmap_shop_a";

/** Applies what is wanted; returns what was printed, and what the state then has. */
function apply(
  path: string,
  wanted: Wanted,
): { readonly printed: string; readonly state: readonly string[] } {
  const folder = written(path, wanted);
  withoutProvider(folder);
  runTerraform(folder, "init", "-no-color");
  const printed = runTerraform(folder, "apply", "-auto-approve", "-no-color");
  // Exit code 0: nothing is left to change.
  runTerraform(folder, "plan", "-detailed-exitcode", "-no-color");
  return { printed, state: runTerraform(folder, "state", "list").split("\n").filter(Boolean) };
}

describe.skipIf(noTerraform)(`Terraform${noTerraform ? " (skipped: it is not on PATH)" : ""}`, () => {
  const before = join(temporaryFolder(), "objects.tfstate");
  beforeAll(() => void apply(before, WHOLE));

  it.each<readonly [string, Wanted, kept: readonly string[], destroyed: number]>([
    ["forgets a singleton", { ...WHOLE, policy: false }, [CONFIG_MAP], 0],
    ["forgets objects whose file is named in `files`", { ...WHOLE, files: [CONFIG] }, [POLICY], 0],
    ["forgets both", { policy: false, config: true, files: [CONFIG] }, [], 0],
    ["destroys any other object", { ...WHOLE, config: false }, [POLICY], 1],
  ])("%s", (_, after, kept, destroyed) => {
    const path = join(temporaryFolder(), "objects.tfstate");
    copyFileSync(before, path);
    const { printed, state } = apply(path, after);
    expect(printed).toContain(`${destroyed} destroyed`);
    expect(state).toEqual(kept);
  });
});
