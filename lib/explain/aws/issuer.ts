/*
 * S3 buckets with an issuer's documents, open to everyone or behind a CloudFront distribution: the two forms that
 * `IssuerBucket` writes.
 */

import {
  type Known,
  afterPrefix,
  is,
  isBlank,
  isKnown,
  joined,
  known,
  orElse,
  partsOf,
  same,
  shown,
  textOf,
} from "../../model/known";
import { type Tree, childOf, entriesOf, isTreeObject, itemsOf, parsedTree } from "../../model/tree";
import { grouped } from "../../model/grouped";
import { partitions } from "../../rules/aws/partitions";
import type { Rows } from "../coverage/coverage";
import { DISTRIBUTION, PRIVATE_BUCKET, PUBLIC_BUCKET, S3_DOCUMENT } from "../coverage/aws-issuer";
import type { Block, Resource } from "../read/block";
import type { ComputedAttribute, Terraform } from "../read/terraform";
import { below } from "../shared/issuers";
import type { Doubt, ObjectStore, StoreDoor } from "../shared/object-store";
import {
  type StoreParts,
  beyondForm,
  declaredOf,
  doubtAbout,
  isPartOf,
  storeParts,
  storedObject,
} from "../shared/store-form";
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
const SCHEME = "https://";
/** What follows the name of a bucket and `.s3`, or `https://s3`, in the hosts of S3. */
const REST_OF_HOST = new RegExp(
  `^[.-](?:[a-z0-9-]+\\.)*(?:${partitions.map(({ dnsSuffix }) => dnsSuffix.replaceAll(".", "\\.")).join("|")})(?:/|$)`,
);

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
  {
    type: BUCKET,
    attribute: "arn",
    value: (bucket) => {
      const arn = joined("arn:", partitionOf(bucket), ":s3:::", bucket.attribute("bucket"));
      return partsOf(arn) === undefined ? undefined : arn;
    },
  },
  { type: BUCKET, attribute: "bucket_regional_domain_name", value: hostOf },
];

/** The host at which a bucket's own region serves it; `undefined` if that is not known. */
function hostOf(bucket: Resource): Known<string> | undefined {
  const region = orElse(regionOf(bucket), () => "");
  const partition = partitions.find(({ regionCodes }) => regionCodes.includes(region));
  return partition && joined(bucket.attribute("bucket"), `.s3.${region}.${partition.dnsSuffix}`);
}

