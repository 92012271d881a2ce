/* Harmful changes with what must be said first of each, and harmless ones, which say nothing or only that access is less. */

import { describe, expect, it } from "vitest";
import {
  type Change,
  type Comparison,
  type Danger,
  renderCompareMarkdown,
  renderCompareText,
} from "../../../lib/explain";
import { groupsOf } from "../../../lib/explain/render/compare-groups";
import {
  type Block,
  type Resources,
  adding,
  changed,
  compared,
  policy,
  whole,
} from "../../fixtures/explain/changed";
import { runsOf } from "../../support/sample";

type Edit = (resources: Resources) => void;

const ACCOUNT = "arn:aws:iam::111122223333";
const ISSUER = "oidc.acme.example/edge-1";
const GITHUB = "token.actions.githubusercontent.com";
const AZURE = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const REGISTRY = `${AZURE}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop`;
const IDENTITY = "azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B";
const POOL = "iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1";
const TOOLS = `principal://${POOL}/subject/system:serviceaccount:shop:tools`;
const REPOSITORY = { project: "acme-images", location: "europe-west1", repository: "tools" };
const ROLE = "${aws_iam_role.pulls_aws_shop_web_332B9317.name}";
const IMAGES = "arn:aws:ecr:eu-west-1:111122223333:repository/shop/*";

/** Changes the only resource of a type. */
const setting =
  (type: string, change: (block: Block) => Block): Edit =>
  (resources) => {
    for (const [name, block] of Object.entries(resources[type] ?? {}))
      resources[type] = { ...resources[type], [name]: { ...block, ...change(block) } };
  };

const attached = (name: string, partition = "aws"): Edit =>
  adding([
    "aws_iam_role_policy_attachment",
    { role: ROLE, policy_arn: `arn:${partition}:iam::aws:policy/${name}` },
  ]);
const allowing = (Action: unknown, Resource: unknown = "*", more: object = {}): Edit =>
  adding([
    "aws_iam_role_policy",
    { role: ROLE, policy: policy({ Effect: "Allow", Action, Resource, ...more }) },
  ]);
const pulling = (...statements: readonly object[]): Edit =>
  setting("aws_iam_role_policy", () => ({ policy: policy(...statements) }));
