/* GKE's own pool. Source: Google Cloud documentation, "About Workload Identity Federation for GKE". */

import { checks } from "../../../fixtures/explain/checks";
import { gkeNative, native, poolOf } from "../../../fixtures/explain/gke-native";

const ID = "issuer-trusted";
const PASS = "exchanges tokens at its workload pool acme-prod.svc.id.goog";
const OFF = { workload_identity_config: [] };

checks(ID, "the workload pool of a GKE cluster", native, [
  ["of its project", [], "pass", PASS],
  ["none", gkeNative({ cluster: OFF }), "fail", "has no workload pool"],
  [
    "without a name",
    gkeNative({ cluster: { workload_identity_config: [{ workload_pool: "" }] } }),
    "fail",
    "has no workload pool",
  ],
  [
    "of Autopilot, which always has one",
    gkeNative({ cluster: { ...OFF, enable_autopilot: true } }),
    "pass",
    PASS,
  ],
  [
    "of its fleet",
    gkeNative({
      cluster: { ...poolOf("acme-fleet"), fleet: [{ project: "acme-fleet" }] },
      member: "serviceAccount:acme-fleet.svc.id.goog[shop/web]",
    }),
    "pass",
    "its workload pool acme-fleet.svc.id.goog",
  ],
  [
    "of a project that is neither",
    gkeNative({
      cluster: { ...poolOf("acme-test"), fleet: [{ project: "acme-fleet" }] },
      member: "serviceAccount:acme-test.svc.id.goog[shop/web]",
    }),
    "unknown",
    "belongs to the project or the fleet",
  ],
  [
    "in another form",
    gkeNative({ cluster: { workload_identity_config: [{ workload_pool: "x.example" }] } }),
    "unknown",
    "is not known",
  ],
  ["that was not read", gkeNative({ cluster: null }), "unknown", "its Terraform was not read"],
]);

checks(ID, "a cluster of which nothing is known", { ...native, cluster: {} }, [
  ["beside no other", gkeNative({ cluster: null }), "unknown", "--cluster with its name"],
]);
