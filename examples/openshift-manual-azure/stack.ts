import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { IssuerContainer, componentIdentities } from "cdktf-workload-identity/azure";
import { credentialsRequests } from "cdktf-workload-identity/openshift";
import { PlatformComponents } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";
import { readFileSync } from "node:fs";

const folder = "examples/openshift-manual-azure";
const subscriptionId = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const region = "westeurope";

/** OpenShift 4.22 on Azure in manual mode: issuer in a blob container, one managed identity per component. */
export class ProdOnAzure extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AzurermProvider(this, "azurerm", { features: [{}], subscriptionId, storageUseAzuread: true });

    const issuer = new IssuerContainer(this, "issuer", {
      storageAccountName: "acmeprodazureissuer",
      blobContainerName: "prod-azure",
      resourceGroupName: "prod-azure-oidc",
      region,
      keys: [{ publicKey: readFileSync(`${folder}/issuer-key.pub`, "utf8"), use: "current" }],
    });

    new PlatformComponents(this, "components", {
      clusterName: "prod-azure",
      issuer,
      requests: credentialsRequests(`${folder}/credentials-requests`, { cloud: "azure", featureGates: [] }),
      identities: componentIdentities({
        subscriptionId,
        tenantId: "11111111-2222-4333-8444-555555555555",
        region,
        dnszoneResourceGroupName: "acme-dns",
      }),
    });
  }
}
