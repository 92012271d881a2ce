import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { StorageAccount } from "@cdktf/provider-azurerm/lib/storage-account/index.js";
import type { StorageBlob, StorageBlobConfig } from "@cdktf/provider-azurerm/lib/storage-blob/index.js";
import { type ITerraformDependable, Annotations } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import { type IIssuerHost, GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import { clusterName } from "../../model/kubernetes-name";
import { isLate } from "../../model/late";
import { type ObjectKind, boolean, choice, list, object, optional, record, text } from "../../model/shape";
import { type AzureCloudName, azureCloud, azureClouds } from "../../rules/azure/clouds";
import { resourceGroupId, storageAccountId } from "../../rules/azure/ids";
import { ACCEPTED_ALGORITHMS, containerUrl, storageAccountName } from "../../rules/azure/issuer";
import { location, resourceGroupName } from "../../rules/azure/names";
import { type Tags, ccoctlTags, checkedTags, tagsArgument } from "../../rules/azure/tags";
import {
  type IssuerDocuments,
  type IssuerDocumentsOptions,
  type OpenIdDocument,
  publishedJwks,
} from "../../rules/openid/issuer-documents";
import { requireAlgorithms } from "../../rules/openid/jwks";
import { terraformText } from "../../rules/terraform-text";
import { keepNames } from "../shared/kept-names";
import { PROVIDER } from "../shared/kinds";
import { PerApp } from "../shared/per-scope";
import { preventDestroy } from "../shared/prevent-destroy";
import { attributeOf, dependsOn } from "../shared/references";
import {
  type ResourceGroupMode,
  type ResourceGroupUse,
  RESOURCE_GROUP_MODES,
  checkResourceGroup,
  checkSubscription,
  declaredGroups,
  defaultProvider,
  useResourceGroup,
} from "./place";
import { IssuerBlob } from "./renamed-arguments";
import { issuerClusterInternal } from "../../model/problems";

/** Properties of a storage account that publishes an issuer's documents. */
export interface IssuerStorageProps {
  /** Name of the storage account, 3 to 24 of a-z and 0-9, unique in all of Azure. */
  readonly storageAccountName: string;
  /** Resource group of the account; must not be the one for OpenShift's installer. */
  readonly resourceGroupName: string;
  /** Region of the account, for example `westeurope`; may be late. */
  readonly region: string;
  /** The public keys; Azure accepts only RSA keys. */
  readonly keys: readonly IssuerKey[];
  /**
   * The issuer, if another server such as Azure Front Door or a proxy serves the documents under your own URL.
   *
   * @defaultValue - the URL of the storage
   */
  readonly issuerUrl?: GivenIssuer;
  /**
   * `declared`: the resource group is created, unless the app already declares it; `existing`: it exists.
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
   * Whether the account can be accessed with its keys. Without them Terraform writes the documents with its own Entra
   * identity: set `storageUseAzuread` on the azurerm provider and give that identity the role `Storage Blob Data
   * Contributor` before the first apply, on the resource group or the subscription because the account does not exist
   * yet.
   *
   * @defaultValue - false if the azurerm provider has `storageUseAzuread`; otherwise true with a warning
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
   * Adopts an account of `ccoctl azure create-oidc-issuer` with its documents and its resource group.
   *
   * @defaultValue - everything is created
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

/** Settings for adopting a storage account. */
export interface IssuerAdoption {
  /** GUID of the subscription; literal, because it is part of the ids that Terraform imports. */
  readonly subscriptionId: string;
  /**
   * Name of the cluster that was given to `ccoctl`, for the tag by which it finds its resources.
   *
   * @defaultValue - the tag is not kept
   */
  readonly clusterName?: string;
  /**
   * What happens to the documents' content. azurerm cannot read it and would replace each document, which would be
   * missing for about a second. `keep` does not change the content, and warns. A rotation needs `replace`: with more
   * than one key `keep` is refused.
   *
   * @defaultValue "keep"
   */
  readonly documents?: "keep" | "replace";
}

const HEADER_VALUE = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;

/** By app: the construct that declares each storage account, by name. */
const accounts = new PerApp<Construct>();

export const AZURE_DOCUMENTS: IssuerDocumentsOptions & Required<Pick<IssuerDocumentsOptions, "accepted">> = {
  jwksPath: "openid/v1/jwks",
  accepted: ACCEPTED_ALGORITHMS,
};

/** Checks the common properties; `namesCloud` is true if the issuer contains the suffix of the stated cloud. */
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
  // Otherwise nothing depends on the default cloud.
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
    checkSubscription(construct, "subscriptionId of adopt", adopt.subscriptionId, props.provider);
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
      problem: `${holder.node.path} already declares the storage account, whose name must be unique in all of Azure`,
      value: props.storageAccountName,
      allowed: "one issuer host per storage account",
      remedy: "give each issuer its own storage account, or remove one of the two",
    });
  checkResourceGroup(construct, issuerGroup(props));
}

