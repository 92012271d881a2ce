/*
 * What Google Cloud's command line prints: the members of the REST resources. Sources: REST references of IAM
 * (projects.serviceAccounts, projects.locations.workloadIdentityPools and .providers, projects.roles, Policy), Resource
 * Manager (projects) and Kubernetes Engine (projects.locations.clusters).
 */

import type { CommandAnswer } from "../../model/command-answer";
import { ASK } from "../../rules/google/commands";
import { NOT_YET } from "../read/block";
import type {
  Recorded,
  RecordedCommand,
  RecordedCommands,
  RecordedItem,
  RecordedResource,
} from "../read/recorded";

const POOL = /^projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)$/;
const PROVIDER = /^projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/providers\/([^/]+)$/;
const ROLE = /^projects\/([^/]+)\/roles\/([^/]+)$/;
const CLUSTER =
  /^https:\/\/container\.googleapis\.com\/v\w+\/projects\/([^/]+)\/(?:locations|zones)\/([^/]+)\/clusters\//;
const REPOSITORY = /^projects\/([^/]+)\/locations\/([^/]+)\/repositories\/([^/]+)$/;

/** The groups of a pattern in a text of an answer; refused if it has another form. */
function pieces(answer: CommandAnswer, key: string, pattern: RegExp): readonly string[] {
  const [, ...groups] = pattern.exec(answer.at(key).stated()) ?? answer.at(key).refuse("the full name");
  return groups;
}

/** If the policy of its project was not printed, anyone may have any role there. */
function perhapsGranted(project: string, all: Recorded): readonly RecordedResource[] {
  const isProject = ({ answer }: RecordedItem): boolean =>
    ["projectId", "projectNumber"].some((key) => answer.at(key).text() === project);
  const described = all.of(ASK.project).filter(isProject);
  if (described.some(({ document }) => document.isAnswered(ASK.projectPolicy))) return [];
  const values = { project, role: NOT_YET, member: NOT_YET };
  return [{ type: "google_project_iam_member", id: project, values }];
}

function pool({ answer, more }: RecordedItem): readonly RecordedResource[] {
  const [project, id] = pieces(answer, "name", POOL);
  const values = {
    workload_identity_pool_id: id,
    project,
    name: answer.at("name").text(),
    disabled: answer.at("disabled").value === true,
    state: answer.at("state").text(),
    mode: answer.at("mode").text(),
    ...more,
  };
  return [{ type: "google_iam_workload_identity_pool", id: answer.at("name").stated(), values }];
}

function provider({ answer, more }: RecordedItem, all: Recorded): readonly RecordedResource[] {
  const [project = "", poolId, id] = pieces(answer, "name", PROVIDER);
  const oidc = answer.at("oidc");
  const values = {
    workload_identity_pool_id: poolId,
    workload_identity_pool_provider_id: id,
    project,
    name: answer.at("name").text(),
    disabled: answer.at("disabled").value === true,
    state: answer.at("state").text(),
    attribute_mapping: Object.fromEntries(
      answer
        .at("attributeMapping")
        .entries()
        .map(([key, expression]) => [key, expression.stated()]),
    ),
    attribute_condition: answer.at("attributeCondition").text(),
    oidc: oidc.exists
      ? [
          {
            issuer_uri: oidc.at("issuerUri").stated(),
            allowed_audiences: oidc.at("allowedAudiences").texts(),
            jwks_json: oidc.at("jwksJson").text() ?? "",
          },
        ]
      : [],
    ...more,
  };
  const made = { type: "google_iam_workload_identity_pool_provider", id: answer.at("name").stated(), values };
  return [made, ...perhapsGranted(project, all)];
}

/** If its own policy was not printed, anyone may act as it. */
function account({ answer, more }: RecordedItem, all: Recorded): readonly RecordedResource[] {
  const [email = "", project = ""] = ["email", "projectId"].map((key) => answer.at(key).stated());
  const disabled = answer.at("disabled").value === true;
  const values = { account_id: email, email, project, disabled, ...more };
  const adopted = !all.isAnswered(ASK.policy, email);
  return [{ type: "google_service_account", id: email, values, adopted }, ...perhapsGranted(project, all)];
}

function role({ answer, more }: RecordedItem): readonly RecordedResource[] {
  if (!ROLE.test(answer.at("name").stated())) return [];
  const [project, id] = pieces(answer, "name", ROLE);
  const permissions = answer.at("includedPermissions");
  const values = {
    role_id: id,
    project,
    permissions: permissions.exists ? permissions.texts() : NOT_YET,
    stage: answer.at("stage").text(),
    deleted: answer.at("deleted").value === true,
    ...more,
  };
  return [{ type: "google_project_iam_custom_role", id: answer.at("name").stated(), values }];
}

/** A policy as it is owned by a resource: it is all that is granted there. */
function policy(
  type: string,
  place: Readonly<Record<string, string>>,
  { answer, more }: RecordedItem,
): readonly RecordedResource[] {
  // A policy without bindings is printed without the key.
  const bindings = answer
    .at("bindings")
    .list()
    .map(({ value }) => value);
  const values = { ...place, policy_data: JSON.stringify({ bindings }), ...more };
  return [{ type: `google_${type}_iam_policy`, id: Object.values(place).join("/"), values }];
}

function projectPolicy(item: RecordedItem): readonly RecordedResource[] {
  const [described] = item.document.of(ASK.project);
  const project = described?.answer.at("projectId").text() ?? item.answer.refuse(`beside \`${ASK.project}\``);
  return policy("project", { project }, item);
}