export function issuerBuckets(terraform: Terraform): readonly ObjectStore[] {
  const objects = OBJECT_TYPES.flatMap((type) => terraform.ofType(type)).map((resource) => ({
    resource,
    bucket: resource.stated("bucket"),
    key: orElse(resource.stated("key"), () => "").replace(/^\//, ""),
  }));
  const placed = objects.filter(({ key, bucket }) => key !== "" && partsOf(bucket) !== undefined);
  const all = declaredOf(terraform, "aws_s3_", OBJECT_TYPES);
  return [...grouped(placed, ({ bucket }) => identityOf(bucket)).values()].flatMap((own) => {
    const name = own[0]?.bucket ?? known("");
    const parts = storeParts(all, (each) => isPartOf(each, "bucket", [BUCKET, "bucket", name]));
    const bucket: Bucket = { name, ...parts, terraform };
    const documents = grouped(own, ({ key }) => key);
    return [
      {
        label: isKnown(name) ? `the bucket ${shown(name)}` : "the bucket",
        objects: new Map(
          [...documents].map(([key, found]) => [
            key,
            found.map(({ resource }) => storedObject(resource, "content", S3_DOCUMENT)),
          ]),
        ),
        isWhole: placed.length === objects.length && bucket.parts.some(({ type }) => type === BUCKET),
        doors: [publicDoor(bucket), ...distributionDoors(bucket)],
        isServedElsewhere: () => false,
      },
    ];
  });
}

interface Bucket extends StoreParts {
  readonly name: Known<string>;
  readonly terraform: Terraform;
}

/** S3 itself. Each URL of the bucket is found; only that of its region is the form. */
function publicDoor(bucket: Bucket): StoreDoor {
  const { name, parts, terraform } = bucket;
  const buckets = parts.filter(({ type }) => type === BUCKET);
  const isOf = (issuer: Known<string>, each: Resource): boolean => {
    const host = hostOf(each);
    return host !== undefined && below(joined(SCHEME, host), issuer) !== undefined;
  };
  return {
    nameAt: (url) => nameAt(name, url),
    doubt: (issuer, names) => {
      const other = buckets.find((each) => !isOf(issuer, each));
      if (other) return doubtAbout(other, "the issuer is not certainly the URL of the bucket in its region");
      const ofAccount = terraform
        .ofType(ACCOUNT_BLOCK)
        .filter((block) => buckets.some((each) => same(accountOfBlock(block), accountOf(each)) !== "no"));
      return (
        bucketDoubt(bucket, PUBLIC_BUCKET, names) ??
        beyondForm({ parts: ofAccount, doubt: undefined }, PUBLIC_BUCKET, [])
      );
    },
  };
}

function accountOfBlock(block: Resource): Known<string> {
  return isBlank(block.text("account_id")) ? accountOf(block) : block.stated("account_id");
}

/** The name of the object at an S3 URL of a bucket; `undefined` for other URLs. */
function nameAt(name: Known<string>, url: Known<string>): Known<string> | undefined {
  const virtual = restOfHost(afterPrefix(url, joined(SCHEME, name, ".s3")));
  if (virtual !== undefined) return virtual;
  const path = restOfHost(afterPrefix(url, known(`${SCHEME}s3`)));
  const inside = path === undefined ? undefined : below(name, path);
  return inside === undefined ? undefined : known(inside);
}

function restOfHost(rest: Known<string> | undefined): Known<string> | undefined {
  const [first, ...more] = (rest === undefined ? undefined : partsOf(rest)) ?? [];
  if (typeof first !== "string") return undefined;
  const [found] = REST_OF_HOST.exec(first) ?? [];
  return found === undefined ? undefined : textOf([first.slice(found.length), ...more]);
}

/** The distributions that serve a bucket, each as the configuration, plan or state declares it. */
function distributionDoors(bucket: Bucket): readonly StoreDoor[] {
  const serving = bucket.terraform
    .ofType(CLOUDFRONT)
    .filter((each) => blocksOf(each, "origin").some((origin) => isOrigin(origin, bucket.name)));
  return [...grouped(serving, ({ address }) => address).values()].map((all): StoreDoor => {
    const bases = all.flatMap((each) => [
      each.attribute("domain_name"),
      ...orElse(each.list("aliases"), () => []),
    ]);
    return {
      nameAt: (url) => {
        const path = bases.map((base) => below(joined(SCHEME, base), url)).find((each) => each !== undefined);
        return path === undefined ? undefined : known(path);
      },
      doubt: (_, names) =>
        all.map((each) => distributionDoubt(each, bucket)).find((each) => each !== undefined) ??
        bucketDoubt(bucket, PRIVATE_BUCKET, names, all),
    };
  });
}

function blocksOf(block: Block, name: string): readonly Block[] {
  return orElse(block.blocks(name), () => []);
}

function isOrigin(origin: Block, bucket: Known<string>): boolean {
  return nameAt(bucket, joined(SCHEME, origin.stated("domain_name"))) !== undefined;
}

function distributionDoubt(distribution: Resource, { parts, terraform }: Bucket): Doubt | undefined {
  const [origin, ...more] = blocksOf(distribution, "origin");
  const [behavior] = blocksOf(distribution, "default_cache_behavior");
  const hosts = parts.flatMap((each) => (each.type === BUCKET ? (hostOf(each) ?? []) : []));
  if (!origin || more.length > 0 || !hosts.some((each) => same(origin.stated("domain_name"), each) === "yes"))
    return doubtAbout(
      distribution,
      "the distribution may serve the documents from an origin other than the bucket",
    );
  if (!behavior || same(behavior.stated("target_origin_id"), origin.stated("origin_id")) !== "yes")
    return doubtAbout(distribution, "the distribution may not serve the documents from the bucket");
  if (is(distribution.flag("enabled"), true) !== "yes")
    return doubtAbout(distribution, "the distribution is not certainly enabled");
  const id = origin.stated("origin_access_control_id");
  const control = terraform
    .ofType(CONTROL)
    .find((each) => each.scope === distribution.scope && same(each.attribute("id"), id) === "yes");
  return control
    ? beyondForm({ parts: [distribution, control], doubt: undefined }, DISTRIBUTION, [])
    : doubtAbout(distribution, "the origin access control of the distribution was not read");
}

/** What sets a bucket apart from the form; its policy must name the reader that is in the same place. */
function bucketDoubt(
  bucket: Bucket,
  rows: Rows,
  names: readonly string[],
  readers?: readonly Resource[],
): Doubt | undefined {
  const beyond = beyondForm(bucket, rows, NEEDED);
  if (beyond) return beyond;
  const closed = bucket.parts.find((part) => {
    // A state also has the policy as an argument of the bucket.
    if (part.type !== POLICY && isBlank(part.text("policy"))) return false;
    const [own, reader] = [bucket.parts.filter(({ type }) => type === BUCKET), readers].map((all) =>
      all?.find(({ scope }) => scope === part.scope),
    );
    if (!own || (readers && !reader)) return true;
    return !admits(parsedTree(part.stated("policy")), arnsOf(own, bucket.name), names, reader);
  });
  return closed && doubtAbout(closed, "the bucket policy is not the one that IssuerBucket writes");
}

/** ARNs of a bucket: as the region tells it, and as Terraform does. */
function arnsOf(bucket: Resource, name: Known<string>): readonly Known<string>[] {
  const region = orElse(regionOf(bucket), () => "");
  const partition = partitions.find(({ regionCodes }) => regionCodes.includes(region))?.name ?? "";
  return [joined(`arn:${partition}:s3:::`, name), bucket.attribute("arn")];
}

const MEMBERS: readonly string[] = ["Sid", "Effect", "Principal", "Action", "Resource", "Condition"];

/** Whether one statement of a policy without denials lets everyone, or the distribution, read the documents. */
function admits(
  policy: Tree,
  buckets: readonly Known<string>[],
  names: readonly string[],
  distribution: Resource | undefined,
): boolean {
  const statements = itemsOf(childOf(policy, "Statement"));
  const has = (tree: Tree, value: Known<string>): boolean =>
    [tree, ...itemsOf(tree)].some((each) => same(each as Known<string>, value) === "yes");
  const isReader = (statement: Tree): boolean => {
    const [principal, condition] = [childOf(statement, "Principal"), childOf(statement, "Condition")];
    if (!distribution) {
      const isAll = [principal, childOf(principal, "AWS")].some((each) => has(each, known("*")));
      return isAll && keysOf(condition).length === 0;
    }
    const [operator = "", key = ""] = [keysOf(condition)[0], keysOf(childOf(condition, "StringEquals"))[0]];
    return (
      has(childOf(principal, "Service"), known("cloudfront.amazonaws.com")) &&
      keysOf(condition).length === 1 &&
      operator === "StringEquals" &&
      keysOf(childOf(condition, operator)).length === 1 &&
      key.toLowerCase() === "aws:sourcearn" &&
      has(childOf(condition, operator, key), distribution.attribute("arn"))
    );
  };
  const reads = (statement: Tree): boolean =>
    keysOf(statement).every((key) => MEMBERS.includes(key)) &&
    has(childOf(statement, "Action"), known("s3:GetObject")) &&
    names.every((each) =>
      buckets.some((arn) =>
        [`/${each}`, "/*"].some((path) => has(childOf(statement, "Resource"), joined(arn, path))),
      ),
    );
  return (
    statements.every((each) => is(childOf(each, "Effect") as Known<string>, "Allow") === "yes") &&
    statements.some((each) => reads(each) && isReader(each))
  );
}

/** The keys of an object; one that is in no list for a key that is not known, or a value that is no object. */
function keysOf(tree: Tree): readonly string[] {
  const value = orElse(tree, () => "");
  if (value === undefined) return [];
  return isTreeObject(value) ? entriesOf(value).map(([key]) => orElse(key, () => "?")) : ["?"];
}
