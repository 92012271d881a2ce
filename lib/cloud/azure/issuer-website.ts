import { StorageAccountStaticWebsiteA } from "@cdktf/provider-azurerm/lib/storage-account-static-website/index.js";
import type { StorageBlob } from "@cdktf/provider-azurerm/lib/storage-blob/index.js";
import type { Construct } from "constructs";
import { at, fail } from "../../errors";
import { type GivenIssuer, Issuer } from "../../model/issuer";
import { containerIn, storageAccountId } from "../../rules/azure/ids";
import { WEBSITE_CONTAINER } from "../../rules/azure/issuer";
import { issuerDocuments } from "../../rules/openid/issuer-documents";
import { publishIssuer } from "../shared/issuer-hosts";
import { attributeOf } from "../shared/references";
import {
  type IssuerStorageProps,
  AZURE_DOCUMENTS,
  ISSUER_STORAGE_PROPS,
  IssuerStorage,
  checkIssuerStorage,
  servedIssuer,
} from "./issuer";
import { type ObjectKind, boolean, checkProps, object, optional } from "../../model/shape";

/** Properties of {@link IssuerWebsite}. */
export interface IssuerWebsiteProps extends IssuerStorageProps {
  /**
   * Whether the issuer ends with a slash, like the website's URL in Azure's output: for clusters whose `iss` has it.
   * Refused together with `issuerUrl`.
   *
   * @defaultValue false
   */
  readonly trailingSlash?: boolean;
}

const ISSUER_WEBSITE_PROPS: ObjectKind<IssuerWebsiteProps> = object({
  ...ISSUER_STORAGE_PROPS.shape,
  trailingSlash: optional(boolean),
});

/** azurerm requires an index page; no page of this name exists, so the root answers 404. */
const INDEX_DOCUMENT = "index.html";

/**
 * Publishes an issuer on a static website: `https://<account>.z<number>.web.<suffix of the cloud>`. It is late because
 * of the zone's number, unless `issuerUrl` is set, which may be that URL once it is known.
 *
 * It does not need public access to blobs, which some organizations forbid by policy.
 *
 * Children: `Resource` (the account), `Website`, `Discovery`, `Jwks`, `ResourceGroup` if it is declared.
 */
export class IssuerWebsite extends IssuerStorage {
  /** The issuer; late unless `issuerUrl` is given. */
  override readonly issuer: Issuer;
  /** The website of the account. */
  readonly website: StorageAccountStaticWebsiteA;
  /** The discovery document. */
  readonly discovery: StorageBlob;
  /** The key set. */
  readonly jwks: StorageBlob;

  constructor(scope: Construct, id: string, props: IssuerWebsiteProps) {
    checkProps(new.target.name, scope, id, ISSUER_WEBSITE_PROPS, props);
    super(scope, id, props, (construct) => at(construct, () => checked(construct, props)));
    const trailingSlash = props.trailingSlash === true;
    this.website = new StorageAccountStaticWebsiteA(this, "Website", {
      storageAccountId: attributeOf(this.account, "id"),
      indexDocument: INDEX_DOCUMENT,
      ...(props.provider && { provider: props.provider }),
    });
    this.issuer = this.#issuer(props.issuerUrl, trailingSlash);
    publishIssuer(this, this.issuer.url, []);
    if (props.adopt) {
      const place = { ...props.adopt, resourceGroupName: props.resourceGroupName };
      this.website.importFrom(storageAccountId(place, props.storageAccountName));
    }
    const documents = issuerDocuments(this.issuer, props.keys, {
      ...AZURE_DOCUMENTS,
      ...(trailingSlash && { trailingSlash }),
    });
    const blobs = this.declareDocuments(documents, {
      name: WEBSITE_CONTAINER,
      id: containerIn(attributeOf(this.account, "id"), WEBSITE_CONTAINER),
      resource: this.website,
    });
    this.discovery = blobs.discovery;
    this.jwks = blobs.jwks;
  }

  /** By the host instead of the URL, whose slash only a function could remove: its quotes would end the JSON texts. */
  #issuer(issuerUrl: GivenIssuer | undefined, trailingSlash: boolean): Issuer {
    if (issuerUrl !== undefined) return servedIssuer(issuerUrl);
    return Issuer.exactly(`https://${this.account.primaryWebHost}${trailingSlash ? "/" : ""}`);
  }
}

function checked(construct: Construct, props: IssuerWebsiteProps): { readonly publicBlobs: boolean } {
  checkIssuerStorage(construct, props, false);
  if (props.issuerUrl !== undefined) {
    servedIssuer(props.issuerUrl);
    if (props.trailingSlash)
      fail("azure-unused", {
        problem: "trailingSlash only applies to the website's URL, but issuerUrl states another issuer",
        value: servedIssuer(props.issuerUrl).url,
        allowed: "one of the two",
        remedy: "remove trailingSlash, or remove issuerUrl",
      });
  }
  // The website can read its container without public access.
  return { publicBlobs: false };
}
