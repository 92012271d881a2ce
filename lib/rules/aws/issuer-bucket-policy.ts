/*
 * Who may read the documents of an issuer's bucket. Source: "Restrict access to an Amazon S3 origin" of the CloudFront
 * developer guide.
 */

import type { Partition } from "./partitions";
import { type PolicyDocument, type PolicyStatement, oneOrMany, policyDocument } from "./policy-document";

const READ = "s3:GetObject";

/** The documents of a bucket, and where the bucket is. */
export interface IssuerBucketPlace {
  /** Name of the bucket. */
  readonly bucketName: string;
  /** Its partition. */
  readonly partition: Partition;
  /** Keys of the documents in the bucket; nobody may read anything else. */
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
