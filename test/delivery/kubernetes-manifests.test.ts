import { Manifest } from "@cdktf/provider-kubernetes/lib/manifest/index.js";
import { NamespaceV1 } from "@cdktf/provider-kubernetes/lib/namespace-v1/index.js";
import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider/index.js";
import { ApiObject } from "cdk8s";
import { App, TerraformStack, Testing } from "cdktf";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GitOpsHub } from "../../examples/fleet-argocd/stack";
import { KubernetesManifests, type KubernetesManifestsProps } from "../../lib/delivery";
import { ServiceAccountAnnotations } from "../../lib/kubernetes";
import { LateEncoding, LateText } from "../../lib/model/late";
import type { ChartOptions } from "../../lib/model/manifest-sink";
import { NodeDisruptionPolicy } from "../../lib/openshift";
import { Manifests, bind } from "../../lib/synth";
import {
  type StackFixture,
  addAccount,
  filesOf,
  stackFixture,
  temporaryFolder,
} from "../fixtures/synth/stack-fixture";
import { type Json, inside, list, record } from "../support/json";
import { refusal, refusedBy } from "../support/refusal";

/** A stack `prod` with a late value, and a stack `objects` that is to deliver its manifests. */
interface Fixture extends StackFixture {
  readonly objects: TerraformStack;
  readonly provider: (alias: string) => KubernetesProvider;
  readonly deliver: (props?: Partial<KubernetesManifestsProps>) => KubernetesManifests;
  /** The resources of the stack `objects` by type and name, and its whole configuration. */
  readonly synth: () => Readonly<Record<string, Json>> & { readonly config: Json };
}

function fixture(outdir?: string): Fixture {
  const all = stackFixture(outdir);
  const objects = new TerraformStack(all.app, "objects");
  new KubernetesProvider(objects, "kubernetes", {});
  return {
    ...all,
    objects,
    provider: (alias) => new KubernetesProvider(objects, alias, { alias }),
    deliver: (props) => new KubernetesManifests(objects, "manifests", { of: all.stack, ...props }),
    synth: () => {
      all.app.synth();
      const file = join(all.app.outdir, "stacks/objects/cdk.tf.json");
      const config = JSON.parse(readFileSync(file, "utf8")) as Json;
      return { ...(config["resource"] as Readonly<Record<string, Json>>), config };
    },
  };
}

function add(manifests: Manifests, chart: string, options: ChartOptions, document: object): void {
  const scope = manifests.chart(chart, options);
  new ApiObject(
    scope,
    `object-${scope.node.children.length}`,
    document as { apiVersion: string; kind: string },
  );
}

/** Annotations of the service account `web`, which someone else declares. */
function annotate(
  manifests: Manifests,
  annotations: Record<string, string>,
  options: ChartOptions = EARLY,
): void {
  const chart = manifests.chart("accounts", options);
  new ServiceAccountAnnotations(chart, "x", { namespace: "shop", name: "web", annotations });
}

function policy(manifests: Manifests, path = "/etc/x"): void {
  new NodeDisruptionPolicy(manifests.chart("policy", EARLY), "x", { paths: [path] });
}

const meta = (name: string, namespace?: string) => ({ metadata: { name, ...(namespace && { namespace }) } });
const configMap = (name: string, data: object = { a: "b" }) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  ...meta(name, "shop"),
  data,
});
const profile = (fields: object = {}) => ({
  apiVersion: "multicluster.x-k8s.io/v1alpha1",
  kind: "ClusterProfile",
  ...meta("shop", "argocd"),
  ...fields,
});
const role = (name: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  ...meta(name),
});
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  ...meta("clusterprofiles.multicluster.x-k8s.io"),
  spec: { group: "multicluster.x-k8s.io", names: { kind: "ClusterProfile" } },
};
const EARLY = { order: 10 };
const CUSTOM = ["ClusterProfile.multicluster.x-k8s.io"];

