import { createHash } from "node:crypto";
import { fail } from "../../errors";
import type { Subject } from "../../model/subject";

const SHARDS_MAX = 65_536;
const DIGITS = 8;
const HEXADECIMAL = 16;

/**
 * The bucket of a service account: the first 32 bits of SHA-256 over `namespace/name` in UTF-8, as an unsigned
 * big-endian number, modulo the number of buckets.
 *
 * The rule is part of the contract. It knows nothing of other service accounts, so adding or removing one never
 * moves another. Of 16 buckets, `shop/web` is in 6, `shop/jobs` in 13, `default/default` and `team-a/api` in 2.
 * Throws `azure-shards-invalid`.
 */
export function shardOf(subject: Subject, shards: number): number {
  if (!Number.isInteger(shards) || shards < 1 || shards > SHARDS_MAX)
    return fail("azure-shards-invalid", shards);
  const digest = createHash("sha256").update(subject.key, "utf8").digest("hex");
  return Number.parseInt(digest.slice(0, DIGITS), HEXADECIMAL) % shards;
}