/** The account is created in the provider's cloud, whatever is stated here. */
function checkCloud(
  construct: Construct,
  { cloud = "AzurePublicCloud", provider = defaultProvider(construct) }: IssuerStorageProps,
): void {
  const environment = provider?.environmentInput;
  if (environment === undefined || isLate(environment) || provider?.metadataHostInput !== undefined) return;
  const providerCloud = azureClouds.find(({ environments }) =>
    environments.includes(environment.toLowerCase()),
  );
  if (providerCloud && providerCloud.name !== cloud)
    fail("azure-mismatch", {
      problem: `the issuer's cloud differs from that of the azurerm provider, whose environment is ${environment}`,
      value: cloud,
      allowed: providerCloud.name,
      remedy: "state the same cloud in both, or pass the azurerm provider of this cloud as `provider`",
    });
}

/** True where the documents' content is left as it is. */
function keepsDocuments({ adopt }: IssuerStorageProps): boolean {
  return adopt !== undefined && adopt.documents !== "replace";
}

/** Tags of everything that a host declares. */
function issuerTags({ adopt, tags }: IssuerStorageProps): Tags {
  return { ...(adopt?.clusterName !== undefined && ccoctlTags(adopt.clusterName)), ...checkedTags(tags) };
}

function issuerGroup(props: IssuerStorageProps): ResourceGroupUse {
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

/** The issuer of documents that another server serves. */
export function servedIssuer(issuerUrl: GivenIssuer): Issuer {
  const issuer = Issuer.of(issuerUrl);
  return issuer.clusterInternal
    ? fail("issuer-unsupported", issuerClusterInternal(issuer.url, "Microsoft Entra"))
    : issuer;
}

/** Keeps the account's name, which is text in the issuer's URL and in ids to import. */
export function keepAccount(
  account: StorageAccount,
  { storageAccountName: name, resourceGroupName: group, adopt }: IssuerStorageProps,
): void {
  const names = { name, ...(adopt && { resource_group_name: group }) };
  keepNames(account, { names, statedBy: "storageAccountName and resourceGroupName" });
}

const CACHE_CONTROL = "public, max-age=300";

/**
 * Arguments that azurerm cannot read of a blob of others, and for which it would replace the blob: the content, and
 * settings that only matter for writing it (storage_blob_resource.go, the arguments with ForceNew).
 */
const UNREAD: readonly string[] = ["source_content", "parallelism", "size", "content_md5"];

/** Base of containers and static websites: an account and two documents. */
export abstract class IssuerStorage extends Construct implements IIssuerHost {
  /** The issuer: what the cluster's `--service-account-issuer` must be, exactly; may be late. */
  abstract readonly issuer: Issuer;
  /** The storage account. */
  readonly account: StorageAccount;
  readonly #props: IssuerStorageProps;

  constructor(
    scope: Construct,
    id: string,
    props: IssuerStorageProps,
    check: (construct: Construct) => { readonly publicBlobs: boolean },
  ) {
    super(scope, id);
    const { publicBlobs } = check(this);
    this.#props = props;
    useResourceGroup(this, "ResourceGroup", issuerGroup(props));
    accounts.set(this, props.storageAccountName, this);
    this.account = this.#declareAccount(publicBlobs);
    if (keepsDocuments(props)) Annotations.of(this).addWarning(KEPT);
  }

  /** Declares a document as a blob of a container. */
  protected declareDocuments(
    { discovery, jwks }: IssuerDocuments,
    container: { readonly name: string; readonly id: string; readonly resource: ITerraformDependable },
  ): { readonly discovery: StorageBlob; readonly jwks: StorageBlob } {
    const declare = (id: string, document: OpenIdDocument): StorageBlob => {
      const blob = this.#blob(id, document, container);
      dependsOn(blob, [container.resource]);
      return blob;
    };
    return { discovery: declare("Discovery", discovery), jwks: declare("Jwks", jwks) };
  }

  #declareAccount(publicBlobs: boolean): StorageAccount {
    const { adopt, provider, resourceGroupName, storageAccountName } = this.#props;
    const account = new StorageAccount(this, "Resource", {
      name: storageAccountName,
      resourceGroupName,
      location: this.#props.region,
      accountKind: "StorageV2",
      accountTier: "Standard",
      accountReplicationType: this.#props.accountReplicationType ?? "LRS",
      minTlsVersion: "TLS1_2",
      httpsTrafficOnlyEnabled: true,
      allowNestedItemsToBePublic: publicBlobs,
      sharedAccessKeyEnabled: this.#sharedKeys(),
      ...tagsArgument(issuerTags(this.#props)),
      ...(provider && { provider }),
    });
    preventDestroy(account);
    dependsOn(account, declaredGroups(this, [issuerGroup(this.#props)]));
    if (adopt) {
      account.importFrom(
        storageAccountId({ subscriptionId: adopt.subscriptionId, resourceGroupName }, storageAccountName),
      );
      keepAccount(account, this.#props);
    }
    return account;
  }

  #sharedKeys(): boolean {
    const { sharedAccessKeyEnabled, provider } = this.#props;
    if (sharedAccessKeyEnabled !== undefined) return sharedAccessKeyEnabled;
    if ((provider ?? defaultProvider(this))?.storageUseAzureadInput === true) return false;
    Annotations.of(this).addWarning(
      "the storage account can be accessed with its keys: set storageUseAzuread on the azurerm provider before this construct " +
        "is created, or state sharedAccessKeyEnabled",
    );
    return true;
  }

  #blob(
    id: string,
    { path, text, contentType }: OpenIdDocument,
    container: { readonly name: string; readonly id: string },
  ): StorageBlob {
    const { adopt, cacheControl, cloud = "AzurePublicCloud", provider, storageAccountName } = this.#props;
    const config: StorageBlobConfig = {
      name: path,
      storageAccountName: attributeOf(this.account, "name"),
      storageContainerName: container.name,
      type: "Block",
      sourceContent: text,
      contentType,
      cacheControl: terraformText(cacheControl ?? CACHE_CONTROL),
      ...(keepsDocuments(this.#props) && { lifecycle: { ignoreChanges: [...UNREAD] } }),
      ...(provider && { provider }),
    };
    const blob = new IssuerBlob(this, id, config, container.id);
    keepNames(blob, { names: { name: path }, statedBy: "nothing: the documents have one place" });
    if (adopt) blob.importFrom(`${containerUrl(cloud, storageAccountName, container.name)}/${path}`);
    return blob;
  }
}

const KEPT =
  "the documents keep their present content: the keys and the issuer stated here are not published until adopt " +
  'has documents: "replace"';
