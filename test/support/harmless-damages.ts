/*
 * Damage to what a synth has written, and to what people have written by hand, one value at a time. A damage after which
 * everything is still allowed is harmless by a row of the table, or a wrong `allowed`.
 */

import type { Damage, Place } from "./damage";

const TERRAFORM = /\.tf\.json$/;
const MANIFEST = /\/(?:manifests|nodes|pods|spokes)\/|^cluster\.yaml$|^node\//;

/** Places where a star stands for everything. */
const WIDER =
  /(?:^|\.)(?:apiGroups|resources|verbs|actions|data_actions|not_actions|permissions|values)\.\*$|metadata\.name$|\.reference$/;

type Row = readonly [file: RegExp, keys: RegExp, why: string, damages?: readonly Damage[]];

/**
 * What a damage may be without a wrong `allowed`: files, keys (an index is `*`, or itself), why, and by which damages; by
 * any without.
 */
const HARMLESS: readonly Row[] = [
  [
    TERRAFORM,
    /\.(?:display_name|comment|title|etag|cache_control|content_type)(\.|$)/,
    "for people and caches",
  ],
  [TERRAFORM, /^provider(\.|$)/, "what a provider's configuration leaves out, the environment says"],
  [
    TERRAFORM,
    /^resource\.(?:aws_iam_role_policy|azurerm_(?:federated_identity_credential|role_definition|user_assigned_identity)|aws_cloudfront_origin_access_control)\.[^.]+\.name$/,
    "a name that nothing else has as text",
  ],
  [
    TERRAFORM,
    /^resource\.[^.]+\.[^.]+\.(?:location|resource_group_name|region|type|account_tier|account_kind|account_replication_type)$/,
    "where a resource is, and of which kind: its provider refuses what does not fit",
  ],
  [
    TERRAFORM,
    /\.(?:principal_type|skip_service_principal_aad_check|condition_version)$/,
    "checked by Azure when the role is assigned",
  ],
  [
    TERRAFORM,
    /^resource\.(?:aws_s3_bucket_(?:server_side_encryption_configuration|ownership_controls)|azurerm_resource_group)\./,
    "not asked by anything that reads an issuer",
  ],
  [
    TERRAFORM,
    /^resource\.aws_cloudfront_distribution\.[^.]+\.(?:default_cache_behavior|viewer_certificate|restrictions|is_ipv6_enabled|price_class|http_version)(\.|$)/,
    "how documents are served, and not which",
  ],
  [
    TERRAFORM,
    /\.(?:content|source_content|jwks_json)$/,
    "no artefact says which keys are the cluster's: a text that is not known is not judged",
  ],
  [
    TERRAFORM,
    /^resource\.aws_s3_object\.\d\d-[^.]+\.(?:key|bucket)$/,
    "where rendered manifests are published for others to apply",
  ],
  [
    MANIFEST,
    /\.(?:kubernetes\.azure\.com\/acr|azure\.workload\.identity\/)[\w-]*-id$|^stringData\.azure_\w+_id$/,
    "ids of Azure are compared without regard to case",
    ["in capitals"],
  ],
  [TERRAFORM, /\.attribute_condition$/, "without it more is let in"],
  [
    TERRAFORM,
    /\.allowed_audiences(\.\*)?$/,
    "Google then takes the pool provider's own name, which those tokens are for",
  ],
  [
    TERRAFORM,
    /\.assignable_scopes(\.|$)|\.azurerm_role_definition\.[^.]+\.scope$/,
    "Azure refuses an assignment elsewhere",
  ],
  [MANIFEST, /^(?:subjects\.\*|roleRef)\.apiGroup$/, "the API server fills it in"],
  [MANIFEST, /^metadata\.name$|^metadata\.labels(\.|$)/, "a name that nothing else has as text"],
  [
    /status\.yaml$/,
    /^status\.accessProviders\.\*\.cluster\.server$/,
    "no artefact says at which address a spoke is",
  ],
  [
    TERRAFORM,
    /^resource\.aws_s3_object\.\d\d-[^.]+$/,
    "published for others to apply, who see that it is gone",
  ],
  [MANIFEST, /displayName$|clusterManager/, "for people"],
  [MANIFEST, /^type$/, "Secrets are of any type"],
  [MANIFEST, /\.overwrite$|\.mode$/, "as the defaults"],
  [MANIFEST, /workload\.identity\/tenant-id$/, "the webhook has a tenant of its own"],
  [
    MANIFEST,
    /^spec\.template\.(?:metadata\.annotations|spec\.(?:volumes\.\*\.image\.reference|containers\.\*\.volumeMounts\.\*\.readOnly|.*expirationSeconds))/,
    "which image the plugin comes from, and for how long a token is valid, is the user's choice",
  ],
  [
    MANIFEST,
    /^(?:metadata|status\.accessProviders\.\*\.cluster\.certificate-authority-data)$/,
    "no artefact says which CA a server has",
  ],
  [/70-multi-kueue-clusters\.yaml$/, /./, "a warning says so"],
  [/50-node-pool-config\.yaml$/, /^metadata\.namespace$/, "no artefact says where NodePools are"],
  [/azure-ad-pod-identity-webhook-config\.yaml$/, /./, "no component needs the webhook"],
  [/prod-aws\/cdk\.tf\.json$/, /\.client_id_list\.\*$/, "components ask for the other one"],
  [/spokes\//, /^(?:files\.\*\.path|roleRef\.name)$/, "what it has to fit stands on the spoke"],
  [/nodes?\//, /^kubeletFlags\.image-credential-provider-bin-dir$/, "where plugins are stands on the nodes"],
  [/^node\//, /feature-gates$/, "on by default from 1.34", ["gone"]],
  [
    /^node\//,
    /^providers\.(?:\*\.(?:args(?:\.\*)?|tokenAttributes\.optionalServiceAccountAnnotationKeys)|1(?:\.name)?)$/,
    "the plugin for ECR needs no arguments, another session's name, and a plugin for another host",
    ["gone", "another text", "in capitals", "any"],
  ],
  [
    /^node\//,
    /^providers\.0\.name$/,
    "a plugin may have a suffix; which it is stands on the nodes",
    ["another text"],
  ],
  [/65-fleet-controller\.yaml$/, /mountPath$/, "the flag with the path stands in the installation"],
  [/65-fleet-controller\.yaml$/, /^subjects\.\*\.namespace$/, "that of the binding, where none is stated"],
  [/61-cluster-profile-status\.yaml$/, /^spec$/, "an apply of the status takes the status alone"],
  [MANIFEST, /items$|readOnly$|compression$/, "as the defaults"],
  [
    TERRAFORM,
    /^(?:variable|output|data)(\.|$)|^resource\.[^.]+$/,
    "`terraform plan` refuses references to what is not there",
  ],
  [
    TERRAFORM,
    /^locals(?:\.(?:nodes|manifests)_\w+)?$/,
    "`terraform plan` refuses references to what is not there",
    ["gone"],
  ],
  [
    TERRAFORM,
    /^locals\.nodes_nodeadm_txt$/,
    "what follows the last boundary of user data is not read",
    ["another text"],
  ],
  [TERRAFORM, /^locals\.(?:team|registry)$/, "lets in more, and permits more", ["any"]],
  [
    TERRAFORM,
    /\.(?:google_project_iam_member\.[^.]+\.condition|permissions_boundary)$/,
    "without it more is permitted",
    ["gone"],
  ],
  [TERRAFORM, /\.disabled$/, "the value is the default", ["gone"]],
  [
    TERRAFORM,
    /\.aws_iam_policy\.[^.]+\.path$/,
    "attachments name the policy by reference",
    ["gone", "another text"],
  ],
  [TERRAFORM, /\.inline_policy\.\*$/, "a right that a managed policy gives as well", ["gone"]],
  [
    TERRAFORM,
    /\.project$|\.azurerm_role_assignment\.[^.]+\.condition$/,
    "the provider's own, and without a condition more is let in",
  ],
  [TERRAFORM, /\.attribute_mapping\.attribute\./, "attributes that no condition asks about"],
  [
    TERRAFORM,
    /\.(?:aws_s3_bucket_public_access_block|aws_cloudfront_origin_access_control|aws_cloudfront_distribution|aws_s3_bucket|azurerm_storage_container|azurerm_storage_account)\./,
    "its provider refuses what does not fit; who may read is judged by policies and access controls",
  ],
  [TERRAFORM, /\.access_scope(\.|$)/, "a narrower scope lets in as well"],
  [MANIFEST, /items\.\*$|stringData\.azure_region$/, "no item is every item; the region is for people"],
  [
    MANIFEST,
    /^spec\.template\.metadata$|expirationSeconds$/,
    "the installation has it; the API server refuses the pods aloud",
  ],
  [TERRAFORM, WIDER, "lets in more", ["any"]],
  [MANIFEST, WIDER, "lets in more", ["any"]],
  [
    TERRAFORM,
    /\.(?:actions|data_actions|not_actions)\.\*$/,
    "actions are compared in any case",
    ["in capitals"],
  ],
  [
    TERRAFORM,
    /\.azurerm_role_assignment\.[^.]+\.(?:scope|role_definition_name)$/,
    "Azure compares ids and names of roles in any case",
    ["in capitals"],
  ],
  [MANIFEST, /^(?:items\.\*|metadata\.labels|items\.\*\.metadata)$/, "an object that no link needs"],
  [
    /nodes\/rke2\.yaml$/,
    /^merge_how(\.|$)|\.permissions$/,
    "how a part is merged into others, of which there are none, and who else may read the files",
  ],
  [
    /nodes\/rke2\.yaml$/,
    /^runcmd(\.0)?$|\.owner$/,
    "the plugin may be there, and root is the default",
    ["gone"],
  ],
  [/70-kubelet-alerts\.yaml$/, /./, "alerts are for people"],
  [/nodes\/talos\.yaml$/, /(?:^|\.)providers\.\*\.name$/, "the plugin's folder stands on the nodes"],
  [TERRAFORM, /^resource\.azurerm_role_definition\.[^.]+\.name$/, "assignments name its id"],
  [TERRAFORM, /^variable\.[^.]+\.(?:type|default)$/, "all that uses it has the same value"],
  [
    /cluster\.yaml$/,
    /^(?:apiVersion|items\.\*\..*)$/,
    "that of one service account alone, or what no link needs",
  ],
  [/cluster\.yaml$/, /^rules\.\*\.resourceNames$/, "a rule without names is for all", ["gone"]],
  [
    /cluster\.yaml$/,
    /^rules\.0\.(?:apiGroups|resources)\.1$|^subjects\.1(?:\.name)?$/,
    "one of two, of which the other is needed",
    ["gone", "another text", "in capitals", "any"],
  ],
  [
    /^node\//,
    /\.env(\.|$)|\.optionalServiceAccountAnnotationKeys\.|\.matchImages\.\*$/,
    "a region that the plugin knows, another session's name, and a pattern for another host",
  ],
  [
    TERRAFORM,
    /^resource\.aws_ecr_(?:pull_through_cache_rule|re\w+\.cache$)|\.aws_ecr_repository\.[^.]+\.(?:provider|name)$/,
    "the repository exists, whatever fills it",
  ],
  [
    TERRAFORM,
    /\.(?:inline_policy\.\*|aws_iam_policy|aws_iam_policy_attachment)(?:\.[^.]+)?\.(?:name|policy)$/,
    "a label, and a right that another policy gives as well",
  ],
  [
    TERRAFORM,
    /^data\.aws_iam_policy_document\.[^.]+\.statement\.\*\.(?:effect|sid)$/,
    "a default, and a label",
  ],
  [
    TERRAFORM,
    /\.(?:not_resources|not_actions|denied_principals|condition)\.\*(\.|$)|google_iam_deny_policy/,
    "denies less",
  ],
  [TERRAFORM, /\.client_id_list\.\*$/, "the other one is asked for"],
  [
    TERRAFORM,
    /^resource\.google_(?:artifact_registry_repository|project_iam_custom_role|artifact_registry_repository_iam_binding)\./,
    "grants name the repository and the role by text, and there are several",
  ],
  [
    TERRAFORM,
    /^resource\.aws_eks_node_group\.[^.]+\.(?:cluster_name|node_group_name|node_role_arn|scaling_config|subnet_ids)(\.|$)|\.aws_launch_template\.[^.]+\.name$/,
    "labels, where and how many nodes there are, and a group of another cluster",
  ],
  [
    TERRAFORM,
    /^resource\.aws_eks_node_group(?:\.[^.]+(?:\.ami_type)?)?$/,
    "no nodes of the group, and the AMI that EKS takes by default",
    ["gone"],
  ],
  [/50-ec2-node-classes\.yaml$/, /^(?:apiVersion|kind)$/, "an object of which no nodes are made"],
  [
    /50-ec2-node-classes\.yaml$/,
    /^spec\.(?:role|(?:securityGroup|subnet)SelectorTerms|amiSelectorTerms\.\*\.alias|userData)(\.|$)|^metadata/,
    "where nodes are, the version of an AMI, and what follows the last boundary of user data",
    ["gone", "another text", "in capitals", "any", "of another type"],
  ],
  [
    /50-ec2-node-classes\.yaml$/,
    /^spec\.(?:ami|securityGroup|subnet)SelectorTerms$/,
    "terms are alternatives, and of a class that the API server refuses no nodes are made",
    ["twice", "null first"],
  ],
  [
    TERRAFORM,
    /./,
    "in JSON a list of one block is that block, and `terraform plan` refuses other lists",
    ["in a list"],
  ],
  [
    TERRAFORM,
    /\.(?:(?:data_)?actions|client_id_list|inline_policy|kubernetes_groups|managed_policy_arns|permissions|roles)$/,
    "a set has it once, and `terraform plan` refuses a null in it",
    ["twice", "null first"],
  ],
  [
    TERRAFORM,
    /\.(?:condition|oidc)$/,
    "no block is added by null, and `terraform plan` refuses a second one",
    ["twice", "null first"],
  ],
  [
    MANIFEST,
    /(?:^|\.)(?:rules|subjects|apiGroups|resources|resourceNames|verbs|env|args|matchImages)$/,
    "says the same again",
    ["twice"],
  ],
  [
    MANIFEST,
    /\.projected\.sources$/,
    "the API server takes a source of no type, and a second token at a path",
    ["twice", "null first"],
  ],
  [MANIFEST, /\.matchImages$/, "the kubelet takes an empty pattern, which matches nothing", ["null first"]],
  [/\/pods\//, /./, "the API server refuses the pods aloud", ["twice", "null first"]],
  [/spokes\//, /^files$/, "a file without a path and a content is none", ["null first"]],
];

/** What is wrong and stays allowed all the same, because explain does not look at it yet. */
const NOT_SEEN: readonly Row[] = [
  [TERRAFORM, /^resource\.aws_eks_cluster(\.|$)/, "the cluster that nodes join"],
];

/** Whether everything may stay allowed after the damage. */
export function isHarmless({ file, keys }: Place, damage: Damage): boolean {
  const paths = [keys.map((key) => (typeof key === "number" ? "*" : key)), keys].map((each) =>
    each.join("."),
  );
  return [...HARMLESS, ...NOT_SEEN].some(
    ([ofFile, ofKeys, , only]) =>
      ofFile.test(file) && paths.some((path) => ofKeys.test(path)) && (only?.includes(damage) ?? true),
  );
}