const LOGIN = { Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" };
const PULL = {
  Effect: "Allow",
  Action: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
  Resource: IMAGES,
};

const tokens = (host: string, claims: object, operator = "StringEquals"): object => ({
  Effect: "Allow",
  Principal: { Federated: `${ACCOUNT}:oidc-provider/${host}` },
  Action: "sts:AssumeRoleWithWebIdentity",
  Condition: {
    [operator]: Object.fromEntries(
      Object.entries(claims).map(([claim, value]) => [`${host}:${claim}`, value]),
    ),
  },
});
const WEB = { aud: "sts.amazonaws.com", sub: "system:serviceaccount:shop:web" };
const OWN = tokens(ISSUER, WEB);
const trusting = (...statements: readonly object[]): Edit =>
  setting("aws_iam_role", () => ({ assume_role_policy: policy(...statements) }));
const assumed = (Principal: unknown, Action = "sts:AssumeRole"): Edit =>
  trusting(OWN, { Effect: "Allow", Principal, Action });

const assigned = (role_definition_name: string, scope = AZURE): Edit =>
  adding([
    "azurerm_role_assignment",
    { scope, role_definition_name, principal_id: `\${${IDENTITY}.principal_id}` },
  ]);
const defined = (...actions: readonly string[]): Edit =>
  adding(
    ["azurerm_role_definition", { name: "mine", scope: AZURE, permissions: [{ actions, not_actions: [] }] }],
    [
      "azurerm_role_assignment",
      {
        scope: AZURE,
        role_definition_id: "${azurerm_role_definition.more.role_definition_resource_id}",
        principal_id: `\${${IDENTITY}.principal_id}`,
      },
    ],
  );
const credential = (issuer: string, subject: string): Edit =>
  adding([
    "azurerm_federated_identity_credential",
    {
      name: "more",
      resource_group_name: "edge-identities",
      audience: ["api://AzureADTokenExchange"],
      parent_id: `\${${IDENTITY}.id}`,
      issuer,
      subject,
    },
  ]);

const onProject = (role: string, member = TOOLS): Edit =>
  adding(["google_project_iam_member", { project: "acme-images", role, member }]);
const ofPermissions = (...permissions: readonly string[]): Edit =>
  adding(
    ["google_project_iam_custom_role", { project: "acme-images", role_id: "mine", permissions }],
    [
      "google_project_iam_member",
      { project: "acme-images", role: "projects/acme-images/roles/mine", member: TOOLS },
    ],
  );
const provider = (issuer_uri: string): Edit =>
  adding([
    "google_iam_workload_identity_pool_provider",
    {
      project: "acme-images",
      workload_identity_pool_id: "k8s-edge-1",
      workload_identity_pool_provider_id: "more",
      attribute_mapping: { "google.subject": "assertion.sub" },
      oidc: { issuer_uri, allowed_audiences: ["x"] },
    },
  ]);
const inCluster = (name: string, namespaces?: readonly string[]): Edit =>
  adding([
    "aws_eks_access_policy_association",
    {
      cluster_name: "prod",
      principal_arn: `${ACCOUNT}:role/x`,
      policy_arn: `arn:aws:eks::aws:cluster-access-policy/${name}`,
      access_scope: namespaces ? { type: "namespace", namespaces } : { type: "cluster" },
    },
  ]);
const inDirectory = (type: string, argument: string, role: string): Edit =>
  adding([type, { [argument]: role, principal_object_id: `\${${IDENTITY}.principal_id}` }]);
const denying =
  (Action: unknown, more: object = {}): Edit =>
  (resources) => {
    const guard = { role: ROLE, policy: policy({ Effect: "Deny", Action, Resource: "*", ...more }) };
    resources["aws_iam_role_policy"] = { ...resources["aws_iam_role_policy"], guard };
  };
const bounded = (Action: string): Edit =>
  both(
    adding(["aws_iam_policy", { name: "b", policy: policy({ Effect: "Allow", Action, Resource: "*" }) }]),
    setting("aws_iam_role", () => ({ permissions_boundary: "${aws_iam_policy.more.arn}" })),
  );
const DENIES_IAM = policy({ Effect: "Deny", Action: "iam:*", Resource: "*" });
const DENY_POLICY = {
  parent: "projects/acme",
  name: "guard",
  rules: [
    {
      deny_rule: {
        denied_principals: ["principalSet://goog/public:all"],
        denied_permissions: ["iam.googleapis.com/serviceAccounts.actAs"],
      },
    },
  ],
};
const both =
  (...edits: readonly Edit[]): Edit =>
  (resources) =>
    edits.forEach((edit) => edit(resources));

const HARMFUL: readonly (readonly [what: string, edit: Edit, danger: Danger, said: string])[] = [
  // Admin rights on AWS.
  [
    "AdministratorAccess",
    attached("AdministratorAccess"),
    "admin",
    "* on *: it may do everything, as AdministratorAccess",
  ],
  ["PowerUserAccess", attached("PowerUserAccess"), "admin", "as PowerUserAccess allows"],
  ["IAMFullAccess", attached("IAMFullAccess"), "admin", "as IAMFullAccess allows"],
  [
    "IAMFullAccess in China",
    attached("IAMFullAccess", "aws-cn"),
    "admin",
    "policy IAMFullAccess, whose statements are not",
  ],
  ["everything", allowing("*"), "admin", "it may do everything"],
  [
    "everything on a condition",
    allowing("*", "*", { Condition: { Bool: { "aws:x": "true" } } }),
    "admin",
    "under Bool",
  ],
  [
    "everything but billing",
    adding([
      "aws_iam_role_policy",
      { role: ROLE, policy: policy({ Effect: "Allow", NotAction: "aws-portal:*", Resource: "*" }) },
    ]),
    "admin",
    "everything but aws-portal:*",
  ],
  ["all of IAM", allowing("iam:*"), "admin", "it may give itself any right"],
  ["all that attaches policies", allowing("iam:Attach*"), "admin", "more rights"],
  [
    "an inline policy for itself",
    allowing("iam:PutRolePolicy", `${ACCOUNT}:role/edge-1_shop_web`),
    "admin",
    "more rights",
  ],
  ["another version of policies", allowing("iam:CreatePolicyVersion"), "admin", "more rights"],
  ["trust of other roles", allowing("iam:UpdateAssumeRolePolicy"), "admin", "more rights"],
  ["keys of users", allowing("iam:CreateAccessKey"), "admin", "more rights"],
  ["no boundary any more", allowing("iam:DeleteRolePermissionsBoundary"), "admin", "more rights"],
  ["an action in other letters", allowing("IAM:putrolepolicy"), "admin", "more rights"],
  [
    "all of IAM but users",
    adding([
      "aws_iam_role_policy",
      { role: ROLE, policy: policy({ Effect: "Allow", Action: "iam:*", NotResource: `${ACCOUNT}:user/*` }) },
    ]),
    "admin",
    "it may give itself any right",
  ],
  // Admin rights on Azure.
  ["Owner", assigned("Owner"), "admin", "Owner on"],
  ["Contributor", assigned("Contributor"), "admin", "it may change everything but who has access"],
  ["Owner of one registry", assigned("Owner", REGISTRY), "admin", "Owner on"],
  [
    "User Access Administrator",
    assigned("User Access Administrator"),
    "admin",
    "it may give anyone any role",
  ],
  [
    "RBAC Administrator",
    assigned("Role Based Access Control Administrator"),
    "admin",
    "it may give anyone any role",
  ],
  [
    "admin of a cluster",
    assigned("Azure Kubernetes Service RBAC Cluster Admin"),
    "admin",
    "everything in the cluster",
  ],
  ["a role with every action", defined("*"), "admin", "it may give anyone any role"],
  [
    "a role that assigns roles",
    defined("Microsoft.Authorization/roleAssignments/*"),
    "admin",
    "it may give anyone any role",
  ],
  [
    "a role that changes roles",
    defined("Microsoft.Authorization/roleDefinitions/write"),
    "admin",
    "what roles allow",
  ],
  // Admin rights on Google Cloud.
  ["owner", onProject("roles/owner"), "admin", "roles/owner on project acme-images: it may do everything"],
  ["editor", onProject("roles/editor"), "admin", "nearly everything"],
  ["the newer admin", onProject("roles/admin"), "admin", "it may do everything"],
  ["admin of service accounts", onProject("roles/iam.serviceAccountAdmin"), "admin", "more rights"],
  ["admin of keys", onProject("roles/iam.serviceAccountKeyAdmin"), "admin", "more rights"],
  ["admin of the project's IAM", onProject("roles/resourcemanager.projectIamAdmin"), "admin", "more rights"],
  ["security admin", onProject("roles/iam.securityAdmin"), "admin", "more rights"],
  [
    "a permission to set policies",
    ofPermissions("resourcemanager.projects.setIamPolicy"),
    "admin",
    "more rights",
  ],
  [
    "a person as owner",
    onProject("roles/owner", "user:eve@example.com"),
    "admin",
    "eve@example.com is newly granted",
  ],
  // Further issuers.
  [
    "GitHub on AWS",
    trusting(OWN, tokens(GITHUB, { aud: "sts.amazonaws.com", sub: "repo:a/b:ref:refs/heads/main" })),
    "issuer",
    `(new issuer https://${GITHUB}) is newly trusted by edge-1_shop_web`,
  ],
  [
    "any subject of GitHub",
    trusting(OWN, tokens(GITHUB, { aud: "sts.amazonaws.com" })),
    "issuer",
    `any other subject (new issuer https://${GITHUB})`,
  ],
  [
    "another issuer in place of the cluster's",
    trusting(tokens("evil.example", WEB)),
    "issuer",
    "new issuer https://evil.example",
  ],
  [
    "a role for GitHub",
    adding([
      "aws_iam_role",
      {
        name: "ci",
        assume_role_policy: policy(tokens(GITHUB, { aud: "sts.amazonaws.com", sub: "repo:a/b:x" })),
      },
    ]),
    "issuer",
    "is newly trusted by ci",
  ],
  [
    "SAML",
    assumed({ Federated: `${ACCOUNT}:saml-provider/okta` }, "sts:AssumeRoleWithSAML"),
    "issuer",
    "saml-provider/okta",
  ],
  [
    "Cognito",
    assumed({ Federated: "cognito-identity.amazonaws.com" }, "sts:AssumeRoleWithWebIdentity"),
    "issuer",
    "this identity provider is trusted",
  ],
  ["everyone", assumed("*"), "issuer", "everyone whom the conditions admit"],
  [
    "GitHub on Azure",
    credential(`https://${GITHUB}`, "repo:a/b:ref:refs/heads/main"),
    "issuer",
    `new issuer https://${GITHUB}`,
  ],
  ["GitHub on Google Cloud", provider(`https://${GITHUB}`), "issuer", `new issuer https://${GITHUB}`],
  [
    "the right to trust issuers",
    allowing("iam:CreateOpenIDConnectProvider"),
    "issuer",
    "other identity providers",
  ],
  [
    "the right to trust issuers on Google Cloud",
    onProject("roles/iam.workloadIdentityPoolAdmin"),
    "issuer",
    "other issuers",
  ],
  [
    "the right to add credentials",
    defined("Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials/write"),
    "issuer",
    "trust other issuers",
  ],
  // More subjects.
  [
    "one more subject",
    trusting(tokens(ISSUER, { ...WEB, sub: [WEB.sub, "system:serviceaccount:shop:x"] })),
    "subjects",
    `shop/x (issuer https://${ISSUER}) is trusted as well`,
  ],
  [
    "all of a namespace",
    trusting(tokens(ISSUER, { ...WEB, sub: "system:serviceaccount:shop:*" }, "StringLike")),
    "subjects",
    "shop/*",
  ],
  [
    "every service account",
    trusting(tokens(ISSUER, { ...WEB, sub: "system:serviceaccount:*" }, "StringLike")),
    "subjects",
    "is trusted as well by edge-1_shop_web",
  ],
  ["whatever the subject", trusting(tokens(ISSUER, { aud: WEB.aud })), "subjects", "any other"],
  ["any audience", trusting(tokens(ISSUER, { sub: WEB.sub })), "subjects", "with a token for any audience"],
  [
    "one more on Azure",
    credential(`https://${ISSUER}`, "system:serviceaccount:shop:x"),
    "subjects",
    "shop/x",
  ],
  [
    "one more on Google Cloud",
    setting("google_iam_workload_identity_pool_provider", () => ({
      attribute_condition:
        "assertion.sub in ['system:serviceaccount:shop:tools', 'system:serviceaccount:shop:x']",
    })),
    "subjects",
    "shop/x",
  ],
  // What others may do.
  [
    "another account",
    assumed({ AWS: "999988887777" }),
    "others",
    "arn:aws:iam::999988887777:root is newly granted sts:AssumeRole",
  ],
  [
    "a role of another account",
    assumed({ AWS: "arn:aws:iam::999988887777:role/x" }),
    "others",
    "it may act as the role",
  ],
  ["a service of AWS", assumed({ Service: "ec2.amazonaws.com" }), "others", "ec2.amazonaws.com"],
  [
    "roles elsewhere",
    allowing("sts:AssumeRole", "arn:aws:iam::999988887777:role/x"),
    "others",
    "it may act as these roles",
  ],
  ["roles for services", allowing("iam:PassRole"), "others", "it may have services act as these roles"],
  [
    "tokens of service accounts",
    onProject("roles/iam.serviceAccountTokenCreator"),
    "others",
    "act as the service accounts",
  ],
  [
    "a permission to act",
    ofPermissions("iam.serviceAccounts.actAs"),
    "others",
    "act as the service accounts",
  ],
  ["managed identities", assigned("Managed Identity Operator"), "others", "act as managed identities"],
  [
    "a public image",
    adding([
      "google_artifact_registry_repository_iam_member",
      { ...REPOSITORY, role: "roles/artifactregistry.reader", member: "allUsers" },
    ]),
    "others",
    "allUsers is newly granted",
  ],
  [
    "a registry without sign-in",
    adding(["azurerm_container_registry", { name: "acmeteam", anonymous_pull_enabled: true }]),
    "others",
    "everyone is newly granted",
  ],
  // What cannot be compared.
  [
    "a policy that only apply tells",
    adding(["aws_iam_role_policy", { role: ROLE, policy: "${var.policy}" }]),
    "undecided",
    "a policy that is not read",
  ],
  [
    "another expression",
    setting("google_iam_workload_identity_pool_provider", () => ({
      attribute_condition: "assertion.sub.startsWith('system:')",
    })),
    "subjects",
    "any other",
  ],
  // More than is declared.
  [
    "a managed policy whose statements are not known",
    attached("AmazonEC2FullAccess"),
    "undeclared",
    "AmazonEC2FullAccess, whose statements are not known here: this is more than its declared pulls need",
  ],
  [
    "all repositories",
    pulling(LOGIN, { ...PULL, Resource: IMAGES.replace("shop/", "") }),
    "undeclared",
    "amazonaws.com/a) as arn:aws:iam::111122223333:role/edge-1_shop_web: this is more than its declared pulls",
  ],
  [
    "pushing",
    pulling(LOGIN, { ...PULL, Action: [...PULL.Action, "ecr:PutImage"] }),
    "undeclared",
    "ecr:PutImage",
  ],
  ["secrets", allowing("secretsmanager:GetSecretValue"), "undeclared", "secretsmanager:GetSecretValue on *"],
  [
    "writing on Google Cloud",
    setting("google_artifact_registry_repository_iam_member", () => ({
      role: "roles/artifactregistry.writer",
    })),
    "undeclared",
    "roles/artifactregistry.writer",
  ],
  ["another role on Azure", assigned("AcrPush", REGISTRY), "undeclared", "AcrPush"],
  // Clusters and directories.
  ["EKS's admin policy", inCluster("AmazonEKSClusterAdminPolicy"), "admin", "everything in the cluster"],
  [
    "EKS's admin policy in a namespace",
    inCluster("AmazonEKSClusterAdminPolicy", ["shop"]),
    "others",
    "AmazonEKSClusterAdminPolicy in EKS cluster prod in the namespaces shop",
  ],
  ["EKS's policy to see", inCluster("AmazonEKSViewPolicy"), "wider", "is newly granted AmazonEKSViewPolicy"],
  ["GKE's admin", onProject("roles/container.admin"), "admin", "everything in the clusters"],
  [
    "a directory role",
    inDirectory("azuread_directory_role_assignment", "role_id", "62e90394-69f5-4237-9190-012177145e10"),
    "admin",
    "it may do everything in the tenant",
  ],
  [
    "a directory role by reference",
    both(
      adding(["azuread_directory_role", { display_name: "Application Administrator" }]),
      inDirectory(
        "azuread_directory_role_assignment",
        "role_id",
        "${azuread_directory_role.more.template_id}",
      ),
    ),
    "issuer",
    "is newly granted the directory role Application Administrator: it may have applications trust other issuers",
  ],
  [
    "a permission of Microsoft Graph",
    inDirectory(
      "azuread_app_role_assignment",
      "app_role_id",
      '${azuread_service_principal.graph.app_role_ids["RoleManagement.ReadWrite.Directory"]}',
    ),
    "admin",
    "it may give itself any right in the tenant",
  ],
  // More access.
  [
    "a role that was not read",
    adding([
      "aws_iam_role_policy",
      { role: "people", policy: policy({ Effect: "Allow", Action: "s3:Get*", Resource: "*" }) },
    ]),
    "wider",
    "s3:Get*",
  ],
];

const renamed =
  (type: string): Edit =>
  (resources) => {
    const text = JSON.stringify(resources);
    const [name = ""] = Object.keys(resources[type] ?? {});
    Object.assign(resources, JSON.parse(text.replaceAll(name, `moved_${name}`)) as Resources);
  };
/** What is taken away, and what its absence lets whom do: before, now. */
const UNLIMITED: readonly (readonly [what: string, was: Edit, is: Edit, danger: Danger, said: string])[] = [
  [
    "a denial that kept a role from everything",
    both(allowing("*"), denying("*")),
    allowing("*"),
    "admin",
    "* on *: it is no longer denied; it may do everything",
  ],
  [
    "a denial of what is not allowed",
    denying("iam:*"),
    () => undefined,
    "wider",
    "iam:* on *: it is no longer",
  ],
  [
    "a denial of part of IAM",
    both(allowing("iam:*", "*"), denying("iam:PassRole")),
    allowing("iam:*", "*"),
    "others",
    "iam:PassRole on *: it is no longer denied; it may have services act as these roles",
  ],
  [
    "a denial of all but ECR",
    both(allowing("*"), denying(undefined, { NotAction: "ecr:*" })),
    allowing("*"),
    "admin",
    "everything but ecr:* on *: it is no longer denied",
  ],
  [
    "a narrower denial",
    both(allowing("s3:*"), denying("s3:*")),
    both(allowing("s3:*"), denying("s3:Put*")),
    "wider",
    "s3:* on *: it is no longer denied",
  ],
  [
    "a boundary",
    both(allowing("*"), bounded("ecr:*")),
    allowing("*"),
    "admin",
    "is granted more: everything that no boundary limits: it may do everything, as AdministratorAccess allows",
  ],
  [
    "a wider boundary",
    both(allowing("*"), bounded("ecr:*")),
    both(allowing("*"), bounded("*")),
    "admin",
    "* on * within the boundary",
  ],
  [
    "a wider boundary of a role that may only pull",
    bounded("ecr:*"),
    bounded("*"),
    "wider",
    "* on * within the boundary",
  ],
  [
    "a service control policy",
    adding(["aws_organizations_policy", { name: "guard", content: DENIES_IAM }]),
    () => undefined,
    "admin",
    "the policy guard of the organization applies to is granted more: iam:* on *: it is no longer denied",
  ],
  [
    "part of a service control policy",
    adding(["aws_organizations_policy", { name: "guard", content: DENIES_IAM }]),
    adding(["aws_organizations_policy", { name: "guard", content: DENIES_IAM.replace("*", "Tag*") }]),
    "admin",
    "iam:* on *: it is no longer denied",
  ],
  [
    "a deny policy of Google Cloud",
    adding(["google_iam_deny_policy", DENY_POLICY]),
    () => undefined,
    "others",
    "iam.googleapis.com/serviceAccounts.actAs on projects/acme: it is no longer denied; it may act as the service",
  ],
];

const removing =
  (type: string): Edit =>
  (resources) =>
    void delete resources[type];
const reversed: Edit = (resources) => {
  for (const [type, all] of Object.entries(resources)) {
    delete resources[type];
    resources[type] = Object.fromEntries(Object.entries(all).reverse());
  }
};
/** Placeholders of manifests name the other one. */
const ELSEWHERE = "azurerm_user_assigned_identity";
const TYPES = Object.keys(
  (
    JSON.parse([...whole].find(([path]) => path.endsWith("cdk.tf.json"))?.[1] ?? "{}") as {
      resource: Resources;
    }
  ).resource,
).filter((type) => type !== ELSEWHERE);

const HARMLESS: readonly (readonly [what: string, edit: Edit, danger?: Danger])[] = [
  ["another order of resources", reversed],
  ...TYPES.map((type) => [`another address: ${type}`, renamed(type)] as const),
  ["every other address", both(...TYPES.map(renamed))],
  ["another Sid", pulling({ ...LOGIN, Sid: "A" }, { ...PULL, Sid: "B" })],
  ["another order of statements", pulling(PULL, LOGIN)],
  ["actions in another order", pulling(LOGIN, { ...PULL, Action: [...PULL.Action].reverse() })],
  [
    "actions in other letters",
    pulling(LOGIN, { ...PULL, Action: ["ECR:batchgetimage", "ecr:GetDownloadUrlForLayer"] }),
  ],
  ["statements that were split", pulling(LOGIN, ...PULL.Action.map((Action) => ({ ...PULL, Action })))],
  ["statements that repeat others", pulling(LOGIN, PULL, { ...PULL, Resource: IMAGES.replace("*", "web") })],
  [
    "the policy in two",
    both(pulling(LOGIN), adding(["aws_iam_role_policy", { role: ROLE, policy: policy(PULL) }])),
  ],
  ["subject as a list", trusting(tokens(ISSUER, { ...WEB, sub: [WEB.sub] }))],
  ["subject twice", trusting(OWN, OWN)],
  ["subject by a pattern without a wildcard", trusting(tokens(ISSUER, WEB, "StringLike"))],
  ["tags", setting("aws_iam_role", () => ({ tags: { team: "shop" } }))],
  ["a description", setting("aws_iam_role", () => ({ description: "x" }))],
  ["a longer session", setting("aws_iam_role_policy", () => ({ name: "other" }))],
  [
    "scope in other letters",
    setting("azurerm_role_assignment", () => ({ scope: REGISTRY.replace("registries", "Registries") })),
  ],
  [
    "the id of a role in place of its name",
    setting("azurerm_role_assignment", () => ({
      role_definition_name: "container registry repository reader",
    })),
  ],
  ["a bucket that nothing here uses", adding(["aws_s3_bucket", { bucket: "logs" }])],
  ["a denial", allowing("s3:*", "*", { Effect: "Deny" }), "less"],
  ["fewer repositories", pulling(LOGIN, { ...PULL, Resource: IMAGES.replace("shop/*", "shop/a*") }), "less"],
  ["no images any more", pulling(LOGIN), "less"],
  ["nothing any more", removing("aws_iam_role_policy"), "less"],
  ["no assignment any more", removing("azurerm_role_assignment"), "less"],
  ["no member any more", removing("google_artifact_registry_repository_iam_member"), "less"],
  ["no credential any more", removing("azurerm_federated_identity_credential"), "less"],
];

describe("a harmful change", () => {
  it.each(HARMFUL)("%s", (_, edit, danger, said) => {
    const comparison = compared(whole, changed(edit));
    const [first] = groupsOf(comparison.changes, false);
    expect(first?.changes[0].danger).toBe(danger);
    const text = renderCompareText(comparison);
    const second = groupsOf(comparison.changes, false).find(({ title }) => title !== first?.title)?.title;
    expect(second ? text.slice(0, text.indexOf(`\n${second}\n`)) : text).toContain(said);
  });

  it.each(UNLIMITED)("that takes a limit away: %s", (_, was, is, danger, said) => {
    const [old, made] = [changed(was), changed(is)];
    const comparison = compared(old, made);
    expect(groupsOf(comparison.changes, false)[0]?.changes[0].danger).toBe(danger);
    expect(renderCompareText(comparison)).toContain(said);
    const back = compared(made, old).changes.map((each) => each.danger);
    expect(new Set(back)).toEqual(new Set(["less"]));
  });

  it("is the mirror image of one that takes access away", () => {
    const back = compared(changed(attached("AdministratorAccess")), whole);
    expect(new Set(back.changes.map(({ danger }) => danger))).toEqual(new Set(["less"]));
  });
});

describe("a harmless change", () => {
  it.each(HARMLESS.map(([what, edit, danger]) => [what, edit, danger] as const))("%s", (_, edit, danger) => {
    const { changes } = compared(whole, changed(edit));
    expect([...new Set(changes.map((each) => each.danger))]).toEqual(danger ? [danger] : []);
  });
});

describe("changes of many", () => {
  const change = (at: number, more: Partial<Change> = {}): Change => ({
    kind: "widened",
    job: "image-pull",
    about: "images",
    stack: "prod",
    reason: "",
    removed: [],
    subject: `team-${at}/app-${at}`,
    target: `x.example/app-${at}/*`,
    before: null,
    after: { verdict: "allowed", as: `role/app-${at}` },
    added: [{ text: `statement of app-${at}` }],
    ...more,
  });
  const many = (count: number, more: (at: number) => Partial<Change> = () => ({})): Comparison => ({
    changes: Array.from({ length: count }, (_, at) => change(at, more(at))),
  });
  const lines = (text: string): number => (text.match(/^[a-z]/gm) ?? []).length;

  it("are one line with their number and a few of them", () => {
    const text = renderCompareText(many(200));
    expect(lines(text)).toBe(1);
    expect(text).toContain(
      "200 service accounts (team-0/app-0, team-1/app-1, team-2/app-2, team-3/app-3 and 196 more) read more: x.example/app-0/*,",
    );
    expect(text).toContain("200 widened; compare --verbose prints each");
    expect(lines(renderCompareText(many(200), { verbose: true }))).toBe(200);
  });

  it.each<[string, number, (at: number) => Partial<Change>, number]>([
    ["in several clusters", 40, (at) => ({ stack: `s${at}`, subject: "a/b", target: "x.example/*" }), 1],
    ["of two registries", 40, (at) => ({ target: `${at % 2 ? "x" : "y"}.example/*` }), 2],
    ["that differ in more than names, a few", 4, (at) => ({ target: `x.example/${"abcd"[at]}/*` }), 4],
    ["that differ in more than names, many", 40, (at) => ({ target: `x.example/other${at}/*` }), 1],
    [
      "with admin rights of different kinds",
      9,
      (at) => ({ danger: "admin", target: `x.example/o${at}/*` }),
      9,
    ],
    ["with new issuers", 9, (at) => ({ danger: "issuer", about: "trust", target: "r", issuer: `i${at}` }), 9],
    ["that lose", 40, () => ({ kind: "removed", after: null }), 1],
  ])("%s", (_, count, more, expected) => {
    expect(lines(renderCompareText(many(count, more)))).toBe(expected);
  });

  it.each<[string, (at: number) => Partial<Change>]>([
    ["by their number", (at) => ({ danger: "admin", target: `x.example/${at}/*` })],
    ["by what causes them", () => ({ danger: "admin", added: [{ text: "x ".repeat(20_000) }] })],
    ["by their length", (at) => ({ danger: "admin", reason: `${at}<`.repeat(9_000) })],
  ])("fit into a comment, the most dangerous first, however long %s", (_, more) => {
    const comparison = many(runsOf(3_000, 4), more);
    const worst = change(1, { danger: "admin", about: "right", target: "the worst", kind: "added" });
    const text = renderCompareMarkdown({ changes: [...many(9).changes, worst, ...comparison.changes] });
    expect(text.length).toBeLessThan(65_536);
    expect(text).toContain("the worst");
    expect(text).toContain("`--verbose`");
    expect(text.split("\n").filter((line) => line.startsWith("|"))[2]).toContain("| Admin rights |");
  });
});

it("there are enough of both", () => {
  expect(HARMFUL.length).toBeGreaterThanOrEqual(60);
  expect(HARMLESS.length).toBeGreaterThanOrEqual(30);
});
