import type { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { partitions, otherPartition } from "../../rules/aws/partitions";
import { DefaultProvider } from "../shared/default-provider";

interface StatedPlace {
  readonly partition: string | undefined;
  readonly account: string | undefined;
  readonly provider: TerraformProvider | undefined;
}

const TYPE = "aws";
const ACCOUNT = /^arn:[a-z-]+:iam::(\d{12}):role\//;
const defaults = new DefaultProvider<AwsProvider>(TYPE);

/** Compares the stated account and region of a resource with those of its Terraform provider, if these are literal. */
export function checkProviderPlace(
  construct: Construct,
  { partition, account, provider }: StatedPlace,
): void {
  const own = provider ?? defaults.of(construct);
  if (own === undefined || !isAws(own)) return;
  const region = own.regionInput;
  const made = partitions.find(({ regionCodes }) => region !== undefined && regionCodes.includes(region));
  if (partition !== undefined && made !== undefined && made.name !== partition)
    fail("aws-mismatch", otherPartition(`the aws provider (${region})`, made.name, partition));
  if (account === undefined || isLate(account)) return;
  const accounts = accountsOf(own);
  if (accounts.length > 0 && !accounts.includes(account))
    fail("aws-mismatch", {
      problem: "the stated account differs from the account of the aws provider, which declares the IAM role",
      value: account,
      allowed: accounts.join(", "),
      remedy: "state the same account in both, or pass the aws provider of this account as `provider`",
    });
}

function isAws(provider: TerraformProvider): provider is AwsProvider {
  return provider.terraformResourceType === TYPE;
}

/** Accounts in which a provider can declare resources; empty if unknown at synth. */
function accountsOf({ allowedAccountIdsInput, assumeRoleInput }: AwsProvider): readonly string[] {
  if (allowedAccountIdsInput !== undefined)
    return isLate(allowedAccountIdsInput) ? [] : allowedAccountIdsInput;
  const last = Array.isArray(assumeRoleInput) ? assumeRoleInput.at(-1)?.roleArn : undefined;
  const [, account] = ACCOUNT.exec(last ?? "") ?? [];
  return account === undefined ? [] : [account];
}
