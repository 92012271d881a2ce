import type { StorageAccount } from "@cdktf/provider-azurerm/lib/storage-account/index.js";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { GivenIssuer, Issuer } from "../../model/issuer";
import { clusterName } from "../../model/kubernetes-name";
import { azureCloud, azureClouds } from "../../rules/azure/clouds";
import { location, resourceGroupId, resourceGroupName } from "../../rules/azure/ids";
import { storageAccountName } from "../../rules/azure/issuer";
import { type Tags, ccoctlTags, checkedTags } from "../../rules/azure/tags";
import { type IssuerDocumentsOptions, publishedJwks } from "../../rules/openid/issuer-documents";
import { requireAlgorithms } from "../../rules/openid/jwks";
import type { IssuerStorageProps } from "./issuer-storage-props";
import { keepNames } from "../shared/kept-names";
import { PerApp } from "../shared/per-app";
import { defaultProvider } from "./provider-place";
import { type ResourceGroupUse, checkResourceGroup } from "./resource-groups";

const HEADER_VALUE = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;

/** Storage accounts that an app declares, by name; the value is who does. */
const accounts = new PerApp<Construct>();

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
 * Throws `azure-name-invalid`, `azure-cloud-unknown`, `azure-guid-invalid`, `azure-tag-invalid`,
 * `azure-cache-control-invalid`, `azure-storage-account-taken`, `azure-documents-kept`,
 * `cluster-name-invalid`, `late-value`, `azure-resource-group-moved`, `azure-resource-group-tags`,
 * `azure-installation-group-used`, `azure-environment-mismatch`, and the refusals of keys. `namesCloud` says that the
 * issuer has the suffix of the stated cloud.
 */
export function checkIssuerStorage(
  construct: Construct,
  props: IssuerStorageProps,
  namesCloud: boolean,
): void {
  const { adopt, cacheControl } = props;
  storageAccountName(props.storageAccountName);
  resourceGroupName(props.resourceGroupName);
  location(props.region);
  azureCloud(props.cloud ?? "AzurePublicCloud");
  // Without them nothing depends on the cloud that counts where none is stated.
  if (namesCloud || adopt || props.cloud !== undefined) checkCloud(construct, props);
  if (cacheControl !== undefined && !isLate(cacheControl) && !HEADER_VALUE.test(cacheControl))
    fail("azure-invalid", {
      problem: "cacheControl is not the value of a Cache-Control header",
      value: cacheControl,
      allowed: "visible ASCII characters and blanks, for example public, max-age=300",
      remedy: "correct it, or leave it out",
    });
  requireAlgorithms(publishedJwks(props.keys), AZURE_DOCUMENTS.accepted);
  if (adopt) {
    resourceGroupId(adopt.subscriptionId, props.resourceGroupName);
    if (adopt.clusterName !== undefined) clusterName(adopt.clusterName);
    if (keepsDocuments(props) && props.keys.length > 1)
      fail("azure-mismatch", {
        problem: `adopt keeps the documents' content as it is, so ${props.keys.length} keys would not be published`,
        value: "keep",
        allowed: "exactly one key, the current one, while the documents are kept",
        remedy: 'state documents: "replace" in adopt before a rotation begins',
      });
  }
  const holder = accounts.get(construct, props.storageAccountName);
  if (holder)
    fail("azure-conflict", {
      problem: `${holder.node.path} already declares the storage account, whose name is one in all of Azure`,
      value: props.storageAccountName,
      allowed: "one issuer host per storage account",
      remedy: "give each issuer a storage account of its own, or remove one of the two",
    });
  checkResourceGroup(construct, issuerGroup(props));
}

/** The account is made in the provider's cloud, whatever is stated here. */
function checkCloud(
  construct: Construct,
  { cloud = "AzurePublicCloud", provider = defaultProvider(construct) }: IssuerStorageProps,
): void {
  const environment = provider?.environmentInput;
  if (environment === undefined || isLate(environment) || provider?.metadataHostInput !== undefined) return;
  const made = azureClouds.find(({ environments }) => environments.includes(environment.toLowerCase()));
  if (made && made.name !== cloud)
    fail("azure-mismatch", {
      problem: `the issuer's cloud is another one than that of the azurerm provider, whose environment is ${environment}`,
      value: cloud,
      allowed: made.name,
      remedy: "state the same cloud in both, or give the azurerm provider of this cloud as `provider`",
    });
}

/** Remembers that a construct declares the account. */
export function claimStorageAccount(
  construct: Construct,
  { storageAccountName: name }: IssuerStorageProps,
): void {
  accounts.set(construct, name, construct);
}

/** True where the documents' content is left as it is. */
export function keepsDocuments({ adopt }: IssuerStorageProps): boolean {
  return adopt !== undefined && adopt.documents !== "replace";
}

/** Tags of everything that a host declares. */
export function issuerTags({ adopt, tags }: IssuerStorageProps): Tags {
  return { ...(adopt?.clusterName !== undefined && ccoctlTags(adopt.clusterName)), ...checkedTags(tags) };
}

/** The resource group of the account. */
export function issuerGroup(props: IssuerStorageProps): ResourceGroupUse {
  const { adopt, provider, region, resourceGroup, resourceGroupName: name } = props;
  return {
    name,
    location: region,
    mode: resourceGroup ?? "declared",
    holds: "issuer",
    tags: issuerTags(props),
    ...(provider && { provider }),
    ...(adopt && {
      subscriptionId: adopt.subscriptionId,
      importId: resourceGroupId(adopt.subscriptionId, name),
    }),
  };
}

/** An issuer that something else serves; throws the refusals of issuers and `issuer-cluster-internal`. */
export function servedIssuer(issuerUrl: GivenIssuer): Issuer {
  const issuer = Issuer.of(issuerUrl);
  return issuer.clusterInternal ? fail("issuer-cluster-internal", issuer.url, "Microsoft Entra") : issuer;
}

/** For those that have the account as text, in the issuer's URL or in ids to import. */
export function keepAccount(
  account: StorageAccount,
  { storageAccountName: name, resourceGroupName: group, adopt }: IssuerStorageProps,
): void {
  const names = { name, ...(adopt && { resource_group_name: group }) };
  keepNames(account, { names, statedBy: "storageAccountName and resourceGroupName" });
}
