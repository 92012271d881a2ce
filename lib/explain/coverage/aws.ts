/*
 * The arguments of AWS resources. Source: the documentation of the Terraform provider hashicorp/aws, 5 and 6, and the
 * API references of IAM, STS, ECR and EKS for what they do.
 */

import type { CloudCoverage, Coverage, TypeRow } from "./coverage";

/** `region` came with version 6 for all regional types. */
const COMMON = "id tags tags_all";
const POLICIES = "aws_iam_role aws_iam_policy aws_iam_role_policy data.aws_iam_policy_document";
const RESOURCE_POLICIES = "aws_ecr_repository_policy aws_ecr_registry_policy";

const STATEMENT: Coverage = {
  read: "sid effect actions not_actions resources not_resources",
  blocks: {
    principals: { read: "type identifiers" },
    not_principals: { read: "type identifiers" },
    condition: { read: "test variable values" },
  },
};

const ROLE: TypeRow = {
  read: "name path assume_role_policy permissions_boundary managed_policy_arns",
  harmless: `${COMMON} name_prefix description force_detach_policies max_session_duration`,
  computed: "arn create_date unique_id role_last_used",
  blocks: { inline_policy: { read: "name policy" } },
  names: "arn",
};

/** IAM has trusted the certificate authorities of its own list first since 2024; what a server shows is not judged. */
const OIDC_PROVIDER: TypeRow = {
  read: "url client_id_list arn",
  harmless: `${COMMON} thumbprint_list`,
  names: "arn",
  usedBy: "aws_iam_role data.aws_iam_policy_document",
};

const REPOSITORY: TypeRow = {
  read: "name region registry_id",
  harmless: `${COMMON} force_delete image_tag_mutability image_tag_mutability_exclusion_filter image_scanning_configuration encryption_configuration`,
  computed: "arn repository_url most_recent_image_tags",
  names: "arn",
};

