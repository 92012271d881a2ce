import { ApiObject, Chart, JsonPatch, Lazy } from "cdk8s";
import { Aspects, Fn, TerraformOutput, TerraformStack, Testing } from "cdktf";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { NodeSetup } from "../../lib/model/node-file";
import { Manifests } from "../../lib/synth/manifests";
import {
  LateData,
  addAccount,
  filesOf,
  stackFilesOf,
  stackFixture,
  temporaryFolder,
} from "../fixtures/synth/stack-fixture";

const terraform = (stack: TerraformStack): { output?: Record<string, unknown> } =>
  JSON.parse(Testing.synth(stack)) as { output?: Record<string, unknown> };

describe("files", () => {
  it("stand beside the Terraform configuration, in apply order, with comments", () => {
    const { app, manifests } = stackFixture();
    const chart = manifests.chart("token-audience", { order: 5, comment: ["RBAC.", "", "Apply first."] });
    new ApiObject(chart, "b", {
      apiVersion: "v1",
      kind: "B",
      metadata: { name: "b" },
      zed: 1,
      data: { b: 1, a: 2 },
    });
    new ApiObject(chart, "a", { apiVersion: "v1", kind: "A", metadata: { name: "a", labels: { l: "1" } } });
    addAccount(manifests, "literal");
    manifests.chart("empty", { order: 1 });
    app.synth();
    expect(stackFilesOf(app)).toEqual({
      "manifests/05-token-audience.yaml":
        "# RBAC.\n#\n# Apply first.\n" +
        "apiVersion: v1\nkind: B\nmetadata:\n  name: b\ndata:\n  a: 2\n  b: 1\nzed: 1\n" +
        '---\napiVersion: v1\nkind: A\nmetadata:\n  name: a\n  labels:\n    l: "1"\n',
      "manifests/20-service-accounts.yaml":
        "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: web\n  namespace: shop\n" +
        "  annotations:\n    example.com/id: literal\n",
      "workload-identity.json": expect.any(String) as unknown,
    });
    expect(JSON.parse(stackFilesOf(app)["workload-identity.json"] ?? "")).toEqual({
      version: 2,
      stack: "prod",
      clusters: [],
      manifests: [
        { file: "manifests/05-token-audience.yaml", appliesTo: "cluster" },
        { file: "manifests/20-service-accounts.yaml", appliesTo: "cluster" },
      ],
      nodes: [],
      placeholders: {},
    });
  });

  it("say which cluster they belong to, and carry the recorded facts", () => {
    const { app, manifests } = stackFixture();
    const chart = manifests.chart("node-pools", { order: 50, appliesTo: "management-cluster" });
    new ApiObject(chart, "x", { apiVersion: "v1", kind: "ConfigMap" });
    manifests.record({ name: "prod-eu", kubelet: "1.35" });
    expect(manifests.recorded).toEqual([{ name: "prod-eu", kubelet: "1.35" }]);
    app.synth();
    expect(JSON.parse(stackFilesOf(app)["workload-identity.json"] ?? "")).toMatchObject({
      clusters: [{ name: "prod-eu", kubelet: "1.35" }],
      manifests: [{ file: "manifests/50-node-pools.yaml", appliesTo: "management-cluster" }],
    });
  });

  it("hold node setups as data", () => {
    const { app, manifests, data } = stackFixture();
    const files = [{ path: "/etc/kubernetes/a.json", mode: 0o600, content: `{\n  "id": "${data.id}"\n}\n` }];
    manifests.nodeSetup("all-nodes", { files, kubeletFlags: { b: "2", a: "yes" } });
    manifests.nodeSetup("all-nodes", { files, kubeletFlags: { b: "2", a: "yes" } });
    app.synth();
    expect(stackFilesOf(app)["nodes/all-nodes.yaml"]).toBe(
      "# Put the files on each node, set the kubelet's flags and restart the kubelet: it reads both only when it starts.\n" +
        "# Apply the permissions and the annotated service accounts in manifests/ first.\n" +
        "# Holds values that Terraform knows only after apply: `cdktf-workload-identity bind` writes the finished file.\n" +
        'files:\n  - path: /etc/kubernetes/a.json\n    mode: "0600"\n    content: |\n' +
        '      {\n        "id": "@late(terraform_data.d.id)@"\n      }\nkubeletFlags:\n  a: "yes"\n  b: "2"\n',
    );
  });

  it("follow dependencies where someone stated them", () => {
    const { manifests } = stackFixture();
    const web = addAccount(manifests, "1", "web");
    const jobs = addAccount(manifests, "1", "jobs");
    web.addDependency(jobs);
    const text = manifests.render().get("manifests/20-service-accounts.yaml") ?? "";
    expect([...text.matchAll(/ {2}name: (\w+)/g)].map((match) => match[1])).toEqual(["jobs", "web"]);
  });

  it("are the same bytes in every run, whatever was read before", () => {
    const run = (warm: boolean): Record<string, string> => {
      const { app, manifests, data } = stackFixture();
      if (warm) void [data.id, Fn.upper(data.id), Fn.lower(data.id)].map((value) => `${value}`);
      addAccount(manifests, `${data.id}-${Fn.upper(data.id)}`);
      app.synth();
      return stackFilesOf(app);
    };
    expect(run(true)).toEqual(run(false));
  });

  it("of an earlier synth are removed, other files of the folder stay", () => {
    const outdir = temporaryFolder();
    const first = stackFixture(outdir);
    addAccount(first.manifests, "1");
    first.manifests.nodeSetup("all-nodes", { files: [], kubeletFlags: {} });
    first.app.synth();
    mkdirSync(join(outdir, "stacks/prod/assets"));
    writeFileSync(join(outdir, "stacks/prod/assets/a"), "asset");

    const second = stackFixture(outdir);
    new ApiObject(second.manifests.chart("other", { order: 1 }), "x", { apiVersion: "v1", kind: "X" });
    second.app.synth();
    expect(Object.keys(stackFilesOf(second.app))).toEqual([
      "assets/a",
      "manifests/01-other.yaml",
      "workload-identity.json",
    ]);

    const third = stackFixture(outdir);
    third.app.synth();
    expect(Object.keys(stackFilesOf(third.app))).toEqual(["assets/a"]);
  });

  it("stay as they were when anything fails", () => {
    const outdir = temporaryFolder();
    const first = stackFixture(outdir);
    addAccount(first.manifests, "1");
    first.app.synth();
    const before = filesOf(outdir);

    const second = stackFixture(outdir);
    addAccount(second.manifests, "2");
    addAccount(second.manifests, { [second.data.id]: "x" }, "broken");
    expect(() => second.app.synth()).toThrowError(expect.objectContaining({ code: "manifest-unsupported" }));
    expect(filesOf(outdir)).toEqual(before);
  });

  it("take up what other constructs add at synth: patches, lazy values, aspects", () => {
    const { app, stack, manifests, data } = stackFixture();
    addAccount(manifests, Lazy.any({ produce: () => `lazy-${data.id}` })).addJsonPatch(
      JsonPatch.add("/metadata/labels", { patched: "yes" }),
    );
    Aspects.of(stack).add({
      visit: (node) => {
        if (node === stack) addAccount(manifests, data.output, "from-aspect");
      },
    });
    app.synth();
    const text = stackFilesOf(app)["manifests/20-service-accounts.yaml"] ?? "";
    expect(text).toContain("example.com/id: lazy-@late(terraform_data.d.id)@");
    expect(text).toContain('patched: "yes"');
    expect(text).toContain('example.com/id: "@late(terraform_data.d.output)@"');
    const written = JSON.parse(filesOf(app.outdir)["stacks/prod/cdk.tf.json"] ?? "") as { output: object };
    expect(Object.keys(written.output)).toEqual(["terraform_data_d_id", "terraform_data_d_output"]);
  });

  it("are refused where a construct of a chart is invalid", () => {
    const { app, manifests } = stackFixture();
    addAccount(manifests, "1").node.addValidation({ validate: () => ["is wrong"] });
    expect(() => app.synth()).toThrowError("service-accounts/web: is wrong");
  });
});

