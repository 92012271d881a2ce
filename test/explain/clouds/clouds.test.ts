/*
 * What differs between clouds, on artefacts of examples with a few edits each: the check that decides, and its reason.
 */

import { describe, expect, it } from "vitest";
import { type Edit, edited, explained, synthesized } from "../../fixtures/explain/artefacts";

const TF = "cdk.tf.json";
const NODE = "all-nodes.yaml";
const ACCOUNTS = "20-service-accounts.yaml";
const RESOURCE = '"resource": {';
const clouds = synthesized("three-clouds");
const openshift = synthesized("openshift-aws");

const role = (type: string, body: object): Edit => [
  TF,
  RESOURCE,
  `"resource": {${JSON.stringify({ [type]: body }).slice(1, -1)},`,
];

type Row = readonly [why: string, edits: readonly Edit[], decides: string, status: string, text: string];

function judged(
  artefacts: typeof clouds,
  account: string,
  image: string,
  edits: readonly Edit[],
): (id: string) => unknown {
  const [result] = explained(edited(artefacts, edits), { serviceAccount: account, image });
  return (id) => result?.checks.find((check) => check.id === id);
}

describe("ECR between accounts", () => {
  const image = "444455556666.dkr.ecr.eu-west-1.amazonaws.com/batch/runner";

  it.each<Row>([
    ["both sides allow", [], "repository-permitted", "pass", "between accounts"],
    [
      "the owner's policy names another role",
      [[TF, 'role/prod-eu_batch_jobs\\"},', 'role/other\\"},']],
      "repository-permitted",
      "fail",
      "does not admit",
    ],
    [
      "the owner's policy is not there",
      [[TF, '"aws_ecr_repository_policy"', '"aws_other"']],
      "repository-permitted",
      "unknown",
      "no repository policy was read",
    ],
    [
      "the owner's policy is of another region",
      [[TF, '"region": "eu-west-1",\n        "repository"', '"region": "us-east-1",\n        "repository"']],
      "repository-permitted",
      "unknown",
      "no repository policy was read",
    ],
    [
      "the owner's policy is of an account that is not stated",
      [[TF, '"provider": "aws.batch",', '"provider": "aws.other",']],
      "repository-permitted",
      "unknown",
      "the account and region of the policy's repository",
    ],
    [
      "the owner's policy is of the role's account",
      [[TF, '"provider": "aws.batch",', ""]],
      "repository-permitted",
      "unknown",
      "no repository policy was read",
    ],
  ])("%s", (_, edits, id, status, text) => {
    expect(judged(openshift, "batch/jobs", image, edits)(id)).toMatchObject({
      status,
      reason: expect.stringContaining(text),
    });
  });
});