const rows: Readonly<Record<string, TypeRow>> = {
  aws_iam_role: ROLE,
  "data.aws_iam_role": ROLE,
  aws_iam_policy: {
    read: "name path policy",
    harmless: `${COMMON} name_prefix description delay_after_policy_creation_in_ms`,
    computed: "arn attachment_count policy_id",
    names: "arn",
    usedBy: "aws_iam_role aws_iam_role_policy_attachment aws_iam_policy_attachment",
  },
  "data.aws_iam_policy": {
    read: "arn policy name path",
    harmless: `${COMMON} path_prefix description`,
    computed: "attachment_count policy_id",
    usedBy: "aws_iam_role aws_iam_role_policy_attachment aws_iam_policy_attachment",
  },
  "data.aws_iam_policy_document": {
    read: "version source_policy_documents override_policy_documents source_json override_json",
    harmless: "id policy_id",
    computed: "json minified_json",
    blocks: { statement: STATEMENT },
    usedBy: `${POLICIES} ${RESOURCE_POLICIES}`,
  },
  aws_iam_role_policy: {
    read: "name policy role",
    harmless: "id name_prefix",
    owner: "role",
  },
  aws_iam_role_policy_attachment: { read: "role policy_arn", harmless: "id", owner: "role" },
  aws_iam_policy_attachment: {
    read: "roles policy_arn",
    harmless: "id name groups users",
    owner: "roles",
  },
  aws_iam_openid_connect_provider: OIDC_PROVIDER,
  "data.aws_iam_openid_connect_provider": OIDC_PROVIDER,
  aws_ecr_repository: REPOSITORY,
  "data.aws_ecr_repository": REPOSITORY,
  aws_ecr_repository_policy: {
    read: "repository policy region",
    harmless: "id",
    computed: "registry_id",
    owner: "repository",
  },
  aws_ecr_registry_policy: { read: "policy region", harmless: "id", computed: "registry_id" },
  aws_ecr_pull_through_cache_rule: {
    read: "ecr_repository_prefix region",
    harmless: "id credential_arn custom_role_arn upstream_registry_url upstream_repository_prefix",
    computed: "registry_id",
  },
  aws_ecr_repository_creation_template: {
    read: "applied_for prefix region repository_policy",
    harmless:
      "id custom_role_arn description encryption_configuration image_tag_mutability image_tag_mutability_exclusion_filter lifecycle_policy resource_tags",
    computed: "registry_id",
  },
  aws_ecrpublic_repository: {
    read: "repository_name",
    harmless: `${COMMON} region catalog_data force_destroy`,
    computed: "arn registry_id repository_uri",
  },
  aws_eks_addon: {
    read: "addon_name cluster_name region",
    // The settings of its pods; add-ons do not take the identities of others' service accounts.
    harmless: `${COMMON} addon_version configuration_values namespace_config pod_identity_association preserve resolve_conflicts resolve_conflicts_on_create resolve_conflicts_on_update service_account_role_arn`,
    computed: "arn created_at modified_at",
  },
  aws_eks_fargate_profile: {
    read: "cluster_name region",
    harmless: `${COMMON} fargate_profile_name pod_execution_role_arn subnet_ids`,
    computed: "arn status",
    // Labels only select fewer pods.
    blocks: { selector: { read: "namespace", harmless: "labels" } },
    owner: "cluster_name",
  },
  aws_eks_node_group: {
    read: "ami_type cluster_name node_group_name region release_version version",
    harmless: `${COMMON} capacity_type disk_size force_update_version instance_types labels node_group_name_prefix node_repair_config node_role_arn remote_access scaling_config subnet_ids taint update_config warm_pool_config`,
    computed: "arn status resources",
    blocks: { launch_template: { read: "id name version" } },
    owner: "cluster_name",
  },
  aws_launch_template: {
    read: "name image_id user_data latest_version default_version update_default_version",
    harmless: `${COMMON} block_device_mappings capacity_reservation_specification cpu_options credit_specification description disable_api_stop disable_api_termination ebs_optimized enclave_options hibernation_options iam_instance_profile instance_initiated_shutdown_behavior instance_market_options instance_requirements instance_type key_name license_specification maintenance_options metadata_options monitoring name_prefix network_interfaces network_performance_options placement private_dns_name_options region secondary_interfaces security_group_names tag_specifications vpc_security_group_ids`,
    computed: "arn",
    names: "id",
    usedBy: "aws_eks_node_group aws_autoscaling_group",
  },
  aws_launch_configuration: {
    read: "name image_id user_data user_data_base64",
    harmless:
      "id associate_public_ip_address ebs_block_device ebs_optimized enable_monitoring ephemeral_block_device iam_instance_profile instance_type key_name metadata_options name_prefix placement_tenancy region root_block_device security_groups spot_price",
    computed: "arn",
    names: "id",
    usedBy: "aws_autoscaling_group",
  },
  aws_autoscaling_group: {
    read: "name launch_configuration mixed_instances_policy",
    harmless:
      "id availability_zone_distribution availability_zones capacity_rebalance capacity_reservation_specification context default_cooldown default_instance_warmup desired_capacity desired_capacity_type enabled_metrics force_delete force_delete_warm_pool health_check_grace_period health_check_type ignore_failed_scaling_activities initial_lifecycle_hook instance_lifecycle_policy instance_maintenance_policy instance_refresh load_balancers max_instance_lifetime max_size metrics_granularity min_elb_capacity min_size name_prefix placement_group protect_from_scale_in region service_linked_role_arn suspended_processes target_group_arns termination_policies traffic_source vpc_zone_identifier wait_for_capacity_timeout wait_for_elb_capacity warm_pool",
    computed: "arn",
    blocks: {
      launch_template: { read: "id name version" },
      tag: { read: "key value", harmless: "propagate_at_launch" },
    },
    owner: "tag",
  },
  aws_eks_cluster: {
    read: "name region version",
    // What its nodes and its control plane run on, and who reaches its API server over which network.
    harmless: `${COMMON} role_arn bootstrap_self_managed_addons deletion_protection enabled_cluster_log_types force_update_version control_plane_scaling_config encryption_config kube_scheduler_config kubernetes_network_config outpost_config remote_network_config storage_config upgrade_policy vpc_config zonal_shift_config`,
    computed: "arn cluster_id created_at endpoint platform_version status certificate_authority identity",
    blocks: {
      access_config: {
        read: "authentication_mode",
        harmless: "bootstrap_cluster_creator_admin_permissions",
      },
      compute_config: { read: "enabled", harmless: "node_pools node_role_arn" },
      kube_api_server_config: { harmless: "event_ttl service_node_port_range" },
      kube_controller_manager_config: {
        harmless: "horizontal_pod_autoscaler_controller_config pod_gc_controller_config",
      },
    },
    isCluster: true,
    names: "arn",
    usedBy:
      "aws_iam_openid_connect_provider aws_eks_pod_identity_association aws_eks_access_entry aws_eks_access_policy_association",
  },
  aws_eks_pod_identity_association: {
    read: "cluster_name namespace service_account role_arn target_role_arn policy disable_session_tags region",
    harmless: COMMON,
    computed: "association_arn association_id external_id",
    owner: "role_arn",
  },
  aws_eks_access_entry: {
    read: "cluster_name principal_arn kubernetes_groups type user_name region",
    harmless: COMMON,
    computed: "access_entry_arn created_at modified_at",
    owner: "principal_arn",
  },
  aws_eks_access_policy_association: {
    read: "cluster_name principal_arn policy_arn region",
    harmless: "id",
    computed: "associated_at modified_at",
    blocks: { access_scope: { read: "type namespaces" } },
    owner: "principal_arn",
  },
  aws_organizations_policy: {
    read: "type",
    // Its being there is what counts, whatever it says.
    harmless: `${COMMON} content name description skip_destroy`,
    computed: "arn",
  },
};

