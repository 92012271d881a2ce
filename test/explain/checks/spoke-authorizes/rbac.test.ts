/* Whether the RBAC of a spoke binds who enters to a role that allows anything, whatever its cloud. */

import { inDocument, put } from "../../../fixtures/explain/documents";
import { damaged } from "../../../fixtures/explain/fleet";
import { fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { type Damage, unbound } from "../../../fixtures/explain/fleet-damages";

const ID = "spoke-authorizes";

const bound =
  (spoke: string, key: string, value: unknown): Damage =>
  (all) =>
    inDocument(all, `spokes/${spoke}.yaml`, ["ClusterRoleBinding"], put(["subjects", 0, key], value));

/** The role of the binding is beside it. */
const withRole =
  (rules: string): Damage =>
  (all) =>
    damaged(
      all,
      "spokes/eks-g.yaml",
      (text) =>
        `${text}---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: deployer }\nrules: ${rules}\n`,
    );
const NOTHING = "RBAC of eks-g binds group g to ClusterRole deployer, which allows nothing";

fleetChecks(ID, "a group", spokeOf("eks-g"), [
  ["as written", [], "pass"],
  ["another group", bound("eks-g", "name", "x"), "fail", "no binding of eks-g names g"],
  ["a user of its name", bound("eks-g", "kind", "User"), "fail", "no binding of eks-g names g"],
  ["no binding", unbound("eks-g"), "unknown", "no binding for g on the spoke eks-g was read"],
  [
    "a role of a namespace for the whole cluster",
    (all) => inDocument(all, "spokes/eks-g.yaml", ["ClusterRoleBinding"], put(["roleRef", "kind"], "Role")),
    "unknown",
    "no binding",
  ],
  ["a role with rules", withRole('[{ verbs: ["*"], apiGroups: [""], resources: ["pods"] }]'), "pass"],
  ["a role without rules", withRole("[]"), "fail", NOTHING],
  ["a role with a rule for nothing", withRole('[{ verbs: ["get"], apiGroups: [""] }]'), "fail", NOTHING],
  [
    "a role that the API server refuses, since its rule names no API group",
    withRole('[{ verbs: ["*"], resources: ["pods"] }]'),
    "fail",
    NOTHING,
  ],
]);

fleetChecks(ID, "a user", spokeOf("own"), [
  ["as written", [], "pass"],
  [
    "another user",
    bound("own", "name", "hub:x"),
    "fail",
    "no binding of own names hub-eks:system:serviceaccount:",
  ],
  ["a group of its name", bound("own", "kind", "Group"), "fail", "no binding of own names"],
  [
    "another account of Google",
    bound("gke-d", "name", "x@y.iam.gserviceaccount.com"),
    "fail",
    "no binding of gke-d names hub-eks-kueue-system-",
    { spoke: "gke-d" },
  ],
  [
    "another identity of Azure, which a role may authorize too",
    bound("aks", "name", "x"),
    "unknown",
    "no role of the identity on the cluster of aks was read",
    { spoke: "aks" },
  ],
]);
