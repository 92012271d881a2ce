import type { Subject } from "../../model/subject";
import { SHARDS_MAX, entered, seedOf } from "./shard";

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
