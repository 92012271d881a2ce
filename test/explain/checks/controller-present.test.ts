import { describe, expect, it } from "vitest";
import { withoutDocument } from "../../fixtures/explain/fleet";
import { entered, fleetChecks, spokeIn } from "../../fixtures/explain/fleet-checks";
import { HUB, both, recorded, unrecorded, workload } from "../../fixtures/explain/fleet-damages";
import { allSpokes } from "../../fixtures/explain/all-spokes";
import { entering } from "../../fixtures/explain/one-spoke";

const ID = "controller-present";

fleetChecks(ID, "MultiKueue", spokeIn("fleet-multikueue", "cpu-1"), [
  ["its pods", [], "pass", "opens connections as kueue-system/kueue-controller-manager"],
  [
    "neither a record nor a list, which says who enters",
    both(
      recorded([], undefined),
      ...["ConfigMap", "Deployment", "ServiceAccount"].map(
        (kind) => (all: ReadonlyMap<string, string>) => withoutDocument(all, HUB, `kind: ${kind}`),
      ),
    ),
    "unknown",
    "no list of access providers was read",
  ],
]);

fleetChecks(ID, "another controller", { artefacts: allSpokes("openshift", "generic"), spoke: "eks-g" }, [
  [
    "pods of another service account",
    workload(["serviceAccountName"], "default"),
    "fail",
    "run as ops/default",
  ],
]);

describe("a list without a record", () => {
  it("is read by someone who is not known", () => {
    const artefacts = unrecorded(entering());
    const { subject, checks } = entered({ artefacts, spoke: "own" });
    expect([subject, checks.find(({ status }) => status !== "pass")]).toEqual([
      "ops/*",
      expect.objectContaining({
        id: ID,
        reason: expect.stringContaining("without a record of the fleet") as string,
      }),
    ]);
  });
});
