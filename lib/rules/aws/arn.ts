/*
 * ARNs as literal text: ARNs that Terraform knows only after apply are never parsed.
 */

import { fail, type Problem } from "../../errors";
import { literal } from "../../model/late";
import { partitions } from "./partitions";

const ACCOUNT = /^\d{12}$/;

const OIDC_PROVIDER_ARN = /^arn:([a-z-]+):iam::(\d{12}):oidc-provider\/([\x21-\x7e]+)$/;

export const ROLE_ARN: RegExp =
  /^arn:([a-z-]+):iam::(\d{12}):role(\/(?:[\x21-\x7e]{1,510}\/)?)([\w+=,.@-]{1,64})$/;

export interface OidcProviderArn {
  readonly partition: string;
  readonly account: string;
  /** The issuer without `https://`. */
  readonly hostPath: string;
}

interface RoleArn {
  readonly partition: string;
  readonly account: string;
  readonly path: string;
  readonly name: string;
}

export function accountId(account: string): string {
  literal(account, "account");
  return typeof account === "string" && ACCOUNT.test(account)
    ? account
    : fail("aws-invalid", {
        problem: "the AWS account is not an account id",
        value: account,
        allowed: "12 digits, as text because of leading zeros",
        remedy: "use the id that `aws sts get-caller-identity` prints",
      });
}

/** `arn:<partition>:iam::<account>:oidc-provider/<host path>`. */
export function oidcProviderArn({ partition, account, hostPath }: OidcProviderArn): string {
  return `arn:${partition}:iam::${account}:oidc-provider/${hostPath}`;
}

export function parseOidcProviderArn(arn: string): OidcProviderArn {
  literal(arn, "ARN of the OIDC provider");
  const [, partition, account, hostPath] = (typeof arn === "string" && OIDC_PROVIDER_ARN.exec(arn)) || [];
  if (partition && account && hostPath && isPartition(partition)) return { partition, account, hostPath };
  return fail(
    "aws-invalid",
    noArn("the OIDC provider", arn, "arn:<partition>:iam::<account>:oidc-provider/<issuer without https://>"),
  );
}

/** `arn:<partition>:iam::<account>:role<path><name>`. */
export function roleArn({ partition, account, path, name }: RoleArn): string {
  return `arn:${partition}:iam::${account}:role${path}${name}`;
}

export function parseRoleArn(arn: string): RoleArn {
  literal(arn, "ARN of the IAM role");
  const [, partition, account, path, name] = (typeof arn === "string" && ROLE_ARN.exec(arn)) || [];
  if (partition && account && path && name && isPartition(partition))
    return { partition, account, path, name };
  return fail(
    "aws-invalid",
    noArn("the IAM role", arn, "arn:<partition>:iam::<account>:role/[<path>/]<name>"),
  );
}

function isPartition(name: string): boolean {
  return partitions.some((partition) => partition.name === name);
}

/** ARNs of IAM with a region, which IAM does not have. */
const IAM_IN_REGION = /^arn:[^:]*:iam:[^:]+:/;

export function noArn(
  what: string,
  value: unknown,
  form: string,
  remedy: string = "copy the whole ARN from IAM",
): Problem {
  if (typeof value === "string" && IAM_IN_REGION.test(value))
    return {
      problem: `${what} is an ARN with a region, but ARNs of IAM have none`,
      value,
      allowed: form,
      remedy: "leave the part of the region empty: arn:<partition>:iam::<account>:…",
    };
  return {
    problem: `${what} is not an ARN of that kind`,
    value,
    allowed: form,
    remedy,
  };
}
