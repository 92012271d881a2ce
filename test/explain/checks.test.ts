/*
 * Every check in every status that it can have, on artefacts of an example with one edit each: the named check says
 * so, and no earlier one fails.
 */

import { describe, expect, it } from "vitest";
import type { ExplainResult, Status } from "../../lib/explain";
import { PULL_LINKS } from "../../lib/explain/jobs/pull";
import { type Edit, edited, explained, synthesized } from "../fixtures/explain/artefacts";

const ECR = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web";
const ACR = "acmeshop.azurecr.io/models/llm";
const GAR = "europe-west1-docker.pkg.dev/acme-images/tools/build";
const TF = "cdk.tf.json";
const ACCOUNTS = "20-service-accounts.yaml";
const NODE = "all-nodes.yaml";
const FACTS = "workload-identity.json";
const RBAC = "10-token-audience.yaml";
const REQUIRED_ROLE = "requiredServiceAccountAnnotationKeys:\n              - eks.amazonaws.com/ecr-role-arn";
const TOKENS = "KubeletServiceAccountTokenForCredentialProviders";
const OPTIONAL_ROLE = "optionalServiceAccountAnnotationKeys:\n              - eks.amazonaws.com/ecr-role-arn";

interface Row {
  readonly why: string;
  readonly account?: string;
  readonly image: string;
  readonly edits: readonly Edit[];
  readonly text: string;
  readonly log?: string;
  readonly as?: string | null;
}

const tools = { account: "shop/tools", image: GAR };
const ecr = { image: ECR };
const acr = { image: ACR };