describe("policies of a role", () => {
  const image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web";
  const own: Edit = [TF, '"aws_iam_role_policy"', '"aws_other"'];
  const boundary = (policy: string): readonly Edit[] => [
    role("aws_iam_policy", { limit: { name: "limit", policy } }),
    [
      TF,
      '"description": "Pulls container images for shop/web"',
      '"permissions_boundary": "${aws_iam_policy.limit.arn}"',
    ],
  ];

  it.each<Row>([
    [
      "attached, of AWS",
      [
        own,
        role("aws_iam_role_policy_attachment", {
          a: {
            role: "edge-1_shop_web",
            policy_arn: "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryReadOnly",
          },
        }),
      ],
      "repository-permitted",
      "pass",
      "may pull",
    ],
    [
      "attached to several roles",
      [
        own,
        role("aws_iam_policy_attachment", {
          a: {
            roles: ["edge-1_shop_web"],
            policy_arn: "arn:aws-cn:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
          },
        }),
      ],
      "repository-permitted",
      "pass",
      "may pull",
    ],
    [
      "in the role",
      [
        own,
        [
          TF,
          '"description": "Pulls container images for shop/web"',
          '"managed_policy_arns": ["arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPowerUser"]',
        ],
      ],
      "repository-permitted",
      "pass",
      "may pull",
    ],
    [
      "inline block",
      [
        own,
        [
          TF,
          '"description": "Pulls container images for shop/web"',
          '"inline_policy": {"policy": "{\\"Statement\\":{\\"Effect\\":\\"Allow\\",\\"Action\\":\\"*\\",\\"Resource\\":\\"*\\"}}"}',
        ],
      ],
      "repository-permitted",
      "pass",
      "may pull",
    ],
    ["none at all", [own], "login-permitted", "fail", "may not"],
    [
      "attached, of AWS, that was not read",
      [
        own,
        role("aws_iam_role_policy_attachment", {
          a: { role: "edge-1_shop_web", policy_arn: "arn:aws:iam::aws:policy/Other" },
        }),
      ],
      "login-permitted",
      "unknown",
      "what the AWS managed policy Other allows is not known here",
    ],
    [
      "a boundary that leaves the pull",
      boundary('{"Statement":{"Effect":"Allow","Action":"ecr:*","Resource":"*"}}'),
      "repository-permitted",
      "pass",
      "may pull",
    ],
    [
      "a boundary that does not",
      boundary('{"Statement":{"Effect":"Allow","Action":"s3:*","Resource":"*"}}'),
      "login-permitted",
      "fail",
      "the permissions boundary",
    ],
    [
      "a boundary that was not read",
      [
        [
          TF,
          '"description": "Pulls container images for shop/web"',
          '"permissions_boundary": "arn:aws:iam::111122223333:policy/limit"',
        ],
      ],
      "login-permitted",
      "unknown",
      "the permissions boundary: the policy arn:aws:iam::111122223333:policy/limit is not declared in what was read",
    ],
  ])("%s", (_, edits, id, status, text) => {
    expect(judged(clouds, "shop/web", image, edits)(id)).toMatchObject({
      status,
      reason: expect.stringContaining(text),
    });
  });

  it("of two roles of one name in two accounts are not mixed", () => {
    const other = { name: "edge-1_shop_web", provider: "aws.other", assume_role_policy: "{}" };
    const policy_arn = "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryFullAccess";
    const edits: readonly Edit[] = [
      role("aws_iam_role_policy_attachment", {
        a: { provider: "aws.other", role: "edge-1_shop_web", policy_arn },
      }),
      [TF, '"aws_iam_role": {', `"aws_iam_role": {"other": ${JSON.stringify(other)},`],
    ];
    const stated: Edit = [
      TF,
      '"aws": [',
      '"aws": [{"alias": "other", "allowed_account_ids": ["999988887777"]},',
    ];
    const base = image.replace("/shop/", "/base/");
    expect(judged(clouds, "shop/web", base, [...edits, stated])("repository-permitted")).toMatchObject({
      status: "fail",
    });
    expect(judged(clouds, "shop/web", base, edits)("issuer-trusted")).toMatchObject({
      status: "unknown",
      reason:
        "the IAM role arn:aws:iam::111122223333:role/edge-1_shop_web is not among what was read; the nearest is edge-1_shop_web, whose account is not known",
    });
  });
});

describe("Azure identities that are only looked up", () => {
  const image = "acmeshop.azurecr.io/models/llm";
  const adopted: readonly Edit[] = [
    [
      TF,
      RESOURCE,
      '"data": {"azurerm_user_assigned_identity": {"x": {"name": "x", "resource_group_name": "edge-identities"}}},\n  "resource": {',
    ],
    [
      TF,
      "${azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.",
      "${data.azurerm_user_assigned_identity.x.",
    ],
    [
      "workload-identity.json",
      "${azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.",
      "${data.azurerm_user_assigned_identity.x.",
    ],
  ];

  it.each<Row>([
    ["with credential and role here", adopted, "repository-permitted", "pass", "covers models/llm"],
    ["with its credential here", adopted, "issuer-trusted", "pass", "has the issuer"],
    [
      "in another group than its credential",
      [
        ...adopted,
        [
          TF,
          '"name": "x", "resource_group_name": "edge-identities"',
          '"name": "x", "resource_group_name": "g"',
        ],
      ],
      "issuer-trusted",
      "unknown",
      "azurerm may add it to another",
    ],
    [
      "with credentials elsewhere",
      [...adopted, [TF, '"azurerm_federated_identity_credential"', '"azurerm_other"']],
      "issuer-trusted",
      "unknown",
      "only looked up",
    ],
    [
      "with roles elsewhere",
      [...adopted, [TF, '"azurerm_role_assignment"', '"azurerm_other"']],
      "login-permitted",
      "unknown",
      "only looked up",
    ],
    [
      "by a client id that nothing says whose it is",
      [
        [
          ACCOUNTS,
          '"@late(azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.client_id)@"',
          "11111111-2222-3333-4444-555555555555",
        ],
      ],
      "issuer-trusted",
      "unknown",
      "is not among what was read",
    ],
  ])("%s", (_, edits, id, status, text) => {
    expect(judged(clouds, "shop/web", image, edits)(id)).toMatchObject({
      status,
      reason: expect.stringContaining(text),
    });
  });
});

