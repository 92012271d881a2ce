/*
 * A distribution of CloudFront in front of an issuer's bucket. Sources: CreateDistribution and CreateOriginAccessControl
 * of the CloudFront API reference, "Use managed cache policies" and "Requirements for using SSL/TLS certificates with
 * CloudFront" of the developer guide.
 */

import { checkedText } from "../names";
import { fail } from "../../errors";
import { literal, isLate } from "../../model/late";
import { type ObjectKind, object, optional, text } from "../../model/shape";
import { accountId, noArn, readArnOf } from "./arn";
import { type Partition } from "./partitions";

/** The managed cache policy CachingDisabled: a rotated key set is seen at once. The id is the same in every account. */
export const cachingDisabledPolicyId = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";

const CERTIFICATE_FORM = "arn:<partition>:acm:us-east-1:<account>:certificate/<id>";

/** The id of a distribution or of an origin access identity. */
const ID = /^[A-Z0-9]{5,32}$/;

const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

const HOST = /^(?=.{4,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** An existing distribution that is taken over. */
export interface ExistingDistribution {
  /** Id of the distribution, `E2EXAMPLE1ABCD`. */
  readonly id: string;
  /** The name that CloudFront assigned, `d111111abcdef8.cloudfront.net`; it is the issuer's host. */
  readonly domainName: string;
  /**
   * Id of the origin access identity with which it currently reads the bucket; admitted until you remove it here.
   *
   * @defaultValue - none; the documents cannot be read while the distribution is being changed
   */
  readonly originAccessIdentity?: string;
}

export const EXISTING_DISTRIBUTION: ObjectKind<ExistingDistribution> = object({
  id: text,
  domainName: text,
  originAccessIdentity: optional(text),
});

export function requireCloudFront({ name, cloudFront }: Partition): void {
  if (!cloudFront)
    fail("aws-unsupported", {
      problem: "the partition has no CloudFront that can serve an issuer under a custom name",
      value: name,
      allowed: "aws",
      remedy:
        'use access: "public"; or host the documents elsewhere (in aws-cn under a domain with an ICP filing) and state that issuer with OidcProvider.fromIssuer',
    });
}

export function certificateArn(arn: string): string {
  const certificate = isLate(arn) ? undefined : readArnOf(arn, "acm", "certificate/");
  const isUsable = certificate?.region === "us-east-1" && /^[A-Za-z0-9-]+$/.test(certificate.name);
  if (isLate(arn) || isUsable) return arn;
  return fail("aws-invalid", noArn("the certificate for CloudFront", arn, CERTIFICATE_FORM));
}

export function issuerDomain(name: string): string {
  return checkedText("aws-invalid", name, {
    what: "domainName of the issuer",
    problem: "the domain of the issuer is not a host name",
    pattern: HOST,
    allowed: "lower-case labels joined by dots, oidc.example.com; no scheme, path, port or wildcard",
    remedy: "state only the host, as in the certificate",
  });
}

export function existingDistribution(distribution: ExistingDistribution): ExistingDistribution {
  literal(distribution, "distribution to adopt");
  const { id, domainName, originAccessIdentity } = distribution;
  const usable = ID.test(id) && DOMAIN.test(domainName);
  if (usable && (originAccessIdentity === undefined || ID.test(originAccessIdentity))) return distribution;
  return fail("aws-invalid", {
    problem: "the CloudFront distribution to adopt is not stated by id and domain",
    value: usable ? originAccessIdentity : distribution,
    allowed: 'an id such as "E2EXAMPLE1ABCD" and a domain such as "d111111abcdef8.cloudfront.net"',
    remedy: "copy both from `aws cloudfront list-distributions`",
  });
}

export function distributionArn(partition: Partition, account: string | undefined, id: string): string {
  if (account === undefined)
    return fail("aws-missing", {
      problem: "an existing CloudFront distribution is adopted, but its account is not known",
      allowed: "account, 12 digits",
      remedy:
        "state `account`: the bucket's policy must admit the distribution, by its ARN, before its origin access changes",
    });
  return `arn:${partition.name}:cloudfront::${accountId(account)}:distribution/${id}`;
}
