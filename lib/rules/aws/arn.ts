/*
 * ARNs as text. Everything here works on literals; an ARN that Terraform knows only after apply is never read.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import { partitions } from "./partitions";

const ACCOUNT = /^\d{12}$/;
const OIDC_PROVIDER_ARN = /^arn:([a-z-]+):iam::(\d{12}):oidc-provider\/([\x21-\x7e]+)$/;
const ROLE_ARN = /^arn:([a-z-]+):iam::(\d{12}):role(\/(?:[\x21-\x7e]{1,510}\/)?)([\w+=,.@-]{1,64})$/;

/** The parts of the ARN of an IAM OIDC provider. */
export interface OidcProviderArn {
  /** Name of the partition. */
  readonly partition: string;
  /** Account id, 12 digits. */
  readonly account: string;
  /** The issuer without `https://`. */
  readonly hostPath: string;
}

/** The parts of the ARN of an IAM role. */
export interface RoleArn {
  /** Name of the partition. */
  readonly partition: string;
  /** Account id, 12 digits. */
  readonly account: string;
  /** Path, beginning and ending with a slash. */
  readonly path: string;
  /** Name, without path. */
  readonly name: string;
}

/** Returns an account id of 12 digits; throws `aws-account-invalid` or `late-value`. */
export function accountId(account: string): string {
  literal(account, "account");
  return typeof account === "string" && ACCOUNT.test(account)
    ? account
    : fail("aws-account-invalid", account);
}

/** `arn:<partition>:iam::<account>:oidc-provider/<host path>`. */
export function oidcProviderArn({ partition, account, hostPath }: OidcProviderArn): string {
  return `arn:${partition}:iam::${account}:oidc-provider/${hostPath}`;
}

/** Reads the ARN of an OIDC provider; throws `aws-arn-invalid` or `late-value`. */
export function parseOidcProviderArn(arn: string): OidcProviderArn {
  literal(arn, "ARN of the OIDC provider");
  const [, partition, account, hostPath] = (typeof arn === "string" && OIDC_PROVIDER_ARN.exec(arn)) || [];
  if (partition && account && hostPath && isPartition(partition)) return { partition, account, hostPath };
  return fail(
    "aws-arn-invalid",
    "OIDC provider",
    arn,
    "arn:<partition>:iam::<account>:oidc-provider/<issuer without https://>",
  );
}

/** `arn:<partition>:iam::<account>:role<path><name>`. */
export function roleArn({ partition, account, path, name }: RoleArn): string {
  return `arn:${partition}:iam::${account}:role${path}${name}`;
}

/** Reads the ARN of an IAM role; throws `aws-arn-invalid` or `late-value`. */
export function parseRoleArn(arn: string): RoleArn {
  literal(arn, "ARN of the IAM role");
  const [, partition, account, path, name] = (typeof arn === "string" && ROLE_ARN.exec(arn)) || [];
  if (partition && account && path && name && isPartition(partition))
    return { partition, account, path, name };
  return fail("aws-arn-invalid", "IAM role", arn, "arn:<partition>:iam::<account>:role/[<path>/]<name>");
}

function isPartition(name: string): boolean {
  return partitions.some((partition) => partition.name === name);
}