/** What fails, by check; sources: the fact sheets named in each check, and the kubelet's and clouds' own texts. */
const FAILS: Readonly<Record<string, readonly Row[]>> = {
  "image-parses": [
    {
      why: "upper case",
      image: `${ECR}/Web`,
      edits: [],
      text: "the kubelet refuses this image name",
      log: "InvalidImageName",
    },
    { why: "nothing", image: "", edits: [], text: "the kubelet refuses this image name" },
  ],
  "provider-matches-image": [
    {
      why: "a file that the kubelet does not start with",
      ...ecr,
      edits: [
        [
          NODE,
          "      apiVersion: kubelet.config.k8s.io/v1\n",
          "      {}\n      ---\n      apiVersion: kubelet.config.k8s.io/v1\n",
        ],
      ],
      text: "refuses the file and does not start: Object 'Kind' is missing in '{}'",
      log: '"Failed to register CRI auth plugins"',
    },
    {
      why: "a key given twice",
      ...ecr,
      edits: [
        [NODE, "defaultCacheDuration: 12h", "defaultCacheDuration: 12h\n          defaultCacheDuration: 12h"],
      ],
      text: "error decoding config: Map keys must be unique",
    },
    {
      why: "port in the image",
      image: ECR.replace(".com/", ".com:443/"),
      edits: [],
      text: "without its port the image would match",
      log: "silent",
    },
    {
      why: "mirror host",
      image: "mirror.acme.example/shop/web",
      edits: [],
      text: "none of the 3 patterns (111122223333.dkr.ecr.eu-west-1.amazonaws.com, acmeshop.azurecr.io, europe-west1-docker.pkg.dev) matches mirror.acme.example/shop/web",
      log: "silent",
    },
    {
      why: "glob does not cross a dot",
      ...ecr,
      edits: [[NODE, "111122223333.dkr.ecr.eu-west-1.amazonaws.com", '"*.amazonaws.com"']],
      text: "*.amazonaws.com ends like the host, but * stands for exactly one part between dots",
      log: "silent",
    },
    {
      why: "glob in the path",
      ...acr,
      edits: [[NODE, "- acmeshop.azurecr.io", '- "acmeshop.azurecr.io/*"']],
      text: "its path is a plain prefix",
    },
  ],
  "provider-on-node": [
    {
      why: "cacheType is missing",
      ...ecr,
      edits: [[NODE, "            cacheType: ServiceAccount\n", ""]],
      text: "refuses the file and does not start",
      log: '"Failed to register CRI auth plugins"',
    },
    {
      why: "the sample of openshift/enhancements#1987: required keys without requireServiceAccount",
      ...acr,
      edits: [[NODE, "requireServiceAccount: true", "requireServiceAccount: false"]],
      text: "requireServiceAccount cannot be false",
    },
    {
      why: "one name twice",
      ...ecr,
      edits: [[NODE, "name: acr-credential-provider", "name: ecr-credential-provider"]],
      text: "duplicate provider name",
    },
    {
      why: "an entry without a name",
      ...ecr,
      edits: [[NODE, "name: acr-credential-provider", 'name: ""']],
      text: "is a directory",
      log: '"Failed to register CRI auth plugins"',
    },
    {
      why: "flag missing",
      ...ecr,
      edits: [[NODE, "  image-credential-provider-bin-dir: /var/lib/kubelet/credential-provider\n", ""]],
      text: "--image-credential-provider-bin-dir is not set",
      log: "plugin binary directory  did not exist",
    },
    {
      why: "flag empty",
      ...ecr,
      edits: [[NODE, "bin-dir: /var/lib/kubelet/credential-provider\n", 'bin-dir: ""\n']],
      text: "--image-credential-provider-bin-dir is not set",
      log: "plugin binary directory  did not exist",
    },
    {
      why: "gate off by flag",
      ...ecr,
      edits: [[NODE, "kubeletFlags:\n", `kubeletFlags:\n  feature-gates: "${TOKENS}=false,X=1"\n`]],
      text: "feature gate is disabled",
    },
    {
      why: "all beta gates off by flag",
      ...ecr,
      edits: [[NODE, "kubeletFlags:\n", 'kubeletFlags:\n  feature-gates: "AllBeta=f"\n']],
      text: "feature gate is disabled",
    },
    {
      why: "gate off in the kubelet's own file",
      ...ecr,
      edits: [
        [
          NODE,
          "kubeletFlags:\n",
          `  - path: /k.yaml\n    content: '{"kind":"KubeletConfiguration","featureGates":{"${TOKENS}":false}}'\nkubeletFlags:\n  config: /k.yaml\n`,
        ],
      ],
      text: "feature gate is disabled",
    },
    {
      why: "gate recorded as text",
      ...ecr,
      edits: [[FACTS, '"featureGates": {}', `"featureGates": {"${TOKENS}": "false"}`]],
      text: "feature gate is disabled",
    },
    {
      why: "kubelet 1.31 passes over tokenAttributes",
      ...ecr,
      edits: [[FACTS, '"kubelet": "1.35"', '"kubelet": "1.31"']],
      text: "kubelet 1.31 does not know tokenAttributes",
      log: "silent",
      as: "node identity",
    },
    {
      why: "flag points elsewhere",
      ...ecr,
      edits: [[NODE, "image-credential-provider-config: /etc", "image-credential-provider-config: /opt"]],
      log: "unable to access path",
      text: "not among the files that were read",
    },
    {
      why: "plugin too old",
      ...ecr,
      edits: [[FACTS, '"1.35.2"', '"1.33.4"']],
      text: "silently uses the node identity",
      log: "silent",
      as: "node identity",
    },
    {
      why: "custom pool with the shipped plugin",
      ...tools,
      edits: [[FACTS, '"custom-pools"', '"tokens"']],
      text: "a custom pool needs a build with --sts-audience",
    },
    {
      why: "azure.json without useManagedIdentityExtension",
      ...acr,
      edits: [[NODE, '"useManagedIdentityExtension": true', '"useManagedIdentityExtension": false']],
      text: "useManagedIdentityExtension",
      log: "silent",
    },
    {
      why: "ECR Public without AWS_REGION",
      image: "public.ecr.aws/acme/web",
      edits: [[NODE, "111122223333.dkr.ecr.eu-west-1.amazonaws.com", "public.ecr.aws"]],
      text: "sets no AWS_REGION",
      log: "endpoint rule error, Invalid Configuration: Missing Region",
    },
    // The plugin of 1.36.0, run with it, prints its help and exits with 0.
    {
      why: "an argument by which the plugin prints its help",
      ...ecr,
      edits: [
        [
          NODE,
          "- name: ecr-credential-provider\n",
          '- name: ecr-credential-provider\n          args: ["--help"]\n',
        ],
      ],
      text: "--help makes the plugin print something other than credentials",
      log: "error decoding credential provider plugin response from stdout",
    },
    {
      why: "pool provider not named",
      ...tools,
      edits: [[NODE, "--sts-audience=", "--audience="]],
      text: "no pool to exchange the token at",
    },
    {
      why: "kubelet of 1.33 refuses cacheType",
      ...ecr,
      edits: [[FACTS, '"kubelet": "1.35"', '"kubelet": "1.33"']],
      text: "kubelet 1.33 refuses the file",
    },
  ],
  "service-account-present": [
    {
      why: "declared and not written",
      ...ecr,
      edits: [[ACCOUNTS, "  name: web\n", "  name: wep\n"]],
      text: "is in none of the manifests",
      log: 'serviceaccounts "web" not found',
    },
    {
      why: "declared, and no service account is written",
      ...ecr,
      edits: [[ACCOUNTS, "kind: ServiceAccount", "kind: ConfigMap"]],
      text: "is in none of the manifests",
    },
  ],
  "service-account-readable": [
    {
      why: "API server 1.33 without the gate",
      ...ecr,
      edits: [[FACTS, '"apiServer": "1.35"', '"apiServer": "1.33"']],
      text: "does not let nodes get service accounts",
      log: 'cannot get resource "serviceaccounts"',
    },
  ],
  "annotations-present": [
    {
      why: "the annotation of IRSA",
      ...ecr,
      edits: [[ACCOUNTS, "ecr-role-arn", "role-arn"]],
      text: "it has eks.amazonaws.com/role-arn",
      log: "silent",
      as: null,
    },
    {
      why: "optional key, ECR plugin 1.35: node identity",
      ...ecr,
      edits: [
        [NODE, REQUIRED_ROLE, OPTIONAL_ROLE],
        [ACCOUNTS, "ecr-role-arn", "role-arn"],
      ],
      text: "which the plugin does not read",
      log: "silent",
      as: "node identity",
    },
    {
      why: "optional key, ECR plugin 1.34: an error",
      ...ecr,
      edits: [
        [NODE, REQUIRED_ROLE, OPTIONAL_ROLE],
        [ACCOUNTS, "ecr-role-arn", "role-arn"],
        [FACTS, '"1.35.2"', '"1.34.1"'],
      ],
      text: "has no eks.amazonaws.com/ecr-role-arn",
      log: "no arn provided",
      as: null,
    },
    {
      why: "key not listed",
      ...ecr,
      edits: [[NODE, `            ${REQUIRED_ROLE}\n`, ""]],
      text: "does not pass it to the plugin",
      as: "node identity",
    },
    {
      why: "empty client id",
      ...acr,
      edits: [
        [ACCOUNTS, '"@late(azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.client_id)@"', '""'],
      ],
      text: "or an empty one",
      log: "client id annotation kubernetes.azure.com/acr-client-id is not found or the value is empty",
    },
    {
      why: "another tenant than the plugin's",
      ...acr,
      edits: [[ACCOUNTS, "72f988bf-86f1", "00000000-86f1"]],
      text: "the annotation names the tenant",
      log: "silent",
    },
    {
      why: "True is not true",
      ...tools,
      edits: [[ACCOUNTS, '"true"', '"True"']],
      text: "the plugin needs exactly",
      as: "node identity",
    },
  ],
  "audience-granted": [
    {
      why: "no binding in the namespace",
      ...ecr,
      edits: [[RBAC, "namespace: shop", "namespace: other"]],
      text: "nothing lets nodes request tokens of shop/web",
      log: "is not authorized to request tokens for this audience",
    },
    {
      why: "another audience",
      ...ecr,
      edits: [[RBAC, "      - sts.amazonaws.com\n", "      - sts.amazonaws.com/\n"]],
      text: "nothing lets nodes",
    },
    {
      why: "API version that is not served",
      ...ecr,
      edits: [
        [
          RBAC,
          "apiVersion: rbac.authorization.k8s.io/v1\n",
          "apiVersion: rbac.authorization.k8s.io/v1beta1\n",
        ],
      ],
      text: "nothing lets nodes",
    },
    {
      why: "wrong API group",
      ...ecr,
      edits: [[RBAC, '      - ""', "      - authentication.k8s.io"]],
      text: "nothing lets nodes",
    },
  ],
  "issuer-trusted": [
    {
      why: "AWS, trailing slash",
      ...ecr,
      edits: [
        [
          FACTS,
          '"issuer": "https://oidc.acme.example/edge-1"',
          '"issuer": "https://oidc.acme.example/edge-1/"',
        ],
      ],
      text: "https://oidc.acme.example/edge-1 differs only in a trailing slash",
      log: "AccessDenied",
    },
    {
      why: "AWS, OIDC provider of another account",
      ...ecr,
      edits: [[TF, "arn:aws:iam::111122223333:oidc-provider", "arn:aws:iam::999988887777:oidc-provider"]],
      text: "STS looks for it only there",
      log: "No OpenIDConnect provider found",
    },
    {
      why: "Azure, trailing slash",
      ...acr,
      edits: [
        [TF, '"issuer": "https://oidc.acme.example/edge-1"', '"issuer": "https://oidc.acme.example/edge-1/"'],
      ],
      text: "a trailing slash",
      log: "AADSTS700211",
    },
    {
      why: "Azure, no credential",
      ...acr,
      edits: [[TF, '"azurerm_federated_identity_credential"', '"azurerm_other"']],
      text: "has no federated identity credential",
      log: "AADSTS70021",
    },
    {
      why: "Google",
      ...tools,
      edits: [[TF, '"issuer_uri": "https://oidc', '"issuer_uri": "https://old']],
      text: "the pool provider trusts https://old.acme.example/edge-1",
    },
  ],
  "audience-accepted": [
    {
      why: "AWS, client id list",
      ...ecr,
      edits: [[TF, '[\n          "sts.amazonaws.com"\n        ]', '[\n          "sts"\n        ]']],
      text: "the OIDC provider accepts sts,",
      log: "Incorrect token audience",
    },
    {
      why: "AWS, trust policy",
      ...ecr,
      edits: [[TF, ':aud\\":\\"sts.amazonaws.com\\"', ':aud\\":\\"sts.amazonaws.com.cn\\"']],
      text: "does not admit the audience",
      log: "AccessDenied",
    },
    {
      why: "Azure",
      ...acr,
      edits: [[TF, "api://AzureADTokenExchange", "api://AzureADTokenExchangeUSGov"]],
      text: "has the audience api://AzureADTokenExchange;",
      log: "AADSTS700212",
    },
    {
      why: "Google",
      ...tools,
      edits: [
        [
          TF,
          '"https://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/providers/k8s-edge-1"',
          '"sts.googleapis.com"',
        ],
      ],
      text: "the pool provider accepts sts.googleapis.com",
      log: "does not match the expected audience",
    },
  ],
  "subject-admitted": [
    {
      why: "AWS, another name",
      ...ecr,
      edits: [[TF, 'serviceaccount:shop:web\\"', 'serviceaccount:shop:worker\\"']],
      text: "the trust policy does not admit system:serviceaccount:shop:web",
      log: "AccessDenied",
    },
    {
      why: "AWS, wildcard under StringEquals",
      ...ecr,
      edits: [[TF, 'serviceaccount:shop:web\\"', 'serviceaccount:shop:*\\"']],
      text: "the trust policy does not admit",
    },
    {
      why: "Azure, letter case",
      ...acr,
      edits: [
        [TF, '"subject": "system:serviceaccount:shop:web"', '"subject": "system:serviceaccount:Shop:web"'],
      ],
      text: "letter case",
      log: "AADSTS7002138",
    },
    {
      why: "Google, condition",
      ...tools,
      edits: [
        [
          TF,
          "assertion.sub in ['system:serviceaccount:shop:tools']",
          "assertion.sub in ['system:serviceaccount:shop:web']",
        ],
      ],
      text: "the attribute condition does not admit",
      log: "rejected by the attribute condition",
    },
  ],
  "login-permitted": [
    {
      why: "AWS, login on a repository",
      ...ecr,
      edits: [
        [
          TF,
          '\\"ecr:GetAuthorizationToken\\",\\"Resource\\":\\"*\\"',
          '\\"ecr:GetAuthorizationToken\\",\\"Resource\\":\\"arn:aws:ecr:eu-west-1:111122223333:repository/shop/*\\"',
        ],
      ],
      text: "the role may not ecr:GetAuthorizationToken",
      log: "is not authorized to perform: ecr:GetAuthorizationToken",
    },
    {
      why: "Azure, another registry",
      ...acr,
      edits: [[TF, "registries/acmeshop", "registries/acmeother"]],
      text: "the identity has no role on the registry acmeshop",
      log: "responded with status code 401",
    },
    {
      why: "Azure, ABAC registry with AcrPull",
      ...acr,
      edits: [
        [TF, '"Container Registry Repository Reader"', '"AcrPull"'],
        [
          TF,
          '"azurerm_user_assigned_identity": {',
          '"azapi_resource": {"r": {"type": "Microsoft.ContainerRegistry/registries@2025-04-01", "name": "acmeshop", "body": {"properties": {"roleAssignmentMode": "AbacRepositoryPermissions"}}}},\n    "azurerm_user_assigned_identity": {',
        ],
      ],
      text: "mode AbacRepositoryPermissions, which ignores AcrPull",
    },
  ],
  "repository-permitted": [
    {
      why: "AWS, another repository",
      image: ECR.replace("/shop/", "/base/"),
      edits: [],
      text: "the role may not ecr:BatchGetImage",
      log: "no identity-based policy allows",
    },
    {
      why: "AWS, repository policy denies",
      ...ecr,
      edits: [
        [
          TF,
          '\\"Resource\\":\\"arn:aws:ecr:eu-west-1:111122223333:repository/shop/*\\"',
          '\\"Resource\\":\\"*\\"',
        ],
        [
          TF,
          '"azurerm_user_assigned_identity": {',
          '"aws_ecr_repository_policy": {"p": {"repository": "shop/web", "policy": "{\\"Statement\\":[{\\"Effect\\":\\"Deny\\",\\"Principal\\":\\"*\\",\\"Action\\":\\"ecr:*\\"}]}"}},\n    "azurerm_user_assigned_identity": {',
        ],
      ],
      text: "the repository policy does not admit",
    },
    {
      why: "Azure, condition",
      image: "acmeshop.azurecr.io/other/llm",
      edits: [],
      text: "the condition of the role assignment covers models/*, not other/llm",
    },
    {
      why: "Google, other repository",
      account: "shop/tools",
      image: GAR.replace("/tools/", "/base/"),
      edits: [],
      text: "nothing grants the principal a download",
      log: "downloadArtifacts",
    },
    {
      why: "Google, project number of another pool",
      ...tools,
      edits: [
        [
          TF,
          "projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/subject",
          "projects/210987654321/locations/global/workloadIdentityPools/k8s-edge-1/subject",
        ],
      ],
      text: "nothing grants the principal a download",
    },
  ],
};

