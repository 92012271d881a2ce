/*
 * Whether pods reach GKE's metadata server. Source: Google Cloud documentation, "About Workload Identity Federation for
 * GKE": the server is on nodes with GKE_METADATA, and pods in the host network get the identity of their node.
 */

import { checks } from "../../../fixtures/explain/checks";
import { gkeNative, native } from "../../../fixtures/explain/gke-native";

const DEFAULT = { remove_default_node_pool: false, node_config: [{ workload_metadata_config: [] }] };

checks("pods-configured", "GKE's metadata server", native, [
  [
    "on every node pool",
    gkeNative({ modes: ["GKE_METADATA", "GKE_METADATA"] }),
    "pass",
    "every node pool that was read",
  ],
  [
    "on some",
    gkeNative({ modes: ["GKE_METADATA", "GCE_METADATA"] }),
    "unknown",
    'pools["pool-1"] is GCE_METADATA',
  ],
  ["on no node pool that was read", gkeNative({ modes: [] }), "unknown", "no node pool was read"],
  [
    "on every node of Autopilot",
    gkeNative({ modes: [], cluster: { enable_autopilot: true } }),
    "pass",
    "Autopilot",
  ],
  ["not on the default node pool", gkeNative({ cluster: DEFAULT }), "unknown", "is not stated"],
  [
    "not on a node pool that the cluster lists",
    gkeNative({
      cluster: { node_pool: [{ node_config: [{ workload_metadata_config: [{ mode: "GCE_METADATA" }] }] }] },
    }),
    "unknown",
    "GCE_METADATA",
  ],
  [
    "for pods in the host network",
    gkeNative({ pods: { hostNetwork: true } }),
    "fail",
    "is in the host network",
  ],
  [
    "for pods with a key",
    gkeNative({ pods: { env: { GOOGLE_APPLICATION_CREDENTIALS: "/key.json" } } }),
    "unknown",
    "sets GOOGLE_APPLICATION_CREDENTIALS",
  ],
]);
