/*
 * A bucket of S3 that serves the documents of an issuer: its name, its URL, how its objects are
 * served. Sources: "General purpose bucket naming rules" and "Methods for accessing a bucket" of the S3 user guide.
 */

import { createHash } from "node:crypto";
import { fail, type Problem } from "../../errors";
import { literal, isLate } from "../../model/late";
import { type ObjectKind, object, optional, text } from "../../model/shape";
import { accountId, noArn } from "./provider";
import { partitionOf, type Partition } from "./partitions";
import { type PolicyDocument, type PolicyStatement, oneOrMany, policyDocument } from "./statement";

// HEADER /*  * Who may read the documents of an issuer's bucket. Source: "Restrict access to an Amazon S3 origin" of the CloudFront  * developer guide.  */
// HEADER /*  * A distribution of CloudFront in front of an issuer's bucket. Sources: CreateDistribution and  * CreateOriginAccessControl of the CloudFront API reference, "Use managed cache policies" and "Requirements for using  * SSL/TLS certificates with CloudFront" of the developer guide.  */
const BUCKET = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
const RESERVED: readonly RegExp[] = [
  /^xn--/,
  /^sthree-/,
  /^amzn-s3-demo-/,
  /-s3alias$/,
  /--ol-s3$/,
  /--x-s3$/,
  /--table-s3$/,
];
/** hashicorp/terraform-provider-aws, internal/provider/interceptors: how it tells a region at the end of an id. */
const IMPORTED_REGION = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/;
const OWN_NAME = "https://";

/**
 * Minutes, not hours: after a rotation step everybody who honours the header has the new keys when the cluster
 * restarts its API servers, and CloudFront is told not to keep the documents at all. Zero would make every check of a
 * token ask the bucket.
 */
export const issuerCacheControl = "public, max-age=300";

/** Returns a bucket name. */
export function bucketName(name: string): string {
  literal(name, "name of the issuer's bucket");
  if (typeof name === "string" && name.includes("."))
    return fail("aws-invalid", invalidBucketName(name, "has a dot, which S3's certificates do not cover"));
  if (typeof name !== "string" || !BUCKET.test(name))
    return fail("aws-invalid", invalidBucketName(name, "has a length or characters that S3 refuses"));
  return RESERVED.some((pattern) => pattern.test(name))
    ? fail("aws-invalid", invalidBucketName(name, "begins or ends as S3 keeps for itself"))
    : name;
}

/** `<bucket>.s3.<region>.<suffix>`: the host of the bucket itself. */
export function bucketHost(name: string, region: string): string {
  return `${name}.s3.${region}.${partitionOf(region).dnsSuffix}`;
}

/**
 * `<id>@<region>`: the id of an import of a regional resource, whose region may be another one than the Terraform
 * provider's. Where that takes the region's form for none, the id alone, and both regions must be one.
 */
export function importId(id: string, region: string): string {
  return IMPORTED_REGION.test(region) ? `${id}@${region}` : id;
}

/** The issuer that a public bucket serves. */
export function bucketIssuer(name: string, region: string): string {
  return OWN_NAME + bucketHost(name, region);
}

