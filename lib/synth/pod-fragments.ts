import { fail } from "../errors";
import type { Subject } from "../model/subject";
import type { PodFragment } from "../model/workloads";

type Fields = Readonly<Record<string, unknown>>;

/** What the pods of a service account need for all its clouds; throws `pod-fragments-clash`. */
export function joinedFragments({ key }: Subject, fragments: readonly PodFragment[]): PodFragment {
  const labels: Record<string, string> = {};
  for (const [name, value] of fragments.flatMap((fragment) => Object.entries(fragment.labels))) {
    if (labels[name] !== undefined && labels[name] !== value)
      fail("pod-fragments-clash", key, "labels", name);
    labels[name] = value;
  }
  const joined = (field: "env" | "volumeMounts" | "volumes"): readonly Fields[] =>
    byName(
      key,
      field,
      fragments.flatMap((fragment) => fragment[field]),
    );
  return { labels, env: joined("env"), volumeMounts: joined("volumeMounts"), volumes: joined("volumes") };
}

/** Equal entries once; Kubernetes refuses two of one name. */
function byName(key: string, field: string, entries: readonly Fields[]): readonly Fields[] {
  const known = new Map<string, Fields>();
  for (const entry of entries) {
    const name = String(entry["name"]);
    const first = known.get(name);
    if (first && JSON.stringify(first) !== JSON.stringify(entry))
      fail("pod-fragments-clash", key, field, name);
    known.set(name, entry);
  }
  return [...known.values()];
}
