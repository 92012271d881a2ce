import { fail } from "../../errors";
import type { Subject } from "../../model/subject";
import { createHash } from "node:crypto";

/** Greatest number of shards. */
const SHARDS_MAX = 65_536;
const SEED_BYTES = 8;
const BITS = 64;
const MULTIPLIER = 2862933555777941757n;
const HIGH_BITS = 33n;
const RANGE = 2 ** 31;

/**
 * The bucket of a service account: jump consistent hashing of the first 64 bits of SHA-256 over `namespace/name` in
 * UTF-8, as an unsigned big-endian number (Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm",
 * arXiv 1406.2294).
 *
 * The rule is part of the contract. It knows nothing of other service accounts, so adding or removing one never
 * moves another; raising the number from n to n + 1 moves one service account in n + 1, and each of them into the
 * new bucket. Of 16 buckets, `shop/web` is in 3, `shop/jobs` in 2, `default/default` in 9 and `team-a/api` in 13; of
 * 17 they are in the same. Throws `azure-shards-invalid`.
 */
export function shardOf(subject: Subject, shards: number): number {
  if (!Number.isInteger(shards) || shards < 1 || shards > SHARDS_MAX)
    return fail("azure-shards-invalid", shards);
  return bucketOf(seedOf(subject), shards);
}

/** The bucket of a 64-bit number among a number of buckets. */
export function bucketOf(seed: bigint, buckets: number): number {
  let bucket = 0;
  for (const next of entered(seed)) {
    if (next >= buckets) return bucket;
    bucket = next;
  }
  return bucket;
}

/** The buckets that a number enters as buckets are added, in ascending order; bucket n comes with shard n + 1. */
function* entered(seed: bigint): Generator<number, never> {
  let key = BigInt.asUintN(BITS, seed);
  for (let bucket = 0; ;) {
    yield bucket;
    key = BigInt.asUintN(BITS, key * MULTIPLIER + 1n);
    bucket = Math.floor((bucket + 1) * (RANGE / Number((key >> HIGH_BITS) + 1n)));
  }
}

/** The 64-bit number of a service account. */
function seedOf(subject: Subject): bigint {
  return createHash("sha256").update(subject.key, "utf8").digest().subarray(0, SEED_BYTES).readBigUInt64BE();
}

/** A service account on its way through the buckets that it enters as shards are added. */
interface Traveller {
  readonly group: number;
  readonly path: Iterator<number, never>;
  bucket: number | undefined;
}

/**
 * The least number of shards above a given one with which no bucket of any group holds more service accounts than
 * its capacity; `undefined` where no allowed number does.
 *
 * Follows each service account from one shard upwards: it moves seldom, about ln(n) times until there are n.
 */
export function shardsThatFit(
  groups: readonly (readonly Subject[])[],
  capacity: number,
  above: number,
): number | undefined {
  const sizes = groups.map(() => new Map<number, number>());
  const arrivals = new Map<number, Traveller[]>();
  let overfull = 0;
  const resize = (group: number, bucket: number, change: number): void => {
    const before = sizes[group]?.get(bucket) ?? 0;
    sizes[group]?.set(bucket, before + change);
    overfull += Number(before + change > capacity) - Number(before > capacity);
  };
  const announce = (traveller: Traveller): void => {
    const next = traveller.path.next().value;
    const others = arrivals.get(next);
    if (others) others.push(traveller);
    else arrivals.set(next, [traveller]);
  };
  groups.forEach((subjects, group) => {
    for (const subject of subjects) announce({ group, path: entered(seedOf(subject)), bucket: undefined });
  });
  for (let bucket = 0; bucket < SHARDS_MAX; bucket += 1) {
    for (const traveller of arrivals.get(bucket) ?? []) {
      if (traveller.bucket !== undefined) resize(traveller.group, traveller.bucket, -1);
      resize(traveller.group, bucket, 1);
      traveller.bucket = bucket;
      announce(traveller);
    }
    const shards = bucket + 1;
    if (shards > above && overfull === 0) return shards;
  }
  return undefined;
}
