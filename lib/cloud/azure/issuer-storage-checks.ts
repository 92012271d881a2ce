import type { Construct } from "constructs";
import { fail } from "../../errors";
import { oneOf } from "../../model/choice";
import { Issuer } from "../../model/issuer";
import { clusterName } from "../../model/kubernetes-name";
import { azureCloud } from "../../rules/azure/clouds";
import { location, resourceGroupName } from "../../rules/azure/resource-id";
import { resourceGroupId } from "../../rules/azure/scope-id";
import { storageAccountName } from "../../rules/azure/storage-account";
import type { IssuerDocumentsOptions } from "../../rules/openid/issuer-documents";
import { publishedJwks } from "../../rules/openid/issuer-keys";
import { requireAlgorithms } from "../../rules/openid/jwks";
import type { IssuerStorageProps } from "./issuer-storage-props";
import { RESOURCE_GROUP_MODES, checkResourceGroup } from "./resource-groups";

const REPLICATIONS: readonly string[] = ["LRS", "ZRS", "GRS", "RAGRS", "GZRS", "RAGZRS"];
const DOCUMENTS: readonly ("keep" | "replace")[] = ["keep", "replace"];

/**
 * How documents are written for Azure. Entra accepts RS256 alone (learn.microsoft.com, "Important considerations and
 * restrictions for federated identity credentials").
 */
export const AZURE_DOCUMENTS: IssuerDocumentsOptions & Required<Pick<IssuerDocumentsOptions, "accepted">> = {
  jwksPath: "openid/v1/jwks",
  accepted: { by: "Microsoft Entra", algorithms: ["RS256"] },
};

/**
 * Checks what every host has.
 *
 * Throws `azure-name-invalid`, `azure-cloud-unknown`, `azure-guid-invalid`, `choice-unknown`, `cluster-name-invalid`,
 * `late-value`, `azure-resource-group-moved`, and the refusals of keys.
 */
export function checkIssuerStorage(construct: Construct, props: IssuerStorageProps): void {
  const { adopt, provider } = props;
  storageAccountName(props.storageAccountName);
  resourceGroupName(props.resourceGroupName);
  location(props.region);
  azureCloud(props.cloud ?? "AzurePublicCloud");
  oneOf("resourceGroup", props.resourceGroup ?? "declared", RESOURCE_GROUP_MODES);
  oneOf("accountReplicationType", props.accountReplicationType ?? "LRS", REPLICATIONS);
  requireAlgorithms(publishedJwks(props.keys), AZURE_DOCUMENTS.accepted);
  if (adopt) {
    oneOf("adopt.documents", adopt.documents ?? "keep", DOCUMENTS);
    resourceGroupId(adopt.subscriptionId, props.resourceGroupName);
    if (adopt.clusterName !== undefined) clusterName(adopt.clusterName);
  }
  const group = { name: props.resourceGroupName, location: props.region, ...(provider && { provider }) };
  if (props.resourceGroup !== "existing") checkResourceGroup(construct, group);
}

/** An issuer that something else serves; throws the refusals of issuers and `issuer-cluster-internal`. */
export function servedIssuer(issuerUrl: string | Issuer): Issuer {
  const issuer = Issuer.of(issuerUrl);
  return issuer.clusterInternal ? fail("issuer-cluster-internal", issuer.url, "Microsoft Entra") : issuer;
}