describe("outputs", () => {
  it("are declared by Testing.synth and by app.synth, once", () => {
    const { app, stack, manifests, data } = stackFixture();
    addAccount(manifests, data.id);
    const expected = {
      terraform_data_d_id: {
        description: "Fills a placeholder in the Kubernetes manifests.",
        value: "${terraform_data.d.id}",
      },
    };
    expect(terraform(stack).output).toEqual(expected);
    expect(terraform(stack).output).toEqual(expected);
    addAccount(manifests, data.id, "second");
    app.synth();
    const written = JSON.parse(filesOf(app.outdir)["stacks/prod/cdk.tf.json"] ?? "") as {
      output: object;
      "//": { outputs: object };
    };
    expect(written.output).toEqual(expected);
    // What `cdktf output --outputs-file` nests by.
    expect(written["//"].outputs).toEqual({
      prod: { Manifests: { terraform_data_d_id: "terraform_data_d_id" } },
    });
    addAccount(manifests, Fn.upper(data.id), "third");
    expect(Object.keys(terraform(stack).output ?? {})).toHaveLength(2);
  });

  it("are none where nothing is late", () => {
    const { stack, manifests } = stackFixture();
    addAccount(manifests, "literal");
    expect(terraform(stack).output).toBeUndefined();
  });

  it("never replace an output of the same name", () => {
    const { stack, manifests, data } = stackFixture();
    new TerraformOutput(stack, "terraform_data_d_id", { value: "mine" });
    addAccount(manifests, data.id);
    expect(() => Testing.synth(stack)).toThrowError(
      expect.objectContaining({ code: "manifest-conflict", value: "terraform_data_d_id" }),
    );
  });
});

