/*
 * The storage account of an issuer with its container or its static website, as `IssuerContainer` and `IssuerWebsite`
 * declare them. Whatever is not in these rows may keep readers out, and is not judged.
 *
 * Source: schemas of hashicorp/azurerm 4 and 5.
 */

import type { Coverage, Rows } from "./coverage";

/** Rules that deny nothing; the exceptions from a denial do not matter then. */
const NETWORK_RULES: Coverage = {
  read: "storage_account_id",
  harmless: "bypass ip_rules private_link_access virtual_network_subnet_ids",
  computed: "id",
  only: { default_action: ["Allow"] },
};

/** Services of the account beside blobs, and settings of writers. */
const BESIDE_BLOBS =
  "azure_files_authentication blob_properties default_to_oauth_authentication identity large_file_share_enabled local_user_enabled provisioned_billing_model_version queue_encryption_key_type queue_properties sas_policy sftp_enabled share_properties shared_access_key_enabled table_encryption_key_type";

/** By type, for the account and what it consists of. */
export const STORAGE: Rows = {
  azurerm_storage_account: {
    read: "allow_nested_items_to_be_public name public_network_access_enabled",
    harmless: `${BESIDE_BLOBS} access_tier account_replication_type account_tier allowed_copy_scope cross_tenant_replication_enabled https_traffic_only_enabled infrastructure_encryption_enabled location resource_group_name routing static_website tags`,
    computed: `id ${computed()}`,
    only: {
      account_kind: ["StorageV2"],
      dns_endpoint_type: ["Standard"],
      min_tls_version: ["TLS1_2", "TLS1_0", "TLS1_1"],
    },
    blocks: { network_rules: NETWORK_RULES },
  },
  azurerm_storage_account_network_rules: NETWORK_RULES,
  azurerm_storage_account_static_website: {
    read: "storage_account_id",
    harmless: "error_404_document index_document",
    computed: "id",
  },
  azurerm_storage_container: {
    read: "container_access_type name storage_account_id storage_account_name",
    harmless: "encryption_scope_override_enabled metadata",
    computed: "has_immutability_policy has_legal_hold id resource_manager_id url",
    only: { default_encryption_scope: ["$account-encryption-key"] },
  },
};

/** By type, for a document. */
export const BLOB: Rows = {
  azurerm_storage_blob: {
    read: "lifecycle name source_content storage_account_name storage_container_id storage_container_name",
    harmless: "cache_control content_md5 metadata parallelism size",
    computed: "id url",
    only: { access_tier: ["Hot", "Cool"], content_type: ["application/json"], type: ["Block"] },
  },
};

/** Endpoints, connection strings and keys. */
function computed(): string {
  const ends = (start: string): readonly string[] => [`${start}_endpoint`, `${start}_host`];
  const services = ["blob", "dfs", "file", "queue", "table", "web"].flatMap((name) => [
    ...ends(name),
    ...ends(`${name}_microsoft`),
    ...(["queue", "table"].includes(name) ? [] : ends(`${name}_internet`)),
  ]);
  const others = ["access_key", "blob_connection_string", "connection_string", "location"];
  return [...services, ...others].flatMap((name) => [`primary_${name}`, `secondary_${name}`]).join(" ");
}
