import { FederatedIdentityCredential } from "@cdktf/provider-azurerm/lib/federated-identity-credential/index.js";
import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import type { ITerraformDependable } from "cdktf";
import type { Construct } from "constructs";
import type { FederatedCredential } from "../../rules/azure/trust";
import { credentialIdentity } from "../../rules/azure/azurerm-version";
import { azurermVersion } from "./azurerm-version";

/** Where a credential is put, and after which other one. */
export interface CredentialPlace {
  /** Resource id of the identity; may be late. */
  readonly identityId: string;
  /** Resource group of the identity; may be late. */
  readonly resourceGroupName: string;
  /**
   * What is written before it.
   *
   * @defaultValue - nothing
   */
  readonly dependsOn?: ITerraformDependable[];
  /**
   * The Terraform provider.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

/** A federated identity credential, which names its identity as the version of azurerm wants it. */
export class IdentityCredential extends FederatedIdentityCredential {
  readonly #place: CredentialPlace;

  constructor(scope: Construct, credential: FederatedCredential, place: CredentialPlace) {
    const { name, issuer, subject, audience } = credential;
    const { identityId: parentId, ...rest } = place;
    super(scope, name, { name, issuer, subject, audience: [audience], parentId, ...rest });
    this.#place = place;
  }

  /** Bindings of azurerm 5 know neither of the older arguments. */
  protected override synthesizeAttributes(): Record<string, unknown> {
    const {
      parent_id: id = this.#place.identityId,
      resource_group_name: resourceGroupName = this.#place.resourceGroupName,
      ...rest
    }: Record<string, unknown> = super.synthesizeAttributes();
    return { ...rest, ...credentialIdentity(azurermVersion(this), { id, resourceGroupName }) };
  }
}
