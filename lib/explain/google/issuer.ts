/*
 * Cloud Storage buckets with an issuer's documents, and the keys that pool providers were given.
 *
 * Sources: cloud.google.com/storage/docs/access-control/iam-roles and …/public-access-prevention; Google provider,
 * `universe_domain`: the same name in another universe means a different bucket.
 */

import {
  type Known,
  type Ternary,
  afterPrefix,
  and,
  is,
  isAbsent,
  isKnown,
  joined,
  known,
  orElse,
  partsOf,
  same,
  shown,
} from "../../model/known";
import { childOf, itemsOf, knownJson, parsedTree } from "../../model/tree";
import { isUsableKey } from "../../rules/google/issuer";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { below } from "../shared/issuers";
import { keySet } from "../shared/key-set";
import type { Issuers, ObjectStore, PublishedKeys, StoreDoor, StoredObject } from "../shared/object-store";
import { type Grant, anyMember, readGrants } from "./grants";
import { EVERYONE } from "./members";
import { piecesOf, universeOf } from "./names";
import type { PoolProvider } from "./pool";

const BUCKET = "google_storage_bucket";
/** Roles with storage.objects.get. */
const READERS = /^roles\/storage\.(?:legacyObject(?:Reader|Owner)|object(?:Viewer|User|Admin)|admin)$/;
/** Ways to admit readers other than a binding of the bucket. */
const LISTS: readonly string[] = [
  ...["bucket_acl", "bucket_access_control", "bucket_iam_policy", "default_object_acl"],
  ...["default_object_access_control", "object_acl", "object_access_control"],
].map((name) => `google_storage_${name}`);
const OPEN = `bind ${EVERYONE} to roles/storage.legacyObjectReader on the bucket, and do not enforce public_access_prevention there`;

/** Every bucket whose objects are declared. */
export function issuerStores(terraform: Terraform): readonly ObjectStore[] {
  const objects = terraform.ofType(`${BUCKET}_object`);
  const named = objects.flatMap((each) => bucketOf(each) ?? []);
  const names = new Map(named.map((name) => [shown(name), name]));
  // An object without a name, or in an unknown bucket, may be any object.
  const isOpen = objects.some((each) => !isKnown(each.stated("name")) || bucketOf(each) === undefined);
  let grants: readonly Grant[] | undefined;
  return [...names.values()].map((name) => {
    const buckets = terraform
      .ofType(BUCKET)
      .filter((bucket) => same(bucket.attribute("name"), name) === "yes");
    const isOf = (object: Resource): boolean => same(bucketOf(object) ?? known(""), name) === "yes";
    const door: StoreDoor = {
      nameAt: (url) => nameAt(name, url),
      refusal: () => refusal(buckets, name, (grants ??= readGrants(terraform).grants), terraform),
    };
    return {
      label: `the bucket ${shown(name)}`,
      objects: objectsOf(objects.filter(isOf)),
      isWhole: !isOpen && buckets.some(({ adopted }) => !adopted),
      doors: doorsByUniverse(door, buckets),
      before: undefined,
    };
  });
}

/** The bucket of an object, by name or by id, which equals the name. */
function bucketOf(object: Resource): Known<string> | undefined {
  const bucket = object.referred("bucket", ["id", "name"]);
  if (bucket) return bucket.attribute("name");
  const written = object.stated("bucket");
  return partsOf(written) && written;
}