describe("Google", () => {
  const image = "europe-west1-docker.pkg.dev/acme-images/tools/build";
  const POOL =
    "//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/providers/k8s-edge-1";
  const gke = "https://container.googleapis.com/v1/projects/p/locations/europe-west1/clusters/c1";
  const membership = (host: string): string =>
    `https://gkehub.googleapis.com/projects/${host}/locations/global/memberships/c1`;
  const managed = (issuer: string, identityProvider = gke): readonly Edit[] => [
    [
      NODE,
      `            - --sts-audience=${POOL}\n`,
      `            - --identity-provider=${identityProvider}\n            - --project-id=acme-images\n`,
    ],
    [
      NODE,
      `serviceAccountTokenAudience: https:${POOL}`,
      "serviceAccountTokenAudience: acme-images.svc.id.goog",
    ],
    ["10-token-audience.yaml", `- https:${POOL}`, "- acme-images.svc.id.goog"],
    ["workload-identity.json", '"issuer": "https://oidc.acme.example/edge-1"', `"issuer": "${issuer}"`],
    [
      TF,
      "workloadIdentityPools/k8s-edge-1/subject/system:serviceaccount:shop:tools",
      "workloadIdentityPools/acme-images.svc.id.goog/subject/ns/shop/sa/tools",
    ],
  ];
  const long = "a".repeat(120);

  it.each<Row>([
    [
      "a pool provider that is switched off",
      [[TF, '"attribute_condition"', '"disabled": true,\n        "attribute_condition"']],
      "issuer-trusted",
      "fail",
      "is disabled",
    ],
    [
      "two pool providers of one name",
      [
        [
          TF,
          '"google_iam_workload_identity_pool_provider": {',
          '"google_iam_workload_identity_pool_provider": {"other": {"workload_identity_pool_id": "k8s-edge-1", "workload_identity_pool_provider_id": "k8s-edge-1"},',
        ],
      ],
      "issuer-trusted",
      "unknown",
      "is not among what was read",
    ],
    [
      "a condition on the namespace",
      [
        [
          TF,
          "assertion.sub in ['system:serviceaccount:shop:tools']",
          "assertion['kubernetes.io']['namespace'] == 'shop'",
        ],
      ],
      "subject-admitted",
      "pass",
      "admits system:serviceaccount:shop:tools",
    ],
    [
      "no accepted audience: the pool provider's own name",
      [
        [
          TF,
          /"allowed_audiences": \[[^\]]*\]/.exec([...clouds.values()].join())?.[0] ?? "",
          '"allowed_audiences": []',
        ],
      ],
      "audience-accepted",
      "pass",
      "accepts",
    ],
    [
      "a grant by namespace",
      [
        [
          TF,
          "principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/subject/system:serviceaccount:shop:tools",
          "principalSet://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/attribute.namespace/shop",
        ],
      ],
      "repository-permitted",
      "pass",
      "is granted",
    ],
    [
      "a grant on the project",
      [
        [TF, '"google_artifact_registry_repository_iam_member"', '"google_project_iam_member"'],
        [TF, '"repository": "tools",', ""],
      ],
      "repository-permitted",
      "pass",
      "is granted",
    ],
    [
      "a role that cannot download",
      [[TF, "roles/artifactregistry.reader", "roles/storage.objectViewer"]],
      "repository-permitted",
      "fail",
      "nothing grants",
    ],
    [
      "a custom role",
      [[TF, "roles/artifactregistry.reader", "projects/acme-images/roles/puller"]],
      "repository-permitted",
      "unknown",
      "cannot be judged",
    ],
    ["the pool of GKE", managed(gke), "repository-permitted", "pass", "is granted"],
    [
      "the pool of GKE for another cluster",
      managed(`${gke}0`),
      "issuer-trusted",
      "fail",
      "is not the cluster",
    ],
    ...(
      [
        ["acme-images", "pass", "knows the cluster by"],
        ["acme-fleet", "fail", "is in the fleet of project acme-fleet"],
        ["123456789012", "unknown", "the project of the fleet membership"],
      ] as const
    ).map(([host, status, text]): Row => [
      `the pool of a fleet of ${host}`,
      managed("https://oidc.acme.example/edge-1", membership(host)),
      "issuer-trusted",
      status,
      text,
    ]),
    // A GKE cluster is in the pool of its own project, and in that of its fleet's host project.
    ...(
      [
        ["acme-images", "pass", "knows the cluster by"],
        ["p", "unknown", "the project of the GKE cluster, or to its fleet"],
        ["123456789012", "unknown", "the project of the GKE cluster, or to its fleet"],
      ] as const
    ).map(([project, status, text]): Row => [
      `the pool of GKE for a cluster of ${project}`,
      managed(gke.replace("/p/", `/${project}/`), gke.replace("/p/", `/${project}/`)),
      "issuer-trusted",
      status,
      text,
    ]),
    [
      "a subject that does not fit",
      [
        [TF, "shop:tools", `shop:${long}`],
        [ACCOUNTS, "name: tools", `name: ${long}`],
      ],
      "subject-admitted",
      "fail",
      "127 are allowed",
    ],
  ])("%s", (why, edits, id, status, text) => {
    const account = why.startsWith("a subject") ? `shop/${long}` : "shop/tools";
    expect(judged(clouds, account, image, edits)(id)).toMatchObject({
      status,
      reason: expect.stringContaining(text),
    });
  });
});