function repositoryPolicy(item: RecordedItem): readonly RecordedResource[] {
  const [, project, location, repository] = REPOSITORY.exec(item.key) ?? [];
  if (project === undefined || location === undefined || repository === undefined)
    return item.answer.refuse("that of projects/<project>/locations/<location>/repositories/<name>");
  return policy("artifact_registry_repository", { project, location, repository }, item);
}

function cluster({ answer, more }: RecordedItem): readonly RecordedResource[] {
  const [project, location] = pieces(answer, "selfLink", CLUSTER);
  const workloadPool = answer.at("workloadIdentityConfig", "workloadPool").text();
  const fleet = answer.at("fleet", "project").text();
  const modes = answer
    .at("nodePools")
    .list()
    .map((each) => each.at("config", "workloadMetadataConfig", "mode"));
  const values = {
    name: answer.at("name").stated(),
    location,
    project,
    master_version: answer.at("currentMasterVersion").text(),
    enable_autopilot: answer.at("autopilot", "enabled").value === true,
    enable_legacy_abac: answer.at("legacyAbac", "enabled").value === true,
    workload_identity_config: workloadPool === undefined ? [] : [{ workload_pool: workloadPool }],
    fleet: fleet === undefined ? [] : [{ project: fleet }],
    node_pool: modes.map((mode) => ({
      node_config: [{ workload_metadata_config: [{ mode: mode.text() ?? "" }] }],
    })),
    ...more,
  };
  return [{ type: "google_container_cluster", id: answer.at("selfLink").stated(), values }];
}

const POLICY: Omit<RecordedCommand, "command"> = {
  read: "bindings",
  harmless: "etag version auditConfigs",
};

const rows: readonly RecordedCommand[] = [
  {
    command: ASK.project,
    read: "projectId projectNumber",
    harmless: "name createTime lifecycleState parent labels tags etag configuredCapabilities",
    shape: { projectId: /^/, projectNumber: /^\d+$/, lifecycleState: /^/ },
  },
  {
    command: ASK.pools,
    shape: { name: POOL },
    read: "name disabled state mode",
    harmless: "displayName description sessionDuration",
    resources: pool,
  },
  {
    command: ASK.providers,
    isKeyed: true,
    shape: { name: PROVIDER },
    read: "name disabled state attributeMapping attributeCondition",
    harmless: "displayName description",
    blocks: { oidc: { read: "issuerUri allowedAudiences jwksJson" } },
    resources: provider,
  },
  {
    command: ASK.accounts,
    shape: { name: /^projects\/[^/]+\/serviceAccounts\/[^/]+@/, email: /@/, projectId: /^/ },
    read: "name email projectId disabled",
    harmless: "displayName description etag oauth2ClientId uniqueId",
    resources: account,
  },
  {
    command: ASK.policy,
    isKeyed: true,
    ...POLICY,
    shape: { bindings: /^/, etag: /^/ },
    lacks: "of which resource it is",
    resources: (item) =>
      policy("service_account", { service_account_id: `projects/-/serviceAccounts/${item.key}` }, item),
  },
  { command: ASK.projectPolicy, ...POLICY, resources: projectPolicy },
  { command: ASK.repositoryPolicy, isKeyed: true, ...POLICY, resources: repositoryPolicy },
  {
    command: ASK.roles,
    shape: { name: ROLE, title: /^/ },
    read: "name includedPermissions stage deleted",
    harmless: "title description etag",
    resources: role,
  },
  {
    command: ASK.cluster,
    isKeyed: true,
    shape: { selfLink: CLUSTER, name: /^/ },
    read: "name selfLink location zone currentMasterVersion nodePools",
    harmless: `addonsConfig alphaClusterFeatureGates anonymousAuthenticationConfig authenticatorGroupsConfig autoscaling binaryAuthorization clusterIpv4Cidr compliancePostureConfig conditions confidentialNodes controlPlaneEndpointsConfig costManagementConfig createTime currentNodeCount currentNodeVersion databaseEncryption defaultMaxPodsConstraint description enableK8sBetaApis enableKubernetesAlpha enableTpu endpoint enterpriseConfig etag expireTime gkeAutoUpgradeConfig id identityServiceConfig initialClusterVersion initialNodeCount instanceGroupUrls ipAllocationPolicy labelFingerprint locations loggingConfig loggingService maintenancePolicy managedMachineLearningDiagnosticsConfig masterAuth masterAuthorizedNetworksConfig meshCertificates monitoringConfig monitoringService network networkConfig networkPolicy nodeConfig nodeIpv4CidrSize nodePoolAutoConfig nodePoolDefaults notificationConfig parentProductConfig podAutoscaling privateCluster privateClusterConfig rbacBindingConfig releaseChannel resourceLabels resourceUsageExportConfig satisfiesPzi satisfiesPzs secretManagerConfig secretSyncConfig securityPostureConfig servicesIpv4Cidr shieldedNodes status statusMessage subnetwork tpuIpv4CidrBlock verticalPodAutoscaling`,
    blocks: {
      autopilot: { read: "enabled", harmless: "workloadPolicyConfig privilegedAdmissionConfig" },
      legacyAbac: { read: "enabled" },
      workloadIdentityConfig: { read: "workloadPool" },
      fleet: { read: "project", harmless: "membership preRegistered membershipType" },
    },
    resources: cluster,
  },
];

export const recorded: RecordedCommands = { program: "gcloud", rows, others: [ASK.bucket] };
