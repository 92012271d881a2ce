/*
 * ARNs as literal text: ARNs that Terraform knows only after apply are never parsed.
 */

import { checkedText } from "../names";
import { fail, type Problem } from "../../errors";
import { literal } from "../../model/late";
import { partitions } from "./partitions";

const ACCOUNT = /^\d{12}$/;

/** The fields of an ARN after `arn:`. Source: "Amazon Resource Names" in the AWS General Reference. */
interface Arn {
  readonly partition: string;
  readonly service: string;
  /** Empty for services whose resources are in no region, such as IAM. */
  readonly region: string;
  /** 12 digits, `aws` for what AWS itself provides, or empty, as for S3. */
  readonly account: string;
  /** May hold colons and slashes. */
  readonly resource: string;
}

/** An ARN whose resource begins with its kind; `name` is what follows that. */
interface NamedArn extends Arn {
  readonly name: string;
}

const ARN = /^arn:([a-z*?-]+):([a-z0-9*?-]*):([a-z0-9*?-]*):([^:]*):(.+)$/s;

/** Reads an ARN, also one with wildcards in its fields; `undefined` for any other value. */
export function readArn(text: unknown): Arn | undefined {
  const [, partition = "", service = "", region = "", account = "", resource] =
    (typeof text === "string" && ARN.exec(text)) || [];
  return resource === undefined ? undefined : { partition, service, region, account, resource };
}

/** Reads the ARN of a resource of one kind, `role/` of `iam` for example, in an account. */
export function readArnOf(text: unknown, service: string, kind: string): NamedArn | undefined {
  const arn = readArn(text);
  if (arn?.service !== service || !arn.resource.startsWith(kind) || !OWNER.test(arn.account))
    return undefined;
  const name = arn.resource.slice(kind.length);
  const isRegionWrong = arn.region !== "" && GLOBAL.includes(service);
  return name === "" || isRegionWrong ? undefined : { ...arn, name };
}

const OWNER = /^(?:\d{12}|aws)$/;
/** Services whose ARNs have no region. */
const GLOBAL: readonly string[] = ["iam", "sts"];

/** The account in an ARN; `undefined` if it has none. */
export function accountInArn(text: unknown): string | undefined {
  const account = readArn(text)?.account;
  return account !== undefined && ACCOUNT.test(account) ? account : undefined;
}

const HOST_PATH = /^[\x21-\x7e]+$/;
const PATH_AND_NAME = /^((?:[\x21-\x7e]{1,510}\/)?)([\w+=,.@-]{1,64})$/;

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
  return checkedText("aws-invalid", account, {
    what: "account",
    problem: "the AWS account is not an account id",
    pattern: ACCOUNT,
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
  const read = readArnOf(arn, "iam", "oidc-provider/");
  if (read && isOwned(read) && HOST_PATH.test(read.name)) return { ...placeOf(read), hostPath: read.name };
  return fail(
    "aws-invalid",
    noArn("the OIDC provider", arn, "arn:<partition>:iam::<account>:oidc-provider/<issuer without https://>"),
  );
}

/** `arn:<partition>:iam::<account>:role<path><name>`. */
export function roleArn({ partition, account, path, name }: RoleArn): string {
  return `arn:${partition}:iam::${account}:role${path}${name}`;
}

/** The ARN of a role in an account; `undefined` for any other value. */
export function readRoleArn(arn: unknown): RoleArn | undefined {
  const read = readArnOf(arn, "iam", "role/");
  const [, path = "", name] = (read && isOwned(read) && PATH_AND_NAME.exec(read.name)) || [];
  return read === undefined || name === undefined ? undefined : { ...placeOf(read), path: `/${path}`, name };
}

export function parseRoleArn(arn: string): RoleArn {
  literal(arn, "ARN of the IAM role");
  return (
    readRoleArn(arn) ??
    fail("aws-invalid", noArn("the IAM role", arn, "arn:<partition>:iam::<account>:role/[<path>/]<name>"))
  );
}

function placeOf({ partition, account }: Arn): Pick<Arn, "partition" | "account"> {
  return { partition, account };
}

/** True in an account, and not of AWS itself. */
function isOwned({ partition, account }: Arn): boolean {
  return isPartition(partition) && ACCOUNT.test(account);
}

export function isPartition(name: string): boolean {
  return partitions.some((partition) => partition.name === name);
}

export function noArn(
  what: string,
  value: unknown,
  form: string,
  remedy: string = "copy the whole ARN from IAM",
): Problem {
  const arn = readArn(value);
  if (arn?.service === "iam" && arn.region !== "")
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
