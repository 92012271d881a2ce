/*
 * Arguments and attributes of hashicorp/azuread, which has no bindings here, as its documentation lists them
 * (docs/resources and docs/data-sources of hashicorp/terraform-provider-azuread, 2.x and 3.x); a data source that shares
 * its row with the resource is in its list.
 */

export const AZUREAD: Readonly<Record<string, string>> = {
  azuread_application_federated_identity_credential:
    "application_id application_object_id audiences credential_id description display_name issuer subject",
  azuread_application: `api app_role app_role_ids app_roles application_id client_id description device_only_auth_enabled
    disabled_by_microsoft display_name fallback_public_client_enabled feature_tags group_membership_claims id identifier_uris
    logo_image logo_url marketing_url native_authentication_apis_enabled notes oauth2_permission_scope_ids
    oauth2_post_response_required object_id optional_claims owners password prevent_duplicate_names privacy_statement_url
    public_client publisher_domain required_resource_access service_management_reference sign_in_audience
    single_page_application support_url tags template_id terms_of_service_url web`,
  azuread_application_registration: `client_id description disabled_by_microsoft display_name group_membership_claims
    homepage_url id implicit_access_token_issuance_enabled implicit_id_token_issuance_enabled logout_url marketing_url notes
    object_id privacy_statement_url publisher_domain requested_access_token_version service_management_reference
    sign_in_audience support_url terms_of_service_url`,
  azuread_service_principal: `account_enabled alternative_names app_role_assignment_required app_role_ids app_roles
    application_id application_tenant_id client_id description display_name feature_tags features homepage_url login_url
    logout_url notes notification_email_addresses oauth2_permission_scope_ids oauth2_permission_scopes object_id owners
    preferred_single_sign_on_mode redirect_uris saml_metadata_url saml_single_sign_on service_principal_names
    sign_in_audience tags type use_existing`,
  azuread_group: `administrative_unit_ids assignable_to_role auto_subscribe_new_members behaviors description display_name
    dynamic_membership external_senders_allowed hide_from_address_lists hide_from_outlook_clients id mail mail_enabled
    mail_nickname members object_id onpremises_domain_name onpremises_group_type onpremises_netbios_name
    onpremises_sam_account_name onpremises_security_identifier onpremises_sync_enabled owners preferred_language
    prevent_duplicate_names provisioning_options proxy_addresses security_enabled theme types visibility writeback_enabled`,
  azuread_group_member: "group_object_id member_object_id",
};
