/*
 * What is stated of a role's place beside what its Terraform provider says.
 * Source: terraform-provider-aws, arguments region, allowed_account_ids and assume_role.
 */

import { EksCluster, type EksClusterConfig } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { AwsProvider, type AwsProviderConfig } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack, TerraformVariable, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  OidcProvider,
  PullRole,
  RepositoryPullPolicy,
  SharedRegistry,
  WorkloadRole,
  awsAccess,
  componentRoles,
  ecr,
  eks,
  eksSpoke,
  pullRoles,
  workloadRoles,
} from "../../../lib/cloud/aws";
import { checkProviderPlace } from "../../../lib/cloud/aws/place";
import type { CredentialsRequest } from "../../../lib/model/credentials-request";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { ACCOUNT, ISSUER, OWNER, REGION, code, refusedBy } from "./synthesized";

const role = (account: string): { roleArn: string } => ({ roleArn: `arn:aws:iam::${account}:role/deploy` });

function checked(config: AwsProviderConfig, isNamed = false, account: string | undefined = ACCOUNT): void {
  const stack = new TerraformStack(Testing.app(), "prod");
  const provider = new AwsProvider(stack, "aws", config);
  checkProviderPlace(stack, { partition: "aws", account, provider: isNamed ? provider : undefined });
}

const variable = (): TerraformVariable =>
  new TerraformVariable(new TerraformStack(Testing.app(), "other"), "v", { type: "string" });

