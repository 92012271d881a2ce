/* Workloads in GKE's own pool as this library writes them, and each part of them taken away. */

import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import { ContainerNodePool } from "@cdktf/provider-google/lib/container-node-pool/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { describe, expect, it } from "vitest";
import {
  WorkloadServiceAccount,
  gke,
  googleAccess,
  workloadServiceAccounts,
  type WorkloadServiceAccountsProps,
} from "../../../lib/cloud/google";
import { WorkloadAccess } from "../../../lib/synth";
import { type Artefacts, type Edit, edited, synthesizedStack } from "../../fixtures/explain/artefacts";
import { answer } from "../../fixtures/explain/checks";

const PROJECT = "shop-prod";
const location = "europe-west1";
const settings: WorkloadServiceAccountsProps = { project: PROJECT, pool: "gke" };

interface Written {
  readonly changed?: Partial<WorkloadServiceAccountsProps>;
  readonly as?: string;
  readonly isDeclared?: boolean;
}

function written({ changed = {}, as, isDeclared = true }: Written): Artefacts {
  return synthesizedStack((stack) => {
    new GoogleProvider(stack, "google", { project: PROJECT });
    if (isDeclared) {
      const workloadPool = `${PROJECT}.svc.id.goog`;
      const cluster = new ContainerCluster(stack, "cluster", {
        name: "prod",
        location,
        project: PROJECT,
        removeDefaultNodePool: true,
        initialNodeCount: 1,
        workloadIdentityConfig: { workloadPool },
      });
      const nodeConfig = { workloadMetadataConfig: { mode: "GKE_METADATA" } };
      new ContainerNodePool(stack, "nodes", {
        cluster: cluster.name,
        location,
        project: PROJECT,
        nodeConfig,
      });
    }
    const may = googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "sales" }] });
    const existing =
      as === undefined ? {} : { as: WorkloadServiceAccount.fromEmail(stack, "as", { email: as }) };
    new WorkloadAccess(stack, "workloads", {
      cluster: gke({ name: "prod", project: PROJECT, location }),
      identities: [workloadServiceAccounts({ ...settings, ...changed })],
      workloads: [{ serviceAccount: "shop/web", may, ...existing }],
    });
  });
}

function said(artefacts: Artefacts): string {
  const { verdict, checks } = answer({ artefacts, serviceAccount: "shop/web" });
  const first = checks.find(({ status }) => status === "fail" || status === "unknown");
  return first === undefined ? verdict : `${verdict}: ${first.id}: ${first.reason}`;
}

describe("workloads in GKE's own pool", () => {
  it.each<[string, Written]>([
    ["with a Google service account", {}],
    ["as the principal itself", { changed: { impersonate: false, projectNumber: "123456789012" } }],
  ])("are allowed %s", (_, how) => expect(said(written(how))).toBe("allowed"));

  it("are allowed to act as an existing Google service account, whose rights are not known", () => {
    const email = "web@shop-data.iam.gserviceaccount.com";
    expect(said(written({ as: email }))).toContain(
      `unknown: identity-found: the service account ${email} is not among what was read`,
    );
  });

  it("are not known where the cluster was not read", () => {
    expect(said(written({ isDeclared: false }))).toContain("unknown: pods-configured");
  });

  const TERRAFORM = "cdk.tf.json";
  it.each<[string, Edit, string]>([
    [
      "the binding",
      [TERRAFORM, "svc.id.goog[shop/web]", "svc.id.goog[store/web]"],
      "denied: subject-admitted: ",
    ],
    [
      "the annotation",
      ["20-service-accounts.yaml", "iam.gke.io/gcp-service-account", "iam.gke.io/other"],
      "denied: account-annotated: ",
    ],
    ["the role", [TERRAFORM, "roles/storage.objectViewer", "roles/storage.admins"], "permissions-granted: "],
    ["the metadata server", [TERRAFORM, "GKE_METADATA", "GCE_METADATA"], "unknown: pods-configured: "],
    ["what its mode is", [TERRAFORM, "GKE_METADATA", "${var.mode}"], "unknown: pods-configured: "],
    [
      "the pool",
      [TERRAFORM, '"workload_pool": "shop-prod.svc.id.goog"', '"workload_pool": ""'],
      "unknown: issuer-trusted: the workload pool of google_container_cluster.cluster is not known",
    ],
    [
      "the project of the pool",
      [TERRAFORM, '"workload_pool": "shop-prod.svc.id.goog"', '"workload_pool": "shop-test.svc.id.goog"'],
      "denied: issuer-trusted: whether the workload pool shop-test.svc.id.goog belongs",
    ],
    [
      "what a node pool is",
      [TERRAFORM, '"workload_metadata_config"', '"tomorrow": "x",\n"workload_metadata_config"'],
      "unknown: all-understood: ",
    ],
  ])("are not allowed without %s", (_, edit, wanted) =>
    expect(said(edited(written({}), [edit]))).toContain(wanted),
  );
});
