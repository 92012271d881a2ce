/*
 * Buckets of S3 with an issuer's documents, and the doors to them: S3 itself, and distributions of CloudFront.
 */

import { type Known, is, isKnown, joined, known, match, orElse, partsOf, shown } from "../../model/known";
import type { Resource } from "../read/block";
import type { ComputedAttribute, Terraform } from "../read/terraform";
import type { ObjectStore, StoredObject } from "../shared/object-store";
import { ANYONE, Bucket } from "./bucket";
import { distributionBefore, distributionDoors } from "./distribution";
import { identityOf, partitionOf } from "./place";

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
