import { fail } from "../errors";
import { isLate } from "../model/late";
import { list, record } from "../model/parsed";

/** Facts of one cluster for `workload-identity.json`, identified by `name`. */
export type RecordedCluster = Readonly<Record<string, unknown>>;

/** What several constructs of a cluster add lines to. */
const LINES: readonly string[] = ["pulls", "workloads"];
/** What each construct states anew for all before it. */
const LATEST: readonly string[] = ["credentialProviderConfigHash"];

/** Merges facts into those of the same cluster, and refuses a second value for the same fact. */
export function mergedRecords(
  records: readonly RecordedCluster[],
  facts: RecordedCluster,
): readonly RecordedCluster[] {
  const place = records.findIndex(({ name }) => name !== undefined && name === facts["name"]);
  const known = records[place];
  return known === undefined ? [...records, facts] : records.with(place, merged(known, facts));
}

/** A late value equals only itself: whether two late values will be the same is not known before apply. */
function merged(known: RecordedCluster, facts: RecordedCluster): RecordedCluster {
  const result: Record<string, unknown> = { ...known };
  for (const [key, value] of Object.entries(facts)) {
    const first = known[key];
    if (first === undefined || LATEST.includes(key)) result[key] = value;
    else if (Array.isArray(first) && LINES.includes(key)) result[key] = [...first, ...list(value)];
    else if (key === "registries") result[key] = mergedRegistries(known["name"], first, value);
    else if (key === "tokenRegistries")
      result[key] = mergedHosts(known["name"], record(first), record(value));
    else if (JSON.stringify(first) !== JSON.stringify(value))
      fail("cluster-mismatch", {
        problem: `the ${key} of cluster ${String(known["name"])} is already recorded with another value`,
        value: shown(value),
        allowed: JSON.stringify(shown(first)),
        remedy: `give every construct of the cluster the same ${key}; if it is known only after apply, pass the same object, for example the construct that publishes the issuer`,
      });
  }
  return result;
}

/** Facts of registries by host: those of one host must agree. */
function mergedRegistries(name: unknown, first: unknown, value: unknown): RecordedCluster {
  const { name: _, ...hosts } = merged({ ...record(first), name }, record(value));
  return hosts;
}

/** Registries by host: what all constructs admit, and otherwise the same facts. */
function mergedHosts(name: unknown, first: RecordedCluster, value: RecordedCluster): RecordedCluster {
  const hosts = Object.entries(value).map(([host, facts]) => {
    const known = first[host];
    return [host, known === undefined ? facts : mergedRegistries(name, known, facts)] as const;
  });
  return { ...first, ...Object.fromEntries(hosts) };
}

function shown(value: unknown): unknown {
  return isLate(value) ? "known after apply" : value;
}
