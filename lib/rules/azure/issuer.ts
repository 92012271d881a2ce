/*
 * Storage accounts and containers that publish an issuer's documents: names and URLs. Source of the names:
 * learn.microsoft.com, "Naming rules and restrictions for Azure resources"; of the suffixes: kubernetes-sigs/
 * cloud-provider-azure, pkg/azclient/cloud.go.
 */

import { literal } from "../../model/late";
import type { AcceptedAlgorithms } from "../openid/jwks";
import { type AzureCloudName, azureCloud } from "./clouds";
import { invalidName } from "./names";

/** learn.microsoft.com, "Important considerations and restrictions for federated identity credentials". */
export const ACCEPTED_ALGORITHMS: AcceptedAlgorithms = { by: "Microsoft Entra", algorithms: ["RS256"] };

const ACCOUNT = /^[a-z0-9]{3,24}$/;
const CONTAINER = /^(?=.{3,63}$)[a-z0-9](?:-?[a-z0-9])*$/;

/** Container with a storage account's static website. */
export const WEBSITE_CONTAINER = "$web";

export function storageAccountName(value: string): string {
  const allowed = "3 to 24 of a-z and 0-9, unique in all of Azure";
  return typeof literal(value, "storageAccountName") === "string" && ACCOUNT.test(value)
    ? value
    : invalidName("storageAccountName", value, allowed);
}

export function blobContainerName(value: string): string {
  const allowed = "3 to 63 of a-z, 0-9 and -, no two hyphens in a row, none at either end";
  return typeof literal(value, "blobContainerName") === "string" && CONTAINER.test(value)
    ? value
    : invalidName("blobContainerName", value, allowed);
}

/** URL of a blob container, without a final slash; the prefix of its blobs' URLs. */
export function containerUrl(cloud: AzureCloudName, account: string, container: string): string {
  return `https://${account}.blob.${azureCloud(cloud).storageSuffix}/${container}`;
}
