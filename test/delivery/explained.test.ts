/*
 * `explain`, the proof and the matchers read what Terraform applies, and their evidence leads to the resource.
 */

import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider/index.js";
import { App, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GitOpsHub } from "../../examples/fleet-argocd/stack";
import { KubernetesManifests } from "../../lib/delivery";
import { type PullResult, Explainer, explain } from "../../lib/explain";
import { hostedOpenShift } from "../../lib/openshift";
import { ImagePulls } from "../../lib/synth";
import { allowsPull, synthStack } from "../../lib/testing";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { ISSUER, fromAcr, fromEcr, makers, openShiftCluster } from "../support/image-pulls";
import { type Json, record } from "../support/json";
import { providersStack } from "../support/platform-components";
import { refusal } from "../support/refusal";
import { synthesized } from "../support/synthesized";

const [ECR, ACR] = [
  "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:1",
  "acmeshop.azurecr.io/shop/web:1",
];
const WEB = "shop/web";

function stacks(app: Construct): TerraformStack {
  const cloud = providersStack(app, "prod");
  new ImagePulls(cloud, "pulls", {
    cluster: openShiftCluster(),
    identities: [makers.aws(), makers.azure()],
    pulls: [
      { serviceAccount: WEB, from: [fromEcr(), fromAcr()] },
      { serviceAccount: "shop/jobs", from: fromEcr(), declareServiceAccount: false },
    ],
  });
  const objects = new TerraformStack(app, "prod-objects");
  new KubernetesProvider(objects, "kubernetes", {});
  new KubernetesManifests(objects, "manifests", { of: cloud });
  return cloud;
}

const configFile = (outdir: string): string => join(outdir, "stacks/prod-objects/cdk.tf.json");
const config = (outdir: string): Json => JSON.parse(readFileSync(configFile(outdir), "utf8")) as Json;
const pull = (paths: readonly string[], image = ECR, serviceAccount = WEB): PullResult => {
  const [result, ...others] = explain(paths, { serviceAccount, image }) as readonly PullResult[];
  if (result === undefined || others.length > 0) throw new Error("not one result");
  return result;
};
const placesOf = ({ checks }: PullResult): string =>
  checks
    .flatMap(({ evidence }) => evidence.map(({ source }) => `${source?.file} ${source?.path}`))
    .join("\n");
const failing = ({ checks }: PullResult): readonly string[] =>
  checks.filter(({ status }) => status === "fail" || status === "unknown").map(({ id }) => id);

let original: string | undefined;

/** The synth of both stacks, made once; nothing may be changed in it. */
const whole = (): string => (original ??= synthesized(stacks));

/** A copy of it, to change. */
function copied(): string {
  const outdir = temporaryFolder();
  cpSync(whole(), outdir, { recursive: true });
  return outdir;
}

/** The synth with texts of the second stack's configuration replaced. */
function damaged(from: string, to: string): string {
  const outdir = copied();
  const text = JSON.stringify(config(outdir));
  if (!text.includes(from)) throw new Error(`nothing to damage: ${from}`);
  writeFileSync(configFile(outdir), text.replaceAll(from, to));
  return outdir;
}

/** `terraform show -json` of a plan of the second stack, where late values are not known or as stated. */
function plan(outdir: string, edit: (values: string) => string = (text) => text): string {
  const resources = record(config(outdir)["resource"]);
  const isLate = (value: unknown): boolean => typeof value === "string" && value.includes("${");
  const known = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(known);
    if (typeof value !== "object" || value === null) return isLate(value) ? undefined : value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, known(each)]));
  };
  const unknown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(unknown);
    if (typeof value !== "object" || value === null) return isLate(value);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unknown(each)]));
  };
  const manifestOf = (name: string): Json =>
    record(record(record(resources["kubernetes_manifest"])[name])["manifest"]);
  // Terraform knows names of other resources when it plans, and writes blocks as lists.
  const metadataOf = (name: string, { metadata }: Json): readonly Json[] => {
    const isOwn = JSON.stringify(metadata).includes("${kubernetes_manifest.");
    const { namespace, name: own } = record(isOwn ? manifestOf(name)["metadata"] : metadata);
    return [{ name: own, namespace }];
  };
  const rows = ["kubernetes_manifest", "kubernetes_annotations"].flatMap((type) =>
    Object.entries(record(resources[type])).map(([name, each]) => {
      const { api_version, kind, annotations, field_manager } = record(each);
      const metadata = type === "kubernetes_manifest" ? [] : metadataOf(name, record(each));
      const written =
        type === "kubernetes_manifest"
          ? { manifest: manifestOf(name) }
          : { api_version, kind, annotations, field_manager, metadata };
      const values = JSON.parse(edit(JSON.stringify(written))) as Json;
      return { name, type, address: `${type}.${name}`, values };
    }),
  );
  const document = {
    format_version: "1.2",
    planned_values: {
      root_module: {
        resources: rows.map(({ values, ...each }) => ({
          ...each,
          mode: "managed",
          values: known(values),
        })),
      },
    },
    resource_changes: rows.map(({ address, values }) => ({
      address,
      change: { after_unknown: unknown(values) },
    })),
    configuration: { root_module: {} },
  };
  const file = join(temporaryFolder(), "plan.json");
  writeFileSync(file, JSON.stringify(document));
  return file;
}