describe("manifests as resources of Terraform", () => {
  it("are named by kind, namespace and name, and are no files any more", () => {
    const { app, manifests, data, deliver, synth } = fixture();
    addAccount(manifests, data.id);
    deliver();
    const { kubernetes_manifest: found } = synth();
    expect(Object.keys(found ?? {})).toEqual(["serviceaccount_shop_web"]);
    expect(inside(found, "serviceaccount_shop_web", "manifest")).toEqual({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "web", namespace: "shop" },
    });
    const files = filesOf(join(app.outdir, "stacks/prod"));
    expect(Object.keys(files)).toEqual(["cdk.tf.json", "workload-identity.json"]);
    const identity = JSON.parse(files["workload-identity.json"] ?? "") as Json;
    expect(identity["delivery"]).toEqual({
      stack: "objects",
      clusters: [{ provider: "kubernetes", appliesTo: "cluster" }],
    });
    expect([identity["manifests"], identity["placeholders"]]).toEqual([[], {}]);
    expect(Object.keys(record(inside(JSON.parse(files["cdk.tf.json"] ?? ""), "output")))).toEqual([
      "cross-stack-output-terraform_datadid",
    ]);
  });

  // kubernetes_manifest takes annotations for computed, so that it neither shows nor heals what others change in them
  // (hashicorp/terraform-provider-kubernetes, manifest/provider/plan.go).
  it("have the annotations of service accounts apart, by a field manager that nothing else has", () => {
    const { manifests, data, deliver, synth } = fixture();
    addAccount(manifests, data.id);
    deliver();
    const { "//": _, ...resource } = record(synth()["kubernetes_annotations"]?.["serviceaccount_shop_web"]);
    expect(resource).toEqual({
      api_version: "v1",
      kind: "ServiceAccount",
      metadata: {
        name: "${kubernetes_manifest.serviceaccount_shop_web.manifest.metadata.name}",
        namespace: "${kubernetes_manifest.serviceaccount_shop_web.manifest.metadata.namespace}",
      },
      annotations: {
        "example.com/id":
          "${data.terraform_remote_state.cross-stack-reference-input-prod.outputs.cross-stack-output-terraform_datadid}",
      },
      field_manager: "cdktf-workload-identity/prod",
      force: true,
    });
  });

  it("wait for the annotations of the file before, too", () => {
    const { manifests, deliver, synth } = fixture();
    addAccount(manifests, "own");
    add(manifests, "later", { order: 30 }, configMap("a"));
    deliver();
    const { kubernetes_manifest: found, terraform_data: gates } = synth();
    expect(inside(gates, "after_20-service-accounts", "depends_on")).toEqual([
      "kubernetes_manifest.serviceaccount_shop_web",
      "kubernetes_annotations.serviceaccount_shop_web",
    ]);
    expect(inside(found, "configmap_shop_a", "depends_on")).toEqual([
      "terraform_data.after_20-service-accounts",
    ]);
  });

  it("wait for resources of the same stack, such as namespaces", () => {
    const { manifests, objects, deliver, synth } = fixture();
    const namespace = new NamespaceV1(objects, "shop", { metadata: { name: "shop" } });
    for (const name of ["a", "b"]) add(manifests, name, { order: 10 }, configMap(name));
    deliver({ dependsOn: [namespace] });
    const { kubernetes_manifest: found } = synth();
    expect(Object.values(found ?? {}).map((each) => inside(each, "depends_on"))).toEqual([
      ["kubernetes_namespace_v1.shop"],
      ["kubernetes_manifest.configmap_shop_a"],
    ]);
  });

  it("name the namespaces that must exist", () => {
    const { manifests, objects, deliver, synth } = fixture();
    add(manifests, "own", EARLY, { apiVersion: "v1", kind: "Namespace", ...meta("own") });
    for (const namespace of ["shop", "own", "default", "batch", "declared", "plain"])
      add(manifests, "config", { order: 20 }, { ...configMap("a"), ...meta("a", namespace) });
    const manifest = { apiVersion: "v1", kind: "Namespace", ...meta("plain") };
    const dependsOn = [
      new NamespaceV1(objects, "declared", { metadata: { name: "declared" } }),
      new Manifest(objects, "plain", { manifest }),
    ];
    const delivery = deliver({ dependsOn });
    synth();
    expect(delivery.namespaces).toEqual(["batch", "shop"]);
  });

  it("wait for those of the file before: for the only one, or for one resource in the place of several", () => {
    const { manifests, deliver, synth } = fixture();
    for (const name of ["a", "b"]) add(manifests, "first", EARLY, configMap(name));
    add(manifests, "second", { order: 20 }, configMap("c"));
    for (const name of ["d", "e"]) add(manifests, "third", { order: 30 }, configMap(name));
    deliver();
    const { kubernetes_manifest: found, terraform_data: gates } = synth();
    const order = Object.entries({ ...found, ...gates }).map(([name, each]) => [
      name,
      inside(each, "depends_on"),
    ]);
    expect(Object.fromEntries(order)).toEqual({
      configmap_shop_a: undefined,
      configmap_shop_b: undefined,
      "after_10-first": ["kubernetes_manifest.configmap_shop_a", "kubernetes_manifest.configmap_shop_b"],
      configmap_shop_c: ["terraform_data.after_10-first"],
      configmap_shop_d: ["kubernetes_manifest.configmap_shop_c"],
      configmap_shop_e: ["kubernetes_manifest.configmap_shop_c"],
    });
  });

  it("tell objects apart whose names are written alike", () => {
    const { manifests, deliver, synth } = fixture();
    for (const name of ["a.b", "a:b"]) add(manifests, "roles", EARLY, role(name));
    deliver();
    const { kubernetes_manifest: found } = synth();
    expect(Object.keys(found ?? {})).toEqual([
      "clusterrole_a_b",
      expect.stringMatching(/^clusterrole_a_b_[0-9a-f]{8}$/),
    ]);
  });

  it("go to each cluster by its provider, and files that are named stay files", () => {
    const { app, manifests, provider, deliver, synth } = fixture();
    add(manifests, "own", EARLY, configMap("own"));
    add(manifests, "hosting", { order: 50, appliesTo: "management-cluster" }, configMap("own"));
    add(manifests, "edge", { order: 55, appliesTo: "spoke" }, configMap("own"));
    add(manifests, "other", { order: 55, appliesTo: "spoke" }, configMap("own"));
    add(manifests, "99-late", { order: 1, exactName: true }, configMap("other"));
    add(manifests, "cluster-authentication", { order: 1, exactName: true }, configMap("early"));
    const [management, edge] = [provider("hosting"), provider("edge")];
    deliver({ managementCluster: management, spokes: { edge }, files: ["spokes/other.yaml"] });
    const { kubernetes_manifest: found } = synth();
    expect(Object.entries(found ?? {}).map(([name, each]) => [name, inside(each, "provider")])).toEqual([
      ["configmap_shop_own", undefined],
      ["edge_configmap_shop_own", "kubernetes.edge"],
      ["management_configmap_shop_own", "kubernetes.hosting"],
    ]);
    const files = filesOf(join(app.outdir, "stacks/prod"));
    expect(Object.keys(files)).toEqual([
      "cdk.tf.json",
      "manifests/99-late.yaml",
      "manifests/cluster-authentication.yaml",
      "spokes/other.yaml",
      "workload-identity.json",
    ]);
    expect(inside(JSON.parse(files["workload-identity.json"] ?? ""), "delivery", "clusters")).toEqual([
      { provider: "kubernetes", appliesTo: "cluster" },
      { provider: "kubernetes.hosting", appliesTo: "management-cluster" },
      { provider: "kubernetes.edge", appliesTo: "spoke", spoke: "edge" },
    ]);
  });

  it("only annotate what others own", () => {
    const { manifests, data, deliver, synth } = fixture();
    annotate(manifests, { "example.com/id": data.id, "example.com/plain": "${x}" });
    deliver();
    const { kubernetes_manifest: none, kubernetes_annotations: found } = synth();
    const { "//": _, ...resource } = record(found?.["serviceaccount_shop_web"]);
    expect([none, resource]).toEqual([
      undefined,
      {
        api_version: "v1",
        kind: "ServiceAccount",
        metadata: { name: "web", namespace: "shop" },
        annotations: {
          "example.com/id": expect.stringContaining("${data.terraform_remote_state.") as string,
          "example.com/plain": "$${x}",
        },
        field_manager: "cdktf-workload-identity/prod",
      },
    ]);
  });

  it("only annotate the account default, which each namespace already has", () => {
    const { manifests, deliver, synth } = fixture();
    addAccount(manifests, "own", "default");
    add(manifests, "plain", EARLY, { apiVersion: "v1", kind: "ServiceAccount", ...meta("default", "batch") });
    deliver();
    const { kubernetes_manifest: none, kubernetes_annotations: found } = synth();
    expect([none, Object.keys(found ?? {})]).toEqual([undefined, ["serviceaccount_shop_default"]]);
    expect(inside(found, "serviceaccount_shop_default", "metadata")).toEqual({
      name: "default",
      namespace: "shop",
    });
  });

  it("make an account in one cluster that is only annotated in another", () => {
    const { manifests, provider, deliver, synth } = fixture();
    addAccount(manifests, "own");
    annotate(manifests, { "example.com/id": "edge" }, { order: 55, appliesTo: "spoke" });
    deliver({ spokes: { accounts: provider("edge") } });
    const { kubernetes_manifest: made, kubernetes_annotations: annotated } = synth();
    expect([Object.keys(made ?? {}), Object.keys(annotated ?? {})]).toEqual([
      ["serviceaccount_shop_web"],
      ["accounts_serviceaccount_shop_web", "serviceaccount_shop_web"],
    ]);
  });

  it("import a singleton that others configure too, take no more than their fields, and never destroy it", () => {
    const { manifests, deliver, synth } = fixture();
    policy(manifests);
    deliver();
    const { kubernetes_manifest: found, config } = synth();
    const { "//": _, manifest, ...resource } = record(found?.["machineconfiguration_cluster"]);
    expect(inside(manifest, "kind")).toBe("MachineConfiguration");
    expect(resource).toEqual({
      computed_fields: ["metadata", "spec"],
      field_manager: { force_conflicts: true, name: "cdktf-workload-identity/prod" },
      lifecycle: { prevent_destroy: true },
    });
    expect(config["import"]).toEqual([
      {
        id: "apiVersion=operator.openshift.io/v1,kind=MachineConfiguration,name=cluster",
        to: "kubernetes_manifest.machineconfiguration_cluster",
      },
    ]);
  });

  // Source: hashicorp/terraform-provider-kubernetes, manifest/provider/plan.go: of a computed field that is unchanged in
  // the manifest, an apply sends what was read, and becomes its owner.
  it("change the metadata of a singleton whenever they change it, so that Terraform never sends what others set", () => {
    const annotated = (path: string): unknown => {
      const { manifests, deliver, synth } = fixture();
      policy(manifests, path);
      deliver();
      const found = synth()["kubernetes_manifest"]?.["machineconfiguration_cluster"];
      return inside(found, "manifest", "metadata", "annotations");
    };
    expect(annotated("/etc/x")).toEqual({
      "cdktf-workload-identity/applied": expect.stringMatching(/^[0-9a-f]{8}$/) as string,
    });
    expect(annotated("/etc/x")).toEqual(annotated("/etc/x"));
    expect(annotated("/etc/y")).not.toEqual(annotated("/etc/x"));
  });

  it("are imported where files were applied before", () => {
    const { manifests, deliver, synth } = fixture();
    add(manifests, "own", EARLY, configMap("a"));
    deliver({ adopt: true });
    expect(synth().config["import"]).toEqual([
      {
        id: "apiVersion=v1,kind=ConfigMap,namespace=shop,name=a",
        to: "kubernetes_manifest.configmap_shop_a",
      },
    ]);
  });

  it("take over fields of other field managers if asked to", () => {
    const { manifests, deliver, synth } = fixture();
    add(manifests, "own", EARLY, configMap("a"));
    annotate(manifests, { "example.com/id": "x" });
    deliver({ forceConflicts: true });
    const { kubernetes_manifest: made, kubernetes_annotations: annotated } = synth();
    expect([
      inside(made, "configmap_shop_a", "field_manager"),
      inside(annotated, "serviceaccount_shop_web", "force"),
    ]).toEqual([{ force_conflicts: true }, true]);
  });

  // The API server answers 1000m with 1, and adds labels to a Job's pods; the provider then fails with "inconsistent
  // result after apply".
  it("are written as the API server returns them", () => {
    const { manifests, deliver, synth } = fixture();
    const containers = [{ name: "a", resources: { limits: { cpu: "1000m", memory: "1024Mi" } } }];
    const spec = { template: { metadata: { labels: { app: "a" } }, spec: { containers } } };
    add(manifests, "own", EARLY, { apiVersion: "batch/v1", kind: "Job", ...meta("a", "shop"), spec });
    add(manifests, "own", EARLY, { apiVersion: "apps/v1", kind: "Deployment", ...meta("a", "shop"), spec });
    add(manifests, "own", EARLY, { ...profile(), spec });
    add(manifests, "own", EARLY, configMap("a", { sizeLimit: "1000m" }));
    deliver({ customKinds: CUSTOM });
    const { kubernetes_manifest: found } = synth();
    const limits = ["job_shop_a", "deployment_shop_a", "clusterprofile_argocd_shop"].flatMap((name) =>
      list(inside(found, name, "manifest", "spec", "template", "spec", "containers")).map((each) =>
        inside(each, "resources", "limits"),
      ),
    );
    expect(limits).toEqual([
      { cpu: "1", memory: "1Gi" },
      { cpu: "1", memory: "1Gi" },
      { cpu: "1000m", memory: "1024Mi" },
    ]);
    expect(inside(found, "configmap_shop_a", "manifest", "data")).toEqual({ sizeLimit: "1000m" });
    expect(inside(found, "job_shop_a", "computed_fields")).toEqual([
      "metadata.annotations",
      "metadata.labels",
      "spec.template.metadata.labels",
    ]);
  });

  it("are the same in a second synth, and follow what was added", () => {
    const { manifests, deliver, synth } = fixture();
    add(manifests, "own", EARLY, configMap("a"));
    deliver();
    const first = synth();
    expect(synth()).toEqual(first);
    add(manifests, "own", EARLY, configMap("b"));
    expect(Object.keys(synth()["kubernetes_manifest"] ?? {})).toEqual([
      "configmap_shop_a",
      "configmap_shop_b",
    ]);
  });

  it("are there in a test of the stack alone", () => {
    const { manifests, data, objects, deliver } = fixture();
    addAccount(manifests, data.id);
    deliver();
    expect(Testing.synth(objects)).toContain("serviceaccount_shop_web");
  });

  it("leave nothing for bind", () => {
    const { app, manifests, data, deliver, synth } = fixture();
    addAccount(manifests, data.id);
    deliver();
    synth();
    const folder = temporaryFolder();
    writeFileSync(join(folder, "outputs.json"), "{}");
    expect(() =>
      bind({ outputs: join(folder, "outputs.json"), to: join(folder, "to"), from: app.outdir }),
    ).toThrowError(
      refusal("bind-unused: resources of a Terraform stack", {
        remedy: expect.stringContaining("cdktf deploy objects") as string,
      }),
    );
  });
});

