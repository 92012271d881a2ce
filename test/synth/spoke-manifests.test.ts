import { ApiObject } from "cdk8s";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readWorkloadIdentity } from "../../lib/artefact/workload-identity-file";
import { bind } from "../../lib/synth";
import { filesOf, stackFixture, stackFilesOf, temporaryFolder } from "../fixtures/synth/stack-fixture";

const LIST = { apiVersion: "v1", kind: "List", metadata: { name: "x" } };
const spoke = { order: 55, appliesTo: "spoke" } as const;
const setup = (content: string) => ({
  files: [{ path: "/etc/kubernetes/authentication.yaml", mode: 0o600, content }],
  kubeletFlags: {},
});

describe("manifests of spokes", () => {
  it("are in a folder of their own, say whose they are, and are read again", () => {
    const { app, manifests } = stackFixture();
    new ApiObject(manifests.chart("roles", { order: 10 }), "x", LIST);
    new ApiObject(manifests.chart("edge.eu", spoke), "x", LIST);
    manifests.spokeNodeSetup("edge.eu", setup("a: b\n"));
    app.synth();
    const files = stackFilesOf(app);
    expect(files["spokes/edge.eu.yaml"]).toBe(
      "# Belongs to the spoke edge.eu, not to the hub.\napiVersion: v1\nkind: List\nmetadata:\n  name: x\n",
    );
    expect(files["spokes/edge.eu_control-plane.yaml"]).toContain("\nfiles:\n");
    const identity = readWorkloadIdentity(files["workload-identity.json"] ?? "", "f");
    expect(identity.manifests).toEqual([
      { file: "manifests/10-roles.yaml", appliesTo: "cluster" },
      { file: "spokes/edge.eu.yaml", appliesTo: "spoke", spoke: "edge.eu" },
    ]);
    expect(identity.nodes).toEqual([{ file: "spokes/edge.eu_control-plane.yaml", spoke: "edge.eu" }]);
  });

  it("are bound with the others", () => {
    const { app, manifests } = stackFixture();
    new ApiObject(manifests.chart("edge", spoke), "x", LIST);
    manifests.spokeNodeSetup("edge", setup("a: b\n"));
    app.synth();
    const folder = temporaryFolder();
    const outputs = join(folder, "outputs.json");
    writeFileSync(outputs, "{}");
    bind({ outputs, to: join(folder, "to"), from: app.outdir });
    expect(Object.keys(filesOf(join(folder, "to"))).filter((file) => file.includes("spokes/"))).toEqual([
      expect.stringMatching(/\/spokes\/edge\.yaml$/),
      expect.stringMatching(/\/spokes\/edge_control-plane\.yaml$/),
    ]);
  });

  it("go when the spoke goes", () => {
    const outdir = temporaryFolder();
    const first = stackFixture(outdir);
    new ApiObject(first.manifests.chart("edge", spoke), "x", LIST);
    first.app.synth();
    expect(Object.keys(stackFilesOf(first.app))).toContain("spokes/edge.yaml");
    const second = stackFixture(outdir);
    new ApiObject(second.manifests.chart("roles", { order: 10 }), "x", LIST);
    second.app.synth();
    expect(Object.keys(stackFilesOf(second.app))).not.toContain("spokes/edge.yaml");
  });

  it.each(["../edge", "a/b", "Edge", "edge_control-plane", "a".repeat(251)])(
    "refuses the name %s",
    (name) => {
      const { manifests } = stackFixture();
      for (const write of [
        () => manifests.chart(name, spoke),
        () => manifests.spokeNodeSetup(name, setup("")),
      ])
        expect(write).toThrowError(expect.objectContaining({ code: "manifest-invalid" }));
    },
  );

  it("takes files for a control plane once", () => {
    const { manifests } = stackFixture();
    manifests.spokeNodeSetup("edge", setup("a: b\n"));
    manifests.spokeNodeSetup("edge", setup("a: b\n"));
    expect(() => manifests.spokeNodeSetup("edge", setup("a: c\n"))).toThrowError(
      expect.objectContaining({ code: "manifest-conflict" }),
    );
  });
});
