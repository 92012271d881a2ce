/*
 * Buckets of S3 with an issuer's documents, and the doors to them: S3 itself, and distributions of CloudFront.
 */

import { own } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { knownBlocks, listed } from "../../facts/terraform-values";
import { type ObjectStore, type StoreDoor, below, declaredObjects } from "../object-stores";
import { type BucketFacts, type BucketReader, bucketFacts, bucketRefusal } from "./bucket-readers";

const OBJECT_TYPES: readonly string[] = ["aws_s3_object", "aws_s3_bucket_object"];
const S3_HOST = /^https:\/\/(?:(.+)\.)?s3[.-](?:[a-z0-9-]+\.)*amazonaws\.com(?:\.cn)?(\/|$)/;
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
      doors: [directDoor(name, facts, terraform), ...distributionDoors(name, facts, terraform)],
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

/** Somebody without credentials, by TLS. */
const ANYBODY: BucketReader = {
  who: "everybody",
  service: undefined,
  arn: undefined,
};

function distributionDoors(name: string, facts: BucketFacts, terraform: Terraform): readonly StoreDoor[] {
  return terraform.ofType("aws_cloudfront_distribution").flatMap((distribution) => {
    const origin = originOf(distribution, name, terraform);
    if (!origin) return [];
    const text = (key: string): string =>
      terraform.resolve(String(own(origin, key) ?? ""), distribution.scope);
    const aliases = listed(own(distribution.values, "aliases"));
    const bases = [
      `https://${terraform.attribute(distribution, "domain_name")}`,
      ...aliases.map((alias) => `https://${terraform.resolve(alias, distribution.scope)}`),
    ];
    const folder = text("origin_path").replace(/^\//, "");
    const reader: BucketReader = {
      who: "the distribution",
      service: "cloudfront.amazonaws.com",
      arn: terraform.attribute(distribution, "arn"),
    };
    return [
      {
        nameAt: (url: string) => {
          const path = bases.map((base) => below(base, url)).find((each) => each !== undefined);
          return path === undefined ? undefined : [folder, path].filter((each) => each !== "").join("/");
        },
        // An identity of the older kind, or none, is let in in other ways.
        refusal: (object: string) =>
          text("origin_access_control_id") === "" ? undefined : bucketRefusal(facts, object, reader),
      },
    ];
  });
}

/** The origin of everything that a distribution serves, where that is the bucket. */
function originOf(
  { values, scope }: TerraformResource,
  bucket: string,
  terraform: Terraform,
): Readonly<Record<string, unknown>> | undefined {
  const [behavior] = knownBlocks(values["default_cache_behavior"]) ?? [];
  if (values["ordered_cache_behavior"] !== undefined) return undefined;
  return (knownBlocks(values["origin"]) ?? []).find((origin) => {
    if (own(origin, "origin_id") !== own(behavior, "target_origin_id")) return false;
    const host = terraform.resolve(String(own(origin, "domain_name") ?? ""), scope);
    const referred = HOSTS.map((attribute) => terraform.referred(host, attribute)).find((each) => each);
    if (referred) return terraform.attribute(referred, "bucket") === bucket;
    return S3_HOST.exec(`https://${host}`)?.[1] === bucket;
  });
}
