/*
 * S3 buckets with an issuer's documents, open to everyone or behind a CloudFront distribution: the two forms that
 * `IssuerBucket` writes.
 */

import { grouped } from "../../model/grouped";
import { type Known, is, joined, orElse, partsOf, same } from "../../model/known";
import {
  type Tree,
  childOf,
  entriesOf,
  isTreeObject,
  itemsOf,
  parsedTree,
  sameTree,
  treeOf,
} from "../../model/tree";
import { partitions } from "../../rules/aws/partitions";
import { DISTRIBUTION, PRIVATE_BUCKET, PUBLIC_BUCKET, S3_DOCUMENT } from "../coverage/aws-issuer";
import type { Rows } from "../coverage/coverage";
import type { Block, Resource } from "../read/block";
import type { ComputedAttribute, Terraform } from "../read/terraform";
import { computed } from "../shared/computed";
import type { Doubt, ObjectStore, StoreDoor } from "../shared/object-store";
import { StoreIndex, type StoreParts, beyondForm, doubtAbout, ownerOf, storesOf } from "../shared/store-form";
import { accountOf, identityOf, partitionOf, regionOf } from "./place";

const BUCKET = "aws_s3_bucket";
const POLICY = "aws_s3_bucket_policy";
const ACCOUNT_BLOCK = "aws_s3_account_public_access_block";
const NEEDED: readonly string[] = [
  BUCKET,
  POLICY,
  "aws_s3_bucket_ownership_controls",
  "aws_s3_bucket_public_access_block",
];
const OBJECT_TYPES: readonly string[] = ["aws_s3_object", "aws_s3_bucket_object"];
const CLOUDFRONT = "aws_cloudfront_distribution";
const CONTROL = "aws_cloudfront_origin_access_control";

/** `arn` of a distribution, whose id is known only after apply. */
export const distributionArn: ComputedAttribute = {
  type: CLOUDFRONT,
  attribute: "arn",
  value: (distribution) => {
    const head = joined("arn:", partitionOf(distribution), ":cloudfront::", accountOf(distribution));
    return joined(head, ":distribution/", distribution.attribute("id"));
  },
};

export const bucketAttributes: readonly ComputedAttribute[] = [
  { type: BUCKET, attribute: "id", value: (bucket) => bucket.attribute("bucket") },
  ...computed(BUCKET, ["arn"], (bucket) =>
    joined("arn:", partitionOf(bucket), ":s3:::", bucket.attribute("bucket")),
  ),
];

/** The host at which a bucket's own region serves it, and its ARN; `undefined` if the region is not known. */
function placeOf(
  bucket: Resource,
): { readonly host: Known<string>; readonly arn: Known<string> } | undefined {
  const [region, name] = [orElse(regionOf(bucket), () => ""), bucket.attribute("bucket")];
  const partition = partitions.find(({ regionCodes }) => regionCodes.includes(region));
  return (
    partition && {
      host: joined(name, `.s3.${region}.${partition.dnsSuffix}`),
      arn: joined(`arn:${partition.name}:s3:::`, name),
    }
  );
}

/** Every bucket whose objects are declared. */
export function issuerBuckets(terraform: Terraform): readonly ObjectStore[] {
  const objects = OBJECT_TYPES.flatMap((type) => terraform.ofType(type)).map((resource) => {
    const bucket = resource.stated("bucket");
    const place = partsOf(bucket) && { key: identityOf(bucket), name: bucket };
    return { resource, place, name: resource.stated("key") };
  });
  const index = new StoreIndex(terraform, "aws_s3_bucket", (each) =>
    OBJECT_TYPES.includes(each.type) ? undefined : ownerOf(each, "bucket", [BUCKET, "bucket"]),
  );
  return storesOf(objects, {
    partsOf: ({ name }) => index.of(name),
    doorsOf: (_, parts) => [publicDoor(parts, terraform), ...distributionDoors(parts, terraform)],
    owner: () => BUCKET,
    content: "content",
    rows: S3_DOCUMENT,
    isServedElsewhere: () => false,
  });
}

function bucketsIn({ parts }: StoreParts): readonly Resource[] {
  return parts.filter(({ type }) => type === BUCKET);
}

function hostsOf(bucket: StoreParts): readonly Known<string>[] {
  return bucketsIn(bucket).flatMap((each) => placeOf(each)?.host ?? []);
}

/** S3 itself, at the host of the bucket's region. Blocks of every account count. */
function publicDoor(bucket: StoreParts, terraform: Terraform): StoreDoor {
  const blocks = { parts: terraform.ofType(ACCOUNT_BLOCK), doubt: undefined };
  return {
    basesFor: () => hostsOf(bucket).map((host) => joined("https://", host)),
    doubt: (names) => bucketDoubt(bucket, PUBLIC_BUCKET, names) ?? beyondForm(blocks, PUBLIC_BUCKET, []),
    parts: [...bucket.parts, ...blocks.parts],
  };
}

