import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { ClusterInventory, SpokeCluster, StatusWriter } from "../../lib/fleet";
import { readWorkloadIdentity } from "../../lib/artefact/workload-identity-file";
import { bind } from "../../lib/synth/bind/bind-folder";
import { validateClusterProfile } from "../../lib/rules/fleet/cluster-profile-schema";
import { CA } from "../fixtures/fleet/spokes";
import { stackFixture, temporaryFolder } from "../fixtures/synth/stack-fixture";

describe("a spoke whose address Terraform knows only after apply", () => {
  it("has a status with placeholders that bind fills in, in its manifest and in the Job's document", () => {
    const { app, manifests, data } = stackFixture();
    const profiles = manifests.chart("cluster-profiles", { order: 30 });
    const inventory = new ClusterInventory(profiles, "inventory", {
      namespace: "fleet",
      clusterManager: "platform-iac",
      statusScope: manifests.chart("cluster-profile-status", { order: 40 }),
    });
    const endpoint = { server: `https://${data.id}`, certificateAuthorityData: data.output };
    const spoke = new SpokeCluster(inventory, "spoke-g", {
      access: { cloud: "google", endpoint, parameters: {} },
    });
    new StatusWriter(manifests.chart("status-writer", { order: 50 }), "writer", {
      spoke,
      kubectlVersion: "1.35.2",
    });
    app.synth();

    const folder = temporaryFolder();
    const outputs = join(folder, "outputs.json");
    const { placeholders } = readWorkloadIdentity(
      readFileSync(join(app.outdir, "stacks", "prod", "workload-identity.json"), "utf8"),
      "workload-identity.json",
    );
    const values = Object.values(placeholders).flatMap((placeholder) =>
      "output" in placeholder
        ? [
            [
              placeholder.output,
              {
                value: placeholder.expression.includes(".id") ? "203.0.113.5" : CA,
                type: "string",
                sensitive: false,
              },
            ],
          ]
        : [],
    );
    expect(values).toHaveLength(2);
    writeFileSync(outputs, JSON.stringify(Object.fromEntries(values)));
    bind({ from: app.outdir, outputs, to: join(folder, "to") });

    const [status] = parseAllDocuments(
      readFileSync(join(folder, "to", "prod", "manifests", "40-cluster-profile-status.yaml"), "utf8"),
    ).map((document) => document.toJS() as { status: { accessProviders: object[] } });
    expect(status?.status.accessProviders).toEqual([
      {
        name: "google-spoke-g",
        cluster: { server: "https://203.0.113.5", "certificate-authority-data": CA },
      },
    ]);
    expect(validateClusterProfile(status, "v1alpha1")).toEqual({ dropped: [], rejected: [] });
    const job = readFileSync(join(folder, "to", "prod", "manifests", "50-status-writer.yaml"), "utf8");
    const [text] = parseAllDocuments(job).flatMap((document) => {
      const { data: found } = document.toJS() as { data?: Record<string, string> };
      return found ? [found["cluster-profile.json"] ?? ""] : [];
    });
    expect(JSON.parse(text ?? "")).toEqual(status);
  });
});
