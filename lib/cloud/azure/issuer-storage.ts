import { StorageAccount } from "@cdktf/provider-azurerm/lib/storage-account/index.js";
import type { StorageBlob, StorageBlobConfig } from "@cdktf/provider-azurerm/lib/storage-blob/index.js";
import { Annotations, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import type { IIssuerHost, Issuer } from "../../model/issuer";
import { containerUrl } from "../../rules/azure/issuer";
import { storageAccountId } from "../../rules/azure/ids";
import { tagsArgument } from "../../rules/azure/tags";
import type { IssuerDocuments, OpenIdDocument } from "../../rules/openid/issuer-documents";
import { terraformText } from "../../rules/terraform-text";
import { keepNames } from "../shared/kept-names";
import { attributeOf, dependsOn } from "../shared/references";
import { defaultProvider } from "./provider-place";
import { IssuerBlob } from "./issuer-blob";
import {
  claimStorageAccount,
  issuerGroup,
  issuerTags,
  keepAccount,
  keepsDocuments,
} from "./issuer-storage-checks";
import type { IssuerStorageProps } from "./issuer-storage-props";
import { declaredGroups, useResourceGroup } from "./resource-groups";

const CACHE_CONTROL = "public, max-age=300";

/**
 * What azurerm cannot read of a blob that it did not write, and replaces the blob for: the content, and what only
 * counts while writing it (storage_blob_resource.go, the arguments with ForceNew).
 */
const UNREAD: readonly string[] = ["source_content", "parallelism", "size", "content_md5"];

/** What containers and static websites have in common: an account and two documents. */
export abstract class IssuerStorage extends Construct implements IIssuerHost {
  /** The issuer: what the cluster's `--service-account-issuer` must be, to the letter; may be late. */
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
    claimStorageAccount(this, props);
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
      "the keys of the storage account open it: set storageUseAzuread on the azurerm provider, before this construct " +
        "is made, or state sharedAccessKeyEnabled",
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
  "the documents keep the content that they have: keys and issuer that are stated here are not published until adopt " +
  'has documents: "replace"';