/** What cannot be determined, by check. */
const UNKNOWN: Readonly<Record<string, readonly Row[]>> = {
  "provider-matches-image": [
    {
      why: "no node files",
      ...ecr,
      edits: [
        [NODE, "image-credential-provider-config", "other"],
        [NODE, "CredentialProviderConfig", "Other"],
      ],
      text: "no CredentialProviderConfig",
    },
  ],
  "provider-on-node": [
    {
      why: "version of the plugin",
      ...ecr,
      edits: [[FACTS, '"version": "1.35.2"', '"other": "1.35.2"']],
      text: "its version is not stated",
    },
    {
      why: "version of the kubelet",
      ...ecr,
      edits: [
        [FACTS, '"kubelet": "1.35"', '"kubelet": "1.99"'],
        [NODE, "            cacheType: ServiceAccount\n", ""],
        [
          FACTS,
          '"featureGates": {}',
          '"featureGates": {"KubeletServiceAccountTokenForCredentialProviders": true}',
        ],
      ],
      text: "not every version accepts the file",
    },
    ...['"kubelet": "1.40"', '"kubelet": "junk"', '"kubelet": 1.35', '"other": "1.35"'].map((kubelet) => ({
      why: `kubelet recorded as ${kubelet}`,
      ...ecr,
      edits: [[FACTS, '"kubelet": "1.35"', kubelet] as const],
      text: "not every version accepts the file",
    })),
    {
      why: "gate recorded as no switch",
      ...ecr,
      edits: [[FACTS, '"featureGates": {}', `"featureGates": {"${TOKENS}": "off"}`]],
      text: "neither true nor false",
    },
    {
      why: "gate off in a file that no one is known to read",
      ...ecr,
      edits: [
        [
          NODE,
          "kubeletFlags:\n",
          `  - path: /k.yaml\n    content: '{"kind":"KubeletConfiguration","featureGates":{"${TOKENS}":false}}'\nkubeletFlags:\n`,
        ],
      ],
      text: "the KubeletConfiguration /k.yaml sets feature gates",
    },
    {
      why: "plugin by another name",
      ...ecr,
      edits: [[NODE, "name: ecr-credential-provider", "name: totally-different-plugin"]],
      text: "nothing says that the plugin totally-different-plugin does what the ecr plugin does",
    },
    {
      why: "arguments that the plugin does not take",
      ...ecr,
      edits: [
        [
          NODE,
          "- name: ecr-credential-provider\n",
          '- name: ecr-credential-provider\n          args: ["completion"]\n',
        ],
      ],
      text: "the argument completion is not known",
    },
    {
      why: "azure.json not written here",
      ...acr,
      edits: [[NODE, "path: /etc/kubernetes/acr-azure.json", "path: /etc/kubernetes/other.json"]],
      text: "is not among what was read",
    },
    {
      why: "plugin of someone else",
      ...ecr,
      edits: [
        [NODE, "name: ecr-credential-provider", "name: acme-plugin"],
        [NODE, REQUIRED_ROLE, "requiredServiceAccountAnnotationKeys:\n              - acme.example/role"],
        [NODE, "111122223333.dkr.ecr.eu-west-1.amazonaws.com", '"*.*.*.*.*.com"'],
      ],
      text: "nothing is known about the plugin acme-plugin",
    },
  ],
  "service-account-readable": [
    {
      why: "version of the API server",
      ...ecr,
      edits: [[FACTS, '"apiServer": "1.35"', '"apiServer": "1.99"']],
      text: "depends on the API server's version",
    },
  ],
  "annotations-present": [
    {
      why: "tenants that may differ",
      ...acr,
      edits: [
        [
          ACCOUNTS,
          "72f988bf-86f1-41af-91ab-2d7cd011db47",
          '"@late(azurerm_user_assigned_identity.other.tenant_id)@"',
        ],
      ],
      text: "known only after apply",
    },
  ],
  "audience-granted": [
    {
      why: "no RBAC and no version",
      ...ecr,
      edits: [
        [RBAC, "request-serviceaccounts-token-audience", "other"],
        [FACTS, '"apiServer": "1.35"', '"apiServer": "1.99"'],
      ],
      text: "the version of the API server is not known",
    },
  ],
  "issuer-trusted": [
    {
      why: "AWS, OIDC provider adopted",
      ...ecr,
      edits: [[TF, '"aws_iam_openid_connect_provider": {', '"aws_other": {']],
      text: "the OIDC provider of https://oidc.acme.example/edge-1 is not among what was read",
    },
    {
      why: "AWS, role elsewhere",
      ...ecr,
      edits: [[TF, '"aws_iam_role": {', '"aws_other": {']],
      text: "the IAM role arn:aws:iam::111122223333:role/edge-1_shop_web is not among what was read",
    },
    {
      why: "Azure, identity elsewhere",
      ...acr,
      edits: [[TF, '"azurerm_user_assigned_identity": {', '"azurerm_other": {']],
      text: "the identity with the client id <azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.client_id> is not among what was read",
    },
    {
      why: "Google, pool provider elsewhere",
      ...tools,
      edits: [[TF, '"google_iam_workload_identity_pool_provider": {', '"google_other": {']],
      text: "the pool provider k8s-edge-1/k8s-edge-1 is not among what was read",
    },
    {
      why: "issuer not recorded",
      ...ecr,
      edits: [[FACTS, '"issuer": "https://oidc.acme.example/edge-1",', ""]],
      text: "the issuer of the cluster's tokens is not known",
    },
  ],
  "audience-accepted": [
    {
      why: "AWS, client ids known after apply",
      ...ecr,
      edits: [[TF, '[\n          "sts.amazonaws.com"\n        ]', '"${var.audiences}"']],
      text: "which audiences the OIDC provider accepts is not known",
    },
    {
      why: "Google, audience known after apply",
      ...tools,
      edits: [
        [
          TF,
          '"https://iam.googleapis.com/projects/123456789012/',
          '"https://iam.googleapis.com/projects/${google_project.p.number}/',
        ],
      ],
      text: "known only after apply",
    },
  ],
  "subject-admitted": [
    {
      why: "AWS, an operator that is not known",
      ...ecr,
      edits: [[TF, 'Condition\\":{\\"StringEquals\\"', 'Condition\\":{\\"StringResembles\\"']],
      text: "StringResembles",
    },
    {
      why: "Google, another form of condition",
      ...tools,
      edits: [[TF, "assertion.sub in ['system:serviceaccount:shop:tools']", "assertion.jti.matches('.*')"]],
      text: "what only the token tells",
    },
  ],
  "login-permitted": [
    {
      why: "AWS, policy of an ARN that was not read",
      ...ecr,
      edits: [
        [
          TF,
          '"aws_iam_role_policy": {',
          '"aws_iam_role_policy_attachment": {"a": {"role": "edge-1_shop_web", "policy_arn": "arn:aws:iam::111122223333:policy/other"}},\n    "aws_iam_role_policy": {',
        ],
      ],
      text: "the policy arn:aws:iam::111122223333:policy/other is not declared in what was read",
    },
    {
      why: "Azure, role on the subscription",
      ...acr,
      edits: [[TF, "/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop", ""]],
      text: "cannot judge its role",
    },
  ],
  "repository-permitted": [
    {
      why: "AWS, condition key",
      ...ecr,
      edits: [
        [
          TF,
          '\\"Resource\\":\\"arn:aws:ecr:eu-west-1:111122223333:repository/shop/*\\"',
          '\\"Resource\\":\\"*\\",\\"Condition\\":{\\"StringEquals\\":{\\"aws:SourceVpc\\":\\"vpc-1\\"}}',
        ],
      ],
      text: "aws:SourceVpc",
    },
    {
      why: "AWS, other account whose owner was not read",
      image: ECR.replace("111122223333", "444455556666"),
      edits: [
        [TF, "arn:aws:ecr:eu-west-1:111122223333:repository/shop/*", "*"],
        [NODE, "111122223333.dkr.ecr.eu-west-1.amazonaws.com", '"*.dkr.ecr.*.amazonaws.com"'],
      ],
      text: "no repository policy was read",
    },
    {
      why: "Azure, another form of condition",
      ...acr,
      edits: [[TF, "StringStartsWithIgnoreCase", "StringLikeIgnoreCase"]],
      text: "does not read its form",
    },
    {
      why: "Google, conditional grant",
      ...tools,
      edits: [
        [
          TF,
          '"role": "roles/artifactregistry.reader"',
          '"condition": {"expression": "request.time < x"},\n        "role": "roles/artifactregistry.reader"',
        ],
      ],
      text: "cannot be judged",
    },
  ],
};

