/*
 * The arguments of Azure resources. Source: the documentation of the Terraform providers hashicorp/azurerm, 3.80 to 5,
 * and hashicorp/azuread, 2.40 to 3, and the Azure REST API references for what they do.
 */

import { IDENTITY_BINDING } from "../../rules/azure/identity-binding";
import type { CloudCoverage, Coverage, TypeRow } from "./coverage";

const COMMON = "id tags";

const IDENTITY: TypeRow = {
  read: "name resource_group_name client_id principal_id tenant_id",
  harmless: `${COMMON} isolation_scope location`,
  names: "id client_id principal_id",
};

const REGISTRY: TypeRow = {
  read: "name resource_group_name admin_enabled anonymous_pull_enabled role_assignment_mode",
  // Who reaches it over which network is not judged; nor is content trust, which clients check.
  harmless: `${COMMON} location sku georeplications identity encryption zone_redundancy_enabled data_endpoint_enabled network_rule_set network_rule_bypass_option public_network_access_enabled retention_policy_in_days retention_policy trust_policy_enabled trust_policy export_policy_enabled`,
  computed: "admin_password admin_username data_endpoint_host_names login_server",
  // An image in quarantine cannot be pulled, and the plugin logs in with a token for Azure Resource Manager.
  only: { quarantine_policy_enabled: [false], azuread_authentication_as_arm_policy_enabled: [true] },
  names: "id login_server",
};

const CLUSTER: TypeRow = {
  read: "name resource_group_name workload_identity_enabled",
  // What its nodes and its control plane run on, and who reaches its API server over which network.
  harmless: `${COMMON} ai_toolchain_operator_enabled automatic_upgrade_channel automatic_channel_upgrade azure_policy_enabled cost_analysis_enabled custom_ca_trust_certificates_base64 disk_encryption_set_id dns_prefix dns_prefix_private_cluster edge_zone http_application_routing_enabled image_cleaner_enabled image_cleaner_interval_hours kubernetes_version local_account_disabled location node_os_upgrade_channel node_os_channel_upgrade node_resource_group open_service_mesh_enabled private_cluster_enabled private_cluster_public_fqdn_enabled private_dns_zone_id role_based_access_control_enabled run_command_enabled sku_tier support_plan aci_connector_linux api_server_authorized_ip_ranges auto_scaler_profile bootstrap_profile confidential_computing default_node_pool http_proxy_config identity ingress_application_gateway key_management_service key_vault_secrets_provider kubelet_identity linux_profile maintenance_window maintenance_window_auto_upgrade maintenance_window_node_os microsoft_defender monitor_metrics network_profile node_provisioning_profile oms_agent service_mesh_profile service_principal storage_profile upgrade_override web_app_routing windows_profile workload_autoscaler_profile`,
  computed:
    "current_kubernetes_version fqdn http_application_routing_zone_name kube_admin_config kube_admin_config_raw kube_config kube_config_raw node_resource_group_id oidc_issuer_url portal_fqdn private_fqdn agent_pool_profile",
  blocks: {
    api_server_access_profile: {
      read: "virtual_network_integration_enabled",
      harmless: "authorized_ip_ranges subnet_id vnet_integration_enabled",
    },
    azure_active_directory_role_based_access_control: {
      read: "admin_group_object_ids azure_rbac_enabled",
      harmless: "tenant_id managed client_app_id server_app_id server_app_secret",
    },
  },
  // Without it there are no tokens that Entra takes.
  only: { oidc_issuer_enabled: [true] },
  isCluster: true,
  names: "id",
  usedBy: "azurerm_federated_identity_credential azuread_application_federated_identity_credential",
};

/** Source: Azure REST API, Microsoft.ContainerService, IdentityBindings; Azure/azapi 2, azapi_resource. */
const IDENTITY_BINDING_ROW: Coverage = {
  read: "type name parent_id",
  harmless:
    "id location tags timeouts retry locks response_export_values schema_validation_enabled ignore_casing ignore_missing_property",
  computed: "output",
  blocks: { body: { blocks: { properties: { blocks: { managedIdentity: { read: "resourceId" } } } } } },
};

const DEFINITION: TypeRow = {
  read: "name role_definition_id scope assignable_scopes",
  harmless: "id description",
  computed: "role_definition_resource_id type",
  blocks: {
    permissions: { read: "actions not_actions data_actions not_data_actions" },
  },
  usedBy: "azurerm_role_assignment azurerm_pim_active_role_assignment",
  names: "id role_definition_resource_id role_definition_id",
};

const APPLICATION: TypeRow = {
  read: "client_id application_id object_id",
  // Permissions in Microsoft Graph and sign-in of people; tokens of Kubernetes need neither.
  harmless: `${COMMON} display_name description api app_role app_role_ids app_roles device_only_auth_enabled fallback_public_client_enabled feature_tags group_membership_claims homepage_url identifier_uris implicit_access_token_issuance_enabled implicit_id_token_issuance_enabled logo_image logo_url logout_url marketing_url native_authentication_apis_enabled notes oauth2_permission_scope_ids oauth2_post_response_required optional_claims owners password prevent_duplicate_names privacy_statement_url public_client publisher_domain requested_access_token_version required_resource_access service_management_reference sign_in_audience single_page_application support_url template_id terms_of_service_url web`,
  computed: "disabled_by_microsoft",
  names: "id client_id application_id object_id",
};

