/*
 * What Google Cloud's command line prints: the members of the REST resources. Sources: REST references of IAM
 * (projects.serviceAccounts, projects.locations.workloadIdentityPools and .providers, projects.roles, Policy), Resource
 * Manager (projects) and Kubernetes Engine (projects.locations.clusters).
 */

import type { Json } from "../../model/parsed";
import { ASK } from "../../rules/google/commands";
import { NOT_YET } from "../read/block";
import {
  ANY,
  type Recorded,
  type RecordedCommand,
  type RecordedCommands,
  type RecordedItem,
  type RecordedResource,
} from "../read/recorded";

const POOL = /^projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)$/;
const PROVIDER = /^projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/providers\/([^/]+)$/;
const ROLE = /^projects\/([^/]+)\/roles\/([^/]+)$/;
const CLUSTER = /^https:\/\/container\.googleapis\.com\/v\w+\/projects\/([^/]+)\/(?:locations|zones)\//;
const ACCOUNT = /^projects\/([^/]+)\/serviceAccounts\/[^/]+@/;
const REPOSITORY = /^projects\/([^/]+)\/locations\/([^/]+)\/repositories\/([^/]+)$/;

/** The groups of a pattern in the full name, as arguments, of which the first is the project; a policy has no name. */
function named(
  { answer, key }: RecordedItem,
  all: Recorded,
  pattern: RegExp,
  ...args: readonly string[]
): Json {
  const name = pattern === REPOSITORY ? key : answer.at("name").stated();
  const [, ...groups] = pattern.exec(name) ?? answer.refuse("that of a full name");
  const own = Object.fromEntries(["project", ...args].map((argument, place) => [argument, groups[place]]));
  const isActive = describedAs(groups[0] ?? "", all).every(
    (each) => (each.answer.at("lifecycleState").text() ?? "ACTIVE") === "ACTIVE",
  );
  return isActive ? own : { ...own, [`${ASK.project}: lifecycleState`]: true };
}

function describedAs(project: string, all: Recorded): readonly RecordedItem[] {
  return all
    .of(ASK.project)
    .filter(({ answer }) =>
      [answer.at("projectId").text(), answer.at("projectNumber").text()].includes(project),
    );
}

/** If the policy of its project was not printed, anyone may have any role there. */
function perhapsGranted(project: string, all: Recorded): readonly RecordedResource[] {
  if (describedAs(project, all).some(({ document }) => document.isAnswered(ASK.projectPolicy))) return [];
  const values = { project, role: NOT_YET, member: NOT_YET };
  return [{ type: "google_project_iam_member", id: project, values }];
}

function provider(item: RecordedItem, all: Recorded): Json {
  const [oidc, mapping] = [item.answer.at("oidc"), item.answer.at("attributeMapping").entries()];
  const settings = (): Json => ({
    issuer_uri: oidc.at("issuerUri").stated(),
    allowed_audiences: oidc.at("allowedAudiences").texts(),
    jwks_json: oidc.at("jwksJson").text() ?? "",
  });
  const [pool, id] = ["workload_identity_pool_id", "workload_identity_pool_provider_id"];
  return {
    ...named(item, all, PROVIDER, pool ?? "", id ?? ""),
    attribute_mapping: Object.fromEntries(mapping.map(([key, expression]) => [key, expression.stated()])),
    oidc: oidc.exists ? [settings()] : [],
  };
}

/** A policy as it is owned by a resource: it is all that is granted there. */
function policy({ answer }: RecordedItem): Json {
  // A policy that grants nothing is printed without the key, but with its version.
  if (!answer.at("bindings").exists && !answer.at("etag").exists) answer.refuse("a whole policy");
  const bindings = answer
    .at("bindings")
    .list()
    .map(({ value }) => value);
  return { policy_data: JSON.stringify({ bindings }) };
}

/** The project of an answer that does not say it: the one described beside it. */
function projectBeside({ document, answer }: RecordedItem): string {
  const [described] = document.of(ASK.project);
  return described?.answer.at("projectId").text() ?? answer.refuse(`beside \`${ASK.project}\``);
}

function cluster(item: RecordedItem): Json {
  const { answer } = item;
  const workload_pool = answer.at("workloadIdentityConfig", "workloadPool").text();
  const fleet = answer.at("fleet", "project").text();
  const modes = answer
    .at("nodePools")
    .list()
    .map((each) => each.at("config", "workloadMetadataConfig", "mode"));
  return {
    project: CLUSTER.exec(answer.at("selfLink").text() ?? "")?.[1] ?? projectBeside(item),
    workload_identity_config: workload_pool === undefined ? [] : [{ workload_pool }],
    fleet: fleet === undefined ? [] : [{ project: fleet }],
    node_pool: modes.map((mode) => ({
      node_config: [{ workload_metadata_config: [{ mode: mode.text() ?? "" }] }],
    })),
  };
}

