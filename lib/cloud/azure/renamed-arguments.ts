/*
 * Resources with arguments that azurerm has renamed: each is written, in JSON and in HCL, in the way that the version
 * of azurerm expects.
 */

import {
  FederatedIdentityCredential,
  type FederatedIdentityCredentialConfig,
} from "@cdktf/provider-azurerm/lib/federated-identity-credential/index.js";
import { type StorageBlobConfig, StorageBlob } from "@cdktf/provider-azurerm/lib/storage-blob/index.js";
import { stringToHclTerraform } from "cdktf";
import type { Construct } from "constructs";
import { compareVersions } from "../../model/version";
import { azurermSince, credentialIdentity } from "../../rules/azure/azurerm-version";
import { azurermVersion } from "./place";

/** A text argument in the form in which bindings give it to cdktf for HCL. */
export function hclText(value: string): object {
  return {
    value: stringToHclTerraform(value),
    isBlock: false,
    type: "simple",
    storageClassType: "string",
  };
}

/** A federated identity credential that names its identity. */
export class IdentityCredential extends FederatedIdentityCredential {
  readonly #config: FederatedIdentityCredentialConfig;

  constructor(scope: Construct, id: string, config: FederatedIdentityCredentialConfig) {
    super(scope, id, config);
    this.#config = config;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return this.#renamed(super.synthesizeAttributes(), (text) => text);
  }

  protected override synthesizeHclAttributes(): Record<string, unknown> {
    return this.#renamed(super.synthesizeHclAttributes(), hclText);
  }

  /** Bindings of azurerm 5 do not have the older arguments. */
  #renamed(attributes: Record<string, unknown>, written: (text: string) => unknown): Record<string, unknown> {
    const {
      parent_id: id = written(this.#config.parentId),
      resource_group_name: resourceGroupName = written(this.#config.resourceGroupName),
      ...rest
    } = attributes;
    return { ...rest, ...credentialIdentity(azurermVersion(this), { id, resourceGroupName }) };
  }
}

/** A blob with a document that names its container. */
export class IssuerBlob extends StorageBlob {
  readonly #containerId: string;

  /** `containerId` is the resource id of the container that `config` names; may be late. */
  constructor(scope: Construct, id: string, config: StorageBlobConfig, containerId: string) {
    super(scope, id, config);
    this.#containerId = containerId;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return this.#renamed(super.synthesizeAttributes(), this.#containerId);
  }

  protected override synthesizeHclAttributes(): Record<string, unknown> {
    return this.#renamed(super.synthesizeHclAttributes(), hclText(this.#containerId));
  }

  #renamed(attributes: Record<string, unknown>, containerId: unknown): Record<string, unknown> {
    if (compareVersions(azurermVersion(this), azurermSince.storageContainerId) < 0) return attributes;
    const { storage_account_name: _account, storage_container_name: _container, ...rest } = attributes;
    return { ...rest, storage_container_id: containerId };
  }
}
