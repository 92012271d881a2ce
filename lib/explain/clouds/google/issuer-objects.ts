/*
 * Buckets of Cloud Storage with an issuer's documents.
 * Source: cloud.google.com/storage/docs/access-control/iam-roles and …/public-access-prevention.
 */

import { type Answer, broken, seen, unknown } from "../../answer";
import { own } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { listed } from "../../facts/terraform-values";
import { type ObjectStore, type StoreDoor, below, declaredObjects } from "../object-stores";
import { doorsByUniverse } from "./issuer-universe";

const BUCKET = "google_storage_bucket";
const HOST = /^https:\/\/(?:([^/]+)\.)?storage\.[^/]+(?:\/|$)/;
const EVERYONE = "allUsers";
/** Roles with storage.objects.get. */
const READERS: readonly string[] = [
  "roles/storage.legacyObjectReader",
  "roles/storage.legacyObjectOwner",
  "roles/storage.objectViewer",
  "roles/storage.objectUser",
  "roles/storage.objectAdmin",
  "roles/storage.admin",
];
/** Ways to let somebody in other than by a binding of the bucket. */
const LISTS: readonly string[] = [
  `${BUCKET}_acl`,
  `${BUCKET}_access_control`,
  `${BUCKET}_iam_policy`,
  "google_storage_default_object_acl",
  "google_storage_default_object_access_control",
  "google_storage_object_acl",
  "google_storage_object_access_control",
];

/** Every bucket whose objects are declared. */
export function issuerObjects(terraform: Terraform): readonly ObjectStore[] {
  const nameOf = (resource: TerraformResource): string =>
    bucketName(terraform.text(resource, "bucket"), terraform);
  const type = { type: `${BUCKET}_object`, content: "content", name: "name", store: nameOf };
  const { stores, isOpen } = declaredObjects([type], terraform);
  return [...stores].map(([name, { objects }]) => {
    const buckets = terraform.ofType(BUCKET).filter((each) => terraform.attribute(each, "name") === name);
    const door: StoreDoor = {
      nameAt: (url) => {
        const [start, host] = HOST.exec(url) ?? [];
        if (start === undefined) return undefined;
        const path = url.slice(start.length);
        return host === undefined ? below(name, path) : host === name ? path : undefined;
      },
      refusal: () => refusal(buckets, nameOf, name, terraform),
    };
    return {
      label: isLateText(name) ? "the bucket" : `the bucket ${name}`,
      objects,
      isWhole: !isOpen && buckets.some(({ adopted }) => !adopted),
      doors: doorsByUniverse(door, buckets, terraform),
    };
  });
}

function bucketName(written: string, terraform: Terraform): string {
  const bucket = terraform.referred(written, "id") ?? terraform.referred(written, "name");
  return bucket ? terraform.attribute(bucket, "name") : written;
}

const OPEN = `bind ${EVERYONE} to roles/storage.legacyObjectReader on the bucket, and prevent no public access there`;

function refusal(
  buckets: readonly TerraformResource[],
  nameOf: (resource: TerraformResource) => string,
  name: string,
  terraform: Terraform,
): Answer | undefined {
  const closed = buckets.find((each) => terraform.text(each, "public_access_prevention") === "enforced");
  if (closed)
    return broken(
      "the bucket prevents public access",
      OPEN,
      undefined,
      seen("public_access_prevention", closed.source),
    );
  const own = buckets.find(({ adopted }) => !adopted);
  if (!own || LISTS.some((type) => terraform.ofType(type).length > 0)) return undefined;
  const bindings = ["member", "binding"].flatMap((kind) => terraform.ofType(`${BUCKET}_iam_${kind}`));
  const here = bindings.filter((each) => nameOf(each) === name);
  const everyone = here.filter((each) => membersOf(each, terraform).includes(EVERYONE));
  if (everyone.some((each) => READERS.includes(terraform.text(each, "role")))) return undefined;
  const reason = `no binding of the bucket lets ${EVERYONE} read its objects`;
  const where = seen("bucket", own.source);
  const isOpen =
    everyone.length > 0 ||
    bindings.some((each) => isLateText(nameOf(each)) && nameOf(each) !== name) ||
    here.some((each) => membersOf(each, terraform).some(isLateText));
  return isOpen ? unknown(`${reason} for certain`, OPEN, where) : broken(reason, OPEN, undefined, where);
}

function membersOf({ values, scope }: TerraformResource, terraform: Terraform): readonly string[] {
  const written = [own(values, "member"), own(values, "members")].filter((each) => each !== undefined);
  return written
    .flatMap((each) => (typeof each === "string" ? [each] : listed(each)))
    .map((each) => terraform.resolve(each, scope));
}