/** The addresses of the `removed` blocks without that of the singleton which each stack has. */
function removed(config: Json): readonly string[] {
  const blocks = (config["removed"] ?? []) as readonly { from: string; lifecycle: object }[];
  expect(blocks.map(({ lifecycle }) => lifecycle)).toEqual(blocks.map(() => ({ destroy: false })));
  return blocks.map(({ from }) => from).filter((from) => from !== SINGLETON);
}

const SINGLETON = "kubernetes_manifest.machineconfiguration_cluster";

describe("objects that are no longer delivered", () => {
  it("stay if they are singletons that others configure too", () => {
    const { manifests, deliver, synth } = fixture();
    add(manifests, "own", EARLY, configMap("a"));
    deliver();
    const { config } = synth();
    expect(config["removed"]).toEqual([{ from: SINGLETON, lifecycle: { destroy: false } }]);
    expect(inside(config, "terraform", "required_version")).toBe(">= 1.7.0");
    policy(manifests);
    // Terraform refuses a block of a resource that is declared.
    expect(synth().config["removed"]).toBeUndefined();
  });

  it.each<readonly [string, readonly string[], (each: Fixture) => void]>([
    [
      "that became a file",
      [
        "kubernetes_annotations.serviceaccount_shop_web",
        "kubernetes_manifest.configmap_shop_a",
        "kubernetes_manifest.serviceaccount_shop_web",
      ],
      ({ manifests, deliver }) => {
        addAccount(manifests, "own");
        add(manifests, "config", { order: 30 }, configMap("a"));
        add(manifests, "last", { order: 40 }, configMap("b"));
        deliver({ files: ["manifests/20-service-accounts.yaml", "manifests/30-config.yaml"] });
      },
    ],
    [
      "of a spoke that became a file",
      ["kubernetes_manifest.edge_configmap_shop_own"],
      ({ manifests, deliver }) => {
        add(manifests, "edge", { order: 55, appliesTo: "spoke" }, configMap("own"));
        deliver({ files: ["spokes/edge.yaml"] });
      },
    ],
    [
      "that another owner declares now",
      ["kubernetes_manifest.serviceaccount_shop_web"],
      ({ manifests, deliver }) => {
        annotate(manifests, { "example.com/id": "x" });
        deliver();
      },
    ],
    [
      "of which another one has the plain name",
      ["kubernetes_manifest.clusterrole_a_b"],
      ({ manifests, deliver }) => {
        add(manifests, "first", EARLY, role("a.b"));
        add(manifests, "second", { order: 20 }, role("a:b"));
        deliver({ files: ["manifests/10-first.yaml"] });
      },
    ],
    [
      "in two deliveries to one stack, of which the other one declares the singleton",
      ["kubernetes_manifest.configmap_shop_a"],
      ({ app, manifests, objects, deliver, provider }) => {
        add(manifests, "own", EARLY, configMap("a"));
        deliver({ files: ["manifests/10-own.yaml"] });
        const other = new TerraformStack(app, "other");
        policy(Manifests.of(other));
        new KubernetesManifests(objects, "others", { of: other, provider: provider("other") });
      },
    ],
  ])("stay: one %s", (_, expected, build) => {
    const all = fixture();
    build(all);
    expect(removed(all.synth().config)).toEqual(expected);
  });

  it("do not change the addresses of others by becoming files", () => {
    const build = (files: readonly string[]): readonly string[] => {
      const { manifests, deliver, synth } = fixture();
      add(manifests, "first", EARLY, role("a.b"));
      add(manifests, "second", { order: 20 }, role("a:b"));
      deliver({ files });
      return Object.keys(synth()["kubernetes_manifest"] ?? {});
    };
    const [, second] = build([]);
    expect(build(["manifests/10-first.yaml"])).toEqual([second]);
  });
});

