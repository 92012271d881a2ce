/*
 * Buckets of S3 with an issuer's documents, and the doors to them: S3 itself, and distributions of CloudFront.
 *
 * Source: "Restrict access to an Amazon S3 origin", "Restrict the geographic distribution of your content" and "Restrict
 * viewer access to a distribution" in the CloudFront developer guide; the arguments: terraform-provider-aws,
 * r/cloudfront_distribution and r/cloudfront_origin_access_control.
 */

import {
  type Known,
  is,
  isKnown,
  joined,
  known,
  match,
  orElse,
  partsOf,
  same,
  shown,
} from "../../model/known";
import { matchesPattern } from "../../rules/wildcard";
import { type Answer, broken, seen, unknown } from "../answer";
import { type Block, Resource } from "../read/block";
import type { ComputedAttribute, Terraform } from "../read/terraform";
import { below } from "../shared/issuers";
import type { ObjectStore, StoreDoor, StoredObject } from "../shared/object-store";
import { type BucketReader, ANYONE, Bucket } from "./bucket";
import { accountOf, identityOf, partitionOf } from "./place";

const TYPE = "aws_cloudfront_distribution";
const CONTROL = "aws_cloudfront_origin_access_control";
/** What may answer in the bucket's place, or ask for another object. */
const FUNCTIONS: readonly string[] = ["function_association", "lambda_function_association"];
/** Who may sign URLs, where only signed ones are answered. */
const SIGNERS: readonly string[] = ["trusted_key_groups", "trusted_signers"];
const REMEDY = "let the distribution serve the issuer's documents to everyone";

/** `arn` of a distribution, of which only apply tells the id. */
export const distributionArn: ComputedAttribute = {
  type: TYPE,
  attribute: "arn",
  value: (distribution) => {
    const head = joined("arn:", partitionOf(distribution), ":cloudfront::", accountOf(distribution));
    return joined(head, ":distribution/", distribution.attribute("id"));
  },
};

/** The doors that distributions are to a bucket. */
export function distributionDoors(bucket: Bucket, terraform: Terraform): readonly StoreDoor[] {
  return terraform.ofType(TYPE).flatMap((distribution) => {
    const origin = originOf(distribution, bucket);
    if (!origin) return [];
    const folder = (orElse(origin.text("origin_path"), () => "") ?? "").replace(/^\//, "");
    const reader = readerOf(distribution, origin, terraform);
    const bases = basesOf(distribution);
    return [
      {
        nameAt: (url) => {
          const path = bases.map((base) => below(base, url)).find((each) => each !== undefined);
          return path === undefined
            ? undefined
            : known([folder, path].filter((each) => each !== "").join("/"));
        },
        refusal: (object) => {
          const path = folder === "" ? object : object.slice(folder.length + 1);
          return (
            refusalOf(distribution) ??
            behaviorRefusal(distribution, path, origin.stated("origin_id")) ??
            (reader && bucket.refusal(object, reader))
          );
        },
      },
    ];
  });
}

function blocksOf(block: Block, name: string): readonly Block[] {
  return orElse(block.blocks(name), () => []);
}

/** The origin that is the bucket; of several the one that serves what nothing else does. */
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

/** What is known of an issuer's URL that is no door to the bucket, although a document in it names that issuer. */
export function distributionBefore(url: Known<string>, terraform: Terraform): Answer | undefined {
  const serving = terraform
    .ofType(TYPE)
    .find((each) => !each.adopted && basesOf(each).some((base) => below(base, url) !== undefined));
  if (serving)
    return unknown(
      "the distribution serves the issuer's URL from another origin than the bucket with its documents, or may",
      "let its origin be the bucket",
      seen("distribution", serving.source),
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
        "name the Terraform that declares it as well",
      )
    : undefined;
}

function basesOf(distribution: Resource): readonly Known<string>[] {
  const aliases = orElse(distribution.list("aliases"), () => []);
  return [distribution.attribute("domain_name"), ...aliases].map((host) => joined("https://", host));
}

/** Who the bucket sees; `undefined` for an identity of the older kind, which is let in in other ways. */
function readerOf(distribution: Resource, origin: Block, terraform: Terraform): BucketReader | undefined {
  const id = origin.text("origin_access_control_id");
  if (orElse(id, () => "late")) {
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
    (older) => older.some((each) => orElse(each.text("origin_access_identity"), () => "late")),
    () => true,
  );
  return hasIdentity ? undefined : ANYONE;
}

/** What keeps everyone from all that a distribution serves. */
function refusalOf(distribution: Resource): Answer | undefined {
  const where = seen("distribution", distribution.source);
  const isOff = is(distribution.text("enabled"), "false");
  if (isOff === "yes") return broken("the distribution is not enabled", REMEDY, undefined, where);
  const [restrictions] = blocksOf(distribution, "restrictions");
  const [geo] = restrictions ? blocksOf(restrictions, "geo_restriction") : [];
  const restricted = geo && orElse(geo.text("restriction_type"), () => "late");
  const reason =
    isOff === "unknown"
      ? "whether the distribution is enabled is known only after apply"
      : restricted && restricted !== "none"
        ? "the distribution serves some countries alone, and from where the cloud asks for the keys is not known"
        : orElse(distribution.text("web_acl_id"), () => "late")
          ? "what the web ACL of the distribution lets through was not read"
          : undefined;
  return reason === undefined ? undefined : unknown(reason, REMEDY, where);
}

/** What the behavior for a path keeps from everyone, or takes from elsewhere. */
function behaviorRefusal(distribution: Resource, path: string, origin: Known<string>): Answer | undefined {
  const where = seen("distribution", distribution.source);
  const behavior = behaviorAt(distribution, path);
  const isOrigin = behavior !== undefined && same(behavior.stated("target_origin_id"), origin) === "yes";
  const signers = SIGNERS.map((key) => orElse(behavior?.list(key) ?? known([]), () => undefined));
  if (isOrigin && signers.some((list) => list?.some((each) => is(each, "") === "no")))
    return broken(`the distribution serves ${path} at signed URLs alone`, REMEDY, undefined, where);
  const reason = !isOrigin
    ? `the distribution serves ${path} from another origin than the bucket, or may`
    : signers.some((list) => list?.length !== 0)
      ? `whether the distribution serves ${path} at signed URLs alone is known only after apply`
      : FUNCTIONS.some((key) => orElse(behavior.blocks(key), () => undefined)?.length !== 0)
        ? `what the functions of the distribution make of requests for ${path} was not read`
        : undefined;
  return reason === undefined ? undefined : unknown(reason, REMEDY, where);
}

/** The first behavior whose pattern covers a path, else the default one; `undefined` where that is not known. */
function behaviorAt(distribution: Resource, path: string): Block | undefined {
  const ordered = orElse(distribution.blocks("ordered_cache_behavior"), () => undefined);
  if (ordered === undefined) return undefined;
  for (const behavior of ordered) {
    const pattern = orElse(behavior.stated("path_pattern"), () => undefined);
    const covers = pattern === undefined ? undefined : matchesPattern(pattern.replace(/^\//, ""), path);
    if (covers !== false) return covers === true ? behavior : undefined;
  }
  return blocksOf(distribution, "default_cache_behavior")[0];
}

const BUCKET = "aws_s3_bucket";
const OBJECT_TYPES: readonly string[] = ["aws_s3_object", "aws_s3_bucket_object"];

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