export const awsCoverage: CloudCoverage = {
  rows,
  ofIdentities: "aws_iam_role aws_iam_policy aws_iam_role_policy aws_iam_role_policy_attachment",
  families: [
    ["aws_iam_", "aws_organizations_", "aws_eks_pod_identity_"],
    ["aws_ecr_"],
    ["aws_eks_access_", "aws_eks_pod_identity_"],
    ["aws_eks_node_group"],
    ["aws_launch_template"],
  ],
  harmless: `
    aws_iam_instance_profile aws_iam_access_key aws_iam_account_alias aws_iam_account_password_policy
    aws_iam_group aws_iam_group_membership aws_iam_group_policy aws_iam_group_policies_exclusive
    aws_iam_group_policy_attachment aws_iam_group_policy_attachments_exclusive aws_iam_outbound_web_identity_federation
    aws_iam_saml_provider aws_iam_server_certificate aws_iam_service_linked_role
    aws_iam_service_specific_credential aws_iam_signing_certificate aws_iam_user aws_iam_user_group_membership
    aws_iam_user_login_profile aws_iam_user_policies_exclusive aws_iam_user_policy aws_iam_user_policy_attachment
    aws_iam_user_policy_attachments_exclusive aws_iam_user_ssh_key aws_iam_virtual_mfa_device
    aws_organizations_account aws_organizations_delegated_administrator aws_organizations_organization
    aws_organizations_organizational_unit aws_organizations_policy_attachment aws_organizations_resource_policy
    aws_ecr_lifecycle_policy aws_ecr_registry_scanning_configuration aws_ecr_replication_configuration
    aws_ecr_pull_time_update_exclusion
  `,
  changers: `
    aws_cloudformation_stack aws_cloudformation_stack_instances aws_cloudformation_stack_set
    aws_cloudformation_stack_set_instance aws_cloudcontrolapi_resource aws_lambda_invocation
    aws_servicecatalog_provisioned_product aws_ssm_association awscc_iam_role awscc_iam_role_policy
    awscc_iam_managed_policy awscc_iam_oidc_provider awscc_ecr_repository awscc_ecr_registry_policy
    awscc_eks_access_entry awscc_eks_pod_identity_association
  `,
};
