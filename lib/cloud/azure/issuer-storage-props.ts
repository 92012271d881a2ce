import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GivenIssuer, ISSUER } from "../../model/issuer";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import type { AzureCloudName } from "../../rules/azure/clouds";
import { type ResourceGroupMode, RESOURCE_GROUP_MODES } from "./resource-groups";
import { type ObjectKind, boolean, choice, list, object, optional, record, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** A storage account that publishes an issuer's documents. */
export interface IssuerStorageProps {
  /** Name of the storage account, 3 to 24 of a-z and 0-9, unique in all of Azure. */
  readonly storageAccountName: string;
  /** Resource group of the account; not the one that OpenShift's installer fills. */
  readonly resourceGroupName: string;
  /** Region of the account, for example `westeurope`; may be late. */
  readonly region: string;
  /** The public keys; Azure takes RSA keys alone. */
  readonly keys: readonly IssuerKey[];
  /**
   * The issuer, where something else serves the documents under a URL of your own: Azure Front Door, a proxy.
   *
   * @defaultValue - the URL of the storage
   */
  readonly issuerUrl?: GivenIssuer;
  /**
   * `declared`: the resource group is made, unless the app declares it already; `existing`: it exists.
   *
   * @defaultValue "declared"
   */
  readonly resourceGroup?: ResourceGroupMode;
  /**
   * How the account is replicated; the issuer must be readable whenever a component renews its credentials.
   *
   * @defaultValue "LRS"
   */
  readonly accountReplicationType?: "LRS" | "ZRS" | "GRS" | "RAGRS" | "GZRS" | "RAGZRS";
  /**
   * Whether the account's keys open it. Without them Terraform writes the documents as its own Entra identity: set
   * `storageUseAzuread` on the azurerm provider and give that identity the role `Storage Blob Data Contributor` before
   * the first apply: on the resource group or the subscription, since the account does not exist yet.
   *
   * @defaultValue - false where the azurerm provider has `storageUseAzuread`; true with a warning otherwise
   */
  readonly sharedAccessKeyEnabled?: boolean;
  /**
   * `Cache-Control` of the documents. Longer caching delays a rotation by as much.
   *
   * @defaultValue "public, max-age=300"
   */
  readonly cacheControl?: string;
  /**
   * The Azure cloud.
   *
   * @defaultValue "AzurePublicCloud"
   */
  readonly cloud?: AzureCloudName;
  /**
   * Tags of account and resource group.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Takes over an account with its documents, as `ccoctl azure create-oidc-issuer` made it, and its resource group.
   *
   * @defaultValue - everything is made
   */
  readonly adopt?: IssuerAdoption;
  /**
   * The Terraform provider of the account's subscription.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

const ISSUER_ADOPTION: ObjectKind<IssuerAdoption> = object({
  subscriptionId: text,
  clusterName: optional(text),
  documents: optional(choice(["keep", "replace"])),
});

/** The kind of {@link IssuerStorageProps}. */
export const ISSUER_STORAGE_PROPS: ObjectKind<IssuerStorageProps> = object({
  storageAccountName: text,
  resourceGroupName: text,
  region: text,
  keys: list(ISSUER_KEY),
  issuerUrl: optional(ISSUER),
  resourceGroup: optional(choice(RESOURCE_GROUP_MODES)),
  accountReplicationType: optional(choice(["LRS", "ZRS", "GRS", "RAGRS", "GZRS", "RAGZRS"])),
  sharedAccessKeyEnabled: optional(boolean),
  cacheControl: optional(text),
  cloud: optional(text),
  tags: optional(record(text)),
  adopt: optional(ISSUER_ADOPTION),
  provider: optional(PROVIDER),
});

/** What is taken over of a storage account. */
export interface IssuerAdoption {
  /** GUID of the subscription; literal, it stands in the ids under which Terraform imports. */
  readonly subscriptionId: string;
  /**
   * Name of the cluster as it was given to `ccoctl`, for the tag by which it knows its own.
   *
   * @defaultValue - the tag is not kept
   */
  readonly clusterName?: string;
  /**
   * What becomes of the documents' content. azurerm cannot read it, and would replace each document: for about a second
   * it would be gone. `keep` leaves the content as it is and warns, until `replace` is stated, which a rotation needs:
   * with more than one key `keep` is refused.
   *
   * @defaultValue "keep"
   */
  readonly documents?: "keep" | "replace";
}