const artefacts = synthesized("three-clouds");

function ask({ account = "shop/web", image, edits }: Row): ReturnType<typeof explained>[number] {
  const [result] = explained(edited(artefacts, edits), { serviceAccount: account, image });
  if (!result) throw new Error("no result");
  return result;
}

const rows = (table: typeof FAILS): readonly (readonly [string, string, Row])[] =>
  Object.entries(table).flatMap(([id, list]) => list.map((row) => [id, row.why, row] as const));

const order = PULL_LINKS.map(({ id }) => id as string);

describe("fail", () => {
  it.each(rows(FAILS))("%s: %s", (id, _, row) => {
    const { checks, verdict, as } = ask(row);
    const at = order.indexOf(id);
    expect(checks.slice(0, at).map(({ status }) => status)).not.toContain("fail");
    expect(checks[at]).toMatchObject({
      id,
      status: "fail",
      reason: expect.any(String),
      remedy: expect.stringMatching(/./),
    });
    expect(`${checks[at]?.reason} ${checks[at]?.remedy}`).toContain(row.text);
    if (row.log !== undefined) expect(checks[at]?.log).toContain(row.log);
    expect(checks.slice(at + 1, -1).every(({ status }) => status === "skipped")).toBe(true);
    expect(verdict).toBe(as === "anonymous" ? "unknown" : "denied");
    if (row.as !== undefined) expect(as).toBe(row.as);
  });
});

