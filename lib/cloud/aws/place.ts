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

/** Compares where a resource is said to be with where its Terraform provider declares it, as far as that is literal. */
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
      problem: "the account is another one than that of the aws provider, which declares the IAM role",
      value: account,
      allowed: accounts.join(", "),
      remedy: "state the same account in both, or give the aws provider of this account as `provider`",
    });
}

function isAws(provider: TerraformProvider): provider is AwsProvider {
  return provider.terraformResourceType === TYPE;
}

/** Accounts that a provider can declare anything in; none where that is not known at synth. */
function accountsOf({ allowedAccountIdsInput, assumeRoleInput }: AwsProvider): readonly string[] {
  if (allowedAccountIdsInput !== undefined)
    return isLate(allowedAccountIdsInput) ? [] : allowedAccountIdsInput;
  const last = Array.isArray(assumeRoleInput) ? assumeRoleInput.at(-1)?.roleArn : undefined;
  const [, account] = ACCOUNT.exec(last ?? "") ?? [];
  return account === undefined ? [] : [account];
}
