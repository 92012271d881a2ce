/*
 * What an operator sees, one case per broken link that files alone can show. Each case has the words under which the
 * plugins' and clouds' own documentation and sources know the mistake: kubernetes:pkg/credentialprovider,
 * kubernetes/cloud-provider-aws, kubernetes-sigs/cloud-provider-azure, kubernetes/cloud-provider-gcp, and the error
 * references of STS, Entra and Google's STS. What happens on the nodes and in the clouds alone (an absent executable, an
 * expired token, an unreachable issuer, cached answers) is in no file.
 */

import { describe, expect, it } from "vitest";
import { explain } from "../../lib/explain";
import {
  type Edit,
  edited,
  explained,
  firstFailed,
  folderOf,
  synthesized,
} from "../fixtures/explain/artefacts";

const ECR = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web";
const BATCH = "444455556666.dkr.ecr.eu-west-1.amazonaws.com/batch/runner";
const ACR = "acmeshop.azurecr.io/models/llm";
const GAR = "europe-west1-docker.pkg.dev/acme-images/tools/build";
const TF = "cdk.tf.json";
const ACCOUNTS = "20-service-accounts.yaml";
const NODE = "all-nodes.yaml";
const RBAC = "10-token-audience.yaml";
const FACTS = "workload-identity.json";
const CLIENT_ID = '"@late(azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.client_id)@"';
const REQUIRED = "requiredServiceAccountAnnotationKeys:\n              - eks.amazonaws.com/ecr-role-arn";
const OPTIONAL: Edit = [NODE, REQUIRED, REQUIRED.replace("required", "optional")];
const IRSA: Edit = [ACCOUNTS, "ecr-role-arn", "role-arn"];
const ISSUER = '"issuer": "https://oidc.acme.example/edge-1"';
const AUDIENCE =
  '"https://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/providers/k8s-edge-1"';

interface Row {
  readonly link: string;
  readonly image: string;
  readonly account?: string;
  readonly edits: readonly Edit[];
  readonly check: string;
  /** What is seen, in the log that the check names. */
  readonly sees: string;
  readonly as?: string | null;
  /** What happens then. */
  readonly then?: string;
}

const common: readonly Row[] = [
  {
    link: "invalid configuration",
    image: ECR,
    edits: [[NODE, "            cacheType: ServiceAccount\n", ""]],
    check: "provider-on-node",
    sees: '"Failed to register CRI auth plugins" err="…',
    as: null,
    then: "the kubelet does not start",
  },
  {
    link: "refused file without any entry",
    image: ECR,
    edits: [[NODE, "      providers:\n", "      provider:\n"]],
    check: "provider-matches-image",
    sees: '"Failed to register CRI auth plugins" err="…',
    as: null,
    then: "the kubelet does not start",
  },
  {
    link: "image matches no glob of a refused file",
    image: "quay.io/acme/web",
    edits: [[NODE, "            cacheType: ServiceAccount\n", ""]],
    check: "provider-matches-image",
    sees: "silent",
    as: null,
    then: "the kubelet does not start",
  },
  {
    link: "image matches no glob",
    image: "registry.acme.example/web",
    edits: [],
    check: "provider-matches-image",
    sees: "silent",
    as: null,
  },
  {
    link: "account lacks a required annotation",
    image: ECR,
    edits: [IRSA],
    check: "annotations-present",
    sees: "required annotation eks.amazonaws.com/ecr-role-arn not found",
    as: null,
  },
  {
    link: "RBAC missing",
    image: ECR,
    edits: [[RBAC, "request-serviceaccounts-token-audience", "get"]],
    check: "audience-granted",
    sees: 'is forbidden: audience "sts.amazonaws.com" not found in pod spec volume, system:node:… is not authorized to request tokens for this audience',
    as: null,
  },
  {
    link: "plugin too old for tokens",
    image: ECR,
    edits: [[FACTS, '"1.35.2"', '"1.33.4"']],
    check: "provider-on-node",
    sees: "silent",
    as: "node identity",
  },
];

