import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
/*
 * The judge finds what is wrong: each row breaks one link in files that were clean, and names what must be found.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ecr } from "../../lib/cloud/aws";
import {
  REGION,
  fromAcr,
  fromEcr,
  fromGoogle,
  makers,
  openShiftCluster,
  plainCluster,
  synthesizedPulls,
} from "./image-pulls";
import { judge } from "./judge";

const WEB = "system:serviceaccount:shop:web";

function threeClouds(): string {
  return synthesizedPulls(() => ({
    cluster: plainCluster(),
    identities: [makers.aws(), makers.azure(), makers.google()],
    pulls: [{ serviceAccount: "shop/web", from: [fromEcr(), fromAcr("shop/web"), fromGoogle()] }],
  })).outdir;
}

function openShift(): string {
  return synthesizedPulls((stack) => {
    const provider = new AwsProvider(stack, "owner", { alias: "owner", region: REGION });
    const owner = ecr({
      account: "444455556666",
      region: REGION,
      repositories: ["batch/run"],
      ownerPolicy: { provider },
    });
    return {
      cluster: openShiftCluster(),
      identities: [makers.aws()],
      pulls: [{ serviceAccount: "shop/web", from: [fromEcr(), owner] }],
    };
  }).outdir;
}

/** Changes a file of the stack; fails where there is nothing to change. */
function damage(outdir: string, file: string, from: string | RegExp, to: string): void {
  const path = join(outdir, "stacks/prod", file);
  const before = readFileSync(path, "utf8");
  const after = before.replace(from, () => to);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

type Row = readonly [found: string, file: string, from: string | RegExp, to: string];

const TERRAFORM = "cdk.tf.json";
const NODES = "nodes/all-nodes.yaml";
const GRANTS = "manifests/10-token-audience.yaml";
const ACCOUNTS = "manifests/20-service-accounts.yaml";

const ECR_PATTERN = /- \d{12}\.dkr\.ecr\.[\w-]+\.amazonaws\.com/;

const ROWS: readonly Row[] = [
  // AWS
  [`STS has allowed for ${WEB}x`, TERRAFORM, `,\\"oidc.example.com/prod:sub\\":\\"${WEB}\\"`, ""],
  [
    "STS has allowed for another audience",
    TERRAFORM,
    `\\"oidc.example.com/prod:aud\\":\\"sts.amazonaws.com\\",`,
    "",
  ],
  ["STS refuses the service account", TERRAFORM, `prod:sub\\":\\"${WEB}`, `prod:sub\\":\\"${WEB}s`],
  [
    "the role trusts no OIDC provider",
    TERRAFORM,
    "oidc-provider/oidc.example.com/prod",
    "oidc-provider/other",
  ],
  [
    "the OIDC provider does not know the audience sts.amazonaws.com",
    TERRAFORM,
    /(?<="client_id_list": \[\s+)"sts.amazonaws.com"/,
    '"other"',
  ],
  ["repository/not-declared is allowed", TERRAFORM, "repository/shop/web", "repository/*"],
  ["ecr:GetAuthorizationToken on * is denied", TERRAFORM, "ecr:GetAuthorizationToken", "ecr:DescribeImages"],
  ["ecr:PutImage on", TERRAFORM, "ecr:BatchGetImage", "ecr:*"],
  ["no IAM role prod_shop_api is declared", ACCOUNTS, "role/prod_shop_web", "role/prod_shop_api"],
  // Azure
  ["0 federated identity credentials admit it", TERRAFORM, `"subject": "${WEB}"`, `"subject": "${WEB}s"`],
  [
    "0 federated identity credentials admit it",
    TERRAFORM,
    /"issuer": "https:\/\/oidc.example.com\/prod"/,
    '"issuer": "https://oidc.example.com/prod/"',
  ],
  [
    "no identity has the client id of the annotation",
    ACCOUNTS,
    /@late\(.*client_id\)@/,
    "00000000-0000-4000-8000-000000000000",
  ],
  ["the role Reader is no pull role", TERRAFORM, "Container Registry Repository Reader", "Reader"],
  ["the condition leaves the repository out", TERRAFORM, "'shop/web'", "'shop/other'"],
  ["not exactly one role assignment on acmeshop", TERRAFORM, "registries/acmeshop", "registries/acmeshops"],
  [
    "useManagedIdentityExtension: unless it is true",
    NODES,
    '"useManagedIdentityExtension": true',
    '"useManagedIdentityExtension": false',
  ],
  ["has the mode 644", NODES, 'mode: "0600"', 'mode: "0644"'],
  ["has another tenant", NODES, /"tenantId": "[^"]*"/, '"tenantId": "99999999-2222-4333-8444-555555555555"'],
  // Google
  ["the attribute condition admits its neighbours", TERRAFORM, `assertion.sub in ['${WEB}']`, "true"],
  ["the attribute condition refuses it", TERRAFORM, `assertion.sub in ['${WEB}']`, "false"],
  [
    "the pool provider does not allow the audience",
    TERRAFORM,
    /"https:\/\/iam\.googleapis\.com[^"]*"/,
    '"x"',
  ],
  [
    "the pool provider has another issuer",
    TERRAFORM,
    /"issuer_uri": ".*"/,
    '"issuer_uri": "https://x.example"',
  ],
  ["its principal is no reader", TERRAFORM, `subject/${WEB}`, `subject/${WEB}s`],
  ["shop/webs may pull without having declared it", TERRAFORM, `subject/${WEB}`, `subject/${WEB}s`],
  ["the service account is not opted in", ACCOUNTS, 'pull: "true"', 'pull: "yes"'],
  // RBAC
  ["nodes may not request tokens for sts.amazonaws.com", GRANTS, "- sts.amazonaws.com", "- sts"],
  [
    "nodes may not request tokens",
    GRANTS,
    "request-serviceaccounts-token-audience",
    "request-token-audience",
  ],
  ["nodes may request tokens for any audience", GRANTS, "- sts.amazonaws.com", '- "*"'],
  ["others than nodes may request tokens", GRANTS, "name: system:nodes", "name: system:authenticated"],
  // Kubelet
  ["no entry with tokens matches", NODES, ECR_PATTERN, '- "*.amazonaws.com"'],
  ["cacheType", NODES, /\n +cacheType: ServiceAccount/, ""],
  ["the kubelet does not read", NODES, "config: /etc/kubernetes/", "config: /etc/kubelet/"],
  ["lacks the annotation eks.amazonaws.com/ecr-role-arn", ACCOUNTS, /.*ecr-role-arn.*\n/, ""],
  ["has the mode 666", NODES, 'mode: "0644"', 'mode: "0666"'],
  ["matchImages[0]", NODES, ECR_PATTERN, '- "https://*.dkr.ecr.*.amazonaws.com"'],
  // Texts and references
  ["holds a late value as cdktf writes it", ACCOUNTS, "name: web", 'name: "${TfToken[TOKEN.1]}"'],
  ["contains a Terraform expression", ACCOUNTS, "name: web", 'name: "${aws_iam_role.web.name}"'],
  ["nothing says what fills", ACCOUNTS, "name: web", 'name: "@late(aws_iam_role.web.name)@"'],
  ["no Terraform output has the value of", TERRAFORM, ".client_id}", ".principal_id}"],
  ["is not declared", TERRAFORM, '"${aws_iam_role.', '"${aws_iam_user.'],
  ["is not declared", TERRAFORM, '"aws_iam_openid_connect_provider.', '"aws_iam_openid_connect_providers.'],
];

describe("judge", () => {
  it("is content with what the library writes", () => {
    expect(judge(threeClouds())).toEqual([]);
    expect(judge(openShift())).toEqual([]);
  });

  it.each(ROWS)("finds: %s (%s)", (found, file, from, to) => {
    const outdir = threeClouds();
    damage(outdir, file, from, to);
    expect(judge(outdir).filter((finding) => finding.includes(found))).not.toEqual([]);
  });

  const CONFIG = "manifests/40-machine-configs.yaml";

  it.each<Row>([
    [
      "the kubelet does not read",
      CONFIG,
      "path: /etc/kubernetes/credential-",
      "path: /etc/kubelet/credential-",
    ],
    ["0 CredentialProviderConfigs", CONFIG, /base64,.*/, "base64,YTogYgo="],
    ["no node gets a CredentialProviderConfig", CONFIG, "kind: MachineConfig", "kind: KubeletConfig"],
    [
      "the owner's repository policy does not allow ecr:BatchGetImage",
      TERRAFORM,
      'batch/run"',
      'batch/runs"',
    ],
  ])("finds on OpenShift: %s", (found, file, from, to) => {
    const outdir = openShift();
    damage(outdir, file, from, to);
    expect(judge(outdir).filter((finding) => finding.includes(found))).not.toEqual([]);
  });
});
