/*
 * Recorded outputs of the clouds' command lines beside what kubectl prints. Sources of the shapes: AWS CLI reference, iam
 * get-account-authorization-details and eks describe-cluster; Azure CLI reference and the REST references behind it; REST
 * references of Google Cloud's IAM and Kubernetes Engine.
 */

import { describe, expect, it } from "vitest";
import { type ExplainOptions, type ExplainResult, Explainer } from "../../lib/explain";
import { awsAnswers, azureAnswers, googleAnswers } from "../adopt/answers";
import { aksAnswers, eksAnswers, gkeAnswers } from "../adopt/managed-answers";
import { folderOf } from "../fixtures/explain/artefacts";

type Json = Record<string, unknown>;
type World = Record<string, unknown>;

const ISSUER = "https://oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A";
const discovery = (issuer: string): Json => ({
  issuer,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ["id_token"],
});

type AskedJob = "workload" | "image-pull";

/** What is said of shop/web. */
function resultsOf(world: World, options: ExplainOptions, job: AskedJob): readonly ExplainResult[] {
  const files = Object.entries(world).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value, undefined, 1),
  ]);
  const read = Explainer.read([folderOf(Object.fromEntries(files) as Record<string, string>)], options);
  return [...read.all({ job })].filter(({ subject }) => subject === "shop/web");
}

/** The verdict, with the link that decides. */
function answer(world: World, options: ExplainOptions = {}, job: AskedJob = "workload"): string {
  const [result] = resultsOf(world, options, job);
  const open = ["fail", "unknown"].flatMap(
    (each) => result?.checks.find(({ status }) => status === each) ?? [],
  )[0];
  return `${result?.verdict}${open ? `: ${open.id}: ${open.reason}; ${open.evidence.map(({ source }) => source?.path).join(", ")}` : ""}`;
}

const ACCOUNT = "111122223333";
const HOST = ISSUER.replace("https://", "");
const roleArn = `arn:aws:iam::${ACCOUNT}:role/web`;
const PROVIDER = `arn:aws:iam::${ACCOUNT}:oidc-provider/${HOST}`;
const policy = (...Statement: readonly Json[]): Json => ({ Version: "2012-10-17", Statement });
const READ = { Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::shop/list" };
const trust = (more: Json = {}): Json =>
  policy({
    Effect: "Allow",
    Principal: { Federated: PROVIDER },
    Action: "sts:AssumeRoleWithWebIdentity",
    Condition: {
      StringEquals: {
        [`${HOST}:sub`]: "system:serviceaccount:shop:web",
        [`${HOST}:aud`]: "sts.amazonaws.com",
        ...more,
      },
    },
  });
const role = (more: Json = {}): Json => ({
  Path: "/",
  RoleName: "web",
  RoleId: "AROA",
  Arn: roleArn,
  CreateDate: "2026-01-01T00:00:00+00:00",
  AssumeRolePolicyDocument: trust(),
  ...more,
});
const detail = (more: Json = {}): Json =>
  role({
    InstanceProfileList: [],
    RolePolicyList: [{ PolicyName: "read", PolicyDocument: policy(READ) }],
    AttachedManagedPolicies: [],
    Tags: [],
    RoleLastUsed: {},
    ...more,
  });
const details = (more: Json = {}, policies: readonly Json[] = []): Json => ({
  UserDetailList: [],
  GroupDetailList: [],
  RoleDetailList: [detail(more)],
  Policies: policies,
  IsTruncated: false,
});
const providerAnswer = (more: Json = {}, arn = PROVIDER): Json => ({
  "iam get-open-id-connect-provider": {
    [arn]: { Url: arn.split(":oidc-provider/")[1], ClientIDList: ["sts.amazonaws.com"], Tags: [], ...more },
  },
});
const account = (annotations: Json, more: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "web", namespace: "shop", annotations },
  ...more,
});
const kubernetes = (items: readonly Json[]): Json => ({ apiVersion: "v1", kind: "List", items });
const aws = (more: World = {}): World => ({
  "objects.json": kubernetes([account({ "eks.amazonaws.com/role-arn": roleArn })]),
  "openid.json": discovery(ISSUER),
  "provider.json": providerAnswer(),
  "details.json": details(),
  ...more,
});