const ecr: readonly Row[] = [
  {
    link: "annotation missing (optional form), v1.34: exit 1",
    image: ECR,
    edits: [OPTIONAL, IRSA, [FACTS, '"1.35.2"', '"1.34.1"']],
    check: "annotations-present",
    sees: "no arn provided, cannot assume role using ServiceAccountToken",
    as: null,
  },
  {
    link: "annotation missing (optional form), v1.35+: node identity",
    image: ECR,
    edits: [OPTIONAL, IRSA],
    check: "annotations-present",
    sees: "silent",
    as: "node identity",
  },
  {
    link: "audience not in client ID list",
    image: ECR,
    edits: [[TF, '[\n          "sts.amazonaws.com"\n        ]', '[\n          "sts"\n        ]']],
    check: "audience-accepted",
    sees: "InvalidIdentityToken: Incorrect token audience",
  },
  {
    link: "audience not in trust policy",
    image: ECR,
    edits: [[TF, ':aud\\":\\"sts.amazonaws.com\\"', ':aud\\":\\"other\\"']],
    check: "audience-accepted",
    sees: "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity",
  },
  {
    link: "wrong subject",
    image: ECR,
    edits: [[TF, 'serviceaccount:shop:web\\"', 'serviceaccount:shop:worker\\"']],
    check: "subject-admitted",
    sees: "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity",
  },
  {
    link: "no OIDC provider in the account",
    image: ECR,
    edits: [[TF, "arn:aws:iam::111122223333:oidc-provider", "arn:aws:iam::999988887777:oidc-provider"]],
    check: "issuer-trusted",
    sees: "InvalidIdentityToken: No OpenIDConnect provider found in your account for https://",
  },
  {
    link: "no login permission",
    image: ECR,
    edits: [[TF, '\\"ecr:GetAuthorizationToken\\"', '\\"ecr:DescribeRegistry\\"']],
    check: "login-permitted",
    sees: "is not authorized to perform: ecr:GetAuthorizationToken on resource: *",
  },
  {
    link: "no repository permission",
    image: ECR.replace("/shop/", "/base/"),
    edits: [],
    check: "repository-permitted",
    sees: "because no identity-based policy allows the ecr:BatchGetImage action",
  },
  {
    link: "ECR Public without region",
    image: "public.ecr.aws/acme/web",
    edits: [[NODE, "111122223333.dkr.ecr.eu-west-1.amazonaws.com", "public.ecr.aws"]],
    check: "provider-on-node",
    sees: "endpoint rule error, Invalid Configuration: Missing Region",
  },
  // The plugins of 1.34.1 and 1.36.0, run with it, exit so; get-credentials alone they pass over.
  {
    link: "a flag",
    image: ECR,
    edits: [
      [
        NODE,
        "name: ecr-credential-provider\n",
        "name: ecr-credential-provider\n          args: [get-credentials, --v=2]\n",
      ],
    ],
    check: "provider-on-node",
    sees: "Error: unknown flag: --v",
    as: null,
  },
];

const acr: readonly Row[] = [
  {
    link: "annotation missing or empty: client id",
    image: ACR,
    edits: [[ACCOUNTS, CLIENT_ID, '""']],
    check: "annotations-present",
    sees: "client id annotation kubernetes.azure.com/acr-client-id is not found or the value is empty",
  },
  {
    link: "annotation missing or empty: tenant id",
    image: ACR,
    edits: [[ACCOUNTS, "72f988bf-86f1-41af-91ab-2d7cd011db47", '""']],
    check: "annotations-present",
    sees: "tenant id annotation kubernetes.azure.com/acr-tenant-id is not found or the value is empty",
  },
  {
    link: "azure.json missing: not named at all",
    image: ACR,
    edits: [[NODE, "            - /etc/kubernetes/acr-azure.json\n", '            - "--v=2"\n']],
    check: "provider-on-node",
    sees: "config file is not specified",
  },
  {
    link: "useManagedIdentityExtension not true",
    image: ACR,
    edits: [[NODE, '"useManagedIdentityExtension": true', '"useManagedIdentityExtension": false']],
    check: "provider-on-node",
    sees: "silent",
    as: null,
    then: "no anonymous pull is attempted",
  },
  {
    link: "useManagedIdentityExtension not true, and a client in the file",
    image: ACR,
    edits: [
      [
        NODE,
        '"useManagedIdentityExtension": true',
        '"useManagedIdentityExtension": false, "aadClientId": "x", "aadClientSecret": "y"',
      ],
    ],
    check: "provider-on-node",
    sees: "silent",
    as: "node identity",
    then: "which may pull",
  },
  {
    link: "audience",
    image: ACR,
    edits: [[TF, "api://AzureADTokenExchange", "api://AzureADTokenExchangeChina"]],
    check: "audience-accepted",
    sees: "AADSTS700212",
  },
  {
    link: "issuer (often a slash)",
    image: ACR,
    edits: [[TF, ISSUER, ISSUER.replace('edge-1"', 'edge-1/"')]],
    check: "issuer-trusted",
    sees: "AADSTS700211",
  },
  {
    link: "subject",
    image: ACR,
    edits: [
      [TF, '"subject": "system:serviceaccount:shop:web"', '"subject": "system:serviceaccount:shop:api"'],
    ],
    check: "subject-admitted",
    sees: "AADSTS700213",
  },
  {
    link: "subject: letter case",
    image: ACR,
    edits: [
      [TF, '"subject": "system:serviceaccount:shop:web"', '"subject": "system:serviceaccount:Shop:web"'],
    ],
    check: "subject-admitted",
    sees: "AADSTS7002138",
  },
  {
    link: "federated identity credential absent",
    image: ACR,
    edits: [[TF, '"azurerm_federated_identity_credential"', '"azurerm_other"']],
    check: "issuer-trusted",
    sees: "AADSTS70021: No matching federated identity record found for presented assertion",
  },
  {
    link: "no role on the registry",
    image: ACR,
    edits: [[TF, '"azurerm_role_assignment"', '"azurerm_other"']],
    check: "login-permitted",
    sees: "Www-Authenticate: auth url … responded with status code 401",
  },
  {
    link: "ABAC registry, AcrPull only",
    image: ACR,
    edits: [[TF, '"Container Registry Repository Reader"', '"AcrPull"']],
    check: "login-permitted",
    sees: "event 401 Unauthorized, or insufficient scope",
  },
];

