/*
 * Which cluster manifests belong to, by the Terraform, nodes and discovery document beside them: what is inferred may
 * allow, and denies nothing by the issuer.
 */

import { describe, expect, it } from "vitest";
import { type ExplainOptions, Explainer, explain } from "../../lib/explain";
import { folderOf } from "../fixtures/explain/artefacts";

const ISSUER = "https://oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A";
const OTHER = "https://oidc.eks.eu-west-1.amazonaws.com/id/00000000000000000000000000000000";
const ROLE = "arn:aws:iam::111122223333:role/web";

const resource = (type: string, name: string, values: object): object => ({
  address: `${type}.${name}`,
  mode: "managed",
  type,
  name,
  provider_name: "registry.terraform.io/hashicorp/aws",
  values,
});
const eks = (name: string, issuer: string = ISSUER): object =>
  resource("aws_eks_cluster", name, { name, version: "1.34", identity: [{ oidc: [{ issuer }] }] });
const aks = (values: object): object =>
  resource("azurerm_kubernetes_cluster", "aks", { name: "aks", oidc_issuer_enabled: true, ...values });

const HOST = ISSUER.replace("https://", "");
const PROVIDER = `arn:aws:iam::111122223333:oidc-provider/${HOST}`;
const roleAndProvider = (statements: readonly object[]): readonly object[] => [
  resource("aws_iam_openid_connect_provider", "eks", {
    arn: PROVIDER,
    url: HOST,
    client_id_list: ["sts.amazonaws.com"],
  }),
  resource("aws_iam_role", "web", {
    arn: ROLE,
    name: "web",
    path: "/",
    assume_role_policy: JSON.stringify({
      Version: "2012-10-17",
      Statement: statements,
    }),
  }),
  resource("aws_iam_role_policy", "web", {
    name: "read",
    role: "web",
    policy: JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::shop/*" }],
    }),
  }),
];

const SECOND_PROVIDER = PROVIDER.replace(HOST, OTHER.replace("https://", ""));
/** A second issuer, whose cluster was not read, and a role that trusts both: this one admits api, that one web. */
const SECOND = [
  resource("aws_iam_openid_connect_provider", "second", {
    arn: SECOND_PROVIDER,
    url: OTHER.replace("https://", ""),
    client_id_list: ["sts.amazonaws.com"],
  }),
];
const admits = (provider: string, subject: string): object => ({
  Effect: "Allow",
  Action: "sts:AssumeRoleWithWebIdentity",
  Principal: { Federated: provider },
  Condition: {
    StringEquals: {
      [`${provider.replace(/^.*oidc-provider\//, "")}:aud`]: "sts.amazonaws.com",
      [`${provider.replace(/^.*oidc-provider\//, "")}:sub`]: `system:serviceaccount:shop:${subject}`,
    },
  },
});

const account = (name: string): string =>
  `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ${name}\n  namespace: shop\n  annotations: { eks.amazonaws.com/role-arn: "${ROLE}" }\n`;
const node = (providerID: string, labels: object = {}): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels },
    spec: { providerID },
    status: { nodeInfo: { kubeletVersion: "v1.34.1-eks-1" } },
  });
const discovery = (issuer: string): string =>
  JSON.stringify({ issuer, jwks_uri: `${issuer}/keys`, response_types_supported: ["id_token"] });

interface Input {
  readonly clusters: readonly object[];
  readonly subject?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: ExplainOptions;
}

function folder({ clusters, subject = "web", files = {} }: Input): string {
  const statements = [
    admits(PROVIDER, "web"),
    ...(clusters.includes(SECOND[0] ?? {}) ? [admits(SECOND_PROVIDER, "api")] : []),
  ];
  return folderOf({
    "state.json": JSON.stringify({
      format_version: "1.0",
      values: { root_module: { resources: [...clusters, ...roleAndProvider(statements)] } },
    }),
    "accounts.yaml": account(subject),
    ...files,
  });
}

/** The verdict, and the reason of the first link that is not passed. */
function answer(input: Input): string {
  const [result] = explain([folder(input)], { job: "workload" }, input.options);
  const open = result?.checks.find(({ status }) => status === "fail" || status === "unknown");
  return `${result?.verdict}${open ? `: ${open.id}: ${open.reason}; ${open.remedy}` : ""}`;
}

