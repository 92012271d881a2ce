/*
 * What is stated of a role's place beside what its Terraform provider says.
 * Source: terraform-provider-aws, arguments region, allowed_account_ids and assume_role.
 */

import { AwsProvider, type AwsProviderConfig } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack, TerraformVariable, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { awsAccess, componentRoles, workloadRoles } from "../../../lib/cloud/aws";
import { checkProviderPlace } from "../../../lib/cloud/aws/place";
import type { CredentialsRequest } from "../../../lib/model/credentials-request";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { ACCOUNT, ISSUER, OWNER, REGION, code } from "./synthesized";

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
    [
      "allows the account, whose role is elsewhere",
      { allowedAccountIds: [ACCOUNT], assumeRole: [role(OWNER)] },
    ],
  ])("%s", (_, config) => {
    expect(() => checked(config)).not.toThrow();
    expect(() => checked(config, true)).not.toThrow();
  });

  it.each<[string, AwsProviderConfig, string]>([
    [
      "is another partition",
      { region: "us-gov-west-1" },
      "aws-mismatch: is in another AWS partition than the rest of the chain",
    ],
    [
      "allows other accounts",
      { region: REGION, allowedAccountIds: [OWNER] },
      "aws-mismatch: the stated account differs from the account of the aws provider, which declares the IAM role",
    ],
    [
      "is another account's role",
      { assumeRole: [role(ACCOUNT), role(OWNER)] },
      "aws-mismatch: the stated account differs from the account of the aws provider, which declares the IAM role",
    ],
  ])("%s, which is refused", (_, config, refusal) => {
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

  it("is not compared with an account that is not known", () => {
    const place = { partition: undefined, account: undefined, provider: undefined };
    const stack = new TerraformStack(Testing.app(), "prod");
    new AwsProvider(stack, "aws", { region: "us-gov-west-1", allowedAccountIds: [OWNER] });
    expect(() => checkProviderPlace(stack, place)).not.toThrow();
    expect(() => checkProviderPlace(stack, { ...place, account: variable().stringValue })).not.toThrow();
  });
});