const google: readonly Row[] = [
  {
    link: "annotation not exactly true",
    image: GAR,
    account: "shop/tools",
    edits: [[ACCOUNTS, '"true"', '"yes"']],
    check: "annotations-present",
    sees: "Standard flow active: Workload Identity is disabled, using Node Service Account for image",
    as: "node identity",
  },
  {
    link: "annotation missing",
    image: GAR,
    account: "shop/tools",
    edits: [[ACCOUNTS, "enable-wi-image-pull", "enable-wi"]],
    check: "annotations-present",
    sees: "silent",
    as: null,
  },
  {
    link: "no tokenAttributes in the entry",
    image: GAR,
    account: "shop/tools",
    edits: [[NODE, "tokenAttributes:", "other:"]],
    check: "provider-on-node",
    sees: "Failed to register CRI auth plugins",
  },
  {
    link: "wrong audience",
    image: GAR,
    account: "shop/tools",
    edits: [[TF, AUDIENCE, '"sts.googleapis.com"']],
    check: "audience-accepted",
    sees: "does not match the expected audience",
  },
  {
    link: "attribute condition",
    image: GAR,
    account: "shop/tools",
    edits: [[TF, "assertion.sub in ['system:serviceaccount:shop:tools']", "assertion.sub in ['x']"]],
    check: "subject-admitted",
    sees: "The given credential is rejected by the attribute condition.",
  },
  {
    link: "no repository permission",
    image: GAR.replace("/tools/", "/base/"),
    account: "shop/tools",
    edits: [],
    check: "repository-permitted",
    sees: 'denied: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/…"',
  },
  {
    link: "flags",
    image: GAR,
    account: "shop/tools",
    edits: [[NODE, "--sts-audience=", "--identity-provider="]],
    check: "provider-on-node",
    sees: "--project-id is required when --identity-provider is set",
  },
];

const clouds = synthesized("three-clouds");
const tables = { common, ecr, acr, google };

describe.each(Object.entries(tables))("%s", (_, rows) => {
  it.each(rows.map((row) => [row.link, row] as const))("%s", (__, row) => {
    const { account = "shop/web", image, edits, check, sees } = row;
    const [result] = explained(edited(clouds, edits), { serviceAccount: account, image });
    expect(firstFailed(result ?? { checks: [] })).toBe(check);
    expect(result?.verdict).toBe(result?.as === "anonymous" ? "unknown" : "denied");
    expect(result?.checks.find(({ id }) => id === check)?.log).toContain(sees);
    if (row.as !== undefined) expect(result?.as).toBe(row.as);
    expect(result?.checks.at(-1)).toMatchObject({
      id: "otherwise",
      status: result?.as === null ? "fail" : "unknown",
      reason: expect.stringContaining(row.then ?? "") as string,
    });
  });
});

