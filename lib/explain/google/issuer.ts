/*
 * Buckets of Cloud Storage with the documents of an issuer.
 *
 * Sources: cloud.google.com/storage/docs/access-control/iam-roles and …/public-access-prevention; Google provider,
 * `universe_domain`: what has the same name in another universe is another bucket.
 */

import {
  type Known,
  type Ternary,
  afterPrefix,
  is,
  isKnown,
  joined,
  known,
  match,
  or,
  orElse,
  same,
  shown,
} from "../../model/known";
import { type Answer, broken, seen, unknown } from "../answer";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { below } from "../shared/issuers";
import type { ObjectStore, StoreDoor, StoredObject } from "../shared/object-store";
import { type Grant, Grants, anyMember } from "./grants";
import { piecesOf, universeOf } from "./names";

const BUCKET = "google_storage_bucket";
const EVERYONE = "allUsers";
/** Roles with storage.objects.get. */
const READERS: readonly string[] = [
  ...["legacyObjectReader", "legacyObjectOwner", "objectViewer", "objectUser", "objectAdmin", "admin"].map(
    (name) => `roles/storage.${name}`,
  ),
];
/** Ways to let readers in other than by a binding of the bucket. */
const LISTS: readonly string[] = [
  `${BUCKET}_acl`,
  `${BUCKET}_access_control`,
  `${BUCKET}_iam_policy`,
  ...["default_object_acl", "default_object_access_control", "object_acl", "object_access_control"].map(
    (name) => `google_storage_${name}`,
  ),
];
const OPEN = `bind ${EVERYONE} to roles/storage.legacyObjectReader on the bucket, and prevent no public access there`;

/** Every bucket whose objects are declared. */
export function issuerStores(terraform: Terraform): readonly ObjectStore[] {
  const objects = terraform.ofType(`${BUCKET}_object`);
  const buckets = terraform.ofType(BUCKET);
  const names = distinct(objects.map(bucketOf));
  // An object without name, or of a bucket that is not known, may be any.
  const isOpen = objects.some((each) => !isKnown(each.stated("name")) || bucketOf(each) === undefined);
  let grants: Grants | undefined;
  return names.map((name) => {
    const own = buckets.filter((bucket) => same(nameOf(bucket), name) === "yes");
    const door: StoreDoor = {
      nameAt: (url) => nameAt(name, url),
      refusal: () => refusal(own, name, (grants ??= new Grants(terraform)), terraform),
    };
    return {
      label: `the bucket ${shown(name)}`,
      objects: objectsOf(objects.filter((each) => same(bucketOf(each) ?? known(""), name) === "yes")),
      isWhole: !isOpen && own.some(({ adopted }) => !adopted),
      doors: doorsByUniverse(door, own),
      before: undefined,
    };
  });
}

/** The name of a bucket as whatever refers to it has it. */
function nameOf(bucket: Resource): Known<string> {
  return bucket.attribute("name");
}

/** The bucket of an object, by name or by id, which is the name. */
function bucketOf(object: Resource): Known<string> | undefined {
  const bucket = object.referred("bucket", ["id", "name"]);
  if (bucket) return nameOf(bucket);
  const written = object.stated("bucket");
  return match(
    written,
    () => written,
    (why) => (why.kind === "apply" ? written : undefined),
  );
}

function distinct(names: readonly (Known<string> | undefined)[]): readonly Known<string>[] {
  const all = new Map<string, Known<string>>();
  for (const name of names) if (name !== undefined) all.set(shown(name), name);
  return [...all.values()];
}