describe("pulls of a stack whose objects Terraform applies", () => {
  it.each([
    [WEB, ECR],
    [WEB, ACR],
    ["shop/jobs", ECR],
  ])("%s pulls %s, by evidence in resources", (serviceAccount, image) => {
    const outdir = whole();
    const result = pull([outdir], image, serviceAccount);
    expect([result.verdict, failing(result)]).toEqual(["allowed", []]);
    const name = `kubernetes_annotations.serviceaccount_${serviceAccount.replace("/", "_")}`;
    expect(placesOf(result)).toContain(`${configFile(outdir)} resource.${name}`);
    expect(placesOf(result)).toContain('resource.kubernetes_manifest["machineconfig_99-worker-');
  });

  it.each([
    ["an annotation", '"kubernetes.azure.com/acr-client-id"', '"x/y"', ACR, "annotations-present"],
    [
      "the audience's grant",
      '"resources":["sts.amazonaws.com"]',
      '"resources":["x"]',
      ECR,
      "audience-granted",
    ],
    ["the service account", '"name":"web"', '"name":"wob"', ECR, "service-account-present"],
  ])("are denied when %s is damaged", (_, from, to, image, check) => {
    const result = pull([damaged(from, to)], image);
    expect([result.verdict, failing(result)[0]]).toEqual(["denied", check]);
  });

  it("are not all allowed without any one of the resources", () => {
    const outdir = copied();
    const all = config(outdir);
    const verdicts = (): readonly string[] => explain([outdir], {}).map(({ verdict }) => verdict);
    expect(new Set(verdicts())).toEqual(new Set(["allowed"]));
    const resources = record(all["resource"]);
    // The policy only spares the nodes a reboot.
    const names = Object.entries(resources).flatMap(([type, named]) =>
      Object.keys(record(named))
        .filter((name) => type !== "terraform_data" && name !== "machineconfiguration_cluster")
        .map((name) => [type, name] as const),
    );
    expect(names.length).toBeGreaterThan(5);
    for (const [type, name] of names) {
      const { [name]: _, ...others } = record(resources[type]);
      const resource = { ...resources, [type]: others };
      writeFileSync(configFile(outdir), JSON.stringify({ ...all, resource }));
      expect([name, verdicts().every((each) => each === "allowed")]).toEqual([name, false]);
    }
  });

  it("are denied when a late file of a node, which Terraform encodes, is damaged", () => {
    const result = pull([damaged("AzurePublicCloud", "AzureChinaCloud")], ACR);
    expect([result.verdict, failing(result).length > 0]).toEqual(["denied", true]);
  });

  it("are not known where the stack with the resources is not there", () => {
    const outdir = whole();
    expect(() => pull([join(outdir, "stacks/prod")])).toThrowError(
      refusal("explain-missing: through stack prod-objects, which was not read") as Error,
    );
  });

  it("are read of a plan in its place, where late values are not known", () => {
    const outdir = whole();
    const paths = [join(outdir, "stacks/prod"), plan(outdir)];
    const result = pull(paths);
    expect([result.verdict, failing(result)]).toEqual(["allowed", []]);
    expect(placesOf(result)).toContain("planned_values kubernetes_annotations.serviceaccount_shop_web");
    expect(pull(paths, ACR).verdict).toBe("unknown");
  });

  it("are the same with a plan beside the configuration, and not known where it differs", () => {
    const outdir = whole();
    expect(pull([outdir, plan(outdir)], ACR).verdict).toBe("allowed");
    const other = plan(outdir, (text) => text.replace("role/prod_shop_web", "role/other"));
    expect(pull([outdir, other]).verdict).toBe("unknown");
  });

  it("ignore objects of another cluster, and list objects whose cluster is not known", () => {
    const outdir = synthesized((app) => {
      stacks(app);
      const other = new TerraformStack(app, "other");
      other.addOverride("resource.kubernetes_manifest.x.manifest", {
        apiVersion: "v1",
        kind: "ServiceAccount",
      });
    });
    const { skipped } = Explainer.read([outdir]);
    expect(skipped.map(({ source, reason }) => `${source.path}: ${reason}`)).toContainEqual(
      expect.stringMatching(/^resource\.kubernetes_manifest\.x\.manifest: no stack records that it delivers/),
    );
  });
});

