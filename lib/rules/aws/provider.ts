/*
 * ARNs as text. Everything here works on literals; an ARN that Terraform knows only after apply is never read.
 */

import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { GivenIssuer, Issuer } from "../../model/issuer";
import { literal } from "../../model/late";
import { partitions, partitionOf } from "./partitions";

// HEADER /*  * What IAM accepts of an OIDC provider. Source: CreateOpenIDConnectProvider in the IAM API reference, IAM quotas.  */
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

const URL_MAX = 255;
const CLIENT_IDS_MAX = 100;
const THUMBPRINTS_MAX = 5;
const THUMBPRINT = /^[0-9a-fA-F]{40}$/;
const PORT = /^https:\/\/[^/]*:\d*(\/|$)/;

/**
 * Returns an issuer that IAM accepts; throws `aws-issuer-unusable`, `issuer-cluster-internal` and what `Issuer.of`
 * throws.
 *
 * An issuer that really ends with a slash (`Issuer.exactly`) is passed on: IAM keeps the slash in the ARN and in
 * the condition keys.
 */
export function awsIssuer(issuer: GivenIssuer): Issuer {
  const checked = Issuer.of(issuer);
  if (checked.late) return checked;
  const { url } = checked;
  if (checked.clusterInternal) return fail("issuer-cluster-internal", url, "AWS");
  if (PORT.test(url)) return fail("aws-issuer-unusable", url, "has a port");
  if (url.length > URL_MAX) return fail("aws-issuer-unusable", url, `is longer than ${URL_MAX} characters`);
  return checked;
}

/** Returns the client ids, sorted, each once; throws `aws-client-ids-invalid` or `audience-invalid`. */
export function clientIds(audiences: readonly string[]): string[] {
  const ids = [...new Set(audiences.map(validateAudience))].sort();
  const usable = ids.length > 0 && ids.length <= CLIENT_IDS_MAX;
  return usable ? ids : fail("aws-client-ids-invalid", ids.length);
}

/**
 * Refuses an audience that an OIDC provider is known not to accept: STS would answer `Incorrect token audience`.
 *
 * `accepted` is `undefined` where it is not known. Throws `audience-mismatch`.
 */
export function requireAudience(audience: string, accepted: readonly string[] | undefined): void {
  if (accepted === undefined || accepted.includes(audience)) return;
  fail("audience-mismatch", "the IAM role's trust", audience, accepted.join(", "), ADD_AUDIENCE);
}

const ADD_AUDIENCE =
  "add it to the OIDC provider before the role is made, with addAudience(audience) or among its `audiences`";

/** Returns the thumbprints; throws `aws-thumbprints-invalid` or `late-value`. */
export function thumbprintList(thumbprints: readonly string[]): string[] {
  literal(thumbprints, "thumbprints");
  const usable =
    thumbprints.length > 0 &&
    thumbprints.length <= THUMBPRINTS_MAX &&
    thumbprints.every((thumbprint) => THUMBPRINT.test(thumbprint));
  return usable ? [...thumbprints] : fail("aws-thumbprints-invalid", thumbprints);
}

/**
 * The ARN where everything that it consists of is known, `undefined` otherwise.
 *
 * Throws `aws-account-invalid` or `aws-region-unknown`.
 */
export function literalOidcProviderArn(
  issuer: Issuer,
  account: string | undefined,
  region: string | undefined,
): string | undefined {
  const checked = account === undefined ? undefined : accountId(account);
  const partition = region === undefined ? undefined : partitionOf(region).name;
  if (issuer.late || checked === undefined || partition === undefined) return undefined;
  return oidcProviderArn({ partition, account: checked, hostPath: issuer.hostPath });
}
