/*
 * Buckets of S3 with an issuer's documents, and the doors to them: S3 itself, and distributions of CloudFront.
 */

import { partitions } from "../../../rules/aws/partitions";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { type ObjectStore, type StoreDoor, below, declaredObjects } from "../object-stores";
import { ANYBODY, type BucketFacts, bucketFacts, bucketRefusal } from "./bucket-readers";
import { distributionBefore, distributionDoors } from "./distribution-doors";

const OBJECT_TYPES: readonly string[] = ["aws_s3_object", "aws_s3_bucket_object"];
const SUFFIXES = [...new Set(partitions.map(({ dnsSuffix }) => dnsSuffix.replaceAll(".", "\\.")))].join("|");
const S3_HOST = new RegExp(`^https://(?:(.+)\\.)?s3[.-](?:[a-z0-9-]+\\.)*(?:${SUFFIXES})(/|$)`);
/** Attributes of a bucket with a host of its own. */
const HOSTS: readonly string[] = ["bucket_regional_domain_name", "bucket_domain_name"];

/** Every bucket whose objects are declared. */
export function issuerBuckets(terraform: Terraform): readonly ObjectStore[] {
  const nameOf = (resource: TerraformResource): string =>
    bucketName(terraform.text(resource, "bucket"), terraform);
  const types = OBJECT_TYPES.map((type) => ({ type, content: "content", name: "key", store: nameOf }));
  const { stores, isOpen } = declaredObjects(types, terraform);
  return [...stores].map(([name, { objects }]) => {
    const facts = bucketFacts(name, nameOf, objects, terraform);
    return {
      label: isLateText(name) ? "the bucket" : `the bucket ${name}`,
      objects,
      isWhole: !isOpen && facts.isOwned,
      doors: [
        directDoor(name, facts, terraform),
        ...distributionDoors(facts, (host) => isHost(name, host, terraform), terraform),
      ],
      before: (url) => distributionBefore(url, terraform),
    };
  });
}

/** The name that a text gives a bucket, by its id too, which is the name; late where only apply tells it. */
function bucketName(written: string, terraform: Terraform): string {
  const bucket = terraform.referred(written, "id");
  return bucket ? terraform.attribute(bucket, "bucket") : written;
}

function directDoor(name: string, facts: BucketFacts, terraform: Terraform): StoreDoor {
  const hosts = facts.buckets.flatMap((bucket) =>
    HOSTS.map((attribute) => `https://${terraform.attribute(bucket, attribute)}`),
  );
  return {
    nameAt: (url) => {
      const named = hosts.map((host) => below(host, url)).find((path) => path !== undefined);
      if (named !== undefined) return named;
      const [start, host] = S3_HOST.exec(url) ?? [];
      if (start === undefined) return undefined;
      const path = url.slice(start.length);
      return host === undefined ? below(name, path) : host === name ? path : undefined;
    },
    refusal: (object) => bucketRefusal(facts, object, ANYBODY),
  };
}

/** Whether the host of an origin is the bucket's. */
function isHost(name: string, host: string, terraform: Terraform): boolean {
  const referred = HOSTS.map((attribute) => terraform.referred(host, attribute)).find((each) => each);
  if (referred) return terraform.attribute(referred, "bucket") === name;
  return S3_HOST.exec(`https://${host}`)?.[1] === name;
}