const attached = (PolicyArn: string): Json => ({ PolicyName: PolicyArn.split("/").at(-1), PolicyArn });
const OWN = `arn:aws:iam::${ACCOUNT}:policy/own`;
const managed = (Document: Json, Arn = OWN): Json => ({
  PolicyName: "own",
  PolicyId: "ANPA",
  Arn,
  Path: "/",
  DefaultVersionId: "v2",
  AttachmentCount: 1,
  PermissionsBoundaryUsageCount: 0,
  IsAttachable: true,
  PolicyVersionList: [
    { Document: policy(READ), VersionId: "v1", IsDefaultVersion: false },
    { Document, VersionId: "v2", IsDefaultVersion: true },
  ],
});
/** The role by the commands of docs/adopting.md. */
const byCommand = (more: Json = {}): Json => ({
  "sts get-caller-identity": { UserId: "AIDA", Account: ACCOUNT, Arn: `arn:aws:iam::${ACCOUNT}:user/ops` },
  ...providerAnswer(),
  "iam get-role": { web: { Role: role() } },
  "iam list-role-policies": { web: { PolicyNames: ["read"] } },
  "iam get-role-policy": {
    "web/read": { RoleName: "web", PolicyName: "read", PolicyDocument: policy(READ) },
  },
  "iam list-attached-role-policies": { web: { AttachedPolicies: [] } },
  ...more,
});
const eks = (issuer: string): Json => ({
  cluster: {
    name: "prod",
    arn: `arn:aws:eks:eu-west-1:${ACCOUNT}:cluster/prod`,
    version: "1.35",
    createdAt: "2026-01-01T00:00:00+00:00",
    endpoint: "https://example.com",
    identity: { oidc: { issuer } },
    accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: true },
    health: { issues: [] },
  },
});
const DENY = { Effect: "Deny", Action: "*", Resource: "*" };
const OTHER = "https://oidc.eks.eu-west-1.amazonaws.com/id/00000000000000000000000000000000";