const PRINCIPAL: TypeRow = {
  read: "client_id application_id object_id",
  harmless: `${COMMON} alternative_names app_role_assignment_required description feature_tags features login_url notes notification_email_addresses owners preferred_single_sign_on_mode saml_single_sign_on use_existing`,
  computed:
    "application_tenant_id app_role_ids app_roles display_name homepage_url logout_url oauth2_permission_scope_ids oauth2_permission_scopes redirect_uris saml_metadata_url service_principal_names sign_in_audience type",
  // Entra gives a disabled one no tokens.
  only: { account_enabled: [true] },
  owner: "client_id application_id",
  names: "id object_id client_id application_id",
};

const GROUP: TypeRow = {
  read: "object_id members dynamic_membership",
  harmless: `${COMMON} display_name description administrative_unit_ids assignable_to_role auto_subscribe_new_members behaviors external_senders_allowed hide_from_address_lists hide_from_outlook_clients mail_enabled mail_nickname onpremises_group_type owners prevent_duplicate_names provisioning_options security_enabled theme types visibility writeback_enabled include_transitive_members`,
  computed:
    "mail onpremises_domain_name onpremises_netbios_name onpremises_sam_account_name onpremises_security_identifier onpremises_sync_enabled preferred_language proxy_addresses",
  names: "id object_id",
};

const rows: Readonly<Record<string, TypeRow>> = {
  azurerm_user_assigned_identity: IDENTITY,
  "data.azurerm_user_assigned_identity": IDENTITY,
  azurerm_federated_identity_credential: {
    read: "name issuer subject audience parent_id user_assigned_identity_id resource_group_name",
    harmless: "id",
    owner: "parent_id user_assigned_identity_id",
  },
  azuread_application_federated_identity_credential: {
    read: "issuer subject audiences display_name application_id application_object_id",
    harmless: "id description",
    computed: "credential_id",
    owner: "application_id application_object_id",
  },
  azuread_application: APPLICATION,
  "data.azuread_application": APPLICATION,
  azuread_application_registration: APPLICATION,
  azuread_service_principal: PRINCIPAL,
  "data.azuread_service_principal": PRINCIPAL,
  azuread_group: GROUP,
  "data.azuread_group": GROUP,
  azuread_group_member: {
    read: "group_object_id member_object_id",
    harmless: "id",
    owner: "member_object_id",
  },
  azurerm_role_assignment: {
    read: "scope principal_id principal_type role_definition_id role_definition_name condition",
    harmless: "id name description condition_version skip_service_principal_aad_check",
    owner: "principal_id",
  },
  azurerm_pim_active_role_assignment: {
    read: "scope principal_id role_definition_id",
    harmless: "id justification schedule ticket",
    computed: "principal_type",
    owner: "principal_id",
  },
  azurerm_role_definition: DEFINITION,
  "data.azurerm_role_definition": DEFINITION,
  azurerm_container_registry: REGISTRY,
  "data.azurerm_container_registry": REGISTRY,
  azurerm_kubernetes_cluster: CLUSTER,
  "data.azurerm_kubernetes_cluster": CLUSTER,
};

export const azureCoverage: CloudCoverage = {
  rows,
  ofIdentities:
    "azurerm_user_assigned_identity azurerm_federated_identity_credential azurerm_role_assignment",
  families: [
    ["azurerm_user_assigned_identity", "azurerm_federated_identity_credential", "azuread_application"],
    ["azuread_", "azurerm_role_", "azurerm_pim_"],
    ["azurerm_container_registry", "azurerm_role_"],
    ["azurerm_kubernetes_cluster"],
  ],
  harmless: `
    azuread_access_package azuread_administrative_unit_member azuread_app_role_assignment
    azuread_application_api_access azuread_application_app_role azuread_application_certificate
    azuread_application_fallback_public_client
    azuread_application_from_template azuread_application_identifier_uri azuread_application_known_clients
    azuread_application_optional_claims azuread_application_owner azuread_application_password
    azuread_application_permission_scope azuread_application_pre_authorized azuread_application_redirect_uris
    azuread_claims_mapping_policy azuread_directory_role_assignment azuread_directory_role_member
    azuread_service_principal_certificate azuread_service_principal_claims_mapping_policy_assignment
    azuread_service_principal_delegated_permission_grant azuread_service_principal_password
    azuread_service_principal_token_signing_certificate
    azurerm_container_registry_agent_pool azurerm_container_registry_scope_map
    azurerm_container_registry_task azurerm_container_registry_task_schedule_run_now
    azurerm_container_registry_token azurerm_container_registry_token_password
    azurerm_container_registry_webhook azurerm_kubernetes_cluster_node_pool
    azurerm_kubernetes_cluster_extension azurerm_pim_eligible_role_assignment
  `,
  changers: `
    azapi_resource azapi_update_resource azapi_resource_action azapi_data_plane_resource
    azurerm_management_group_template_deployment azurerm_resource_deployment_script_azure_cli
    azurerm_resource_deployment_script_azure_power_shell azurerm_resource_group_template_deployment
    azurerm_subscription_template_deployment azurerm_tenant_template_deployment
    azurerm_template_deployment msgraph_resource msgraph_update_resource
  `,
  api: { azapi_resource: { [IDENTITY_BINDING.toLowerCase()]: IDENTITY_BINDING_ROW } },
};
