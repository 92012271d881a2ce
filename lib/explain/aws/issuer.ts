/*
 * S3 buckets with an issuer's documents, and the doors to them: S3 itself, and CloudFront distributions. Source:
 * "Restrict access to an Amazon S3 origin" and "Restrict viewer access to a distribution" in the CloudFront guide.
 */

import {
  type Known,
  is,
  isBlank,
  isKnown,
  joined,
  known,
  match,
  orElse,
  partsOf,
  same,
  shown,
} from "../../model/known";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import { type Block, Resource } from "../read/block";
import type { ComputedAttribute, Terraform } from "../read/terraform";
import { below } from "../shared/issuers";
import type { ObjectStore, StoreDoor, StoredObject } from "../shared/object-store";
import { accountOf, identityOf, partitionOf } from "./place";
import { type BucketReader, ANYONE, Bucket } from "./bucket";

const BUCKET = "aws_s3_bucket";
const OBJECT_TYPES: readonly string[] = ["aws_s3_object", "aws_s3_bucket_object"];
const DISTRIBUTION = "aws_cloudfront_distribution";
const CONTROL = "aws_cloudfront_origin_access_control";

/** `arn` of a distribution, whose id is known only after apply. */
export const distributionArn: ComputedAttribute = {
  type: DISTRIBUTION,
  attribute: "arn",
  value: (distribution) => {
    const head = joined("arn:", partitionOf(distribution), ":cloudfront::", accountOf(distribution));
    return joined(head, ":distribution/", distribution.attribute("id"));
  },
};

/** The distributions that serve a bucket, as doors to it. */
function distributionDoors(bucket: Bucket, terraform: Terraform): readonly StoreDoor[] {
  return terraform.ofType(DISTRIBUTION).flatMap((distribution) => {
    const origin = originOf(distribution, bucket);
    if (!origin) return [];
    const folder = (orElse(origin.text("origin_path"), () => "") ?? "").replace(/^\//, "");
    const reader = readerOf(distribution, origin, terraform);
    const bases = basesOf(distribution);
    return [
      {
        address: distribution.address,
        nameAt: (url) => {
          const path = bases.map((base) => below(base, url)).find((each) => each !== undefined);
          return path === undefined
            ? undefined
            : known([folder, path].filter((each) => each !== "").join("/"));
        },
        refusal: (object) => refusalOf(distribution, origin) ?? (reader && bucket.refusal(object, reader)),
      },
    ];
  });
}

function blocksOf(block: Block, name: string): readonly Block[] {
  return orElse(block.blocks(name), () => []);
}

/** The origin that is the bucket; of several, the origin of the default cache behavior. */
function originOf(distribution: Resource, bucket: Bucket): Block | undefined {
  const origins = blocksOf(distribution, "origin").filter((each) =>
    bucket.hasHost(each.stated("domain_name")),
  );
  const [behavior] = blocksOf(distribution, "default_cache_behavior");
  const usual = behavior?.stated("target_origin_id");
  return (
    origins.find((each) => usual !== undefined && same(each.stated("origin_id"), usual) === "yes") ??
    origins[0]
  );
}

/** The answer for an issuer's URL that no door serves, although a document in the bucket names that issuer. */
function distributionBefore(url: Known<string>, terraform: Terraform): Answer | undefined {
  const serving = terraform
    .ofType(DISTRIBUTION)
    .find((each) => !each.adopted && basesOf(each).some((base) => below(base, url) !== undefined));
  if (serving)
    return unknown(
      "the distribution serves the issuer's URL from an origin other than the bucket with its documents, or may do so",
      "make the bucket its origin",
      seen("distribution", serving.source),
    );
  if (orElse(url, () => "").includes(OWN_DOMAIN))
    return unknown(
      "the issuer's URL is that of a CloudFront distribution, but no distribution with this domain is among what was read",
      "also give explain the Terraform that declares it, or correct the issuer that roles and OIDC provider name",
      ...declaredDistributions(terraform),
    );
  const [, host] = partsOf(url) ?? [];
  const isMissing =
    typeof host === "object" &&
    !(host.target instanceof Resource) &&
    /(?:^|\.)aws_cloudfront_distribution\./.test(host.expression) &&
    !/(?:^|\.)data\./.test(host.expression);
  return isMissing
    ? unknown(
        "the distribution that serves the issuer's URL is not among what was read",
        "also give explain the Terraform that declares it",
      )
    : undefined;
}

/** The end of the domains that CloudFront gives to distributions. */
const OWN_DOMAIN = ".cloudfront.net";

function declaredDistributions(terraform: Terraform): readonly Evidence[] {
  return terraform.ofType(DISTRIBUTION).map(({ source }) => seen("distribution", source));
}

function basesOf(distribution: Resource): readonly Known<string>[] {
  const aliases = orElse(distribution.list("aliases"), () => []);
  return [distribution.attribute("domain_name"), ...aliases].map((host) => joined("https://", host));
}

/** Who reads the bucket; `undefined` for an origin access identity, which the bucket admits in other ways. */
function readerOf(distribution: Resource, origin: Block, terraform: Terraform): BucketReader | undefined {
  const id = origin.text("origin_access_control_id");
  if (!isBlank(id)) {
    const control = terraform
      .ofType(CONTROL)
      .find((each) => same(each.attribute("id"), origin.stated("origin_access_control_id")) === "yes");
    return control && is(control.text("signing_behavior"), "never") === "yes"
      ? ANYONE
      : {
          who: "the distribution",
          service: "cloudfront.amazonaws.com",
          arn: distribution.attribute("arn"),
        };
  }
  const hasIdentity = match(
    origin.blocks("s3_origin_config"),
    (older) => older.some((each) => !isBlank(each.text("origin_access_identity"))),
    () => true,
  );
  return hasIdentity ? undefined : ANYONE;
}

/** Arguments that may withhold the documents from some readers, or serve them from elsewhere. */
const OF_DISTRIBUTION: readonly string[] = ["ordered_cache_behavior", "web_acl_id"];
const OF_BEHAVIOR: readonly string[] = [
  "trusted_key_groups",
  "trusted_signers",
  "function_association",
  "lambda_function_association",
];

/** What keeps readers from what a distribution serves from an origin, or may do so. */
function refusalOf(distribution: Resource, origin: Block): Answer | undefined {
  const where = seen("distribution", distribution.source);
  const remedy = "make the distribution serve the issuer's documents to everyone";
  const isOff = is(distribution.text("enabled"), "false");
  if (isOff === "yes") return broken("the distribution is not enabled", remedy, undefined, where);
  const [behavior] = blocksOf(distribution, "default_cache_behavior");
  if (!behavior || same(behavior.stated("target_origin_id"), origin.stated("origin_id")) !== "yes")
    return unknown(
      "the distribution serves the documents from an origin other than the bucket, or may do so",
      remedy,
      where,
    );
  const [restrictions] = blocksOf(distribution, "restrictions");
  const [geo] = restrictions ? blocksOf(restrictions, "geo_restriction") : [];
  const isForSome =
    geo && is(geo.text("restriction_type"), "none") !== "yes" && isWritten(geo, "restriction_type");
  const [open] = [
    ...(isOff === "unknown" ? ["enabled"] : []),
    ...(isForSome ? ["geo_restriction"] : []),
    ...OF_DISTRIBUTION.filter((name) => isWritten(distribution, name)),
    ...OF_BEHAVIOR.filter((name) => isWritten(behavior, name)),
  ];
  return open === undefined
    ? undefined
    : unknown(
        `explain does not judge how ${open} of the distribution affects requests for the documents`,
        remedy,
        where,
      );
}

/** True for an argument that is set; states write unset ones as empty lists and texts. */
function isWritten(block: Block, name: string): boolean {
  return match(
    block.tree(name),
    (value) =>
      !["", null, undefined].includes(value as string) && !(Array.isArray(value) && value.length === 0),
    () => true,
  );
}

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
];

