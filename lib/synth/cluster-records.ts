import { fail } from "../errors";
import { isLate } from "../model/late";

/** Facts of one cluster for `workload-identity.json`; `name` tells clusters apart. */
export type RecordedCluster = Readonly<Record<string, unknown>>;

/** A cluster, a construct that writes for it, and what nobody else in the stack may write. */
export interface ClusterClaim {
  /** Name of the cluster. */
  readonly name: string;
  /** URL of its issuer; may be late. */
  readonly issuer: string;
  /** Key of what is recorded once per cluster: `pulls`, `components`, `workloads`. */
  readonly key: string;
  /** Class of the construct, for the refusal. */
  readonly construct: string;
  /** What it takes a list of, in the plural, for the refusal. */
  readonly lines: string;
}

/**
 * The records with one more: facts of one cluster are put together.
 *
 * Throws `cluster-facts-differ` for two values of one fact. A late value is equal to itself alone: whether another one,
 * or a literal, will turn out to be the same is known only after apply, when manifests and trust are written.
 */
export function mergedRecords(
  records: readonly RecordedCluster[],
  facts: RecordedCluster,
): readonly RecordedCluster[] {
  const place = records.findIndex(({ name }) => name !== undefined && name === facts["name"]);
  const known = records[place];
  return known === undefined ? [...records, facts] : records.with(place, merged(known, facts));
}

/**
 * Refuses a claim to a stack that writes for another cluster, or where the same was written before: a stack's
 * manifests are applied to one cluster.
 *
 * Throws `cluster-taken` or `cluster-facts-differ`.
 */
export function checkClaim(
  records: readonly RecordedCluster[],
  { name, issuer, key, construct, lines }: ClusterClaim,
): void {
  if (records.some((record) => record["name"] !== name || key in record))
    fail("cluster-taken", name, construct, lines);
  for (const record of records) merged(record, { issuer });
}

function merged(known: RecordedCluster, facts: RecordedCluster): RecordedCluster {
  const result: Record<string, unknown> = { ...known };
  for (const [key, value] of Object.entries(facts)) {
    const first = known[key];
    if (first === undefined) result[key] = value;
    else if (JSON.stringify(first) !== JSON.stringify(value))
      fail("cluster-facts-differ", String(known["name"]), key, shown(value), shown(first));
  }
  return result;
}

function shown(value: unknown): unknown {
  return isLate(value) ? "known after apply" : value;
}
