import { type Json, list, own, text } from "../facts/access";
import type { WorkloadFact } from "../facts/workload-facts";

/**
 * One fact per workload: what several manifests say of it, a release's and the fields that somebody adds, is put
 * together as server-side apply does it, lists by name.
 */
export function mergedPods(workloads: readonly WorkloadFact[]): readonly WorkloadFact[] {
  const byTitle = new Map<string, WorkloadFact>();
  for (const each of workloads) {
    const known = byTitle.get(each.title);
    byTitle.set(each.title, known ? merged(known, each) : each);
  }
  return [...byTitle.values()];
}

function merged(one: WorkloadFact, other: WorkloadFact): WorkloadFact {
  const account = [other, one].find(({ spec }) => text(own(spec, "serviceAccountName")) !== "");
  return {
    ...one,
    serviceAccount: account?.serviceAccount ?? one.serviceAccount,
    images: [...one.images, ...other.images],
    labels: { ...one.labels, ...other.labels },
    spec: mergedObjects(one.spec, other.spec),
  };
}

/** The key of each list that server-side apply merges; all other lists belong to one owner. */
const KEYS: Readonly<Record<string, string>> = {
  containers: "name",
  env: "name",
  initContainers: "name",
  volumeMounts: "mountPath",
  volumes: "name",
};

function mergedObjects(one: Json, other: Json): Json {
  const result: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const key = KEYS[name];
    result[name] =
      key !== undefined && Array.isArray(value) ? mergedLists(list(one[name]), value, key) : value;
  }
  return result;
}

function mergedLists(one: readonly unknown[], other: readonly unknown[], key: string): readonly unknown[] {
  const byKey = new Map<unknown, Json>();
  for (const item of [...one, ...other]) {
    const name = own(item, key);
    byKey.set(name, mergedObjects(byKey.get(name) ?? {}, item as Json));
  }
  return [...byKey.values()];
}
