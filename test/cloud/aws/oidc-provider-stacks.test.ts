import { generateKeyPairSync } from "node:crypto";
import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { TerraformStack, TerraformVariable, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  type ComponentRolesProps,
  type IOidcProvider,
  IssuerBucket,
  OidcProvider,
  awsAccess,
  componentRoles,
  workloadRoles,
} from "../../../lib/cloud/aws";
import type { GivenIssuer, Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { ACCOUNT, type Json, OWNER, REGION, code, only, resources } from "./synthesized";

const OIDC = "aws_iam_openid_connect_provider";
const ROLE = "aws_iam_role";
const AUDIENCES = ["openshift", "sts.amazonaws.com"];
const at = { account: ACCOUNT, region: REGION };
const publicKey = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .publicKey.export({ format: "pem", type: "spki" })
  .toString();
const access = awsAccess({
  statements: [{ Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::orders/*" }],
});

/** Two stacks of an app, and an issuer whose host CloudFront names, published by the first. */
function twoStacks(): { readonly a: TerraformStack; readonly b: TerraformStack; readonly issuer: Issuer } {
  const app = Testing.app();
  const [a, b] = [new TerraformStack(app, "a"), new TerraformStack(app, "b")];
  return { a, b, issuer: host(a, "prod-oidc").issuer };
}

function host(stack: TerraformStack, bucketName: string): IssuerBucket {
  const keys = [{ publicKey, use: "current" }] as const;
  return new IssuerBucket(stack, bucketName, { bucketName, region: REGION, keys });
}

type Trust = Pick<ComponentRolesProps, "account" | "oidcProvider">;

function components(stack: TerraformStack, issuer: Issuer, trust: Trust = {}): void {
  componentRoles({ ...at, ...trust }).declare(stack, {
    clusterName: "prod",
    issuer,
    requests: [
      {
        name: "shop",
        annotations: {},
        secret: { namespace: "openshift-shop", name: "credentials" },
        subjects: [Subject.of("openshift-shop/operator")],
        cloudTokenPath: undefined,
        providerKind: "AWSProviderSpec",
        providerSpec: { statementEntries: [{ effect: "Allow", action: ["s3:ListBucket"], resource: "*" }] },
        source: { file: "shop.yaml", document: 1 },
      },
    ],
  });
}

function workloads(stack: TerraformStack, issuer: Issuer, trust: Trust = {}): void {
  workloadRoles({ ...at, ...trust }).declare(stack, {
    clusterName: "prod",
    issuer,
    accounts: [{ subject: Subject.of("shop/web"), asks: [access] }],
  });
}

/** The host of the late issuer, and what else is late, as references to the first stack's outputs. */
const output = (name: string): string =>
  `data.terraform_remote_state.cross-stack-reference-input-a.outputs.cross-stack-output-aws_${name}`;
const HOST = output("cloudfront_distributionprod-oidc_Distribution_C58F38A8domain_name");

/** The trust of the stack's only role. */
function trustOf(stack: TerraformStack): unknown {
  return (JSON.parse(String(only(stack, ROLE)["assume_role_policy"])) as Json)["Statement"];
}

const trusting = (arn: string, prefix: string): unknown => [
  {
    Effect: "Allow",
    Principal: { Federated: arn },
    Action: "sts:AssumeRoleWithWebIdentity",
    Condition: {
      StringEquals: {
        [`${prefix}:aud`]: "sts.amazonaws.com",
        [`${prefix}:sub`]: "system:serviceaccount:shop:web",
      },
    },
  },
];

// IAM: EntityAlreadyExists for a second OIDC provider of one URL in one account
describe("a late issuer of two stacks", () => {
  it("is refused a second OIDC provider in the account, with the ways to share the first", () => {
    const { a, b, issuer } = twoStacks();
    components(a, issuer);
    const again = (): void => workloads(b, issuer);
    expect(again).toThrowError(
      code(
        "aws-conflict: OIDC provider of this issuer is already declared by",
        /already declared by a\/oidc-provider-.*got "https:\/\/\$\{aws_cloudfront_distribution\..*`oidcProvider` of .*also in another stack.*OidcProvider.fromIssuer, in which case it must already accept all audiences/,
      ),
    );
    expect(resources(b, OIDC)).toEqual([]);
  });

  it.each<readonly [string, Trust]>([
    ["another account", { account: OWNER }],
    ["an account that is not known", { account: undefined }],
  ])("may have another one in %s", (_, trust) => {
    const { a, b, issuer } = twoStacks();
    components(a, issuer);
    workloads(b, issuer, trust);
    expect(resources(b, OIDC)).toHaveLength(1);
  });

  it("is told apart from another late issuer", () => {
    const { a, b, issuer } = twoStacks();
    components(a, issuer);
    workloads(b, host(b, "test-oidc").issuer);
    expect(resources(b, OIDC)).toHaveLength(1);
  });

  it("shares one OidcProvider with the audiences of both", () => {
    const { a, b, issuer } = twoStacks();
    const oidcProvider = new OidcProvider(a, "oidc", { issuer, audiences: AUDIENCES, account: ACCOUNT });
    components(a, issuer, { oidcProvider });
    workloads(b, issuer, { oidcProvider });
    expect(only(a, OIDC)["client_id_list"]).toEqual(AUDIENCES);
    // cdktf makes the references between stacks then.
    b.prepareStack();
    expect(resources(b, OIDC)).toEqual([]);
    expect(trustOf(b)).toEqual(
      trusting(`\${${output("iam_openid_connect_provideroidc_7DBC7B85arn")}}`, `\${${HOST}}`),
    );
    expect(only(b, ROLE)["depends_on"]).toBeUndefined();
    expect(b.dependencies).toEqual([a]);
  });

  it("is adopted by the second with fromIssuer, after the first", () => {
    const { a, b, issuer } = twoStacks();
    OidcProvider.forIssuer(a, { issuer, audience: "sts.amazonaws.com", account: ACCOUNT });
    components(a, issuer);
    const oidcProvider: IOidcProvider = OidcProvider.fromIssuer(b, "oidc", { issuer, ...at });
    workloads(b, issuer, { oidcProvider });
    expect(only(a, OIDC)["client_id_list"]).toEqual(AUDIENCES);
    expect(resources(b, OIDC)).toEqual([]);
    // cdktf makes the references between stacks then.
    b.prepareStack();
    expect(only(b, OIDC, "data")).toEqual({ url: `https://\${${HOST}}` });
    expect(trustOf(b)).toEqual(
      trusting("${data.aws_iam_openid_connect_provider.oidc_7DBC7B85.arn}", `\${${HOST}}`),
    );
    expect(b.dependencies).toEqual([a]);
  });
});

describe("the id of a shared OIDC provider of a late issuer", () => {
  const cluster = (stack: TerraformStack, name: string): string =>
    new DataAwsEksCluster(stack, name, { name }).identity.get(0).oidc.get(0).issuer;
  const variable = (stack: TerraformStack): string =>
    new TerraformVariable(stack, "issuer", { type: "string" }).stringValue;
  const rows: readonly (readonly [string, (a: TerraformStack, b: TerraformStack) => GivenIssuer, string])[] =
    [
      ["the construct that publishes it", (_, b) => host(b, "oidc"), "oidc-provider-oidc"],
      ["one in another stack", (a) => host(a, "oidc"), "oidc-provider-a-oidc"],
      ["the cluster that Terraform reads", (_, b) => cluster(b, "prod"), "oidc-provider-prod"],
      ["a variable", (_, b) => `https://${variable(b)}/prod`, "oidc-provider-issuer"],
    ];

  it.each(rows)("names %s", (_, issuer, id) => {
    const { a, b } = twoStacks();
    const { node } = OidcProvider.forIssuer(b, { issuer: issuer(a, b), audience: "sts.amazonaws.com" });
    expect(node.path).toBe(`b/${id}`);
  });

  it("differs for two issuers of one source", () => {
    const { b } = twoStacks();
    const domain = variable(b);
    const ids = ["prod", "test", "prod"].map((path) => {
      const issuer = `https://${domain}/${path}`;
      return OidcProvider.forIssuer(b, { issuer, audience: "sts.amazonaws.com" }).node.id;
    });
    expect(ids).toEqual([
      "oidc-provider-issuer",
      expect.stringMatching(/^oidc-provider-issuer-[0-9a-f]{8}$/),
      "oidc-provider-issuer",
    ]);
  });
});

describe("a literal issuer of two stacks", () => {
  it("is adopted by the second with fromIssuer, after the first and without a reference", () => {
    const { a, b } = twoStacks();
    const issuer = OidcProvider.forIssuer(a, {
      issuer: "https://oidc.example.com/c1",
      audience: "sts.amazonaws.com",
      ...at,
    }).issuer;
    workloads(b, issuer, { oidcProvider: OidcProvider.fromIssuer(b, "oidc", { issuer, ...at }) });
    expect(trustOf(b)).toEqual(
      trusting(`arn:aws:iam::${ACCOUNT}:oidc-provider/oidc.example.com/c1`, "oidc.example.com/c1"),
    );
    expect(only(b, ROLE)["depends_on"]).toBeUndefined();
    expect(b.dependencies).toEqual([a]);
  });
});