/** The distributions that serve a bucket, each as all configurations, plans and states declare it. */
function distributionDoors(bucket: StoreParts, terraform: Terraform): readonly StoreDoor[] {
  const serving = terraform
    .ofType(CLOUDFRONT)
    .filter((each) => blocksOf(each, "origin").some((origin) => isOrigin(origin, bucket)));
  return [...grouped(serving, ({ address }) => address).values()].map((distributions): StoreDoor => ({
    basesFor: () =>
      distributions
        .flatMap((each) => [each.attribute("domain_name"), ...orElse(each.list("aliases"), () => [])])
        .map((host) => joined("https://", host)),
    doubt: (names) =>
      distributions
        .map((each) => distributionDoubt(each, bucket, terraform))
        .find((each) => each !== undefined) ?? bucketDoubt(bucket, PRIVATE_BUCKET, names, distributions),
    parts: [...distributions, ...terraform.ofType(CONTROL), ...bucket.parts],
  }));
}

function blocksOf(block: Block, name: string): readonly Block[] {
  return orElse(block.blocks(name), () => []);
}

function isOrigin(origin: Block, bucket: StoreParts): boolean {
  return hostsOf(bucket).some((host) => same(origin.stated("domain_name"), host) === "yes");
}

function distributionDoubt(
  distribution: Resource,
  bucket: StoreParts,
  terraform: Terraform,
): Doubt | undefined {
  const [origin, ...more] = blocksOf(distribution, "origin");
  const [behavior] = blocksOf(distribution, "default_cache_behavior");
  const isOf = (value: Known<string> | undefined, argument: string): boolean =>
    value !== undefined && origin !== undefined && same(value, origin.stated(argument)) === "yes";
  const control = terraform
    .ofType(CONTROL)
    .find(
      (each) => each.scope === distribution.scope && isOf(each.attribute("id"), "origin_access_control_id"),
    );
  const isOnly = more.length === 0 && origin && isOrigin(origin, bucket);
  if (!isOnly || !control || !isOf(behavior?.stated("target_origin_id"), "origin_id"))
    return doubtAbout(distribution, "the distribution may not take the documents from the bucket alone");
  return is(distribution.flag("enabled"), true) === "yes"
    ? beyondForm({ parts: [distribution, control], doubt: undefined }, DISTRIBUTION, [])
    : doubtAbout(distribution, "the distribution may not be enabled");
}

/** What sets a bucket apart from the form; its policy must name the reader of the same configuration or state. */
function bucketDoubt(
  bucket: StoreParts,
  rows: Rows,
  names: readonly string[],
  readers?: readonly Resource[],
): Doubt | undefined {
  const beyond = beyondForm(bucket, rows, NEEDED);
  if (beyond) return beyond;
  for (const declared of bucketsIn(bucket)) {
    const [policy, reader] = [bucket.parts.filter(({ type }) => type === POLICY), readers].map((all) =>
      all?.find(({ scope }) => scope === declared.scope),
    );
    // A state has the policy as an argument of the bucket, too.
    const isInline = !declared.scope.isLiteral && declared.names.includes("policy");
    const arns = [placeOf(declared)?.arn ?? [], declared.attribute("arn")].flat();
    const isAdmitted =
      policy && (!readers || reader) && admits(parsedTree(policy.stated("policy")), arns, names, reader);
    if (isInline || !isAdmitted)
      return doubtAbout(policy ?? declared, "the bucket policy is not the one that IssuerBucket writes");
  }
  return undefined;
}

/** Whether one statement of a policy without denials lets everyone, or a distribution, read the documents. */
function admits(
  policy: Tree,
  buckets: readonly Known<string>[],
  names: readonly string[],
  distribution: Resource | undefined,
): boolean {
  const reader = distribution
    ? {
        Principal: { Service: "cloudfront.amazonaws.com" },
        Condition: { StringEquals: { "AWS:SourceArn": distribution.attribute("arn") } },
      }
    : { Principal: "*" };
  const grant = treeOf({ Effect: "Allow", Action: "s3:GetObject", ...reader });
  const statements = itemsOf(childOf(policy, "Statement"));
  const covers = (statement: Tree, name: string): boolean => {
    const written = childOf(statement, "Resource");
    const paths = buckets.flatMap((arn) => [joined(arn, "/", name), joined(arn, "/*")]);
    return [written, ...itemsOf(written)].some((each) =>
      paths.some((path) => same(each as Known<string>, path) === "yes"),
    );
  };
  return (
    statements.every((each) => is(childOf(each, "Effect") as Known<string>, "Allow") === "yes") &&
    statements.some(
      (each) => sameTree(granting(each), grant) === "yes" && names.every((name) => covers(each, name)),
    )
  );
}

/** Who may do what by a statement; IAM takes a list of one value for the value. */
function granting(statement: Tree): Tree {
  const value = orElse(statement, () => undefined);
  if (!isTreeObject(value)) return statement;
  const entries = entriesOf(value).map(([key, each]) => [orElse(key, () => "?"), each] as const);
  const judged = entries.filter(([key]) => key !== "Sid" && key !== "Resource");
  return treeOf(Object.fromEntries(judged.map(([key, each]) => [key, single(each)])));
}

function single(value: Tree): Tree {
  const items = itemsOf(value);
  return (items.length === 1 ? items[0] : undefined) ?? value;
}
