import type { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import type { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import type { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { accountInArn } from "../../rules/aws/arn";
import { partitions, otherPartition } from "../../rules/aws/partitions";
import { DefaultProvider } from "../shared/default-provider";

interface StatedPlace {
  readonly partition: string | undefined;
  readonly account: string | undefined;
  readonly provider: TerraformProvider | undefined;
}

const TYPE = "aws";
const defaults = new DefaultProvider<AwsProvider>(TYPE);

/** Compares the stated account and region of a resource with those of its Terraform provider, if these are literal. */
export function checkProviderPlace(construct: Construct, { provider, ...stated }: StatedPlace): void {
  defaults.compare(construct, provider, (own) => {
    if (isAws(own)) comparePlace(own, stated);
  });
}

function comparePlace(provider: AwsProvider, { partition, account }: Omit<StatedPlace, "provider">): void {
  const region = provider.regionInput;
  const partitionOfProvider = partitions.find(
    ({ regionCodes }) => region !== undefined && regionCodes.includes(region),
  );
  if (partition !== undefined && partitionOfProvider !== undefined && partitionOfProvider.name !== partition)
    fail("aws-mismatch", otherPartition(`the aws provider (${region})`, partitionOfProvider.name, partition));
  if (account === undefined || isLate(account)) return;
  const accounts = accountsOf(provider);
  const remedy = "state the same account in both, or pass the aws provider of this account as `provider`";
  if (accounts.length > 0 && !accounts.includes(account))
    fail("aws-mismatch", {
      problem: "the stated account differs from the account of the aws provider, which declares the resource",
      value: account,
      allowed: accounts.join(", "),
      remedy,
    });
  if (literalAccounts(provider.forbiddenAccountIdsInput).includes(account))
    fail("aws-mismatch", {
      problem: "the aws provider, which declares the resource, forbids the stated account",
      value: account,
      allowed: "accounts that are not in forbidden_account_ids",
      remedy,
    });
}

/** Refuses another region than that in which Terraform declares or looks up an EKS cluster, if both are literal. */
export function checkClusterRegion(cluster: EksCluster | DataAwsEksCluster, stated: string): void {
  const compare = (region: string | undefined): void => {
    if (region === undefined || isLate(region) || region.includes("${") || region === stated) return;
    fail("aws-mismatch", {
      problem: "the stated region differs from the region in which Terraform has the EKS cluster",
      value: stated,
      allowed: region,
      remedy: "state the cluster's region",
    });
  };
  if (cluster.regionInput !== undefined) compare(cluster.regionInput);
  else
    defaults.compare(cluster, cluster.provider, (own) => {
      if (isAws(own)) compare(own.regionInput);
    });
}

function isAws(provider: TerraformProvider): provider is AwsProvider {
  return provider.terraformResourceType === TYPE;
}

/** Accounts in which a provider can declare resources; empty if unknown at synth. */
function accountsOf({
  allowedAccountIdsInput: allowed,
  assumeRoleInput,
  assumeRoleWithWebIdentityInput,
}: AwsProvider): readonly string[] {
  if (allowed !== undefined) {
    const literal = literalAccounts(allowed);
    return literal.length < allowed.length ? [] : literal;
  }
  const assumed: readonly unknown[] = [assumeRoleWithWebIdentityInput, assumeRoleInput];
  const last = assumed.flatMap((each) => (Array.isArray(each) ? each : [])).at(-1)?.roleArn;
  const account = accountInArn(last);
  return account === undefined ? [] : [account];
}

/** An expression that a caller writes out is not compared, and neither is a late value. */
function literalAccounts(accounts: readonly string[] = []): readonly string[] {
  return isLate(accounts) ? [] : accounts.filter((each) => /^\d{12}$/.test(each));
}
