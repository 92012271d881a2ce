import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { acr, pullIdentities } from "cdktf-workload-identity/azure";
import { hostedOpenShift } from "cdktf-workload-identity/openshift";
import { ImagePulls } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

const subscription = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";

/** The setting of openshift/hypershift pull request 8397: a hosted cluster on Azure pulls from ACR. */
export class AroHcp extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AzurermProvider(this, "azurerm", { features: [{}], subscriptionId: subscription.split("/")[2] });

    new ImagePulls(this, "pulls", {
      cluster: hostedOpenShift({
        name: "aro-hcp",
        version: "4.22",
        platform: "azure",
        issuer: "https://uksouth.oic.aro.azure.example/0f7d2c1e/aro-hcp",
        nodePools: ["workers"],
        namespace: "clusters",
      }),
      // The identity's client id is known only after apply: the manifests get it from `bind`.
      identities: [pullIdentities({ resourceGroupName: "aro-hcp-identities", location: "uksouth" })],
      pulls: [
        {
          serviceAccount: "acr-sa-test/acr-pull-sa",
          from: acr({
            registry: `${subscription}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/aroimages`,
            roleAssignmentMode: "LegacyRegistryPermissions",
          }),
        },
      ],
      // The object names of that pull request: one ClusterRole, bound for the whole guest cluster.
      tokenAudience: { scope: "cluster", roleName: "system:node:credential-provider-token-audience" },
    });
  }
}