describe("parts of other owners' workloads", () => {
  // kubernetes_manifest would own and delete the whole workload; no resource patches volumes and init containers.
  it("stay a file, and Terraform forgets what it took over", () => {
    const outdir = temporaryFolder();
    const app = Testing.app({ outdir });
    const hub = new GitOpsHub(app, "hub");
    const objects = new TerraformStack(app, "objects");
    new KubernetesProvider(objects, "kubernetes", {});
    const spoke = new KubernetesProvider(objects, "shop-google", { alias: "shop-google" });
    new KubernetesManifests(objects, "manifests", {
      of: hub,
      spokes: { "shop-google": spoke },
      files: ["manifests/61-cluster-profile-status.yaml"],
      customKinds: CUSTOM,
    });
    app.synth();
    expect(Object.keys(filesOf(join(outdir, "stacks/hub"))).filter((file) => file.endsWith(".yaml"))).toEqual(
      ["manifests/61-cluster-profile-status.yaml", "manifests/65-fleet-controller.yaml"],
    );
    const config = JSON.parse(readFileSync(join(outdir, "stacks/objects/cdk.tf.json"), "utf8")) as Json;
    expect(JSON.stringify(config["resource"])).not.toContain("argocd-server");
    expect(removed(config)).toEqual(
      expect.arrayContaining([
        "kubernetes_manifest.deployment_argocd_argocd-server",
        "kubernetes_manifest.statefulset_argocd_argocd-application-controller",
      ]),
    );
  });
});

