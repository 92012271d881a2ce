/*
 * The arguments of Google Cloud resources. Source: the documentation of the Terraform provider hashicorp/google, 5 to
 * 7, and the IAM and Artifact Registry API references for what they do.
 */

import { type CloudCoverage, GRANTS, type TypeRow } from "./coverage";

const COMMON = "id";
const ACCOUNT: TypeRow = {
  read: "account_id disabled project",
  harmless: `${COMMON} display_name description create_ignore_already_exists`,
  computed: "email member name unique_id",
  names: "email name",
};

/** What every grant has beside the resource that it is on. */
const GRANT: TypeRow = {
  read: "role member members policy_data project location repository service_account_id bucket folder org_id membership_id",
  harmless: "id",
  computed: "etag",
  blocks: { condition: { read: "expression", harmless: "title description" } },
  owner: "member members policy_data service_account_id repository",
};

const ON_READ =
  /^google_(?:project|folder|organization|service_account|artifact_registry_repository|storage_bucket|gke_hub_membership)_iam_/;

/** On resources of other services, each of which has a name of its own in the grant. */
const ELSEWHERE: TypeRow = { ...GRANT, anyTarget: true };

const CUSTOM_ROLE: TypeRow = {
  read: "role_id permissions stage deleted project org_id",
  harmless: "id title description",
  computed: "name",
  names: "id name",
  usedBy: GRANTS,
};

/** The keys that sign its tokens are Google's, unless the user manages them. */
const CLUSTER: TypeRow = {
  read: "name location project master_version enable_autopilot remove_default_node_pool",
  // What its own nodes are (node_config, node_pool) concerns only pods that ask the metadata server.
  harmless: `${COMMON} allow_net_admin cluster_ipv4_cidr datapath_provider default_max_pods_per_node deletion_protection description disable_l4_lb_firewall_reconciliation enable_cilium_clusterwide_network_policy enable_fqdn_network_policy enable_intranode_visibility enable_kubernetes_alpha enable_l4_ilb_subsetting enable_multi_networking enable_shielded_nodes enable_tpu in_transit_encryption_config initial_node_count logging_service min_master_version monitoring_service network networking_mode node_locations node_version private_ipv6_google_access resource_labels subnetwork addons_config anonymous_authentication_config authenticator_groups_config binary_authorization cluster_autoscaling confidential_nodes control_plane_endpoints_config cost_management_config database_encryption default_snat_status dns_config enable_k8s_beta_apis enterprise_config gateway_api_config gke_auto_upgrade_config identity_service_config ip_allocation_policy logging_config maintenance_policy master_auth master_authorized_networks_config mesh_certificates monitoring_config network_performance_config network_policy node_config node_pool node_pool_auto_config node_pool_defaults notification_config pod_autoscaling private_cluster_config rbac_binding_config release_channel resource_usage_export_config secret_manager_config security_posture_config service_external_ips_config vertical_pod_autoscaling`,
  computed:
    "endpoint label_fingerprint operation self_link services_ipv4_cidr tpu_ipv4_cidr_block effective_labels terraform_labels",
  only: { enable_legacy_abac: [false], user_managed_keys_config: [[]] },
  blocks: {
    workload_identity_config: { read: "workload_pool" },
    fleet: { read: "project", computed: "membership membership_id membership_location pre_registered" },
  },
  isCluster: true,
};

/** Which metadata server its pods ask. */
const NODE_POOL: TypeRow = {
  read: "cluster location project",
  harmless: `${COMMON} autoscaling initial_node_count management max_pods_per_node name name_prefix network_config node_count node_locations placement_policy queued_provisioning upgrade_settings version`,
  computed: "instance_group_urls managed_instance_group_urls operation",
  blocks: {
    node_config: {
      harmless: `advanced_machine_features boot_disk boot_disk_kms_key confidential_nodes containerd_config disk_size_gb
        disk_type enable_confidential_storage ephemeral_storage_local_ssd_config fast_socket flex_start gcfs_config
        guest_accelerator gvnic host_maintenance_policy image_type kubelet_config labels linux_node_config
        local_nvme_ssd_block_config local_ssd_count local_ssd_encryption_mode logging_variant machine_type
        max_run_duration metadata min_cpu_platform node_group oauth_scopes preemptible reservation_affinity
        resource_labels resource_manager_tags secondary_boot_disks service_account shielded_instance_config
        sole_tenant_config spot storage_pools tags taint windows_node_config`,
      blocks: { workload_metadata_config: { read: "mode" } },
    },
  },
};

const rows: Readonly<Record<string, TypeRow>> = {
  google_container_cluster: CLUSTER,
  google_container_node_pool: NODE_POOL,
  google_service_account: ACCOUNT,
  "data.google_service_account": ACCOUNT,
  google_iam_workload_identity_pool: {
    read: "workload_identity_pool_id disabled project mode state",
    harmless: `${COMMON} display_name description`,
    computed: "name",
    names: "name id",
    usedBy: "google_iam_workload_identity_pool_provider",
  },
  google_iam_workload_identity_pool_provider: {
    read: "workload_identity_pool_id workload_identity_pool_provider_id attribute_mapping attribute_condition disabled project state",
    harmless: `${COMMON} display_name description`,
    computed: "name",
    blocks: { oidc: { read: "issuer_uri allowed_audiences jwks_json" } },
    names: "name id",
  },
  google_artifact_registry_repository: {
    read: "repository_id location project",
    harmless: `${COMMON} description labels kms_key_name cleanup_policies cleanup_policy_dry_run docker_config maven_config vulnerability_scanning_config`,
    computed: "create_time name update_time registry_uri effective_labels terraform_labels",
    // A virtual one reads others as a service agent; other formats hold no images.
    only: { format: ["DOCKER", "docker"], mode: ["STANDARD_REPOSITORY", "REMOTE_REPOSITORY"] },
    blocks: {
      remote_repository_config: {
        harmless: "description disable_upstream_validation upstream_credentials docker_repository",
      },
    },
    names: "id name",
  },
  google_project_iam_custom_role: CUSTOM_ROLE,
  google_organization_iam_custom_role: CUSTOM_ROLE,
  "data.google_iam_policy": {
    harmless: "id audit_config",
    computed: "policy_data",
    blocks: {
      binding: {
        read: "role members",
        blocks: { condition: { read: "expression", harmless: "title description" } },
      },
    },
    owner: "binding",
  },
};

export const googleCoverage: CloudCoverage = {
  rows,
  ofIdentities: "",
  grants: {
    pattern: /^google_.+_iam_(?:member|binding|policy|member_remove)$/,
    rowOf: (type) => (ON_READ.test(type) ? GRANT : ELSEWHERE),
  },
  families: [
    [
      "google_iam_",
      "google_service_account",
      "google_project_iam_",
      "google_folder_iam_",
      "google_organization_iam_",
    ],
    ["google_artifact_registry_"],
    ["google_storage_"],
  ],
  // The pool providers' policies, denials and boundaries have links of their own.
  harmless: `
    google_artifact_registry_vpcsc_config google_iam_access_boundary_policy google_iam_deny_policy
    google_iam_folders_policy_binding google_iam_oauth_client google_iam_oauth_client_credential
    google_iam_organizations_policy_binding google_iam_principal_access_boundary_policy
    google_iam_projects_policy_binding google_iam_workforce_pool google_iam_workforce_pool_provider
    google_iam_workforce_pool_provider_key google_project_iam_audit_config google_folder_iam_audit_config
    google_organization_iam_audit_config google_service_account_key
  `,
  changers: "google_deployment_manager_deployment google_infra_manager_deployment",
};
