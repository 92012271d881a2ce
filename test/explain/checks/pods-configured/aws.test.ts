/*
 * EKS Pod Identity in what people have: an association in a state, a service account without annotation in a dump.
 * Associations that a configuration declares are in test/cloud/aws/pod-identity.test.ts.
 */

import { checks } from "../../../fixtures/explain/checks";
import { AGENT, associated } from "../../../fixtures/explain/states";

const ID = "pods-configured";
/** The DaemonSet of the agent, with these arguments. */
const agent = (args: readonly string[], more: object = {}, pods: object = {}, namespace = "kube-system") => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "eks-pod-identity-agent", namespace },
  spec: {
    selector: { matchLabels: { app: "agent" } },
    template: {
      metadata: { labels: { app: "agent" } },
      spec: { containers: [{ name: "eks-pod-identity-agent", image: "agent:v0.1.33", args }], ...pods },
    },
  },
  ...more,
});
const OF_PROD = ["--port", "80", "--cluster-name", "prod"];
const withAgent = (...of: Parameters<typeof agent>) => associated({}, agent(...of));

// EKS user guide, "Set up the Amazon EKS Pod Identity Agent"; aws/eks-pod-identity-agent, charts/eks-pod-identity-agent.
checks(ID, "the agent of EKS Pod Identity", { artefacts: associated(AGENT), serviceAccount: "shop/web" }, [
  ["as an add-on in the state", [], "pass", "the agent gives them credentials"],
  ["that was not read", () => associated({}), "unknown", "is not known"],
  [
    "as an add-on of another cluster",
    () => associated({ "aws_eks_addon.agent": { ...AGENT["aws_eks_addon.agent"], cluster_name: "staging" } }),
    "unknown",
  ],
  ["as a DaemonSet in the dump", () => withAgent(OF_PROD), "pass", "the agent gives them credentials"],
  ["as a DaemonSet with an equals sign", () => withAgent(["--cluster-name=prod"]), "pass"],
  ["as a DaemonSet that names no cluster", () => withAgent([]), "pass"],
  ["as a DaemonSet of another cluster", () => withAgent(["--cluster-name", "staging"]), "unknown"],
  ["as a DaemonSet in another namespace", () => withAgent(OF_PROD, {}, {}, "shop"), "unknown"],
  [
    "as a DaemonSet of which no pod is ready",
    () => withAgent(OF_PROD, { status: { numberReady: 0 } }),
    "unknown",
  ],
  ["as a DaemonSet with ready pods", () => withAgent(OF_PROD, { status: { numberReady: 3 } }), "pass"],
  ["as a DaemonSet on some nodes", () => withAgent(OF_PROD, {}, { nodeSelector: { pool: "a" } }), "unknown"],
]);
