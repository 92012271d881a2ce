/*
 * The arguments of Terraform providers' configurations: whose account it is, and how to log in there. Source: the
 * documentation of hashicorp/aws, azurerm, azuread and google.
 */

import type { Coverage } from "./coverage";

const AWS: Coverage = {
  read: "alias region allowed_account_ids profile assume_role assume_role_with_web_identity access_key",
  harmless:
    "default_tags ignore_tags max_retries retry_mode secret_key token token_bucket_rate_limiter_capacity shared_config_files shared_credentials_files skip_credentials_validation skip_metadata_api_check skip_region_validation skip_requesting_account_id use_dualstack_endpoint use_fips_endpoint sts_region s3_use_path_style s3_us_east_1_regional_endpoint ec2_metadata_service_endpoint ec2_metadata_service_endpoint_mode http_proxy https_proxy no_proxy custom_ca_bundle insecure forbidden_account_ids version",
};

const AZURE_LOGIN =
  "client_id client_id_file_path client_secret client_secret_file_path client_certificate client_certificate_path client_certificate_password use_aks_workload_identity use_cli use_msi use_oidc msi_endpoint msi_api_version oidc_request_token oidc_request_url oidc_token oidc_token_file_path ado_pipeline_service_connection_id partner_id disable_terraform_partner_id auxiliary_tenant_ids version";

export const PROVIDERS: Readonly<Record<string, Coverage>> = {
  aws: AWS,
  azurerm: {
    read: "alias subscription_id tenant_id environment metadata_host",
    harmless: `features storage_use_azuread resource_provider_registrations resource_providers_to_register skip_provider_registration ${AZURE_LOGIN}`,
  },
  azuread: { read: "alias tenant_id environment metadata_host", harmless: AZURE_LOGIN },
  google: {
    read: "alias project region universe_domain",
    harmless:
      "zone credentials access_token impersonate_service_account impersonate_service_account_delegates scopes batching billing_project user_project_override request_reason request_timeout default_labels add_terraform_attribution_label terraform_attribution_label_addition_strategy poll_interval external_credentials version",
  },
};
