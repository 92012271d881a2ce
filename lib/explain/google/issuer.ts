/*
 * Cloud Storage buckets with an issuer's documents, in the form that `IssuerBucket` writes, and the keys that pool
 * providers were given.
 *
 * Source: Google provider, `universe_domain`: the same name in another universe means a different bucket.
 */

import {
  type Known,
  type Ternary,
  is,
  isAbsent,
  isKnown,
  joined,
  known,
  map,
  orElse,
  partsOf,
  same,
  shown,
} from "../../model/known";
import { ACCEPTED_ALGORITHMS } from "../../rules/google/issuer";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import { OBJECT, STORAGE } from "../coverage/google-issuer";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { keySet } from "../shared/key-set";
import type { Issuers, ObjectStore, PublishedKeys } from "../shared/object-store";
import { StoreIndex, beyondForm, ownerOf, storesOf } from "../shared/store-form";
import { EVERYONE } from "./members";
import type { PoolProvider } from "./pool";

const BUCKET = "google_storage_bucket";
const OBJECT_TYPE = `${BUCKET}_object`;
const MEMBER = `${BUCKET}_iam_member`;
const DEFAULT_UNIVERSE = "googleapis.com";

/** Every bucket whose objects are declared. */
export function issuerStores(terraform: Terraform): readonly ObjectStore[] {
  const objects = terraform.ofType(OBJECT_TYPE).map((resource) => {
    const bucket = resource.certain ? bucketOf(resource) : undefined;
    const place = bucket === undefined ? undefined : { key: shown(bucket), name: bucket };
    return { resource, place, name: resource.stated("name") };
  });
  const index = new StoreIndex(terraform, "google_storage_", (each) =>
    each.type === OBJECT_TYPE ? undefined : ownerOf(each, "bucket", [BUCKET, "name"]),
  );
  return storesOf(objects, {
    partsOf: ({ name }) => index.of(name, isForAll),
    doorsOf: ({ name }, store) => [
      {
        basesFor: () => store.parts.flatMap((each) => baseOf(each, name)),
        doubt: () => beyondForm(store, STORAGE, [BUCKET, MEMBER]),
        parts: store.parts,
      },
    ],
    owner: () => BUCKET,
    content: "content",
    rows: OBJECT,
    isServedElsewhere: () => false,
  });
}

/** Who else is admitted does not matter. */
function isForAll(part: Resource): Ternary {
  return part.type === MEMBER ? is(part.stated("member"), EVERYONE) : "yes";
}

/** The bucket of an object, by name or by id, which equals the name. */
function bucketOf(object: Resource): Known<string> | undefined {
  const bucket = object.referred("bucket", ["id", "name"]);
  if (bucket) return bucket.attribute("name");
  const written = object.stated("bucket");
  return partsOf(written) && written;
}

/** The URL of a bucket in its universe. */
function baseOf(part: Resource, name: Known<string>): readonly Known<string>[] {
  if (part.type !== BUCKET) return [];
  const universe = map(part.provider.text("universe_domain"), (text) => text || DEFAULT_UNIVERSE);
  return [joined("https://storage.", universe, "/", name)];
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
  if (isAbsent(jwks)) return issuers.judged(answer, issuer, UNREACHABLE, ACCEPTED_ALGORITHMS);
  const where = seen("oidc.jwks_json", resource.source);
  const {
    ids,
    refusal: reason,
    doubt,
    signing,
  } = keySet(
    map(jwks, (keys = "") => keys),
    ACCEPTED_ALGORITHMS,
  );
  if (reason !== undefined) return refused(`the keys of the pool provider ${reason}`, where);
  const unlike = unlikePublished([...signing.values()], issuers.keysOf(issuer), where);
  if (unlike) return unlike;
  if (doubt !== undefined) return unknown(`of the keys of the pool provider ${doubt}`, HAND_OVER, where);
  // An issuer has one set of keys; if two differ, one is wrong or old.
  for (const rival of others) {
    const text = orElse(rival.jwks, () => undefined);
    const set = text !== undefined && same(rival.issuer, issuer) === "yes" ? keySet(known(text)) : undefined;
    const all = [...signing.keys(), ...(set?.signing.keys() ?? [])];
    if (set && all.some((key) => !signing.has(key) || !set.signing.has(key)))
      return unknown(
        `the pool provider has the keys ${ids.join(", ")}, but another one for the same issuer has ${set.ids.join(", ")}: which of them the cluster signs with is not known`,
        "give both the same keys: those that the API server publishes",
        where,
        seen("oidc.jwks_json of the other pool provider", rival.resource.source),
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
    const usable = [...published.signing.values()];
    const without = usable.filter((id) => !ids.includes(id));
    if (without.length === usable.length && (usable.length > 0 || isKnown(published.text)))
      return refused(
        `the pool provider has the keys ${ids.join(", ")}, but the issuer publishes ${usable.join(", ") || "none"}`,
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