describe("unknown", () => {
  it.each(rows(UNKNOWN))("%s: %s", (id, _, row) => {
    const { checks, verdict } = ask(row);
    const at = order.indexOf(id);
    expect(checks.map(({ status }) => status).slice(0, at)).not.toContain("fail");
    expect(checks[at]).toMatchObject({ id, status: "unknown", reason: expect.stringContaining(row.text) });
    expect(verdict).not.toBe("allowed");
  });
});

/** The statuses that each check can have; what a check cannot say is said by none of its branches. */
const STATUSES: Readonly<Record<string, readonly Status[]>> = {
  "image-parses": ["pass", "fail", "skipped"],
  "provider-matches-image": ["pass", "fail", "unknown", "skipped"],
  "provider-on-node": ["pass", "fail", "unknown", "skipped"],
  "service-account-present": ["pass", "fail", "unknown", "skipped"],
  "service-account-readable": ["pass", "fail", "unknown", "skipped"],
  "annotations-present": ["pass", "fail", "unknown", "skipped"],
  "audience-granted": ["pass", "fail", "unknown", "skipped"],
  "issuer-trusted": ["pass", "fail", "unknown", "skipped"],
  "audience-accepted": ["pass", "fail", "unknown", "skipped"],
  "subject-admitted": ["pass", "fail", "unknown", "skipped"],
  "login-permitted": ["pass", "fail", "unknown", "skipped"],
  "repository-permitted": ["pass", "fail", "unknown", "skipped"],
  otherwise: ["pass", "fail", "unknown", "skipped"],
};