export function issuerBuckets(terraform: Terraform): readonly ObjectStore[] {
  const byName = new Map<
    unknown,
    { readonly name: Known<string>; readonly objects: Map<string, StoredObject[]> }
  >();
  let isOpen = false;
  for (const resource of OBJECT_TYPES.flatMap((type) => terraform.ofType(type))) {
    const name = resource.stated("bucket");
    const key = orElse(resource.stated("key"), () => "").replace(/^\//, "");
    if (key === "" || partsOf(name) === undefined) {
      isOpen = true;
      continue;
    }
    const store = byName.get(identityOf(name)) ?? { name, objects: new Map<string, StoredObject[]>() };
    byName.set(identityOf(name), store);
    store.objects.set(key, [...(store.objects.get(key) ?? []), storedObject(resource)]);
  }
  return [...byName.values()].map(({ name, objects }) => {
    const bucket = new Bucket(name, objects, terraform);
    return {
      label: isKnown(name) ? `the bucket ${shown(name)}` : "the bucket",
      objects,
      isWhole: !isOpen && bucket.isOwned,
      doors: [
        {
          nameAt: (url) => bucket.nameAt(url),
          refusal: (object) => bucket.refusal(object, ANYONE),
        },
        ...distributionDoors(bucket, terraform),
      ],
      before: (url) => distributionBefore(url, terraform),
    };
  });
}

function storedObject(resource: Resource): StoredObject {
  const [lifecycle] = orElse(resource.blocks("lifecycle"), () => []);
  const ignored = lifecycle ? lifecycle.tree("ignore_changes") : known(undefined);
  return {
    text: resource.stated("content"),
    isKept: match(
      ignored,
      (value) =>
        value === "all" || (Array.isArray(value) && value.some((each) => is(each, "content") === "yes")),
      () => true,
    ),
    acl: resource.text("acl"),
    source: resource.source,
  };
}
