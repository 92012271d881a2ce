/*
 * An S3 bucket that serves the documents of an issuer, and who may read it. Sources: "General purpose bucket naming
 * rules" and "Methods for accessing a bucket" of the S3 user guide, "Restrict access to an Amazon S3 origin" of the
 * CloudFront developer guide.
 */

import { createHash } from "node:crypto";
import { fail } from "../../errors";
import { literal } from "../../model/late";
import { type Partition, partitionOf } from "./partitions";
import { type PolicyDocument, type PolicyStatement, oneOrMany, policyDocument } from "./policy-document";

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
/** hashicorp/terraform-provider-aws, internal/provider/interceptors: how it recognises a region at the end of an id. */
const IMPORTED_REGION = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/;
const OWN_NAME = "https://";

/**
 * Minutes, not hours: when the cluster restarts its API servers after a rotation step, everyone who honours the header
 * has the new keys, and CloudFront does not cache the documents at all. With zero, every check of a token would query
 * the bucket.
 */
export const issuerCacheControl = "public, max-age=300";

export function bucketName(name: string): string {
  literal(name, "name of the issuer's bucket");
  const reason =
    typeof name === "string" && name.includes(".")
      ? "contains a dot, which S3's certificates do not cover"
      : typeof name !== "string" || !BUCKET.test(name)
        ? "has a length or characters that S3 refuses"
        : RESERVED.some((pattern) => pattern.test(name)) && "has a prefix or suffix that S3 reserves";
  if (reason === false) return name;
  return fail("aws-invalid", {
    problem: `the bucket name ${reason}`,
    value: name,
    allowed:
      "3 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit, without the prefixes and suffixes that S3 reserves",
    remedy: "use another name, for example <cluster>-oidc",
  });
}

/** `<bucket>.s3.<region>.<suffix>`: the host of the bucket itself. */
export function bucketHost(name: string, region: string): string {
  return `${name}.s3.${region}.${partitionOf(region).dnsSuffix}`;
}

/**
 * `<id>@<region>`: the id for importing a regional resource, whose region may differ from the Terraform provider's. If
 * the provider does not recognise the form of the region, the id alone, and both regions must be equal.
 */
export function importId(id: string, region: string): string {
  return IMPORTED_REGION.test(region) ? `${id}@${region}` : id;
}

export function bucketIssuer(name: string, region: string): string {
  return OWN_NAME + bucketHost(name, region);
}

/** The ETag that S3 returns for a text encrypted with its own keys, with which Terraform detects outside changes. */
export function objectEtag(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

const READ = "s3:GetObject";

export interface IssuerBucketPlace {
  readonly bucketName: string;
  readonly partition: Partition;
  readonly paths: readonly string[];
}

interface DistributionReader {
  /** ARN of the distribution; may be late. */
  readonly distributionArn: string;
  /** Id of the origin access identity that read the bucket before; `undefined` if there was none. */
  readonly originAccessIdentity: string | undefined;
}

/** Everyone may read the documents, but nothing else. The Sid is ccoctl's. */
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
 * One distribution may read the documents, with origin access control. A previous origin access identity stays
 * admitted, so that the documents remain readable until the distribution no longer uses it.
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
