/* What is granted to others than the service accounts of the files: each addition is said once, and its mirror image. */

import { describe, expect, it } from "vitest";
import type { Change } from "../../../lib/explain";
import type { Artefacts } from "../../fixtures/explain/artefacts";
import {
  MIRRORED,
  type Resources,
  adding,
  brief,
  changed,
  compared,
  policy,
  whole,
} from "../../fixtures/explain/changed";

const AZURE = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourceGroups/images/providers";
const REGISTRY = `${AZURE}/Microsoft.ContainerRegistry/registries/acmeteam`;
const POOL = "iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1";
const READER = { project: "acme-images", location: "europe-west1", role: "roles/artifactregistry.reader" };
const TRUST = {
  Effect: "Allow",
  Principal: { Federated: "arn:aws:iam::111122223333:oidc-provider/oidc.acme.example/edge-1" },
  Action: "sts:AssumeRoleWithWebIdentity",
  Condition: {
    StringEquals: {
      "oidc.acme.example/edge-1:aud": "sts.amazonaws.com",
      "oidc.acme.example/edge-1:sub": "system:serviceaccount:shop:web",
    },
  },
};
const allowing = (Action: string): string =>
  policy({ Effect: "Allow", Action, Resource: "arn:aws:ecr:eu-west-1:111122223333:repository/base" });

const PRINCIPAL = "99999999-9999-9999-9999-999999999999";
const ON_TEAM =
  "on /subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourcegroups/images/providers/microsoft.containerregistry/registries/acmeteam";
const GRANTED =
  "roles/artifactregistry.reader on artifact registry repository base of acme-images in europe-west1";

