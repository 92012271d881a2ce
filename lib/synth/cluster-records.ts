import { fail } from "../errors";
import { isLate } from "../model/late";

/** Facts of one cluster for `workload-identity.json`; `name` tells clusters apart. */
export type RecordedCluster = Readonly<Record<string, unknown>>;

/** The records with one more: facts of one cluster are put together, and two values of one fact are refused. */
export function mergedRecords(
  records: readonly RecordedCluster[],
  facts: RecordedCluster,
): readonly RecordedCluster[] {
  const place = records.findIndex(({ name }) => name !== undefined && name === facts["name"]);
  const known = records[place];
  return known === undefined ? [...records, facts] : records.with(place, merged(known, facts));
}

/** A late value is equal to itself alone: whether another one will turn out to be the same is known after apply. */
function merged(known: RecordedCluster, facts: RecordedCluster): RecordedCluster {
  const result: Record<string, unknown> = { ...known };
  for (const [key, value] of Object.entries(facts)) {
    const first = known[key];
    if (first === undefined) result[key] = value;
    else if (JSON.stringify(first) !== JSON.stringify(value))
      fail("cluster-mismatch", {
        problem: `the ${key} of cluster ${String(known["name"])} is already recorded with another value`,
        value: shown(value),
        allowed: JSON.stringify(shown(first)),
        remedy: `give everything that writes for the cluster the same ${key}; where it is known only after apply, the same object, such as the construct that publishes the issuer`,
      });
  }
  return result;
}

function shown(value: unknown): unknown {
  return isLate(value) ? "known after apply" : value;
}