describe("a hosted cluster", () => {
  it("has its objects by two providers: its own, and that of the cluster that hosts it", () => {
    const outdir = synthesized((app) => {
      const cloud = providersStack(app, "prod");
      new ImagePulls(cloud, "pulls", {
        cluster: hostedOpenShift({
          name: "prod",
          version: "4.22",
          platform: "aws",
          issuer: ISSUER,
          namespace: "clusters",
          nodePools: ["prod"],
        }),
        identities: [makers.aws()],
        pulls: [{ serviceAccount: WEB, from: fromEcr() }],
      });
      const objects = new TerraformStack(app, "prod-objects");
      new KubernetesProvider(objects, "kubernetes", {});
      const managementCluster = new KubernetesProvider(objects, "hosting", { alias: "hosting" });
      new KubernetesManifests(objects, "manifests", { of: cloud, managementCluster });
    });
    expect(pull([outdir]).verdict).toBe("allowed");
    const file = configFile(outdir);
    // Of the cluster that hosts it only what nodes get counts.
    writeFileSync(
      file,
      readFileSync(file, "utf8").replaceAll('"kubernetes.hosting"', '"kubernetes.elsewhere"'),
    );
    expect(pull([outdir]).verdict).not.toBe("allowed");
  });
});

describe("a fleet", () => {
  it("has profiles and the objects of spokes by resources, and its status by a file", () => {
    const verdicts = (outdir: string): readonly string[] =>
      explain([outdir], {}).map(({ subject, target, verdict }) => `${subject} ${target} ${verdict}`);
    const outdir = synthesized((app) => {
      const hub = new GitOpsHub(app, "hub");
      const objects = new TerraformStack(app, "hub-objects");
      new KubernetesProvider(objects, "kubernetes", {});
      new KubernetesManifests(objects, "manifests", {
        of: hub,
        spokes: { "shop-google": new KubernetesProvider(objects, "shop-google", { alias: "shop-google" }) },
        files: ["manifests/61-cluster-profile-status.yaml"],
        customKinds: ["ClusterProfile.multicluster.x-k8s.io"],
      });
    });
    const files = synthesized((app) => void new GitOpsHub(app, "hub"));
    expect(verdicts(files).length).toBeGreaterThan(2);
    expect(verdicts(outdir)).toEqual(verdicts(files));
    expect(existsSync(join(outdir, "stacks/hub/spokes"))).toBe(false);
  });
});

describe("the proof and the matchers", () => {
  it("know the objects", () => {
    const stack = synthStack(stacks, { context: { "cdktf-workload-identity/proof": true } });
    expect(allowsPull(stack, { serviceAccount: WEB, image: ACR })).toMatchObject({ holds: true });
    expect(stack.manifests).toContainEqual(
      expect.objectContaining({ kind: "MachineConfig", apiVersion: "machineconfiguration.openshift.io/v1" }),
    );
  });

  it("take the files of both stacks away where something would be denied", () => {
    const outdir = temporaryFolder();
    const app = new App({ stackTraces: false, outdir });
    stacks(app);
    const objects = app.node.findChild("prod-objects") as TerraformStack;
    objects.addOverride("resource.kubernetes_manifest.serviceaccount_shop_web.manifest.metadata.name", "wob");
    expect(() => app.synth()).toThrowError(refusal("proof-failed") as Error);
    expect(
      ["prod", "prod-objects"].map((name) => existsSync(join(outdir, "stacks", name, "cdk.tf.json"))),
    ).toEqual([false, false]);
  });
});