function objectsOf(resources: readonly Resource[]): ReadonlyMap<string, readonly StoredObject[]> {
  const all = new Map<string, StoredObject[]>();
  for (const resource of resources) {
    const name = orElse(resource.stated("name"), () => undefined)?.replace(/^\//, "");
    if (name === undefined || !resource.certain) continue;
    const ignored = orElse(resource.block("lifecycle"), () => undefined)?.list("ignore_changes");
    const object: StoredObject = {
      text: resource.stated("content"),
      isKept:
        ignored !== undefined &&
        orElse(ignored, () => [known("all")]).some((each) =>
          ["all", "content"].includes(orElse(each, () => "")),
        ),
      acl: known(undefined),
      source: resource.source,
    };
    all.set(name, [...(all.get(name) ?? []), object]);
  }
  return all;
}

const HOST = /^https:\/\/(?:([^/]+)\.)?storage\.[^/]+(?:\/(.*))?$/;

/** `https://storage.googleapis.com/<bucket>/…` and `https://<bucket>.storage.googleapis.com/…`. */
function nameAt(name: Known<string>, url: Known<string>): Known<string> | undefined {
  const [host, path] = orElse(piecesOf(url, HOST), () => undefined) ?? [];
  if (host === undefined || path === undefined) return undefined;
  if (is(host, "") === "no") return same(host, name) === "yes" ? path : undefined;
  const inside = below(name, path) ?? afterPrefix(path, joined(name, "/"));
  return typeof inside === "string" ? known(inside) : inside;
}

function refusal(
  buckets: readonly Resource[],
  name: Known<string>,
  grants: Grants,
  terraform: Terraform,
): Answer | undefined {
  const closed = buckets.find(
    (each) => is<string | undefined>(each.text("public_access_prevention"), "enforced") === "yes",
  );
  if (closed)
    return broken(
      "the bucket prevents public access",
      OPEN,
      undefined,
      seen("public_access_prevention", closed.source),
    );
  const own = buckets.find(({ adopted }) => !adopted);
  if (!own || LISTS.some((type) => terraform.ofType(type).length > 0)) return undefined;
  const opening = grants.all.filter(({ on }) => on.kind === "bucket").map((grant) => opensTo(grant, name));
  if (opening.includes("yes")) return undefined;
  const reason = `no binding of the bucket lets ${EVERYONE} read its objects`;
  const where = seen("bucket", own.source);
  return opening.includes("unknown")
    ? unknown(`${reason} for certain`, OPEN, where)
    : broken(reason, OPEN, undefined, where);
}

function opensTo(grant: Grant, bucket: Known<string>): Ternary {
  const { on, role, condition, resource } = grant;
  const here = same(on.name, bucket);
  const everyone = anyMember(grant, (member) => is(member, EVERYONE));
  if (here === "no" || everyone === "no") return "no";
  const reads = or(...READERS.map((each) => is(role, each)));
  const isPlain = here === "yes" && everyone === "yes" && reads === "yes" && condition === undefined;
  // Another role for everyone may read as well.
  return isPlain && resource.certain ? "yes" : "unknown";
}

/** The doors of a bucket: one in its own universe, and one that leads nowhere in the others, where its own is known. */
function doorsByUniverse(door: StoreDoor, buckets: readonly Resource[]): readonly StoreDoor[] {
  const [bucket] = buckets;
  const universes = buckets.flatMap((each) => orElse(universeOf(each), () => undefined) ?? []);
  if (!bucket || universes.length === 0) return [door];
  const isElsewhere = (url: Known<string>): boolean => {
    const host = orElse(url, () => "").split("/")[2] ?? "";
    return !universes.some((each) => host.endsWith(`.${each}`));
  };
  return [
    { nameAt: (url) => (isElsewhere(url) ? undefined : door.nameAt(url)), refusal: door.refusal },
    {
      nameAt: (url) => (isElsewhere(url) ? door.nameAt(url) : undefined),
      refusal: () =>
        broken(
          `the issuer is of another universe of Google Cloud than the bucket, which is made in ${universes.join(" and ")}`,
          "state the universe of the google provider (universe_domain) for the issuer too",
          undefined,
          seen("bucket", bucket.source),
        ),
    },
  ];
}