const POLICY = { read: "bindings", harmless: "etag version auditConfigs" };

const rows: readonly RecordedCommand[] = [
  {
    command: ASK.project,
    read: "projectId projectNumber",
    harmless: "name createTime lifecycleState parent labels tags etag configuredCapabilities",
    shape: { projectId: ANY, projectNumber: /^\d+$/, lifecycleState: ANY },
  },
  {
    command: ASK.pools,
    type: "google_iam_workload_identity_pool",
    shape: { name: POOL },
    id: "name",
    texts: "name state? mode?",
    flags: "disabled",
    values: (item, all) => named(item, all, POOL, "workload_identity_pool_id"),
  },
  {
    command: ASK.providers,
    isKeyed: true,
    type: "google_iam_workload_identity_pool_provider",
    shape: { name: PROVIDER },
    id: "name",
    texts: "name state? attribute_condition=attributeCondition?",
    flags: "disabled",
    read: "attributeMapping",
    blocks: { oidc: { read: "issuerUri allowedAudiences jwksJson" } },
    values: provider,
    also: ({ answer }, all) => perhapsGranted(PROVIDER.exec(answer.at("name").stated())?.[1] ?? "", all),
  },
  {
    command: ASK.accounts,
    type: "google_service_account",
    shape: { name: ACCOUNT, email: /@/ },
    id: "email",
    texts: "name account_id=email email",
    flags: "disabled",
    harmless: "projectId etag oauth2ClientId",
    values: (item, all) => named(item, all, ACCOUNT),
    // If its own policy was not printed, anyone may act as it.
    isPart: ({ answer }, all) => !all.isAnswered(ASK.policy, answer.at("email").stated()),
    also: ({ answer }, all) => perhapsGranted(ACCOUNT.exec(answer.at("name").stated())?.[1] ?? "", all),
  },
  {
    ...POLICY,
    command: ASK.policy,
    isKeyed: true,
    type: "google_service_account_iam_policy",
    shape: { bindings: ANY, etag: ANY },
    lacks: "of which resource it is",
    id: "service_account_id",
    values: (item) => ({ service_account_id: `projects/-/serviceAccounts/${item.key}`, ...policy(item) }),
  },
  {
    ...POLICY,
    command: ASK.projectPolicy,
    type: "google_project_iam_policy",
    id: "project",
    values: (item) => ({ project: projectBeside(item), ...policy(item) }),
  },
  {
    ...POLICY,
    command: ASK.repositoryPolicy,
    isKeyed: true,
    type: "google_artifact_registry_repository_iam_policy",
    values: (item, all) => ({
      id: item.key,
      ...named(item, all, REPOSITORY, "location", "repository"),
      ...policy(item),
    }),
  },
  {
    command: ASK.roles,
    type: "google_project_iam_custom_role",
    shape: { name: ROLE, title: ANY },
    texts: "id=name stage?",
    flags: "deleted",
    read: "includedPermissions",
    harmless: "etag",
    values: (item, all) => {
      const permissions = item.answer.at("includedPermissions");
      return {
        ...named(item, all, ROLE, "role_id"),
        permissions: permissions.exists ? permissions.texts() : NOT_YET,
      };
    },
  },
  {
    command: ASK.cluster,
    isKeyed: true,
    type: "google_container_cluster",
    shape: { selfLink: CLUSTER, name: ANY },
    id: "name",
    texts: "name location master_version=currentMasterVersion?",
    flags: "enable_autopilot=autopilot.enabled enable_legacy_abac=legacyAbac.enabled",
    read: "selfLink zone nodePools",
    harmless:
      "autoscaling conditions createTime currentNodeCount currentNodeVersion defaultMaxPodsConstraint etag expireTime initialClusterVersion instanceGroupUrls locations networkConfig nodeIpv4CidrSize parentProductConfig privateCluster satisfiesPzi satisfiesPzs shieldedNodes status statusMessage",
    blocks: {
      autopilot: { read: "enabled", harmless: "workloadPolicyConfig privilegedAdmissionConfig" },
      legacyAbac: { read: "enabled" },
      workloadIdentityConfig: { read: "workloadPool" },
      fleet: { read: "project", harmless: "membership preRegistered membershipType" },
    },
    values: cluster,
  },
];

export const recorded: RecordedCommands = { program: "gcloud", rows, others: [ASK.bucket] };