/** What S3 answers as the ETag of a text encrypted with its own keys, so that Terraform sees a change from outside. */
export function objectEtag(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

const READ = "s3:GetObject";

/** The documents of a bucket, and where the bucket is. */
export interface IssuerBucketPlace {
  readonly bucketName: string;
  readonly partition: Partition;
  readonly paths: readonly string[];
}

/** Who reads a bucket through CloudFront. */
export interface DistributionReader {
  /** ARN of the distribution; may be late. */
  readonly distributionArn: string;
  /** Id of the origin access identity that read the bucket before; `undefined` where there was none. */
  readonly originAccessIdentity: string | undefined;
}

/** Anybody may read the documents, and nothing else. The Sid is ccoctl's. */
export function publicBucketPolicy(place: IssuerBucketPlace): PolicyDocument {
  return policyDocument([
    {
      Sid: "AllowReadPublicAccess",
      Effect: "Allow",
      Principal: "*",
      Action: READ,
      Resource: documentArns(place),
    },
  ]);
}

/**
 * One distribution may read the documents, with origin access control. An identity that read them before is let in
 * as well, so that the documents stay readable until the distribution no longer uses it.
 */
export function distributionBucketPolicy(
  place: IssuerBucketPlace,
  { distributionArn, originAccessIdentity }: DistributionReader,
): PolicyDocument {
  const identity: PolicyStatement[] =
    originAccessIdentity === undefined
      ? []
      : [
          {
            Sid: "AllowOriginAccessIdentity",
            Effect: "Allow",
            Principal: {
              AWS: `arn:${place.partition.name}:iam::cloudfront:user/CloudFront Origin Access Identity ${originAccessIdentity}`,
            },
            Action: READ,
            Resource: documentArns(place),
          },
        ];
  return policyDocument([
    {
      Sid: "AllowCloudFront",
      Effect: "Allow",
      Principal: { Service: "cloudfront.amazonaws.com" },
      Action: READ,
      Resource: documentArns(place),
      Condition: { StringEquals: { "AWS:SourceArn": distributionArn } },
    },
    ...identity,
  ]);
}

function documentArns({ bucketName: name, partition, paths }: IssuerBucketPlace): string | readonly string[] {
  return oneOrMany([...paths].sort().map((path) => `arn:${partition.name}:s3:::${name}/${path}`));
}

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

export const EXISTING_DISTRIBUTION: ObjectKind<ExistingDistribution> = object({
  id: text,
  domainName: text,
  originAccessIdentity: optional(text),
});

export function requireCloudFront({ name, cloudFront }: Partition): void {
  if (!cloudFront)
    fail("aws-unsupported", {
      problem: "partition has no CloudFront that serves an issuer under a name of its own",
      value: name,
      allowed: "aws",
      remedy:
        'use access: "public"; or host the documents otherwise (in aws-cn under a domain with an ICP filing) and state that issuer with OidcProvider.fromIssuer',
    });
}

/** Returns the ARN of a certificate that CloudFront can use. */
export function certificateArn(arn: string): string {
  if (isLate(arn) || (typeof arn === "string" && CERTIFICATE_ARN.test(arn))) return arn;
  return fail("aws-invalid", noArn("certificate for CloudFront", arn, CERTIFICATE_FORM));
}

/** Returns a host that an issuer can have. */
export function issuerDomain(name: string): string {
  const given: unknown = literal(name, "domainName of the issuer");
  return typeof given === "string" && HOST.test(given)
    ? given
    : fail("aws-invalid", {
        problem: "domain of the issuer is not the name of a host",
        value: given,
        allowed: "lower-case labels joined by dots, oidc.example.com; no scheme, path, port or wildcard",
        remedy: "write the host alone, as the certificate has it",
      });
}

export function existingDistribution(distribution: ExistingDistribution): ExistingDistribution {
  const given: unknown = literal(distribution, "distribution to adopt");
  const { id, domainName, originAccessIdentity } = distribution;
  const usable = DISTRIBUTION_ID.test(id) && DOMAIN.test(domainName);
  if (!usable) fail("aws-invalid", noDistribution(given));
  if (originAccessIdentity !== undefined && !IDENTITY_ID.test(originAccessIdentity))
    fail("aws-invalid", noDistribution(originAccessIdentity));
  return distribution;
}

/** The ARN of a distribution; CloudFront has no region. */
export function distributionArn(partition: Partition, account: string | undefined, id: string): string {
  if (account === undefined)
    return fail("aws-missing", {
      problem: "an existing CloudFront distribution is adopted, but its account is not known",
      allowed: "account, 12 digits",
      remedy:
        "give `account`: the bucket's policy must admit the distribution before its origin access changes, and names it by ARN",
    });
  return `arn:${partition.name}:cloudfront::${accountId(account)}:distribution/${id}`;
}

function invalidBucketName(value: unknown, reason: string): Problem {
  return {
    problem: `bucket name ${reason}`,
    value,
    allowed:
      "3 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit, without the prefixes and suffixes that S3 reserves",
    remedy: "use another name, for example <cluster>-oidc",
  };
}

function noDistribution(value: unknown): Problem {
  return {
    problem: "CloudFront distribution to adopt is not given by id and domain",
    value,
    allowed: 'an id such as "E2EXAMPLE1ABCD" and a domain such as "d111111abcdef8.cloudfront.net"',
    remedy: "copy both from `aws cloudfront list-distributions`",
  };
}