describe("the verdict", () => {
  it.each<[string, Input, string]>([
    ["one cluster, trusted", { clusters: [eks("prod")] }, "allowed"],
    [
      "one cluster, not trusted",
      { clusters: [eks("prod", OTHER)] },
      "unknown: issuer-trusted: .*that is the issuer of the EKS cluster prod, and the manifests may be another cluster's; say which cluster is meant, .*--cluster",
    ],
    [
      "one cluster, not trusted, and meant",
      { clusters: [eks("prod", OTHER)], options: { which: "prod" } },
      "denied: issuer-trusted",
    ],
    ["another subject", { clusters: [eks("prod")], subject: "wbe" }, "denied: subject-admitted"],
    [
      "another subject, and another cluster",
      { clusters: [eks("prod", OTHER)], subject: "wbe" },
      "denied: subject-admitted|denied: issuer-trusted",
    ],
    ["another subject, and no cluster", { clusters: [], subject: "wbe" }, "denied"],
    ["no cluster", { clusters: [] }, "unknown"],
    [
      "another subject, which a second issuer may have",
      { clusters: [eks("prod"), ...SECOND], subject: "api" },
      "unknown: subject-admitted: .*that holds for the EKS cluster prod, and the manifests may be another cluster's",
    ],
    [
      "the same, and the cluster is meant",
      { clusters: [eks("prod"), ...SECOND], subject: "api", options: { which: "prod" } },
      "denied: subject-admitted",
    ],
    [
      "two clusters, one of them trusted",
      { clusters: [eks("prod"), eks("test", OTHER)] },
      "unknown: issuer-trusted: which of the EKS cluster prod, the EKS cluster test the manifests are for is not known; the identity admits the service account of the EKS cluster prod; say it with --cluster, for example --cluster prod",
    ],
    [
      "two clusters, named",
      { clusters: [eks("prod"), eks("test", OTHER)], options: { which: "prod" } },
      "allowed",
    ],
    [
      "two clusters, the other named",
      { clusters: [eks("prod"), eks("test", OTHER)], options: { which: "test" } },
      "denied: issuer-trusted",
    ],
    [
      "two clusters, by the URL of the issuer",
      { clusters: [eks("prod"), eks("test", OTHER)], options: { which: ISSUER } },
      "allowed",
    ],
    [
      "two clusters, by a stated issuer",
      { clusters: [eks("prod"), eks("test", OTHER)], options: { cluster: { issuer: ISSUER } } },
      "allowed",
    ],
    [
      "two clusters, and what one prints",
      { clusters: [eks("prod"), eks("test", OTHER)], files: { "openid.json": discovery(ISSUER) } },
      "allowed",
    ],
    [
      "what another cluster prints",
      { clusters: [eks("prod")], files: { "openid.json": discovery(OTHER) } },
      "denied: issuer-trusted",
    ],
    [
      "two names of one cluster",
      { clusters: [eks("prod"), { ...eks("prod"), mode: "data", address: "data.aws_eks_cluster.p" }] },
      "allowed",
    ],
    [
      "a cluster of another cloud, and nodes of this one",
      { clusters: [eks("prod"), aks({})], files: { "n.json": node("aws:///a/i-1") } },
      "allowed",
    ],
    [
      "nodes of another cloud",
      { clusters: [eks("prod")], files: { "n.json": node("azure:///x") } },
      "unknown",
    ],
    [
      "nodes of another cluster",
      {
        clusters: [eks("prod")],
        files: { "n.json": node("aws:///a/i-1", { "alpha.eksctl.io/cluster-name": "test" }) },
      },
      "unknown",
    ],
  ])("%s", (_, input, expected) => {
    expect(answer(input)).toMatch(new RegExp(`^${expected}`));
  });
});

it("says that the cluster is inferred", () => {
  const [result] = explain([folder({ clusters: [eks("prod")] })], { job: "workload" });
  const check = result?.checks.find(({ id }) => id === "issuer-trusted");
  expect(check?.reason).toContain("it is the issuer of the EKS cluster prod, the only cluster that was read");
});

it("refuses a name that nothing has", () => {
  const read = (): unknown => Explainer.read([folder({ clusters: [eks("prod")] })], { which: "prd" });
  expect(read).toThrowError(/no cluster of this name was read, got "prd"; allowed: prod; name prod/);
});

