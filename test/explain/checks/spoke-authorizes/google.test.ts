/* What IAM grants beside the RBAC of a cluster. Source: cloud.google.com/iam/docs/permissions-reference. */

import { fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { both, unbound } from "../../../fixtures/explain/fleet-damages";
import { customRole, denying, role } from "../../../fixtures/explain/google-members";

const ID = "spoke-authorizes";
const GRANTED = "IAM grants it rights in the cluster";
const without = unbound("gke-d");

fleetChecks(ID, "GKE, without RBAC", spokeOf("gke-d"), [
  [
    "a custom role that lets it work",
    both(customRole(["container.clusters.get", "container.jobs.create"]), without),
    "pass",
    GRANTED,
  ],
  [
    "a custom role that lets it in alone",
    both(customRole(["container.clusters.get", "container.clusters.list"]), without),
    "unknown",
    "no binding for hub-eks-kueue-system-",
  ],
  ["a basic role", both(role("roles/editor"), without), "pass", GRANTED],
  ["a predefined role", both(role("roles/container.developer"), without), "pass", GRANTED],
  [
    "a deny policy about what IAM lets it do",
    both(role("roles/container.viewer"), without, denying("container.googleapis.com/pods.list")),
    "unknown",
    "no binding",
  ],
]);
