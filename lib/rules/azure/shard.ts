import { createHash } from "node:crypto";
import { fail } from "../../errors";
import type { Subject } from "../../model/subject";

/** Greatest number of shards. */
export const SHARDS_MAX = 65_536;
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
export function* entered(seed: bigint): Generator<number, never> {
  let key = BigInt.asUintN(BITS, seed);
  for (let bucket = 0; ;) {
    yield bucket;
    key = BigInt.asUintN(BITS, key * MULTIPLIER + 1n);
    bucket = Math.floor((bucket + 1) * (RANGE / Number((key >> HIGH_BITS) + 1n)));
  }
}

/** The 64-bit number of a service account. */
export function seedOf(subject: Subject): bigint {
  return createHash("sha256").update(subject.key, "utf8").digest().subarray(0, SEED_BYTES).readBigUInt64BE();
}
