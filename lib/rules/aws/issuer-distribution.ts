/*
 * A distribution of CloudFront in front of an issuer's bucket. Sources: CreateDistribution and
 * CreateOriginAccessControl of the CloudFront API reference, "Use managed cache policies" and "Requirements for using
 * SSL/TLS certificates with CloudFront" of the developer guide.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";
import { accountId } from "./arn";
import type { Partition } from "./partitions";
import { type ObjectKind, object, optional, text } from "../../model/shape";

/** The managed cache policy CachingDisabled: a rotated key set is seen at once. The id is the same in every account. */
export const cachingDisabledPolicyId = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";

const CERTIFICATE_ARN = /^arn:[a-z-]+:acm:us-east-1:\d{12}:certificate\/[A-Za-z0-9-]+$/;
const CERTIFICATE_FORM = "arn:<partition>:acm:us-east-1:<account>:certificate/<id>";
const DISTRIBUTION_ID = /^[A-Z0-9]{5,32}$/;
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
const HOST = /^(?=.{4,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;
const IDENTITY_ID = /^[A-Z0-9]{5,32}$/;

/** A distribution that exists and is taken over. */
export interface ExistingDistribution {
  /** Its id, `E2EXAMPLE1ABCD`. */
  readonly id: string;
  /** The name that CloudFront gave it, `d111111abcdef8.cloudfront.net`; the issuer is that name. */
  readonly domainName: string;
  /**
   * Id of the origin access identity that it reads the bucket with so far; stays admitted until it is left out.
   *
   * @defaultValue - none; the documents cannot be read while the distribution is being changed
   */
  readonly originAccessIdentity?: string;
}

/** The kind of {@link ExistingDistribution}. */
export const EXISTING_DISTRIBUTION: ObjectKind<ExistingDistribution> = object({
  id: text,
  domainName: text,
  originAccessIdentity: optional(text),
});

/** Throws `aws-cloudfront-missing` for a partition without CloudFront of its own. */
export function requireCloudFront({ name, cloudFront }: Partition): void {
  if (!cloudFront) fail("aws-cloudfront-missing", name);
}

/** Returns the ARN of a certificate that CloudFront can use; throws `aws-arn-invalid`. */
export function certificateArn(arn: string): string {
  if (isLate(arn) || (typeof arn === "string" && CERTIFICATE_ARN.test(arn))) return arn;
  return fail("aws-arn-invalid", "certificate for CloudFront", arn, CERTIFICATE_FORM);
}

/** Returns a host that an issuer can have; throws `aws-issuer-domain-invalid` or `late-value`. */
export function issuerDomain(name: string): string {
  const given: unknown = literal(name, "domainName of the issuer");
  return typeof given === "string" && HOST.test(given) ? given : fail("aws-issuer-domain-invalid", given);
}

/** Throws `aws-distribution-id-invalid` or `late-value`. */
export function existingDistribution(distribution: ExistingDistribution): ExistingDistribution {
  const given: unknown = literal(distribution, "distribution to adopt");
  const { id, domainName, originAccessIdentity } = distribution;
  const usable = DISTRIBUTION_ID.test(id) && DOMAIN.test(domainName);
  if (!usable) fail("aws-distribution-id-invalid", given);
  if (originAccessIdentity !== undefined && !IDENTITY_ID.test(originAccessIdentity))
    fail("aws-distribution-id-invalid", originAccessIdentity);
  return distribution;
}

/** The ARN of a distribution; CloudFront has no region. Throws `aws-adopt-account-missing` or `aws-account-invalid`. */
export function distributionArn(partition: Partition, account: string | undefined, id: string): string {
  if (account === undefined) return fail("aws-adopt-account-missing");
  return `arn:${partition.name}:cloudfront::${accountId(account)}:distribution/${id}`;
}