describe("AWS", () => {
  it.each<[string, World, string | RegExp]>([
    ["the whole account", {}, "allowed"],
    ["commands one by one", { "details.json": byCommand(), "provider.json": "{}" }, "allowed"],
    ["both, which agree", { "role.json": { Role: role() } }, "allowed"],
    [
      "both, with another trust policy",
      { "role.json": { Role: role({ AssumeRolePolicyDocument: policy() }) } },
      /^unknown: .*declared twice/,
    ],
    [
      "the cluster in place of its discovery document",
      { "openid.json": "{}", "eks.json": eks(ISSUER) },
      "allowed",
    ],
    ["another cluster", { "openid.json": "{}", "eks.json": eks(OTHER) }, /^unknown: issuer-trusted/],
    [
      "another issuer",
      { "openid.json": discovery(OTHER) },
      /^denied: issuer-trusted: the trust policy does not name/,
    ],
    [
      "another subject",
      {
        "details.json": details({
          AssumeRolePolicyDocument: trust({ [`${HOST}:sub`]: "system:serviceaccount:shop:wbe" }),
        }),
      },
      /^denied: subject-admitted: .*; RoleDetailList\[0\] of aws iam get-account-authorization-details$/,
    ],
    [
      "another audience in the trust policy",
      { "details.json": details({ AssumeRolePolicyDocument: trust({ [`${HOST}:aud`]: "sts" }) }) },
      /^denied: audience-accepted: the trust policy/,
    ],
    [
      "another audience of the OIDC provider",
      { "provider.json": providerAnswer({ ClientIDList: ["sts"] }) },
      /^denied: audience-accepted: the OIDC provider accepts sts.*; \["iam get-open-id-connect-provider"\]/,
    ],
    ["no policy", { "details.json": details({ RolePolicyList: [] }) }, /^denied: permissions-granted/],
    [
      "no policy, command by command",
      { "details.json": byCommand({ "iam list-role-policies": { web: { PolicyNames: [] } } }) },
      /^denied: permissions-granted/,
    ],
    [
      "a denial in an attached policy",
      { "details.json": details({ AttachedManagedPolicies: [attached(OWN)] }, [managed(policy(DENY))]) },
      /^denied: permissions-granted/,
    ],
    [
      "a boundary that allows nothing",
      {
        "details.json": details(
          { PermissionsBoundary: { PermissionsBoundaryType: "Policy", PermissionsBoundaryArn: OWN } },
          [managed(policy({ ...READ, Action: "sqs:*" }))],
        ),
      },
      /^denied: permissions-granted/,
    ],
    [
      "an attached policy that was not printed",
      { "details.json": details({ AttachedManagedPolicies: [attached(OWN)] }) },
      /^unknown: permissions-granted/,
    ],
    [
      "a managed policy of AWS that was not printed",
      {
        "details.json": details({
          RolePolicyList: [],
          AttachedManagedPolicies: [attached("arn:aws:iam::aws:policy/AmazonConnect_FullAccess")],
        }),
      },
      "allowed",
    ],
    [
      "the document of an attached policy by its ARN",
      {
        "details.json": byCommand({
          "iam list-role-policies": { web: { PolicyNames: [] } },
          "iam list-attached-role-policies": { web: { AttachedPolicies: [attached(OWN)] } },
          "iam get-policy-version": {
            [OWN]: { PolicyVersion: { Document: policy(READ), VersionId: "v1", IsDefaultVersion: true } },
          },
        }),
      },
      "allowed",
    ],
    ["the role alone", { "details.json": { Role: role() } }, /^unknown: permissions-granted/],
    [
      "no list of attached policies",
      { "details.json": byCommand({ "iam list-attached-role-policies": {} }) },
      /^unknown: permissions-granted/,
    ],
    [
      "a list that goes on",
      {
        "details.json": byCommand({
          "iam list-attached-role-policies": {
            web: { AttachedPolicies: [attached(OWN)], IsTruncated: true },
          },
        }),
      },
      /^unknown: permissions-granted/,
    ],
    [
      "an empty page of a list that goes on",
      {
        "details.json": byCommand({
          "iam list-role-policies": { web: { PolicyNames: [], IsTruncated: true, Marker: "m" } },
        }),
        "provider.json": "{}",
      },
      /^unknown: permissions-granted/,
    ],
    ["discovery documents of two clusters", { "a.json": discovery(OTHER) }, /^unknown/],
    ["the same in the other order", { "z.json": discovery(OTHER) }, /^unknown/],
    [
      "an OIDC provider without its audiences",
      { "provider.json": providerAnswer({ ClientIDList: undefined }) },
      /^unknown: audience-accepted/,
    ],
    [
      "answers of two accounts under the same names",
      {
        "details.json": byCommand({
          "sts get-caller-identity": { UserId: "AIDA", Account: "444455556666", Arn: "arn" },
        }),
      },
      /^unknown: permissions-granted/,
    ],
    [
      "the OIDC provider of another account",
      { "provider.json": providerAnswer({}, PROVIDER.replace(ACCOUNT, "444455556666")) },
      /^unknown: issuer-trusted/,
    ],
    [
      "an OIDC provider under the ARN of another issuer",
      { "provider.json": providerAnswer({ Url: OTHER.replace("https://", "") }) },
      /^unknown: issuer-trusted/,
    ],
    [
      "an OIDC provider that does not say of which account it is",
      { "provider.json": { Url: HOST, ClientIDList: ["sts.amazonaws.com"], ThumbprintList: [] } },
      /^unknown: issuer-trusted/,
    ],
    ["a field that is not listed", { "details.json": details({ SessionLimits: "x" }) }, /^unknown/],
    [
      "a document as text",
      { "details.json": details({ AssumeRolePolicyDocument: "%7B%7D" }) },
      /^unknown: identity-found/,
    ],
    [
      "a list of another type",
      { "details.json": details({ AttachedManagedPolicies: "none" }) },
      /^unknown: identity-found/,
    ],
    [
      "half of a file",
      { "details.json": JSON.stringify(details(), undefined, 1).slice(0, 900) },
      /^unknown: identity-found/,
    ],
    [
      "attached policies that do not name their role, but this policy",
      {
        "details.json": details({ AttachedManagedPolicies: [attached(OWN)] }, [managed(policy(READ))]),
        "x.json": { AttachedPolicies: [attached(OWN)] },
      },
      /^unknown/,
    ],
  ])("%s", (_, world, expected) => {
    expect(answer(aws(world))).toMatch(expected);
  });

  const pods: Json = {
    associations: [
      {
        clusterName: "prod",
        namespace: "shop",
        serviceAccount: "web",
        associationArn: "a",
        associationId: "a-1",
      },
    ],
  };
  const described = (more: Json = {}): Json => ({
    association: {
      ...(pods["associations"] as Json[])[0],
      roleArn,
      disableSessionTags: false,
      tags: {},
      ...more,
    },
  });
  const agent = { aws: { podIdentityAgents: [{ cluster: "prod" }] } };
  const podTrust = policy({
    Effect: "Allow",
    Principal: { Service: "pods.eks.amazonaws.com" },
    Action: ["sts:AssumeRole", "sts:TagSession"],
  });
  it.each<[string, World, RegExp | string]>([
    ["a described association", { "a.json": described() }, "allowed"],
    ["one that is only listed, which overrides the annotation", { "a.json": pods }, /^unknown: /],
    ["listed and described", { "a.json": pods, "b.json": described() }, "allowed"],
    ["with a field that is not listed", { "a.json": described({ sessionLimit: 1 }) }, /^unknown/],
  ])("EKS Pod Identity: %s", (_, world, expected) => {
    const own = { "details.json": details({ AssumeRolePolicyDocument: podTrust }), "eks.json": eks(ISSUER) };
    expect(answer(aws({ ...own, ...world }), agent)).toMatch(expected);
  });
});

