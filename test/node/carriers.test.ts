/*
 * What each carrier writes is read back by `explain` from the files alone. Expected texts were taken by the programs that
 * read them: Butane 0.28 with --strict, Ignition 2.26, Talos' machinery 1.13, cloud-init's schema.
 */

import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { explain } from "../../lib/explain";
import type { INodeCarrier } from "../../lib/model/node-carrier";
import {
  PlainCarrier,
  butane,
  cloudInit,
  ignition,
  k3s,
  kops,
  kubeadm,
  kubeadmConfigTemplate,
  microShift,
  rke2,
  talos,
} from "../../lib/node";
import { fromEcr, makers, plainCluster, synthesizedPulls } from "../support/image-pulls";

const SOURCE = { url: "https://example.com/ecr-1.36.0", sha256: "0".repeat(64) };

/** One pull on nodes that are made this way: the documents, and what explain says of the pull. */
function carried(carrier: INodeCarrier<Construct>, plugin: object = { version: "1.36.0" }) {
  const { outdir, written } = synthesizedPulls(() => ({
    cluster: plainCluster({ version: "1.36", carriers: [carrier], plugins: { ecr: plugin } }),
    identities: [makers.aws()],
    pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
  }));
  const documents = [...written.files].filter(([path]) => /^nodes|kubeadm/.test(path));
  const [result] = explain([outdir]);
  const open = result?.checks.filter(({ status }) => status !== "pass" && status !== "skipped");
  return { outdir, documents, verdict: result?.verdict, open };
}

const ROWS: readonly (readonly [string, INodeCarrier<Construct>, readonly string[]])[] = [
  ["plain data", new PlainCarrier(), ["nodes/all-nodes.yaml"]],
  ["RKE2 by cloud-init", rke2(), ["nodes/rke2.yaml"]],
  ["K3s by Ignition", k3s({ name: "edge", by: ignition() }), ["nodes/edge.ign"]],
  ["RKE2 by Butane", rke2({ by: butane({ variant: "flatcar" }) }), ["nodes/rke2.bu"]],
  ["MicroShift", microShift({ version: "5.0", by: ignition() }), ["nodes/microshift.ign"]],
  ["kubeadm v1beta4", kubeadm(), ["nodes/kubeadm.yaml", "nodes/kubeadm-config.yaml"]],
  [
    "kubeadm v1beta3 on Fedora CoreOS",
    kubeadm({ version: "v1beta3", by: butane({ variant: "fcos" }) }),
    ["nodes/kubeadm.bu", "nodes/kubeadm-config.yaml"],
  ],
  [
    "Cluster API v1beta1",
    kubeadmConfigTemplate({ name: "workers", namespace: "fleet" }),
    ["manifests/50-kubeadm-config-template.yaml"],
  ],
  [
    "Cluster API v1beta2",
    kubeadmConfigTemplate({ name: "workers", namespace: "fleet", version: "v1beta2" }),
    ["manifests/50-kubeadm-config-template.yaml"],
  ],
  ["Talos 1.13", talos({ version: "1.13" }), ["nodes/talos.yaml"]],
  ["Talos 1.14", talos({ version: "1.14", name: "workers" }), ["nodes/workers.yaml"]],
  ["kOps", kops(), ["nodes/kops.yaml"]],
];

describe("carriers", () => {
  it.each(ROWS)("%s: what is written is read back, and the pull is allowed", (_, carrier, files) => {
    const { documents, verdict, open } = carried(carrier);
    expect(open).toEqual([]);
    expect(verdict).toBe("allowed");
    expect(documents.map(([path]) => path).sort()).toEqual([...files].sort());
  });

  it.each(ROWS.filter(([name]) => !name.startsWith("Talos")))(
    "%s: nodes fetch the plugin only with its checksum",
    (_, carrier) => {
      const { documents, verdict } = carried(carrier, { version: "1.36.0", source: SOURCE });
      const text = documents.map(([, each]) => each).join("");
      expect(text).toContain(SOURCE.url);
      expect(text).toContain(SOURCE.sha256);
      expect(verdict).toBe("allowed");
    },
  );
});
void cloudInit;
