import { fail } from "../errors";
import { mergedEntries, mergedMaps } from "../model/merged-fields";
import type { Subject } from "../model/subject";
import type { PodFragment } from "../model/workloads";

/** What the pods of a service account need for all its clouds; throws `pod-fragments-clash`. */
export function joinedFragments({ key }: Subject, fragments: readonly PodFragment[]): PodFragment {
  const refuse =
    (field: string) =>
    (name: string): never =>
      fail("pod-fragments-clash", key, field, name);
  const joined = (field: "env" | "volumeMounts" | "volumes"): PodFragment["env"] =>
    mergedEntries(
      fragments.flatMap((fragment) => fragment[field]),
      "name",
      refuse(field),
    );
  return {
    labels: mergedMaps(
      fragments.map(({ labels }) => labels),
      refuse("labels"),
    ),
    env: joined("env"),
    volumeMounts: joined("volumeMounts"),
    volumes: joined("volumes"),
  };
}
