import { inDocument, put } from "../../fixtures/explain/documents";
import { withoutDocument } from "../../fixtures/explain/fleet";
import { fleetChecks, spokeIn } from "../../fixtures/explain/fleet-checks";
import { HUB, POD } from "../../fixtures/explain/fleet-damages";

const ID = "profile-readable";
const READER = "argocd-clusterprofile-controller";
const unwatched = [HUB, "      - watch\n", ""] as const;

/** A role beside those of the stack, which no binding that was read names. */
const role = (name: string): { others: Record<string, string> } => ({
  others: {
    "role.json": JSON.stringify({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "more" },
      rules: [
        {
          apiGroups: ["multicluster.x-k8s.io"],
          resources: ["clusterprofiles"],
          verbs: ["watch"],
          resourceNames: [name],
        },
      ],
    }),
  },
});
const LATE = "@late(none.such)@";

fleetChecks(ID, "Argo CD's profile controller", spokeIn("fleet-argocd", "shop-aws"), [
  ["may get, list and watch", [], "pass"],
  ["may not watch", unwatched, "fail", "watch"],
  ["may not watch, beside a role of another name", unwatched, "fail", "watch", role("x")],
  [
    "may not watch, beside a role with a value known only after apply",
    unwatched,
    "unknown",
    ", unless a role or binding with a value known only after apply allows it",
    role(LATE),
  ],
  ["may, beside such a role", [], "pass", "", role(LATE)],
  [
    "no binding was read",
    (all) => withoutDocument(all, HUB, "kind: RoleBinding"),
    "unknown",
    "no binding was read",
  ],
  [
    "pods of another service account",
    (all) => inDocument(all, HUB, ["Deployment", READER], put([...POD, "serviceAccountName"], "default")),
    "fail",
    "run as argocd/default",
  ],
]);
