/*
 * Pods of a bundle: which of them fail, and what was said about them.
 *
 * Source: Kubernetes API reference, Pod (`status.containerStatuses[].state.waiting`) and Event (`involvedObject`).
 */

import { at, list, record, text } from "../../model/parsed";
import { type Bundle, type BundleFile, filesOf, jsonIn } from "../bundle";

/** What one source said about a pod. */
export interface Said {
  readonly text: string;
  readonly file: BundleFile;
  /** Property path of the text in the file. */
  readonly path: string;
}

export interface PodSeen {
  /** `namespace/name`. */
  readonly key: string;
  /** `namespace/name` of its service account. */
  readonly account: string;
  readonly images: readonly string[];
  /** Pull secrets that it names; their credentials are tried besides those of plugins. */
  readonly pullSecrets: readonly string[];
  /** Why containers wait: a pull that failed, or a program that ends again and again. */
  readonly waiting: readonly string[];
  readonly said: readonly Said[];
}

/** States of containers whose image cannot be had, by the kubelet's own names. */
const FAILED_PULL: ReadonlySet<string> = new Set([
  "ErrImageNeverPull",
  "ErrImagePull",
  "ImageInspectError",
  "ImagePullBackOff",
  "InvalidImageName",
  "RegistryUnavailable",
]);
/** The state of a container whose program ends, perhaps since it cannot log in. */
const CRASHES = "CrashLoopBackOff";

export function isFailing({ waiting }: PodSeen): boolean {
  return waiting.some((reason) => FAILED_PULL.has(reason) || reason === CRASHES);
}

export function failsToPull({ waiting }: PodSeen): boolean {
  return waiting.some((reason) => FAILED_PULL.has(reason));
}

/** The pods in a bundle, with the events about each. */
export function podsIn(bundle: Bundle): readonly PodSeen[] {
  const events = eventsIn(bundle);
  return filesOf(bundle, "explain").flatMap((file) =>
    itemsOf(file).flatMap(([item, path]) => {
      if (at(item, "kind") !== "Pod") return [];
      const pod = podOf(item, path, file);
      return [{ ...pod, said: [...pod.said, ...(events.get(pod.key) ?? [])] }];
    }),
  );
}

/** The objects of a list, or the one object; of JSON alone, which is how kubectl is asked. */
function itemsOf(file: BundleFile): readonly (readonly [item: unknown, path: string])[] {
  if (!file.path.endsWith(".json")) return [];
  const value = jsonIn(file.text);
  const items = at(value, "items");
  return Array.isArray(items)
    ? items.map((item, place) => [item, `items[${place}]`] as const)
    : [[value, ""]];
}

function podOf(item: unknown, path: string, file: BundleFile): PodSeen {
  const spec = record(at(item, "spec"));
  const namespace = text(at(item, "metadata", "namespace")) || "default";
  const containers = [...list(spec["initContainers"]), ...list(spec["containers"])];
  const statuses = ["initContainerStatuses", "containerStatuses"].flatMap((name) =>
    list(at(item, "status", name)).map((status, place) => ({
      waiting: record(at(status, "state", "waiting")),
      path: `${path === "" ? "" : `${path}.`}status.${name}[${place}].state.waiting.message`,
    })),
  );
  return {
    key: `${namespace}/${text(at(item, "metadata", "name"))}`,
    account: `${namespace}/${text(spec["serviceAccountName"]) || "default"}`,
    images: [...new Set(containers.map((each) => text(at(each, "image"))))].filter((image) => image !== ""),
    pullSecrets: list(spec["imagePullSecrets"]).map((each) => text(at(each, "name"))),
    waiting: statuses.flatMap(({ waiting }) => text(waiting["reason"]) || []),
    said: statuses.flatMap(({ waiting, path: where }) => {
      const message = text(waiting["message"]);
      return message === "" ? [] : [{ text: message, file, path: where }];
    }),
  };
}

function eventsIn(bundle: Bundle): ReadonlyMap<string, readonly Said[]> {
  const byPod = new Map<string, readonly Said[]>();
  for (const file of filesOf(bundle, "events"))
    for (const [item, path] of itemsOf(file)) {
      const of = record(at(item, "involvedObject"));
      const message = text(at(item, "message"));
      if (of["kind"] !== "Pod" || message === "") continue;
      const key = `${text(of["namespace"])}/${text(of["name"])}`;
      const said = { text: message, file, path: `${path === "" ? "" : `${path}.`}message` };
      byPod.set(key, [...(byPod.get(key) ?? []), said]);
    }
  return byPod;
}