/** Pulls whose checks together have every status; the tables above say why each fails or cannot be determined. */
function everyResult(): readonly ExplainResult[] {
  const broken = Object.values(FAILS).flat();
  const open = Object.values(UNKNOWN).flat();
  const never = `apiVersion: v1
kind: Pod
metadata: {name: p, namespace: other}
spec: {serviceAccountName: elsewhere, containers: [{image: "${ECR}", imagePullPolicy: Never}, {image: "${ECR}"}]}
`;
  const workload = new Map([...artefacts, ["pod.yaml", never]]);
  const folder = [...artefacts.keys()].find((path) => path.endsWith(ACCOUNTS)) ?? "";
  workload.set(folder, `${artefacts.get(folder)}\n---\n${never}`);
  return [
    ask({ why: "all hold", ...ecr, edits: [], text: "" }),
    ask({ why: "all hold", ...acr, edits: [], text: "" }),
    ask({ why: "all hold", ...tools, edits: [], text: "" }),
    ...[...broken, ...open].map(ask),
    ...explained(workload, { serviceAccount: "other/elsewhere" }),
  ];
}

describe("every check", () => {
  it("has each of its statuses in some case, and no other", () => {
    const results = everyResult();
    const found = order.map((id, at) => [
      id,
      [...new Set(results.map(({ checks }) => checks[at]?.status))].sort(),
    ]);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(STATUSES).map(([id, statuses]) => [id, [...statuses].sort()])),
    );
  });

  it("has a remedy where it fails or cannot be determined, a log only there, and reasons without full stop", () => {
    for (const { id, status, reason, remedy, log } of everyResult().flatMap(({ checks }) => checks)) {
      expect([id, status, /^$|[.\n]$/.test(reason)]).toEqual([id, status, false]);
      if (status === "fail" || status === "unknown")
        expect([id, reason, remedy !== ""]).toEqual([id, reason, true]);
      if (status === "pass") expect([id, log]).toEqual([id, undefined]);
    }
  });
});

it("takes a pattern for the account alone that declares it", () => {
  const image = `${ECR.replace(/[^/]*$/, "")}*`;
  const said = (serviceAccount: string): unknown =>
    explained(artefacts, { serviceAccount, image }).map(({ verdict, checks }) => [
      verdict,
      checks[0]?.status,
    ]);
  expect(said("shop/web")).toEqual([["allowed", "pass"]]);
  expect(said("shop/tools")).toEqual([["denied", "fail"]]);
});