function objectsOf(resources: readonly Resource[]): ReadonlyMap<string, readonly StoredObject[]> {
  const all = new Map<string, StoredObject[]>();
  for (const resource of resources) {
    const name = orElse(resource.stated("name"), () => undefined)?.replace(/^\//, "");
    if (name === undefined || !resource.certain) continue;
    const ignored = orElse(resource.block("lifecycle"), () => undefined)?.list("ignore_changes");
    const kept = orElse(ignored ?? known([]), () => [known("all")]).map((each) => orElse(each, () => ""));
    const object: StoredObject = {
      text: resource.stated("content"),
      isKept: kept.includes("all") || kept.includes("content"),
      acl: known(undefined),
      source: resource.source,
    };
    all.set(name, [...(all.get(name) ?? []), object]);
  }
  return all;
}

const HOST = /^https:\/\/(?:([^/]+)\.)?storage\.[^/]+(?:\/([^]*))?$/;

/** `https://storage.googleapis.com/<bucket>/…` and `https://<bucket>.storage.googleapis.com/…`. */
function nameAt(name: Known<string>, url: Known<string>): Known<string> | undefined {
  const [host, path] = piecesOf(url, HOST);
  if (host === undefined || path === undefined) return undefined;
  if (is(host, "") === "no") return same(host, name) === "yes" ? path : undefined;
  const inside = below(name, path);
  return inside === undefined ? afterPrefix(path, joined(name, "/")) : known(inside);
}

function refusal(
  buckets: readonly Resource[],
  name: Known<string>,
  grants: readonly Grant[],
  terraform: Terraform,
): Answer | undefined {
  const closed = buckets.find((each) => is(each.stated("public_access_prevention"), "enforced") === "yes");
  if (closed) {
    const where = seen("public_access_prevention", closed.source);
    return broken("the bucket prevents public access", OPEN, undefined, where);
  }
  const declared = buckets.find(({ adopted }) => !adopted);
  if (!declared || LISTS.some((type) => terraform.ofType(type).length > 0)) return undefined;
  const opening = grants.map((grant) => opensTo(grant, name));
  if (opening.includes("yes")) return undefined;
  const reason = `no binding of the bucket lets ${EVERYONE} read its objects`;
  const where = seen("bucket", declared.source);
  return opening.includes("unknown")
    ? unknown(`whether a binding of the bucket lets ${EVERYONE} read its objects is not known`, OPEN, where)
    : broken(reason, OPEN, undefined, where);
}

function opensTo(grant: Grant, bucket: Known<string>): Ternary {
  const { on, role, condition, resource } = grant;
  if (on.kind !== "bucket") return "no";
  const answer = and(
    same(on.name, bucket),
    anyMember(grant, (member) => is(member, EVERYONE)),
  );
  const reads = READERS.test(orElse(role, () => "")) && condition === undefined && resource.certain;
  // A different role for everyone may permit reading too.
  return answer === "yes" && !reads ? "unknown" : answer;
}

/** The bucket's door in its own universe, and a closed one for the others if its own is known. */
function doorsByUniverse(door: StoreDoor, buckets: readonly Resource[]): readonly StoreDoor[] {
  const [bucket] = buckets;
  const universes = buckets.flatMap((each) => universeOf(each) ?? []);
  if (!bucket || universes.length === 0) return [door];
  const isElsewhere = (url: Known<string>): boolean => {
    const host = orElse(url, () => "").split("/")[2] ?? "";
    return !universes.some((each) => host.endsWith(`.${each}`));
  };
  const elsewhere = broken(
    `the issuer is in a different Google Cloud universe than the bucket, which is created in ${universes.join(" and ")}`,
    "state the universe in the google provider (universe_domain), the same as for the issuer",
    undefined,
    seen("bucket", bucket.source),
  );
  return [
    { nameAt: (url) => (isElsewhere(url) ? undefined : door.nameAt(url)), refusal: door.refusal },
    { nameAt: (url) => (isElsewhere(url) ? door.nameAt(url) : undefined), refusal: () => elsewhere },
  ];
}

const HAND_OVER = "give the pool provider the keys that the issuer publishes (jwks_json)";
const UNREACHABLE = "invalid_grant … Error connecting to the given credential's issuer";

function refused(reason: string, ...where: readonly Evidence[]): Answer {
  return broken(reason, HAND_OVER, "invalid_grant … the signature of the token cannot be verified", where);
}

/** The answer of a pool provider that trusts the issuer, unless all or some tokens cannot be verified. */
export function keysTrusted(
  answer: Answer,
  provider: PoolProvider,
  others: readonly PoolProvider[],
  issuers: Issuers,
): Answer {
  const { issuer, jwks, resource } = provider;
  if (isAbsent(jwks)) return issuers.judged(answer, issuer, UNREACHABLE);
  const handed = orElse(jwks, () => undefined);
  if (handed === undefined) return answer;
  const where = seen("oidc.jwks_json", resource.source);
  const { ids, refusal: reason, doubt, fingerprint } = keySet(known(handed));
  if (reason !== undefined) return refused(`the keys of the pool provider ${reason}`, where);
  const keys = itemsOf(childOf(parsedTree(known(handed)), "keys"));
  if (!keys.some((key) => isUsableKey(orElse(knownJson(key), () => key))))
    return refused(
      "Google cannot verify tokens with the keys of the pool provider: it takes RSA for RS256, or EC for ES256",
      where,
    );
  const unlike = unlikePublished(ids, issuers.keysOf(issuer), where);
  if (unlike) return unlike;
  if (doubt !== undefined) return unknown(`of the keys of the pool provider ${doubt}`, HAND_OVER, where);
  // An issuer has one set of keys; if two differ, one is wrong or old.
  for (const other of others) {
    const text = orElse(other.jwks, () => undefined);
    const set = text !== undefined && same(other.issuer, issuer) === "yes" ? keySet(known(text)) : undefined;
    if (set && set.fingerprint !== fingerprint)
      return unknown(
        `the pool provider has the keys ${ids.join(", ")}, but another one for the same issuer has ${set.ids.join(", ")}: which of them the cluster signs with is not known`,
        "give both the same keys: those that the API server publishes",
        where,
        seen("oidc.jwks_json of the other pool provider", other.resource.source),
      );
  }
  return answer;
}

function unlikePublished(
  ids: readonly string[],
  all: readonly PublishedKeys[],
  where: Evidence,
): Answer | undefined {
  for (const published of all) {
    const places = [where, seen("published keys", published.source)];
    const without = published.ids.filter((id) => !ids.includes(id));
    if (without.length === published.ids.length)
      return refused(
        `the pool provider has the keys ${ids.join(", ")}, but the issuer publishes ${published.ids.join(", ") || "none"}`,
        ...places,
      );
    if (without.length > 0)
      return unknown(
        `the pool provider verifies tokens only with the keys in jwks_json: ${without.join(", ")} is published but missing there`,
        HAND_OVER,
        places,
      );
  }
  return undefined;
}