describe("ecr", () => {
  it("cross-account policy missing", () => {
    const openshift = synthesized("openshift-aws");
    const edits: readonly Edit[] = [[TF, 'role/prod-eu_batch_jobs\\"},', 'role/other\\"},']];
    const [result] = explained(edited(openshift, edits), { serviceAccount: "batch/jobs", image: BATCH });
    expect(result?.checks.find(({ id }) => id === "repository-permitted")).toMatchObject({
      status: "fail",
      reason: expect.stringMatching(/^denied by repository policy|the repository policy does not admit/),
      log: expect.stringContaining("because no resource-based policy allows the ecr:BatchGetImage action"),
    });
  });
});

describe("what only the cloud can tell is unknown", () => {
  it.each<[string, string, string, readonly Edit[], string, string]>([
    [
      "no such role",
      "shop/web",
      ECR,
      [[TF, '"aws_iam_role": {', '"aws_other": {']],
      "issuer-trusted",
      "the IAM role",
    ],
    [
      "azure.json missing",
      "shop/web",
      ACR,
      [[NODE, "path: /etc/kubernetes/acr-azure.json", "path: /etc/kubernetes/other.json"]],
      "provider-on-node",
      "is not among what was read",
    ],
    [
      "pool or provider missing",
      "shop/tools",
      GAR,
      [[TF, '"google_iam_workload_identity_pool_provider": {', '"google_other": {']],
      "issuer-trusted",
      "is not among what was read",
    ],
    [
      "an exchange at another project's pool than the audience names",
      "shop/tools",
      GAR,
      [
        [
          NODE,
          "--sts-audience=//iam.googleapis.com/projects/123456789012",
          "--sts-audience=//iam.googleapis.com/projects/999",
        ],
      ],
      "issuer-trusted",
      "the plugin exchanges the token at that of 999",
    ],
  ])("%s", (_, serviceAccount, image, edits, id, reason) => {
    const [result] = explained(edited(clouds, edits), { serviceAccount, image });
    expect(result?.verdict).not.toBe("allowed");
    expect(result?.checks.find((each) => each.id === id)).toMatchObject({
      status: "unknown",
      reason: expect.stringContaining(reason),
    });
  });
});

describe("a role that two folders declare differently", () => {
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "token-audience:sts.amazonaws.com" },
    rules: [],
  };
  const folders = (): string[] => [folderOf(clouds), folderOf({ "rbac.json": JSON.stringify(role) })];
  const asked = { serviceAccount: "shop/web", image: ECR };

  it.each([
    ["in one order", (paths: string[]) => paths],
    ["in the other", (paths: string[]) => paths.toReversed()],
  ])("leaves the audience open, %s", (_, ordered) => {
    const [result] = explain(ordered(folders()), asked);
    expect(result?.checks.find(({ id }) => id === "audience-granted")).toMatchObject({
      status: "unknown",
      reason: expect.stringContaining("two folders declare the same role or binding differently") as string,
    });
  });

  it("leaves open whether nodes of an old API server get the service account", () => {
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:nodes" }];
    const metadata = { name: "accounts" };
    const granting = {
      ...role,
      metadata,
      rules: [{ apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get"] }],
    };
    const binding = {
      ...role,
      kind: "ClusterRoleBinding",
      metadata,
      subjects,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "accounts" },
    };
    const granted = folderOf({ "a.json": JSON.stringify(granting), "b.json": JSON.stringify(binding) });
    const emptied = folderOf({ "a.json": JSON.stringify({ ...role, metadata }) });
    const status = (...more: string[]): string | undefined =>
      explain([folderOf(clouds), ...more], asked, { cluster: { apiServer: "1.33.1" } })[0]?.checks.find(
        ({ id }) => id === "service-account-readable",
      )?.status;
    expect([status(granted), status(emptied), status(granted, emptied)]).toEqual(["pass", "fail", "unknown"]);
  });

  it("is nothing to an API server that restricts no audiences", () => {
    const [result] = explain(folders(), asked, {
      cluster: { apiServerFeatureGates: { ServiceAccountNodeAudienceRestriction: false } },
    });
    expect(result?.checks.find(({ id }) => id === "audience-granted")).toMatchObject({ status: "pass" });
  });
});