const ROWS: readonly (readonly [string, (resources: Resources) => void, readonly string[]])[] = [
  [
    "a role of Azure for a principal of elsewhere",
    adding([
      "azurerm_role_assignment",
      { scope: REGISTRY, role_definition_name: "AcrPull", principal_id: PRINCIPAL },
    ]),
    [`added | principal ${PRINCIPAL} | AcrPull ${ON_TEAM}`],
  ],
  [
    "a role of Azure that is active by PIM, if it is",
    adding([
      "azurerm_pim_active_role_assignment",
      {
        scope: REGISTRY,
        role_definition_id: `${AZURE}/Microsoft.Authorization/roleDefinitions/7f951dda-4ed3-4680-a7ca-43fe172d538d`,
        principal_id: PRINCIPAL,
      },
    ]),
    [`incomparable | principal ${PRINCIPAL} | perhaps AcrPull ${ON_TEAM}`],
  ],
  [
    "a role of Azure for an identity that no service account names",
    adding(
      ["azurerm_user_assigned_identity", { name: "more", resource_group_name: "images", location: "x" }],
      [
        "azurerm_role_assignment",
        {
          scope: REGISTRY,
          role_definition_name: "AcrPull",
          principal_id: "${azurerm_user_assigned_identity.more.principal_id}",
        },
      ],
    ),
    [`added | azurerm_user_assigned_identity.more | AcrPull ${ON_TEAM}`],
  ],
  [
    "a registry of Azure that everyone may pull from",
    adding(["azurerm_container_registry", { name: "acmeteam", anonymous_pull_enabled: true }]),
    ["added | everyone | pull without signing in on the registry acmeteam"],
  ],
  [
    "the admin password of a registry",
    adding(["azurerm_container_registry", { name: "acmeteam", admin_enabled: true }]),
    ["added | whoever has the admin password | pull and push on the registry acmeteam"],
  ],
  [
    "a role of AWS that trusts a service account which does not name it",
    adding(
      ["aws_iam_role", { name: "more", assume_role_policy: policy(TRUST) }],
      ["aws_iam_role_policy", { role: "${aws_iam_role.more.name}", policy: allowing("ecr:BatchGetImage") }],
    ),
    [
      "added | IAM role more | ecr:BatchGetImage on arn:aws:ecr:eu-west-1:111122223333:repository/base",
      "added | shop/web | more",
    ],
  ],
  [
    "a policy of a role that was not read",
    adding(["aws_iam_role_policy", { role: "elsewhere", policy: allowing("ecr:BatchGetImage") }]),
    ["added | the role elsewhere | ecr:BatchGetImage on arn:aws:ecr:eu-west-1:111122223333:repository/base"],
  ],
  [
    "a policy of a role that was not read, known only after apply",
    adding(["aws_iam_role_policy", { role: "elsewhere", policy: "${var.policy}" }]),
    [
      "incomparable | the role elsewhere | a policy that is not read: the policy cannot be read: it contains a Terraform expression",
    ],
  ],
  [
    "a policy of a role that was not read, which IAM refuses",
    adding([
      "aws_iam_role_policy",
      { role: "elsewhere", policy: policy({ Effect: "Allow", Action: "s3:*" }) },
    ]),
    [],
  ],
  [
    "a role of Azure that is declared",
    adding(
      [
        "azurerm_role_definition",
        {
          name: "puller",
          scope: "/",
          permissions: [{ actions: ["b/read", "a/read"], not_actions: ["c/*"], data_actions: ["d/read"] }],
        },
      ],
      [
        "azurerm_role_assignment",
        {
          scope: REGISTRY,
          role_definition_id: "${azurerm_role_definition.more.role_definition_resource_id}",
          principal_id: PRINCIPAL,
        },
      ],
    ),
    [`added | principal ${PRINCIPAL} | puller (a/read, b/read; except c/*; data actions d/read) ${ON_TEAM}`],
  ],
  [
    "a role of Google Cloud on a project",
    adding([
      "google_project_iam_member",
      { project: "acme-images", role: READER.role, member: "user:eve@example.com" },
    ]),
    ["added | user:eve@example.com | roles/artifactregistry.reader on project acme-images"],
  ],
  [
    "a policy of a user, which is not judged",
    adding(["aws_iam_user_policy", { user: "eve", policy: "{}" }]),
    ['incomparable | aws_iam_user_policy, which is not judged | policy = "{}", user = "eve"'],
  ],
  [
    "a password of an application, which is not judged",
    adding(["azuread_application_password", { application_id: "/applications/a", display_name: "ci" }]),
    [
      'incomparable | azuread_application_password, which is not judged | application_id = "/applications/a", display_name = "ci"',
    ],
  ],
  [
    "a key of a service account, which is not judged",
    adding(["google_service_account_key", { service_account_id: "puller" }]),
    ['incomparable | google_service_account_key, which is not judged | service_account_id = "puller"'],
  ],
  // EKS user guide, "Grant IAM users access to Kubernetes with EKS access entries" and "EKS Pod Identity associations".
  [
    "groups in a cluster",
    adding([
      "aws_eks_access_entry",
      { cluster_name: "prod", principal_arn: "arn:aws:iam::999999999999:role/a", kubernetes_groups: ["ops"] },
    ]),
    ["added | arn:aws:iam::999999999999:role/a | group ops in EKS cluster prod"],
  ],
  [
    "a node of a cluster, with a name",
    adding([
      "aws_eks_access_entry",
      {
        cluster_name: "prod",
        principal_arn: "a",
        kubernetes_groups: "${var.a}",
        type: "EC2",
        user_name: "b",
      },
    ]),
    [
      "added | a | a node of type EC2 in EKS cluster prod",
      "added | a | group <var.a> in EKS cluster prod",
      "added | a | user b in EKS cluster prod",
    ],
  ],
  [
    "a role for a service account that was not read",
    adding([
      "aws_eks_pod_identity_association",
      {
        cluster_name: "prod",
        namespace: "dev",
        service_account: "a",
        role_arn: "b",
        target_role_arn: "c",
        tags: {},
      },
    ]),
    [
      "added | service account dev/a of EKS cluster prod | the role b by EKS Pod Identity, with target_role_arn c",
    ],
  ],
  [
    "accounts to which a policy of the organization applies, which is not judged",
    adding(["aws_organizations_policy_attachment", { policy_id: "p-1", target_id: "111122223333" }]),
    [
      'incomparable | aws_organizations_policy_attachment, which is not judged | policy_id = "p-1", target_id = "111122223333"',
    ],
  ],
  // Whoever owns an application adds passwords to it: learn.microsoft.com/entra/identity/enterprise-apps/overview-assign-app-owners.
  [
    "an application of which someone is the owner",
    adding(["azuread_application", { display_name: "ci", owners: [PRINCIPAL] }]),
    [`added | principal ${PRINCIPAL} | owner of azuread_application.more`],
  ],
  // learn.microsoft.com/azure/aks/enable-authentication-microsoft-entra-id
  [
    "groups that administer a cluster",
    adding([
      "azurerm_kubernetes_cluster",
      {
        name: "more",
        azure_active_directory_role_based_access_control: [
          { admin_group_object_ids: [PRINCIPAL, "${var.a}"] },
        ],
      },
    ]),
    [
      "added | principal 99999999-9999-9999-9999-999999999999 | admin of azurerm_kubernetes_cluster.more",
      "added | principal <var.a> | admin of azurerm_kubernetes_cluster.more",
    ],
  ],
  [
    "a public repository",
    adding(["aws_ecrpublic_repository", { repository_name: "tools" }]),
    ["added | everyone | pull from the public repository tools"],
  ],
  [
    "a person in Google Cloud",
    adding([
      "google_artifact_registry_repository_iam_member",
      { ...READER, repository: "base", member: "user:eve@example.com" },
    ]),
    [`added | user:eve@example.com | ${GRANTED}`],
  ],
  [
    "all of a namespace that has no service account here",
    adding([
      "google_artifact_registry_repository_iam_member",
      { ...READER, repository: "base", member: `principalSet://${POOL}/attribute.namespace/other` },
    ]),
    [`added | principalSet://${POOL}/attribute.namespace/other | ${GRANTED}`],
  ],
  [
    "all of a pool, those who are known by what they can pull",
    adding([
      "google_artifact_registry_repository_iam_member",
      { ...READER, repository: "base", member: `principalSet://${POOL}/*` },
    ]),
    [
      "widened | shop/tools | europe-west1-docker.pkg.dev/acme-images/base/*",
      `added | principalSet://${POOL}/* | ${GRANTED}`,
    ],
  ],
  [
    "other principals of the same tokens",
    (resources) => {
      for (const provider of Object.values(resources["google_iam_workload_identity_pool_provider"] ?? {}))
        Object.assign(provider["attribute_mapping"] as object, { "google.subject": "'same'" });
    },
    [
      "identity | shop/tools | europe-west1-docker.pkg.dev/* except what is named",
      "removed | shop/tools | europe-west1-docker.pkg.dev/acme-images/tools/*",
      "incomparable |  | k8s-edge-1",
    ],
  ],
];

