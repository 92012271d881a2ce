import { describe, expect, it } from "vitest";
import { explain } from "../../lib/explain";
import type { INodeCarrier } from "../../lib/model/node-carrier";
import { k3s, rke2 } from "../../lib/node";
import { PlainCarrier } from "../../lib/node/kubernetes-cluster";
import type { Construct } from "constructs";
import { fromEcr, makers, plainCluster, synthesizedPulls } from "../support/image-pulls";

/** One pull on nodes that are made this way: the document, the paths of the files, and what explain says of the pull. */
function carried(carrier: INodeCarrier<Construct>, kubelet = "1.35") {
  const { outdir, written } = synthesizedPulls(() => ({
    cluster: plainCluster({ version: kubelet, carriers: [carrier] }),
    identities: [makers.aws()],
    pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
  }));
  const [file = "", text = ""] = [...written.files].find(([path]) => path.startsWith("nodes/")) ?? [];
  const [result] = explain([outdir]);
  return { outdir, file, text, verdict: result?.verdict, checks: result?.checks };
}

describe("carriers", () => {
  it.each([
    ["rke2", rke2(), "nodes/rke2.yaml"],
    ["k3s", k3s({ name: "edge" }), "nodes/edge.yaml"],
    ["plain", new PlainCarrier(), "nodes/all-nodes.yaml"],
  ])("%s: is read back, and the pull is allowed", (_, carrier, name) => {
    const { file, verdict, checks } = carried(carrier);
    expect(file).toBe(name);
    expect(checks?.filter(({ status }) => status !== "pass" && status !== "skipped")).toEqual([]);
    expect(verdict).toBe("allowed");
  });
});
