/*
 * A bucket of S3 that serves the documents of an issuer: its name, its URL, how its objects are
 * served. Sources: "General purpose bucket naming rules" and "Methods for accessing a bucket" of the S3 user guide.
 */

import { createHash } from "node:crypto";
import { fail } from "../../errors";
import { literal } from "../../model/late";
import { partitionOf } from "./partitions";

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

/** Returns a bucket name; throws `aws-bucket-name-invalid` or `late-value`. */
export function bucketName(name: string): string {
  literal(name, "name of the issuer's bucket");
  if (typeof name === "string" && name.includes("."))
    return fail("aws-bucket-name-invalid", name, "has a dot, which S3's certificates do not cover");
  if (typeof name !== "string" || !BUCKET.test(name))
    return fail("aws-bucket-name-invalid", name, "has a length or characters that S3 refuses");
  return RESERVED.some((pattern) => pattern.test(name))
    ? fail("aws-bucket-name-invalid", name, "begins or ends as S3 keeps for itself")
    : name;
}

/** `<bucket>.s3.<region>.<suffix>`: the host of the bucket itself; throws `aws-region-unknown`. */
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