const GUID = "00000001-0001-4000-8000-0123456789ab";
const TENANT = "00000002-0001-4000-8000-0123456789ab";
const PRINCIPAL = "00000003-0001-4000-8000-0123456789ab";
const GROUP = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourcegroups/shop";
const IDENTITY = `${GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/web`;
const AKS = "https://westeurope.oic.prod-aks.azure.com/t/c/";
const identity = (more: Json = {}): Json => ({
  clientId: GUID,
  id: IDENTITY,
  location: "westeurope",
  name: "web",
  principalId: PRINCIPAL,
  resourceGroup: "shop",
  systemData: null,
  tags: {},
  tenantId: TENANT,
  type: "Microsoft.ManagedIdentity/userAssignedIdentities",
  ...more,
});
const credential = (more: Json = {}): Json => ({
  audiences: ["api://AzureADTokenExchange"],
  id: `${IDENTITY}/federatedIdentityCredentials/web`,
  issuer: AKS,
  name: "web",
  resourceGroup: "shop",
  subject: "system:serviceaccount:shop:web",
  type: "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials",
  ...more,
});
const assignment = (more: Json = {}): Json => ({
  condition: null,
  conditionVersion: null,
  createdBy: PRINCIPAL,
  createdOn: "2026-01-01T00:00:00+00:00",
  delegatedManagedIdentityResourceId: null,
  id: `${GROUP}/providers/Microsoft.Authorization/roleAssignments/${GUID}`,
  name: GUID,
  principalId: PRINCIPAL,
  principalName: GUID,
  principalType: "ServicePrincipal",
  resourceGroup: "shop",
  roleDefinitionId: "/providers/Microsoft.Authorization/roleDefinitions/acdd72a7-3385-48ef-bd42-f606fba81ae7",
  roleDefinitionName: "Reader",
  scope: GROUP,
  type: "Microsoft.Authorization/roleAssignments",
  ...more,
});
const aks = (more: Json = {}): Json => ({
  id: `${GROUP}/providers/Microsoft.ContainerService/managedClusters/aks`,
  name: "aks",
  kubernetesVersion: "1.34",
  agentPoolProfiles: [{ name: "system" }],
  networkProfile: { networkPlugin: "azure" },
  oidcIssuerProfile: { enabled: true, issuerUrl: AKS },
  resourceGroup: "shop",
  securityProfile: { workloadIdentity: { enabled: true } },
  type: "Microsoft.ContainerService/ManagedClusters",
  ...more,
});
const label = { "azure.workload.identity/use": "true" };
const pod: Json = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop", labels: label },
  spec: { serviceAccountName: "web", containers: [{ name: "web", image: "shop.azurecr.io/web:v1" }] },
};
const azure = (more: World = {}): World => ({
  "objects.json": kubernetes([account({ "azure.workload.identity/client-id": GUID }), pod]),
  "aks.json": aks(),
  "identities.json": [identity()],
  "credentials.json": [credential()],
  "roles.json": [assignment()],
  ...more,
});