describe("the provider's place", () => {
  it.each<[string, AwsProviderConfig]>([
    ["says nothing", {}],
    ["is another region of the partition", { region: "us-east-1" }],
    ["is a region that is newer than the table", { region: "eu-new-1" }],
    ["is a region known only after apply", { region: variable().stringValue }],
    ["allows the account", { region: REGION, allowedAccountIds: [OWNER, ACCOUNT] }],
    ["allows accounts known only after apply", { allowedAccountIds: [variable().stringValue] }],
    ["is that of the last role it assumes", { assumeRole: [role(OWNER), role(ACCOUNT)] }],
    ["is that of a role known only after apply", { assumeRole: [{ roleArn: variable().stringValue }] }],
    ["allows the account of another role", { allowedAccountIds: [ACCOUNT], assumeRole: [role(OWNER)] }],
    ["allows accounts of an expression", { allowedAccountIds: ["${var.account}"] }],
    ["forbids another account", { forbiddenAccountIds: [OWNER] }],
  ])("%s", (_, config) => {
    expect(() => checked(config)).not.toThrow();
    expect(() => checked(config, true)).not.toThrow();
  });

  it.each(
    refusedBy<AwsProviderConfig>({
      "aws-mismatch: is in another AWS partition than the rest of the chain": {
        "is another partition": { region: "us-gov-west-1" },
      },
      "aws-mismatch: the stated account differs from the account of the aws provider, which declares the resource":
        {
          "allows other accounts": { region: REGION, allowedAccountIds: [OWNER] },
          "is another account's role": { assumeRole: [role(ACCOUNT), role(OWNER)] },
          "is the account of a role for a web identity": { assumeRoleWithWebIdentity: [role(OWNER)] },
        },
      "aws-mismatch: the aws provider, which declares the resource, forbids the stated account": {
        "forbids the account": { region: REGION, forbiddenAccountIds: [ACCOUNT] },
      },
    }),
  )("%s, which is refused", (_, config, refusal) => {
    expect(() => checked(config)).toThrowError(code(refusal));
    expect(() => checked(config, true)).toThrowError(code(refusal));
  });

  it("is compared for components and workloads", () => {
    const place = { account: ACCOUNT, region: REGION };
    const request = { clusterName: "prod", issuer: Issuer.of(ISSUER) };
    const stack = new TerraformStack(Testing.app(), "prod");
    new AwsProvider(stack, "aws", { region: "us-gov-west-1" });
    const access = [awsAccess({ managedPolicyArns: ["arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess"] })];
    const accounts = [{ subject: Subject.of("shop/web"), asks: access }];
    expect(() => workloadRoles(place).declare(stack, { ...request, accounts })).toThrowError(
      code("aws-mismatch: is in another AWS partition than the rest of the chain"),
    );
    const requests: readonly CredentialsRequest[] = [
      {
        name: "registry",
        annotations: {},
        secret: { namespace: "openshift-image-registry", name: "installer-cloud-credentials" },
        subjects: [Subject.of("openshift-image-registry/registry")],
        cloudTokenPath: undefined,
        providerKind: "AWSProviderSpec",
        providerSpec: { statementEntries: [{ effect: "Allow", action: ["s3:GetObject"], resource: "*" }] },
        source: { file: "registry.yaml", document: 1 },
      },
    ];
    expect(() => componentRoles(place).declare(stack, { ...request, requests })).toThrowError(
      code("aws-mismatch: is in another AWS partition than the rest of the chain"),
    );
  });

  const stackOf = (config?: AwsProviderConfig): TerraformStack => {
    const stack = new TerraformStack(Testing.app(), "prod");
    if (config) new AwsProvider(stack, "aws", config);
    return stack;
  };
  const place = { account: ACCOUNT, region: REGION };
  const roles = (stack: TerraformStack) => [
    PullRole.fromArn(stack, "role", `arn:aws:iam::${OWNER}:role/pull`),
  ];
  const asks = [ecr({ ...place, repositories: ["shop/web"] })];
  const accounts = [{ subject: Subject.of("shop/web"), asks }];
  const cluster = { clusterName: "prod", issuer: Issuer.of(ISSUER) };
  const makers: readonly (readonly [string, (stack: TerraformStack) => unknown])[] = [
    ["pullRoles()", (stack) => pullRoles(place).declare(stack, { ...cluster, accounts })],
    [
      "an OIDC provider",
      (stack) => new OidcProvider(stack, "oidc", { ...place, issuer: ISSUER, audiences: ["a"] }),
    ],
    [
      "a repository's policy",
      (stack) =>
        new RepositoryPullPolicy(stack, "policy", { ...place, repository: "shop/web", roles: roles(stack) }),
    ],
    ["a shared registry", (stack) => new SharedRegistry(stack, "registry", place)],
  ];

  it.each(makers)("is compared for %s, with the provider that declares it", (_, make) => {
    const accountOf = (account: string): AwsProviderConfig => ({ allowedAccountIds: [account] });
    expect(() => make(stackOf(accountOf(OWNER)))).toThrowError(
      code("aws-mismatch: the stated account differs"),
    );
    expect(() => make(stackOf({ forbiddenAccountIds: [ACCOUNT] }))).toThrowError(code("aws-mismatch"));
    expect(() => make(stackOf(accountOf(ACCOUNT)))).not.toThrow();
    // A provider that is added later is compared at synth.
    const stack = stackOf();
    make(stack);
    new AwsProvider(stack, "aws", accountOf(OWNER));
    expect(() => Testing.synth(stack, true)).toThrowError(code("aws-mismatch"));
  });

  it("is that of an alias where a resource names one", () => {
    const stack = stackOf({ allowedAccountIds: [ACCOUNT] });
    const alias = new AwsProvider(stack, "owner", { alias: "owner", allowedAccountIds: [OWNER] });
    const oidc = (id: string, account: string): unknown => {
      const props = { issuer: `https://${id}.example.com`, audiences: ["a"], provider: alias };
      return new OidcProvider(stack, id, { ...props, account, region: REGION });
    };
    expect(() => oidc("one", OWNER)).not.toThrow();
    expect(() => oidc("two", ACCOUNT)).toThrowError(code("aws-mismatch"));
  });

  it.each<[string, AwsProviderConfig, Partial<EksClusterConfig>, boolean]>([
    ["the provider's", { region: "us-east-1" }, {}, true],
    ["the cluster's own", { region: REGION }, { region: "us-east-1" }, true],
    ["the cluster's own, whatever the provider's", { region: "us-east-1" }, { region: REGION }, false],
    ["the same", { region: REGION }, {}, false],
    ["not known", {}, {}, false],
    ["an expression's", { region: "${var.region}" }, {}, false],
  ])("the region of an EKS cluster is %s", (_, config, own, isRefused) => {
    const stack = stackOf(config);
    const cluster = new EksCluster(stack, "cluster", {
      name: "prod",
      roleArn: `arn:aws:iam::${ACCOUNT}:role/eks`,
      vpcConfig: { subnetIds: ["subnet-1"] },
      version: "1.35",
      ...own,
    });
    const podIdentities = [{ cluster, serviceAccount: "shop/web" }];
    const access = [awsAccess({ managedPolicyArns: ["arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess"] })];
    const uses: readonly (() => unknown)[] = [
      () => eks({ cluster, region: REGION }),
      () => eksSpoke({ cluster, region: REGION, kubernetesGroups: ["hub"] }),
      () => new WorkloadRole(stack, "role", { ...place, trusts: [], podIdentities, access }),
    ];
    for (const use of uses)
      if (isRefused) expect(use).toThrowError(code("aws-mismatch: the stated region differs"));
      else expect(use).not.toThrow();
  });

  it("is not compared with an account that is not known", () => {
    const place = { partition: undefined, account: undefined, provider: undefined };
    const stack = new TerraformStack(Testing.app(), "prod");
    new AwsProvider(stack, "aws", { region: "us-gov-west-1", allowedAccountIds: [OWNER] });
    expect(() => checkProviderPlace(stack, place)).not.toThrow();
    expect(() => checkProviderPlace(stack, { ...place, account: variable().stringValue })).not.toThrow();
  });
});
