/*
 * Which accounts GKE clusters and Connect gateways admit: a role that was not read is unknown, and whatever grants the
 * same in another way is as good.
 * Source: cloud.google.com/iam/docs/permissions-reference, container.clusters.get and gkehub.gateway.get.
 */

import { HUBS } from "../../../fixtures/explain/all-spokes";
import { inDocument, put } from "../../../fixtures/explain/documents";
import { fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { type Damage, added, profile, resource, unrecorded } from "../../../fixtures/explain/fleet-damages";
import { MEMBER, customRole, denying, grantedBy, role } from "../../../fixtures/explain/google-members";
import { CA } from "../../../fixtures/fleet/ca";

const ID = "spoke-admits";
const ADMITTED = "IAM admits it";
const NONE = "no role admits it to clusters of project acme-prod";
const UNREAD = "a role whose permissions were not read";
const REACH = "whose reach is not known";
const OWNED = "another resource owns the same policy";
const DENIED = "an unjudged deny policy may take it away";

const binding = (name: string): Damage =>
  added("google_project_iam_binding", { project: "acme-prod", role: name, members: ["user:a@b.c"] });

fleetChecks(ID, "GKE", spokeOf("gke-d"), [
  ["as written", [], "pass", ADMITTED],
  ["a custom role that is not read", role("projects/acme-prod/roles/entry"), "unknown", UNREAD],
  ["a custom role of the organization", role("organizations/1/roles/entry"), "unknown", UNREAD],
  ["a custom role", customRole(["container.clusters.get"]), "pass", ADMITTED],
  ["a custom role without the permission", customRole(["container.pods.list"]), "fail", NONE],
  ["a disabled custom role", customRole(["container.clusters.get"], { stage: "DISABLED" }), "fail", NONE],
  ["a basic role", role("roles/viewer"), "pass", "roles/viewer on project acme-prod"],
  ["a role of another service", role("roles/logging.viewer"), "fail", NONE],
  ["a predefined role that is not known here", role("roles/composer.worker"), "unknown", UNREAD],
  ["on the folder", grantedBy("google_folder_iam_member", { folder: "folders/1" }), "unknown", REACH],
  ["on the organization", grantedBy("google_organization_iam_member", { org_id: "1" }), "unknown", REACH],
  ["on the project by its number", resource(MEMBER, "project", "123456789012"), "unknown", REACH],
  ["on another project", resource(MEMBER, "project", "other"), "fail", NONE],
  ["on a bucket", grantedBy("google_storage_bucket_iam_member", { bucket: "b" }), "fail", NONE],
  [
    "of another account",
    resource(MEMBER, "member", "serviceAccount:x@acme-prod.iam.gserviceaccount.com"),
    "unknown",
    "no role that admits it to clusters of project acme-prod was read",
  ],
  [
    "under a condition",
    resource(MEMBER, "condition", { title: "t", expression: "false" }),
    "unknown",
    "no role that admits it to clusters of project acme-prod was read",
  ],
  // registry.terraform.io: google_project_iam, authoritative resources
  ["a binding of the role without the account", binding("roles/container.clusterViewer"), "unknown", OWNED],
  ["a binding of another role", binding("roles/owner"), "pass", ADMITTED],
  [
    "a policy without the account",
    added("google_project_iam_policy", { project: "acme-prod", policy_data: '{"bindings":[]}' }),
    "unknown",
    OWNED,
  ],
  ["a deny policy", denying("container.googleapis.com/clusters.get"), "unknown", DENIED],
  [
    "a server of another cloud",
    profile("gke-d", [0, "cluster"], {
      server: "@late(data.aws_eks_cluster.eksc.endpoint)@",
      "certificate-authority-data": CA,
    }),
    "fail",
    "leads to data.aws_eks_cluster.eksc",
  ],
]);

const cluster = { issuer: HUBS.eks.issuer, apiServer: "1.35" };

fleetChecks(ID, "a Connect gateway", spokeOf("gw"), [
  ["as written", [], "pass", ADMITTED],
  ["a custom role", customRole(["gkehub.gateway.get"]), "pass", ADMITTED],
  ["a custom role of clusters", customRole(["container.clusters.get"]), "fail", NONE],
  ["a custom role that is not read", role("projects/acme-prod/roles/entry"), "unknown", UNREAD],
  ["a basic role", role("roles/editor"), "unknown", UNREAD],
  ["a role of clusters", role("roles/container.admin"), "fail", NONE],
  [
    "a role on the membership",
    grantedBy("google_gke_hub_membership_iam_member", { membership_id: "gw", location: "europe-west1" }),
    "unknown",
    "on gke hub membership gw",
  ],
  ["a deny policy", denying("gkehub.googleapis.com/gateway.get"), "unknown", DENIED],
  [
    "the gateway of another project",
    profile("gw", [0, "cluster", "server"], (server: unknown) =>
      String(server).replace("123456789012", "999999999999"),
    ),
    "unknown",
    "999999999999",
  ],
  // It has the project's number, which nothing else tells.
  ["a project that is not known without a record", unrecorded, "unknown", "", { cluster }],
]);

fleetChecks(ID, "a Connect gateway of a cluster outside of Google Cloud", spokeOf("ocp-gw"), [
  ["as written", [], "pass"],
  ["a project that is not known without a record", unrecorded, "unknown", "", { cluster }],
  [
    "an agent that may not act as the user",
    (all) =>
      inDocument(all, "spokes/ocp-gw.yaml", ["ClusterRole"], put(["rules", 0, "resourceNames"], ["other"])),
    "fail",
    "the Connect agent of ocp-gw may not act as",
  ],
]);
