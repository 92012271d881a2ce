import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import {
  componentServiceAccounts,
  googleAccess,
  workloadServiceAccounts,
} from "cdktf-workload-identity/google";
import { credentialsRequests } from "cdktf-workload-identity/openshift";
import { PlatformComponents, WorkloadAccess } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";
import { readFileSync } from "node:fs";

const folder = "examples/openshift-manual-google";
const [name, issuer] = ["prod-google", "https://prod-google.oidc.acme.example"];

/** OpenShift 4.22 on Google Cloud in manual mode: the issuer's keys are uploaded; a workload uses the same pool. */
export class ProdOnGoogle extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const project = { project: "acme-prod", projectNumber: "123456789012" } as const;
    new GoogleProvider(this, "google", { project: project.project, region: "europe-west1" });

    // Google has the public keys: nothing needs to be published under the issuer's URL.
    const publicKey = readFileSync(`${folder}/issuer-key.pub`, "utf8");
    const trust = { ...project, keys: [{ publicKey, use: "current" }] } as const;

    new PlatformComponents(this, "components", {
      clusterName: name,
      issuer,
      requests: credentialsRequests(`${folder}/credentials-requests`, { cloud: "google", featureGates: [] }),
      identities: componentServiceAccounts(trust),
    });

    new WorkloadAccess(this, "workloads", {
      cluster: { name, issuer },
      workloads: [
        {
          serviceAccount: "shop/reports",
          may: googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-sales" }] }),
        },
      ],
      identities: [workloadServiceAccounts(trust)],
    });
  }
}
