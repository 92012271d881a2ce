import { StorageBlob, type StorageBlobConfig } from "@cdktf/provider-azurerm/lib/storage-blob/index.js";
import type { Construct } from "constructs";
import { compareVersions } from "../../model/version";
import { azurermSince } from "../../rules/azure/azurerm-version";
import { azurermVersion } from "./azurerm-version";

/** A blob with a document, which names its container as the version of azurerm wants it. */
export class IssuerBlob extends StorageBlob {
  readonly #containerId: string;

  /** `containerId` is the resource id of the container that `config` names; may be late. */
  constructor(scope: Construct, id: string, config: StorageBlobConfig, containerId: string) {
    super(scope, id, config);
    this.#containerId = containerId;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    const attributes: Record<string, unknown> = super.synthesizeAttributes();
    if (compareVersions(azurermVersion(this), azurermSince.storageContainerId) < 0) return attributes;
    const { storage_account_name: _account, storage_container_name: _container, ...rest } = attributes;
    return { ...rest, storage_container_id: this.#containerId };
  }
}
