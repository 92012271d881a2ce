import { describe, expect, it } from "vitest";
import { controller, multiKueue } from "../../lib/fleet";
import { consumerComment } from "../../lib/synth/fleet-access";

describe("consumerComment", () => {
  // kubernetes-sigs/kueue:pkg/config/validation.go refuses gates in both places.
  it("says where Kueue's feature gate stands", () => {
    const lines = [false, true].map((featureGatesByFlag) =>
      consumerComment(multiKueue({ version: "0.19", featureGatesByFlag }), undefined).at(-1),
    );
    expect(lines).toEqual([
      "Kueue does not start if the ConfigMap has featureGates and its command line has --feature-gates.",
      "The manager must have --feature-gates with MultiKueueClusterProfile=true on its command line.",
    ]);
  });

  it("says which workload needs which flag", () => {
    const workload = {
      kind: "Deployment",
      namespace: "fleet",
      name: "own",
      container: "own",
      serviceAccount: "own",
    } as const;
    const own = controller({ title: "own", workloads: [workload] });
    expect(consumerComment(own, "--flag=x")).toEqual([
      "Give the Deployment fleet/own of own the argument",
      "--flag=x",
    ]);
    expect(consumerComment(own, undefined)).toEqual([]);
  });
});