describe("values of another stack", () => {
  it.each([true, false])("arrive through remote state, producer first: %s", (producerFirst) => {
    const app = Testing.app({ outdir: temporaryFolder() });
    const ids = producerFirst ? ["network", "prod"] : ["prod", "network"];
    const stacks = new Map(ids.map((id) => [id, new TerraformStack(app, id)]));
    const late = new LateData(stacks.get("network") ?? app, "d");
    addAccount(Manifests.of(stacks.get("prod") ?? app), `x${Fn.upper(late.id)}`);
    app.synth();
    const files = filesOf(app.outdir);
    const text = files["stacks/prod/manifests/20-service-accounts.yaml"] ?? "";
    expect(text).toMatch(
      /example\.com\/id: x@late\(output\.data_terraform_remote_state_[\w-]+_[0-9a-f]{8}\)@/,
    );
    const network = JSON.parse(files["stacks/network/cdk.tf.json"] ?? "") as { output: object };
    expect(Object.keys(network.output)).toContainEqual(expect.stringMatching(/^cross-stack-output-/));
    const prod = JSON.parse(files["stacks/prod/cdk.tf.json"] ?? "") as {
      data: { terraform_remote_state: object };
    };
    expect(Object.keys(prod.data.terraform_remote_state)).toEqual(["cross-stack-reference-input-network"]);
  });
});

describe("Manifests", () => {
  it("takes no file without text, which the YAML would leave out", () => {
    const { manifests } = stackFixture();
    const files = [{ path: "/etc/a", mode: 0o644 }] as unknown as NodeSetup["files"];
    expect(() => manifests.nodeSetup("all", { files, kubeletFlags: {} })).toThrowError(
      expect.objectContaining({ code: "property-missing" }),
    );
  });

  it("is one per stack", () => {
    const { app, stack, manifests } = stackFixture();
    expect(Manifests.of(stack)).toBe(manifests);
    expect(Manifests.of(manifests)).toBe(manifests);
    expect(Manifests.of(new TerraformStack(app, "other"))).not.toBe(manifests);
    expect(() => new Manifests(stack, "second")).toThrowError(
      expect.objectContaining({ code: "manifest-conflict", allowed: "one per stack, here prod/Manifests" }),
    );
  });

  it("gives the same chart for the same name and joins comments", () => {
    const { manifests } = stackFixture();
    const chart = manifests.chart("a", { order: 10, comment: ["one"] });
    expect(Chart.isChart(chart)).toBe(true);
    expect(manifests.chart("a", { order: 10, comment: ["one", "two"] })).toBe(chart);
    new ApiObject(chart, "x", { apiVersion: "v1", kind: "X" });
    expect(manifests.render().get("manifests/10-a.yaml")).toMatch(/^# one\n# two\napiVersion: v1\n/);
  });

  it.each<[string, (manifests: Manifests) => unknown, string]>([
    ["a name that is no DNS label", (m) => m.chart("A/b", { order: 1 }), "manifest-invalid"],
    [
      "a name of nodes that is none",
      (m) => m.nodeSetup("../x", { files: [], kubeletFlags: {} }),
      "manifest-invalid",
    ],
    ["an order of three digits", (m) => m.chart("a", { order: 100 }), "manifest-invalid"],
    ["a fraction as order", (m) => m.chart("a", { order: 1.5 }), "manifest-invalid"],
    [
      "a line break in a comment",
      (m) => m.chart("a", { order: 1, comment: ["x\nkind: X"] }),
      "manifest-invalid",
    ],
    [
      "a cluster of neither kind",
      (m) => m.chart("a", { order: 1, appliesTo: "Management-cluster" as "management-cluster" }),
      "property-invalid",
    ],
    ["a late comment", (m) => m.chart("a", { order: 1, comment: [Fn.upper("x")] }), "late-value"],
    ["another order", (m) => (m.chart("a", { order: 1 }), m.chart("a", { order: 2 })), "manifest-mismatch"],
    [
      "another cluster",
      (m) => (m.chart("a", { order: 1 }), m.chart("a", { order: 1, appliesTo: "management-cluster" })),
      "manifest-mismatch",
    ],
    [
      "another setup of the same nodes",
      (m) => (
        m.nodeSetup("a", { files: [], kubeletFlags: {} }),
        m.nodeSetup("a", { files: [], kubeletFlags: { x: "1" } })
      ),
      "manifest-conflict",
    ],
  ])("refuses %s", (_, run, code) => {
    const { manifests } = stackFixture();
    expect(() => run(manifests)).toThrowError(expect.objectContaining({ code }));
  });
});