describe("grants to others", () => {
  it.each(ROWS)("%s", (_, change, expected) => {
    const [old, made] = [whole, changed(change)];
    const found = brief(old, made);
    expect(found).toEqual(expected);
    const mirrored = found.map((each) => each.replace(/^\w+/, (kind) => MIRRORED[kind as Change["kind"]]));
    expect([...brief(made, old)].sort()).toEqual([...mirrored].sort());
  });

  it("says the address of the right's own resource", () => {
    const made = changed(
      adding([
        "azurerm_role_assignment",
        { scope: REGISTRY, role_definition_name: "AcrPull", principal_id: PRINCIPAL },
      ]),
    );
    const [change] = compared(whole, made).changes;
    expect(change?.added.map(({ source }) => source?.path)).toEqual([
      "resource.azurerm_role_assignment.more",
    ]);
  });
});

it("a right under a condition on the role's own tags, which change", () => {
  const tagged = (team: string): Artefacts =>
    changed(
      adding(
        ["aws_iam_role", { name: "more", assume_role_policy: policy(TRUST), tags: { team } }],
        [
          "aws_iam_role_policy",
          {
            role: "${aws_iam_role.more.name}",
            policy: policy({
              Effect: "Allow",
              Action: "s3:GetObject",
              Resource: "*",
              Condition: { StringEquals: { "aws:PrincipalTag/team": "ops" } },
            }),
          },
        ],
      ),
    );
  const right = "s3:GetObject on * under StringEquals aws:PrincipalTag/team ops, where the role has team=";
  expect(brief(tagged("dev"), tagged("ops"))).toEqual([
    `removed | IAM role more | ${right}dev`,
    `added | IAM role more | ${right}ops`,
  ]);
});

const RBAC = "10-token-audience.yaml";
const binding = (kind: string, role: string, subject: string, namespace: string): string => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata: { name: more${namespace === "" ? "" : `, namespace: ${namespace}`} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "${role}" }
subjects: [{ apiGroup: rbac.authorization.k8s.io, ${subject} }]
`;

describe("tokens of service accounts", () => {
  it.each<[string, string, readonly string[]]>([
    [
      "nodes, in every namespace",
      binding(
        "ClusterRoleBinding",
        "token-audience:sts.amazonaws.com",
        "kind: Group, name: system:nodes",
        "",
      ),
      [
        "widened | Group system:nodes | get nodes' tokens for sts.amazonaws.com of every service account in every namespace",
      ],
    ],
    [
      "nodes, where they may already",
      binding("RoleBinding", "token-audience:sts.amazonaws.com", "kind: Group, name: system:nodes", "shop"),
      [],
    ],
    [
      "a person who may create them",
      binding("RoleBinding", "edit", "kind: User, name: eve", "shop"),
      ["added | User eve | create tokens of every service account in namespace shop"],
    ],
    [
      "a person who may be others, or take any right",
      `${binding("ClusterRoleBinding", "more", "kind: User, name: eve", "")}---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: more }
rules:
  - { apiGroups: [""], resources: ["serviceaccounts", "pods"], verbs: ["impersonate"], resourceNames: ["web"] }
  - { apiGroups: ["rbac.authorization.k8s.io"], resources: ["*"], verbs: ["get", "escalate"] }
`,
      [
        "added | User eve | escalate clusterroles in every namespace",
        "added | User eve | escalate roles in every namespace",
        "added | User eve | impersonate serviceaccounts web in every namespace",
      ],
    ],
    ["a person who may only look", binding("RoleBinding", "view", "kind: User, name: eve", "shop"), []],
  ])("%s", (_, more, expected) => {
    const made = new Map(
      [...whole].map(([path, text]) => [path, path.endsWith(RBAC) ? `${text}${more}` : text]),
    );
    expect(brief(whole, made)).toEqual(expected);
  });
});
