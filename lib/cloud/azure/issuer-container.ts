import type { StorageBlob } from "@cdktf/provider-azurerm/lib/storage-blob/index.js";
import { StorageContainer } from "@cdktf/provider-azurerm/lib/storage-container/index.js";
import type { Construct } from "constructs";
import { at, fail } from "../../errors";
import { Issuer } from "../../model/issuer";
import { storageContainerId } from "../../rules/azure/ids";
import { blobContainerName, containerUrl } from "../../rules/azure/issuer";
import { issuerDocuments } from "../../rules/openid/issuer-documents";
import { keepNames } from "../shared/kept-names";
import { attributeOf } from "../shared/references";
import {
  type IssuerStorageProps,
  AZURE_DOCUMENTS,
  ISSUER_STORAGE_PROPS,
  IssuerStorage,
  checkIssuerStorage,
  keepAccount,
  servedIssuer,
} from "./issuer";
import { type ObjectKind, checkProps, choice, object, optional, text } from "../../model/shape";

/** Properties of {@link IssuerContainer}. */
export interface IssuerContainerProps extends IssuerStorageProps {
  /**
   * Name of the container, 3 to 63 of a-z, 0-9 and hyphens; part of the issuer.
   *
   * @defaultValue - the name of the storage account
   */
  readonly blobContainerName?: string;
  /**
   * Public access: `blob` allows reading the documents, `container` also listing them, `private` neither, for an
   * `issuerUrl` whose server reads the container with its own rights.
   *
   * @defaultValue - "blob"; with `adopt` "container", as `ccoctl` made it
   */
  readonly containerAccessType?: "blob" | "container" | "private";
}

const ISSUER_CONTAINER_PROPS: ObjectKind<IssuerContainerProps> = object({
  ...ISSUER_STORAGE_PROPS.shape,
  blobContainerName: optional(text),
  containerAccessType: optional(choice(["blob", "container", "private"])),
});

/**
 * Publishes an issuer in a blob container: `https://<account>.blob.<suffix of the cloud>/<container>`, known at synth.
 *
 * Needs an account with public access to blobs, which some organizations forbid by policy: use a static website instead
 * ({@link IssuerWebsite}), or set `issuerUrl` and serve the documents from elsewhere.
 *
 * Children: `Resource` (the account), `Container`, `Discovery`, `Jwks`, `ResourceGroup` if it is declared.
 */
export class IssuerContainer extends IssuerStorage {
  /** The issuer. */
  override readonly issuer: Issuer;
  /** The container. */
  readonly container: StorageContainer;
  /** The discovery document. */
  readonly discovery: StorageBlob;
  /** The key set. */
  readonly jwks: StorageBlob;

  constructor(scope: Construct, id: string, props: IssuerContainerProps) {
    checkProps(new.target.name, scope, id, ISSUER_CONTAINER_PROPS, props);
    super(scope, id, props, (construct) =>
      at(construct, () => ({ publicBlobs: checked(construct, props) !== "private" })),
    );
    const name = props.blobContainerName ?? props.storageAccountName;
    this.issuer = issuerOf(props);
    this.container = new StorageContainer(this, "Container", {
      name,
      storageAccountId: attributeOf(this.account, "id"),
      containerAccessType: accessOf(props),
      ...(props.provider && { provider: props.provider }),
    });
    keepNames(this.container, { names: { name }, statedBy: "blobContainerName" });
    if (props.issuerUrl === undefined && !props.adopt) keepAccount(this.account, props);
    if (props.adopt) {
      const place = { ...props.adopt, resourceGroupName: props.resourceGroupName };
      this.container.importFrom(storageContainerId(place, props.storageAccountName, name));
    }
    const documents = issuerDocuments(this.issuer, props.keys, AZURE_DOCUMENTS);
    const blobs = this.declareDocuments(documents, {
      name,
      id: attributeOf(this.container, "id"),
      resource: this.container,
    });
    this.discovery = blobs.discovery;
    this.jwks = blobs.jwks;
  }
}

function checked(construct: Construct, props: IssuerContainerProps): string {
  checkIssuerStorage(construct, props, props.issuerUrl === undefined);
  blobContainerName(props.blobContainerName ?? props.storageAccountName);
  issuerOf(props);
  const access = accessOf(props);
  return access === "private" && props.issuerUrl === undefined
    ? fail("azure-invalid", {
        problem: "the issuer's documents could not be read in a private container",
        value: "private",
        allowed: "blob or container; private together with issuerUrl",
        remedy:
          "leave containerAccessType out, or set issuerUrl to the URL of the server that reads the container and serves the documents",
      })
    : access;
}

function accessOf(props: IssuerContainerProps): NonNullable<IssuerContainerProps["containerAccessType"]> {
  return props.containerAccessType ?? (props.adopt ? "container" : "blob");
}

function issuerOf({
  blobContainerName: container,
  cloud,
  issuerUrl,
  storageAccountName,
}: IssuerContainerProps): Issuer {
  if (issuerUrl !== undefined) return servedIssuer(issuerUrl);
  return Issuer.of(
    containerUrl(cloud ?? "AzurePublicCloud", storageAccountName, container ?? storageAccountName),
  );
}
