import { StorageAccount } from "@cdktf/provider-azurerm/lib/storage-account/index.js";
import { StorageBlob } from "@cdktf/provider-azurerm/lib/storage-blob/index.js";
import { Annotations, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import type { IIssuerHost } from "../../model/issuer-host";
import type { Issuer } from "../../model/issuer";
import { ccoctlTags } from "../../rules/azure/ccoctl-tags";
import { containerUrl } from "../../rules/azure/storage-account";
import { storageAccountId } from "../../rules/azure/import-id";
import { resourceGroupId } from "../../rules/azure/scope-id";
import type { IssuerDocuments, OpenIdDocument } from "../../rules/openid/issuer-documents";
import { attributeOf, dependsOn } from "../shared/references";
import { defaultProvider } from "./identity-names";
import type { IssuerStorageProps } from "./issuer-storage-props";
import { declareResourceGroup, declaredGroups } from "./resource-groups";

const CACHE_CONTROL = "public, max-age=300";

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
    if (props.resourceGroup !== "existing") declareResourceGroup(this, "ResourceGroup", groupOf(props));
    this.account = this.#declareAccount(publicBlobs);
  }

  /** Declares a document as a blob of a container. */
  protected declareDocuments(
    { discovery, jwks }: IssuerDocuments,
    container: { readonly name: string; readonly resource: ITerraformDependable },
  ): { readonly discovery: StorageBlob; readonly jwks: StorageBlob } {
    const declare = (id: string, document: OpenIdDocument): StorageBlob => {
      const blob = this.#blob(id, document, container.name);
      dependsOn(blob, [container.resource]);
      return blob;
    };
    return { discovery: declare("Discovery", discovery), jwks: declare("Jwks", jwks) };
  }

  #declareAccount(publicBlobs: boolean): StorageAccount {
    const { adopt, provider, resourceGroupName, storageAccountName } = this.#props;
    const tags = tagsOf(this.#props);
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
      ...(Object.keys(tags).length > 0 && { tags }),
      ...(provider && { provider }),
    });
    dependsOn(account, declaredGroups(this, [resourceGroupName], provider));
    if (adopt)
      account.importFrom(
        storageAccountId({ subscriptionId: adopt.subscriptionId, resourceGroupName }, storageAccountName),
      );
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

  #blob(id: string, { path, text, contentType }: OpenIdDocument, container: string): StorageBlob {
    const { adopt, cacheControl, cloud = "AzurePublicCloud", provider, storageAccountName } = this.#props;
    const keeps = adopt !== undefined && adopt.documents !== "replace";
    const blob = new StorageBlob(this, id, {
      name: path,
      storageAccountName: attributeOf(this.account, "name"),
      storageContainerName: container,
      type: "Block",
      sourceContent: text,
      contentType,
      cacheControl: cacheControl ?? CACHE_CONTROL,
      ...(keeps && { lifecycle: { ignoreChanges: ["source_content"] } }),
      ...(provider && { provider }),
    });
    if (adopt) blob.importFrom(`${containerUrl(cloud, storageAccountName, container)}/${path}`);
    return blob;
  }
}

/** Tags of everything that a host declares. */
function tagsOf({ adopt, tags }: IssuerStorageProps): Readonly<Record<string, string>> {
  return { ...(adopt?.clusterName !== undefined && ccoctlTags(adopt.clusterName)), ...tags };
}

function groupOf(props: IssuerStorageProps): Parameters<typeof declareResourceGroup>[2] {
  const { adopt, provider, region, resourceGroupName } = props;
  return {
    name: resourceGroupName,
    location: region,
    tags: tagsOf(props),
    ...(provider && { provider }),
    ...(adopt && { importId: resourceGroupId(adopt.subscriptionId, resourceGroupName) }),
  };
}