describe("what cannot be delivered so is refused", () => {
  /** Delivers one object, in a file of these options. */
  const only =
    (document: object, props: Partial<KubernetesManifestsProps> = {}, options: ChartOptions = EARLY) =>
    ({ manifests, deliver }: Fixture): void => {
      add(manifests, "own", options, document);
      deliver(props);
    };
  const unnamed = { ...configMap("x"), metadata: { namespace: "shop", generateName: "x-", name: null } };
  const metadata = { name: "default", namespace: "shop", labels: { a: "b" } };

  it.each(
    refusedBy<(each: Fixture) => void>({
      "delivery-unsupported: has a status, which Terraform's kubernetes_manifest drops": {
        "a status": only(profile({ status: { conditions: [] } }), { customKinds: CUSTOM }),
      },
      "delivery-missing: before the cluster has the CustomResourceDefinition": {
        "a custom kind that is not stated": only(profile()),
      },
      "delivery-unsupported: are delivered together": {
        "a custom kind with its definition": ({ manifests, deliver }) => {
          add(manifests, "definitions", EARLY, definition);
          add(manifests, "profiles", { order: 20 }, profile());
          deliver({ customKinds: CUSTOM });
        },
      },
      "delivery-unsupported: has no name": { "a generated name": only(unnamed) },
      "delivery-unsupported: is a list": {
        "a list": only({ apiVersion: "v1", kind: "List", ...meta("x"), items: [configMap("a")] }),
      },
      "delivery-limit: is larger than etcd takes": {
        "more than etcd takes": only(configMap("a", { a: "x".repeat(1_572_864) })),
      },
      "manifest-unsupported": {
        "a late name": (all) => only(configMap(all.data.id))(all),
        "a late key": (all) => only(configMap("a", { [all.data.id]: "x" }))(all),
      },
      "delivery-conflict: is in manifests/10-own.yaml and in manifests/20-again.yaml": {
        "one object twice": ({ manifests, deliver }) => {
          add(manifests, "own", EARLY, configMap("a"));
          add(manifests, "again", { order: 20 }, configMap("a"));
          deliver();
        },
      },
      "delivery-conflict: already delivers the manifests of this stack": {
        "a second delivery": ({ stack, objects, deliver }) => {
          deliver();
          new KubernetesManifests(objects, "again", { of: stack });
        },
      },
      "delivery-conflict: whose objects are already resources": {
        "a file that is rendered as well": (all) => {
          only(configMap("a"))(all);
          all.stack.addOverride("locals.x", all.manifests.rendered("manifests/10-own.yaml"));
        },
      },
      "delivery-unsupported: asks the cluster's API server while it plans": {
        "the stack that makes the cluster": ({ stack }) =>
          void new KubernetesManifests(stack, "x", { of: stack }),
      },
      "delivery-missing: no Terraform provider reaches the management cluster": {
        "a cluster without provider": only(
          configMap("a"),
          {},
          { order: 50, appliesTo: "management-cluster" },
        ),
      },
      "delivery-missing: no Terraform provider reaches the spoke own": {
        "a spoke without provider": only(configMap("a"), {}, { order: 50, appliesTo: "spoke" }),
      },
      "delivery-conflict: uses the same provider for two clusters": {
        "one provider for two clusters": ({ provider, deliver }) => {
          const one = provider("one");
          deliver({ managementCluster: one, spokes: { edge: one } });
        },
        "the cluster's own provider for another cluster": ({ objects, deliver }) => {
          const managementCluster = objects.node.findChild("kubernetes") as KubernetesProvider;
          deliver({ managementCluster });
        },
      },
      "delivery-unsupported: would be encoded twice": {
        "a late text in stringData that is encoded already": (all) => {
          const stringData = { a: new LateText(["x", new LateEncoding("base64", all.data.id)]) };
          only({ apiVersion: "v1", kind: "Secret", ...meta("a", "shop"), stringData })(all);
        },
      },
      "delivery-foreign": {
        "a provider of another stack": ({ stack, deliver }) =>
          void deliver({ provider: new KubernetesProvider(stack, "kubernetes", { alias: "x" }) }),
      },
      "delivery-foreign: depends on a resource of another stack": {
        "a resource of another stack to wait for": ({ data, deliver }) => void deliver({ dependsOn: [data] }),
      },
      "delivery-unsupported: already exists in every namespace, and Terraform can only annotate it": {
        "more than annotations for the account default": only({
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata,
        }),
      },
      "delivery-unknown: lists a file in \`files\` that the stack does not write": {
        "a file that nothing writes": ({ deliver }) => void deliver({ files: ["manifests/x.yaml"] }),
      },
    }),
  )("%s", (_, build, expected) => {
    const all = fixture();
    expect(() => {
      build(all);
      all.synth();
    }).toThrowError(refusal(expected) as Error);
  });

  it("an app that writes HCL, in which cdktf turns lists of a manifest into objects", () => {
    const app = new App({ outdir: temporaryFolder(), hclOutput: true });
    const stack = new TerraformStack(app, "prod");
    add(Manifests.of(stack), "own", EARLY, configMap("a"));
    new KubernetesManifests(new TerraformStack(app, "objects"), "manifests", { of: stack });
    expect(() => app.synth()).toThrowError(refusal("delivery-unsupported: cdktf's HCL output") as Error);
  });

  it("a stack without any provider of Kubernetes", () => {
    const { app, stack, manifests } = stackFixture();
    add(manifests, "own", EARLY, configMap("a"));
    new KubernetesManifests(new TerraformStack(app, "objects"), "manifests", { of: stack });
    expect(() => app.synth()).toThrowError(refusal("delivery-missing: reaches the cluster") as Error);
  });
});
