/*
 * Arguments and attributes of Terraform resources that are secret, whether or not Terraform marks them. Source: the
 * arguments marked "Sensitive" in registry.terraform.io/providers/…/latest/docs of each type, and those that are a
 * password, a key or a token by their description.
 */

import { isSecretName } from "../../rules/fleet/secret-material";

/** By type, beside those that are secret by their name; data sources have the same names as resources. */
export const BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  aws_api_gateway_api_key: ["value"],
  aws_appsync_api_key: ["key"],
  aws_iam_access_key: ["encrypted_secret", "ses_smtp_password_v4", "encrypted_ses_smtp_password_v4"],
  aws_iam_service_specific_credential: ["service_password", "service_credential_secret"],
  aws_secretsmanager_secret_version: ["secret_string", "secret_binary", "secret_string_wo"],
  aws_ssm_parameter: ["value", "insecure_value", "value_wo"],
  azapi_resource: ["sensitive_body", "sensitive_output"],
  azuread_application_certificate: ["value"],
  azuread_application_password: ["value"],
  azuread_service_principal_certificate: ["value"],
  azuread_service_principal_password: ["value"],
  azuread_service_principal_token_signing_certificate: ["value"],
  azuread_synchronization_secret: ["credential"],
  azurerm_container_registry_token_password: ["password1", "password2"],
  azurerm_key_vault_certificate: ["contents", "certificate_data_base64"],
  azurerm_key_vault_secret: ["value", "value_wo"],
  azurerm_kubernetes_cluster: ["kube_config", "kube_admin_config", "kube_admin_config_raw"],
  azurerm_storage_account_blob_container_sas: ["sas"],
  azurerm_storage_account_sas: ["sas"],
  google_apikeys_key: ["key_string"],
  google_iam_workforce_pool_provider: ["plain_text"],
  google_iam_workforce_pool_provider_key: ["key_data"],
  google_secret_manager_secret_version: ["secret_data", "secret_data_wo"],
  helm_release: ["set_sensitive", "set_wo"],
  kubernetes_secret: ["data", "binary_data", "data_wo"],
  kubernetes_secret_v1: ["data", "binary_data", "data_wo"],
  local_sensitive_file: ["content", "content_base64"],
  random_password: ["result", "bcrypt_hash"],
  tls_private_key: ["private_key_pem", "private_key_pem_pkcs8", "private_key_openssh"],
};

/** Names of secrets in blocks of any type, beside those of every document; also of providers' configurations. */
const EVERYWHERE =
  /(?:^|_)(?:access_key|account_key|connection_string|kube_config_raw|master_password|preshared_key|primary_key|private_key_(?:base64|der|openssh|pem|type_data)|sas_token|secondary_key|secret_(?:binary|data|key|string)|shared_key|credentials)$/;

const NAMED = new Map<string, boolean>();

function isNamedSecret(name: string): boolean {
  const known = NAMED.get(name) ?? (EVERYWHERE.test(name) || isSecretName(name));
  NAMED.set(name, known);
  return known;
}

/** True for an argument whose value must not be shown. By name alone only a text is, since blocks have names too. */
export function isSecretArgument(type: string, name: string, value: unknown): boolean {
  const listed = Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined;
  return listed?.includes(name) === true || (typeof value === "string" && isNamedSecret(name));
}