describe("pulls of pods", () => {
  const pod = `apiVersion: v1\nkind: Pod\nmetadata: { name: p, namespace: shop }\nspec:\n  serviceAccountName: web\n  containers: [{ name: c, image: "nginx" }]\n`;
  const jobs = (files: Readonly<Record<string, string>>): readonly string[] =>
    explain([folder({ clusters: [eks("prod")], files: { "pod.yaml": pod, ...files } })]).map(
      ({ job }) => job,
    );
  const config = JSON.stringify({
    apiVersion: "kubelet.config.k8s.io/v1",
    kind: "CredentialProviderConfig",
    providers: [],
  });

  it.each<[string, Readonly<Record<string, string>>, boolean]>([
    ["are not asked about where nothing configures the nodes", {}, false],
    ["are where something does", { "config.json": config }, true],
    ["are where something that is not read may", { "config.yaml": `${config}\na: [` }, true],
    [
      "are where a service account has an annotation for a plugin",
      { "sa.yaml": account("x").replace("role-arn", "ecr-role-arn") },
      true,
    ],
  ])("%s", (_, files, isAsked) => {
    expect(jobs(files).includes("image-pull")).toBe(isAsked);
  });

  it("are listed once, and asked about with an image", () => {
    const explainer = Explainer.read([folder({ clusters: [eks("prod")], files: { "pod.yaml": pod } })]);
    expect(explainer.skipped.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^pulls of its pod are not asked about.*--image asks anyway$/),
    ]);
    expect([...explainer.pulls({ serviceAccount: "shop/web", image: "nginx" })]).toHaveLength(1);
  });
});

describe("AKS", () => {
  const client = "11111111-2222-4333-8444-555555555555";
  const identity =
    "/subscriptions/11111111-2222-4333-8444-666666666666/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/web";
  const issuer = "https://westeurope.oic.prod-aks.azure.com/t/c/";
  const azure = (cluster: object): Input => ({
    clusters: [
      aks(cluster),
      resource("azurerm_user_assigned_identity", "web", {
        name: "web",
        id: identity,
        client_id: client,
        principal_id: "p",
        tenant_id: "t",
        resource_group_name: "g",
        location: "westeurope",
      }),
      resource("azurerm_federated_identity_credential", "web", {
        name: "web",
        id: `${identity}/federatedIdentityCredentials/web`,
        parent_id: identity,
        issuer,
        subject: "system:serviceaccount:shop:azure",
        audience: ["api://AzureADTokenExchange"],
        resource_group_name: "g",
      }),
    ],
    files: {
      "azure.yaml": `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: azure\n  namespace: shop\n  annotations: { azure.workload.identity/client-id: "${client}" }\n---\napiVersion: v1\nkind: Pod\nmetadata: { name: p, namespace: shop, labels: { azure.workload.identity/use: "true" } }\nspec: { serviceAccountName: azure, containers: [{ name: c, image: nginx }] }\n`,
    },
  });
  const reasons = (input: Input): string => {
    const result = explain([folder(input)], { serviceAccount: "shop/azure" }, input.options)[0];
    return result?.checks.map(({ id, status, reason }) => `${id} ${status} ${reason}`).join("\n") ?? "";
  };

  it.each<[string, object, ExplainOptions, RegExp]>([
    [
      "is trusted by its issuer",
      { oidc_issuer_url: issuer, workload_identity_enabled: true },
      {},
      /^issuer-trusted pass/m,
    ],
    [
      "may have no webhook where it is off",
      { oidc_issuer_url: issuer, workload_identity_enabled: false },
      { which: "aks" },
      /^pods-configured unknown/m,
    ],
    [
      "leaves open what is off where it is not meant",
      { oidc_issuer_url: issuer, workload_identity_enabled: false },
      {},
      /^pods-configured unknown/m,
    ],
    [
      "without an issuer denies nothing",
      { oidc_issuer_enabled: false },
      {},
      /^issuer-trusted unknown the AKS cluster aks, the only cluster that was read, has no issuer/m,
    ],
  ])("%s", (_, cluster, options, expected) => {
    expect(reasons({ ...azure(cluster), options })).toMatch(expected);
  });
});
