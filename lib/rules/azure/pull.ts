import { createHash } from "node:crypto";
import { fail } from "../../errors";
import { literal } from "../../model/late";
import type { Subject } from "../../model/subject";
import { type NameRules, derivedName, stableHash } from "../names";
import { type PullPermission, permissionKey } from "./permission";
import { invalidName } from "./names";
import { CREDENTIALS_PER_IDENTITY, tooManyCredentials } from "./trust";

export interface PlannedPull {
  readonly subject: Subject;
  readonly permissions: readonly PullPermission[];
}

/** An identity to declare, and the service accounts that act as it. */
export interface PlannedIdentity {
  /** Id of the construct; depends on the service account, or with shards on its permissions. */
  readonly id: string;
  /** Name in Azure, within 128 characters. */
  readonly identityName: string;
  /** What each of its service accounts may pull. */
  readonly permissions: readonly PullPermission[];
  /** At most 20, divided by the number of issuers. */
  readonly subjects: readonly Subject[];
}

export interface SpreadOptions {
  readonly namePrefix: string;
  /**
   * Number of buckets per set of permissions.
   *
   * @defaultValue - one identity per service account
   */
  readonly shards?: number | undefined;
  /**
   * Number of issuers whose tokens are trusted; each service account needs one credential per issuer.
   *
   * @defaultValue 1
   */
  readonly issuers?: number;
}

/** Rules for derived names of user-assigned identities. */
export const IDENTITY_NAME: NameRules = { max: 128, allowed: /[A-Za-z0-9_-]/, separator: "_" };
const PERCENT = 100;
const STEP = 1.1;
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/;

/**
 * Distributes service accounts over identities.
 *
 * The identity of each depends only on its own name, and with `shards` also on its permission set, since service
 * accounts that share an identity share its permissions.
 */
export function spread(pulls: readonly PlannedPull[], options: SpreadOptions): readonly PlannedIdentity[] {
  const { shards, issuers = 1 } = options;
  const namePrefix = identityNamePrefix(options.namePrefix);
  const identities = new Map<string, PlannedIdentity & { readonly subjects: Subject[] }>();
  for (const { subject, permissions } of pulls) {
    // Namespaces and service account names contain no underscore, so the joined parts are unambiguous.
    const parts =
      shards === undefined
        ? [subject.namespace, subject.name]
        : [`pulls-${stableHash(permissionKey(permissions))}`, String(shardOf(subject, shards))];
    const id = parts.join("_");
    const known = identities.get(id);
    if (known) known.subjects.push(subject);
    else {
      const identityName = derivedName([namePrefix, ...parts], IDENTITY_NAME);
      identities.set(id, { id, identityName, permissions, subjects: [subject] });
    }
  }
  const planned = [...identities.values()];
  if (shards !== undefined) checkSizes(planned, pulls, shards, issuers);
  return planned;
}

export function identityNamePrefix(namePrefix: string): string {
  const allowed = "1 to 63 letters, digits and hyphens, beginning with a letter or digit";
  return PREFIX.test(literal(namePrefix, "namePrefix"))
    ? namePrefix
    : invalidName("namePrefix", namePrefix, allowed);
}

function checkSizes(
  identities: readonly PlannedIdentity[],
  pulls: readonly PlannedPull[],
  shards: number,
  issuers: number,
): void {
  const room = Math.floor(CREDENTIALS_PER_IDENTITY / issuers);
  const overfull = identities.find(({ subjects }) => subjects.length > room);
  if (!overfull) return;
  const fitting = shardsThatFit(pulls, shards, room);
  const moved = fitting === undefined ? 0 : Math.round(PERCENT * (1 - shards / fitting));
  const remedy = [
    ...(fitting === undefined
      ? []
      : [
          `set shards to ${fitting} (now ${shards}), so that all service accounts fit; about ${moved} % of them then move to another identity, so plan that apply`,
        ]),
    "remove `shards` to get one identity per service account",
  ];
  tooManyCredentials(overfull.identityName, overfull.subjects.length * issuers, remedy.join("; or "));
}

/** The next number of shards, in steps of a tenth, with which no identity has too many; `undefined` if none. */
function shardsThatFit(pulls: readonly PlannedPull[], above: number, room: number): number | undefined {
  const seeds = pulls.map(({ subject, permissions }) => ({
    set: permissionKey(permissions).join(" "),
    seed: seedOf(subject),
  }));
  for (let shards = above + 1; shards <= SHARDS_MAX; shards = Math.ceil(shards * STEP)) {
    const sizes = new Map<string, number>();
    for (const { set, seed } of seeds) {
      const key = `${set} ${bucketOf(seed, shards)}`;
      sizes.set(key, (sizes.get(key) ?? 0) + 1);
    }
    if ([...sizes.values()].every((size) => size <= room)) return shards;
  }
  return undefined;
}

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
 * The rule is part of the contract. It ignores other service accounts, so adding or removing one never moves another.
 * Raising the number from n to n + 1 moves one service account in n + 1, always into the new bucket. Of 16 buckets,
 * `shop/web` is in 3, `shop/jobs` in 2, `default/default` in 9 and `team-a/api` in 13; of 17 they are in the same.
 */
export function shardOf(subject: Subject, shards: number): number {
  if (!Number.isInteger(shards) || shards < 1 || shards > SHARDS_MAX)
    return fail("azure-invalid", {
      problem: "`shards` is not a whole number of at least 1",
      value: shards,
      allowed: "1 to 65536",
      remedy: "remove it to get one identity per service account, or state the number of buckets",
    });
  return bucketOf(seedOf(subject), shards);
}

/** The bucket of a 64-bit number. */
export function bucketOf(seed: bigint, buckets: number): number {
  let key = BigInt.asUintN(BITS, seed);
  for (let bucket = 0; ;) {
    key = BigInt.asUintN(BITS, key * MULTIPLIER + 1n);
    const next = Math.floor((bucket + 1) * (RANGE / Number((key >> HIGH_BITS) + 1n)));
    if (next >= buckets) return bucket;
    bucket = next;
  }
}

/** The 64-bit number of a service account. */
function seedOf(subject: Subject): bigint {
  return createHash("sha256").update(subject.key, "utf8").digest().subarray(0, SEED_BYTES).readBigUInt64BE();
}