describe("Azure", () => {
  it.each<[string, World, string | RegExp]>([
    ["lists", {}, "allowed"],
    ["one identity", { "identities.json": identity() }, "allowed"],
    [
      "one object of answers",
      {
        "identities.json": "{}",
        "credentials.json": {
          "account show": { id: GUID, tenantId: TENANT },
          "identity list": [identity()],
          "identity federated-credential list": { [IDENTITY]: [credential({ id: null })] },
        },
      },
      "allowed",
    ],
    [
      "another subject",
      { "credentials.json": [credential({ subject: "system:serviceaccount:shop:wbe" })] },
      /^denied: subject-admitted/,
    ],
    [
      "another audience",
      { "credentials.json": [credential({ audiences: ["sts"] })] },
      /^denied: audience-accepted/,
    ],
    [
      "another issuer",
      { "credentials.json": [credential({ issuer: AKS.slice(0, -1) })], "openid.json": discovery(AKS) },
      /^denied: issuer-trusted/,
    ],
    [
      "a credential without its audiences",
      { "credentials.json": [credential({ audiences: undefined })] },
      /^unknown: audience-accepted/,
    ],
    [
      "no credential",
      { "credentials.json": { "identity federated-credential list": { [IDENTITY]: [] } } },
      /^(?:denied|unknown): issuer-trusted/,
    ],
    ["credentials that were not printed", { "credentials.json": "{}" }, /^unknown: issuer-trusted/],
    [
      "an expression in place of a subject",
      {
        "credentials.json": [
          credential({ subject: null, claimsMatchingExpression: { value: "x", languageVersion: 1 } }),
        ],
      },
      /^unknown/,
    ],
    [
      "a role under a condition",
      { "roles.json": [assignment({ condition: "@Resource[a] StringEquals 'b'" })] },
      /^unknown: permissions-granted/,
    ],
    ["no role", { "roles.json": "{}" }, /^unknown: permissions-granted/],
    [
      "a role of another principal",
      { "roles.json": [assignment({ principalId: TENANT })] },
      /^unknown: permissions-granted/,
    ],
    ["no identity", { "identities.json": "{}" }, /^unknown: identity-found/],
    [
      "credentials of another type",
      { "credentials.json": { "identity federated-credential list": { [IDENTITY]: "none" } } },
      /^unknown: issuer-trusted/,
    ],
    [
      "a credential without an issuer",
      { "credentials.json": { "identity federated-credential list": { [IDENTITY]: [{ name: "web" }] } } },
      /^unknown: issuer-trusted/,
    ],
    [
      "an identity with a wrong type",
      { "identities.json": [identity({ clientId: ["a"] })] },
      /^unknown: identity-found/,
    ],
    [
      "a field that is not listed",
      { "identities.json": [identity({ assignmentRestrictions: { a: 1 } })] },
      /^unknown/,
    ],
  ])("%s", (_, world, expected) => {
    expect(answer(azure(world))).toMatch(expected);
  });
});

const PROJECT = "acme-prod";
const NUMBER = "123456789012";
const EMAIL = `web@${PROJECT}.iam.gserviceaccount.com`;
const GKE = `https://container.googleapis.com/v1/projects/${PROJECT}/locations/europe-west1/clusters/prod`;
const POOL = `projects/${NUMBER}/locations/global/workloadIdentityPools/kubernetes`;
const PRINCIPAL_OF_WEB = `principal://iam.googleapis.com/${POOL}/subject/system:serviceaccount:shop:web`;
const poolProvider = (more: Json = {}): Json => ({
  name: `${POOL}/providers/prod`,
  attributeMapping: { "google.subject": "assertion.sub" },
  oidc: { issuerUri: GKE },
  state: "ACTIVE",
  ...more,
});
const gcp = (more: Json = {}): Json => ({
  email: EMAIL,
  etag: "MDEwMjE5MjA=",
  name: `projects/${PROJECT}/serviceAccounts/${EMAIL}`,
  oauth2ClientId: "1",
  projectId: PROJECT,
  uniqueId: "1",
  ...more,
});
const bindings = (role: string, ...members: string[]): Json => ({
  bindings: members.length === 0 ? [] : [{ role, members }],
  etag: "BwY=",
  version: 1,
});
const granted = (more: Json = {}): Json => ({
  "projects describe": { projectId: PROJECT, projectNumber: NUMBER, lifecycleState: "ACTIVE", name: "prod" },
  "projects get-iam-policy": bindings("roles/storage.objectViewer", `serviceAccount:${EMAIL}`),
  "iam service-accounts get-iam-policy": {
    [EMAIL]: bindings("roles/iam.workloadIdentityUser", PRINCIPAL_OF_WEB),
  },
  ...more,
});
/** A pod with a credential file for the service account, or for the pool's principal itself. */
function mounted(file: Json): Json {
  const audience = `https://iam.googleapis.com/${POOL}/providers/prod`;
  const credentials = {
    type: "external_account",
    audience: audience.replace("https:", ""),
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: "https://sts.googleapis.com/v1/token",
    credential_source: { file: "/var/run/token/token", format: { type: "text" } },
    ...file,
  };
  const token = { serviceAccountToken: { audience, path: "token", expirationSeconds: 3600 } };
  const mounts = [
    { name: "token", mountPath: "/var/run/token" },
    { name: "file", mountPath: "/etc/wi" },
  ];
  const env = [{ name: "GOOGLE_APPLICATION_CREDENTIALS", value: "/etc/wi/credential.json" }];
  return kubernetes([
    account({}),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "file", namespace: "shop" },
      data: { "credential.json": JSON.stringify(credentials) },
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "shop" },
      spec: {
        serviceAccountName: "web",
        containers: [{ name: "web", image: "example.com/web:v1", env, volumeMounts: mounts }],
        volumes: [
          { name: "token", projected: { sources: [token] } },
          { name: "file", configMap: { name: "file" } },
        ],
      },
    },
  ]);
}
const IMPERSONATES = {
  service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${EMAIL}:generateAccessToken`,
};
const google = (more: World = {}): World => ({
  "objects.json": mounted(IMPERSONATES),
  "cluster.json": {
    name: "prod",
    location: "europe-west1",
    selfLink: GKE,
    nodePools: [],
    currentMasterVersion: "1.34.1-gke.1",
    addonsConfig: { a: 1 },
  },
  "providers.json": [poolProvider()],
  "accounts.json": [gcp()],
  "policies.json": granted(),
  ...more,
});
const direct = { "objects.json": mounted({}), "accounts.json": "{}" };

describe("Google Cloud", () => {
  it.each<[string, World, string | RegExp]>([
    ["lists and policies", {}, "allowed"],
    [
      "one object of answers",
      {
        "accounts.json": "{}",
        "providers.json": "{}",
        "policies.json": granted({
          "iam service-accounts list": [gcp()],
          "iam workload-identity-pools providers list": { kubernetes: [poolProvider()] },
        }),
      },
      "allowed",
    ],
    [
      "another issuer",
      { "providers.json": [poolProvider({ oidc: { issuerUri: `${GKE}x` } })], "openid.json": discovery(GKE) },
      /^denied: issuer-trusted/,
    ],
    [
      "another audience",
      { "providers.json": [poolProvider({ oidc: { issuerUri: GKE, allowedAudiences: ["other"] } })] },
      /^denied: audience-accepted/,
    ],
    [
      "an attribute condition",
      {
        "providers.json": [
          poolProvider({ attributeCondition: "assertion.sub == 'system:serviceaccount:shop:api'" }),
        ],
      },
      /^denied: subject-admitted/,
    ],
    [
      "a provider that is off",
      { "providers.json": [poolProvider({ disabled: true })], "openid.json": discovery(GKE) },
      /^denied: /,
    ],
    [
      "another subject",
      {
        "policies.json": granted({
          "iam service-accounts get-iam-policy": {
            [EMAIL]: bindings("roles/iam.workloadIdentityUser", `${PRINCIPAL_OF_WEB}x`),
          },
        }),
      },
      /^denied: subject-admitted/,
    ],
    [
      "a service account that is off",
      { "accounts.json": [gcp({ disabled: true })] },
      /^denied: identity-found/,
    ],
    [
      "a project that is being deleted",
      {
        "policies.json": granted({
          "projects describe": {
            projectId: PROJECT,
            projectNumber: NUMBER,
            lifecycleState: "DELETE_REQUESTED",
          },
        }),
      },
      /^unknown/,
    ],
    [
      "half of the policy of the service account",
      { "policies.json": granted({ "iam service-accounts get-iam-policy": { [EMAIL]: {} } }) },
      /^unknown: subject-admitted/,
    ],
    [
      "no role in the project",
      { "policies.json": granted({ "projects get-iam-policy": bindings("") }) },
      /^denied: permissions-granted/,
    ],
    ["a principal without a role", direct, /^denied: permissions-granted/],
    [
      "a principal with a role",
      {
        ...direct,
        "policies.json": granted({
          "projects get-iam-policy": bindings("roles/storage.objectViewer", PRINCIPAL_OF_WEB),
        }),
      },
      "allowed",
    ],
    ["a principal, and no policy", { ...direct, "policies.json": "{}" }, /^unknown: permissions-granted/],
    [
      "no policy of the project",
      {
        "policies.json": {
          "iam service-accounts get-iam-policy": (granted() as Record<string, Json>)[
            "iam service-accounts get-iam-policy"
          ],
        },
      },
      /^unknown: permissions-granted/,
    ],
    [
      "no policy of the service account",
      { "policies.json": granted({ "iam service-accounts get-iam-policy": {} }) },
      /^unknown: subject-admitted/,
    ],
    ["no service account", { "accounts.json": "{}" }, /^unknown: identity-found/],
    [
      "a policy that does not say whose it is",
      { "policies.json": bindings("roles/iam.workloadIdentityUser", PRINCIPAL_OF_WEB) },
      /^unknown/,
    ],
    ["a field that is not listed", { "providers.json": [poolProvider({ claimLimits: "x" })] }, /^unknown/],
    [
      "a mapping of another type",
      { "providers.json": [poolProvider({ attributeMapping: ["a"] })] },
      /^unknown: issuer-trusted/,
    ],
    [
      "a policy of another type",
      { "policies.json": granted({ "projects get-iam-policy": { bindings: "none" } }) },
      /^unknown: permissions-granted/,
    ],
    [
      "no policy, because the command failed",
      { ...direct, "policies.json": granted({ "projects get-iam-policy": null }) },
      /^unknown: permissions-granted/,
    ],
    [
      "a switch of another type",
      { "accounts.json": [gcp({ disabled: "true" })] },
      /^unknown: identity-found/,
    ],
  ])("%s", (_, world, expected) => {
    expect(answer(google(world))).toMatch(expected);
  });
});

const ECR = `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com`;
const pulling = (image: string): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop" },
  spec: { serviceAccountName: "web", containers: [{ name: "web", image }] },
});
const node: Json = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  status: { nodeInfo: { kubeletVersion: "v1.35.0" } },
};
const plugin = (
  name: string,
  matchImages: readonly string[],
  tokenAttributes: Json,
  args: readonly string[] = [],
): Json => ({
  apiVersion: "kubelet.config.k8s.io/v1",
  kind: "CredentialProviderConfig",
  providers: [
    {
      name,
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
      matchImages,
      args,
      defaultCacheDuration: "1h",
      tokenAttributes: { cacheType: "ServiceAccount", requireServiceAccount: true, ...tokenAttributes },
    },
  ],
});
const audience = bindingsOfNodes("sts.amazonaws.com");
function bindingsOfNodes(resource: string): readonly Json[] {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "audiences" };
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "audiences" },
      rules: [{ apiGroups: [""], resources: [resource], verbs: ["request-serviceaccounts-token-audience"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "audiences" },
      roleRef,
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:nodes" }],
    },
  ];
}
const PULL = [
  { Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" },
  {
    Effect: "Allow",
    Action: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer", "ecr:BatchCheckLayerAvailability"],
    Resource: `arn:aws:ecr:eu-west-1:${ACCOUNT}:repository/shop/*`,
  },
];
const pullAws = (more: World = {}): World =>
  aws({
    "objects.json": kubernetes([
      account({ "eks.amazonaws.com/ecr-role-arn": roleArn }),
      pulling(`${ECR}/shop/web:v1`),
      node,
      ...audience,
    ]),
    "node.json": plugin("ecr-credential-provider", ["*.dkr.ecr.*.amazonaws.com"], {
      serviceAccountTokenAudience: "sts.amazonaws.com",
      requiredServiceAccountAnnotationKeys: ["eks.amazonaws.com/ecr-role-arn"],
    }),
    "eks.json": eks(ISSUER),
    "details.json": details({ RolePolicyList: [{ PolicyName: "pull", PolicyDocument: policy(...PULL) }] }),
    ...more,
  });

const RECORD: ExplainOptions = {
  cluster: { plugins: { ecr: { version: "v1.35.0" }, acr: { version: "v1.35.0" } } },
};

const REPOSITORY = `arn:aws:ecr:eu-west-1:${ACCOUNT}:repository/shop/web`;
const repositoryPolicy = (Effect: string): Json => ({
  registryId: ACCOUNT,
  repositoryName: "shop/web",
  policyText: JSON.stringify(policy({ Effect, Principal: "*", Action: "ecr:*" })),
});
const registry = (more: Json = {}): Json => ({
  adminUserEnabled: false,
  anonymousPullEnabled: false,
  creationDate: "2026-01-01T00:00:00+00:00",
  id: `${GROUP}/providers/Microsoft.ContainerRegistry/registries/shop`,
  loginServer: "shop.azurecr.io",
  name: "shop",
  policies: {
    azureAdAuthenticationAsArmPolicy: { status: "enabled" },
    quarantinePolicy: { status: "disabled" },
  },
  resourceGroup: "shop",
  roleAssignmentMode: "LegacyRegistryPermissions",
  sku: { name: "Standard", tier: "Standard" },
  type: "Microsoft.ContainerRegistry/registries",
  ...more,
});
const acrPull = assignment({
  roleDefinitionName: "AcrPull",
  roleDefinitionId: `/providers/Microsoft.Authorization/roleDefinitions/7f951dda-4ed3-4680-a7ca-43fe172d538d`,
});
const pullAzure = (more: World = {}): World =>
  azure({
    "objects.json": kubernetes([
      account({ "kubernetes.azure.com/acr-client-id": GUID, "kubernetes.azure.com/acr-tenant-id": TENANT }),
      pulling("shop.azurecr.io/shop/web:v1"),
      node,
      ...bindingsOfNodes("api://AzureADTokenExchange"),
    ]),
    "aks.json": aks({ kubernetesVersion: "1.35" }),
    "node.json": plugin(
      "acr-credential-provider",
      ["*.azurecr.io"],
      {
        serviceAccountTokenAudience: "api://AzureADTokenExchange",
        requiredServiceAccountAnnotationKeys: [
          "kubernetes.azure.com/acr-client-id",
          "kubernetes.azure.com/acr-tenant-id",
        ],
      },
      ["/etc/kubernetes/azure.json"],
    ),
    "roles.json": [acrPull],
    "registry.json": registry(),
    ...more,
  });

describe("pulls", () => {
  it.each<[string, World, string | RegExp]>([
    ["ECR", pullAws(), "allowed"],
    [
      "ECR, and the owner denies it",
      pullAws({ "r.json": { "ecr get-repository-policy": { [REPOSITORY]: repositoryPolicy("Deny") } } }),
      /^denied: repository-permitted/,
    ],
    [
      "ECR, and a policy that does not say in which region",
      pullAws({ "r.json": repositoryPolicy("Allow") }),
      /^unknown: /,
    ],
    ["ECR, without the right", pullAws({ "details.json": details() }), /^denied: login-permitted/],
  ])("%s", (_, world, expected) => {
    expect(answer(world, RECORD, "image-pull")).toMatch(expected);
  });

  it.each<[string, World, string]>([
    ["read", {}, "pass"],
    ["read as a list", { "registry.json": [registry()] }, "pass"],
    [
      "in the other mode",
      { "registry.json": registry({ roleAssignmentMode: "AbacRepositoryPermissions" }) },
      "fail",
    ],
    ["without a mode", { "registry.json": registry({ roleAssignmentMode: null }) }, "unknown"],
    [
      "with a policy that matters",
      { "registry.json": registry({ policies: { quarantinePolicy: { status: "enabled" } } }) },
      "unknown",
    ],
    ["with another role", { "roles.json": [assignment({ roleDefinitionName: "Key Vault Reader" })] }, "fail"],
    ["without the roles", { "roles.json": "{}" }, "unknown"],
  ])("ACR %s", (_, world, expected) => {
    const [result] = resultsOf(pullAzure(world), RECORD, "image-pull");
    expect(result?.checks.find(({ id }) => id === "login-permitted")?.status).toBe(expected);
  });
});

describe("the answers that adopt reads", () => {
  it.each<[string, () => Json]>([
    ["AWS", () => awsAnswers("private")],
    ["Azure", azureAnswers],
    ["Google Cloud", googleAnswers],
    ["EKS", eksAnswers],
    ["AKS", aksAnswers],
    ["GKE", gkeAnswers],
  ])("of %s are read, all of them", (_, answers) => {
    const read = Explainer.read([folderOf({ "answers.json": JSON.stringify(answers()) })]);
    const reasons = read.skipped.map(({ reason }) =>
      reason.replace(/^nothing that explain judges.*/, "adopt alone"),
    );
    expect(reasons.filter((each) => each !== "adopt alone")).toEqual([]);
  });
});

describe("what is not read is listed", () => {
  it.each<[string, unknown, RegExp]>([
    [
      "a policy of anything",
      bindings("roles/viewer", "user:a@example.com"),
      /does not say of which resource it is: collect it/,
    ],
    [
      "a command of no table",
      { "iam get-role": {}, "iam get-rle": {} },
      /no output of a command of this name/,
    ],
    [
      "a text in place of an object",
      { "iam get-role": "web" },
      /iam get-role is not what the command prints as JSON: an object/,
    ],
    ["a bucket", { "s3api get-bucket-location": {}, "iam get-role": {} }, /adopt reads it/],
  ])("%s", (_, value, reason) => {
    const read = Explainer.read([folderOf({ "answers.json": JSON.stringify(value) })]);
    expect(read.skipped.map((each) => each.reason).join("\n")).toMatch(reason);
  });
});
