/*
 * Pods of a bundle: which of them fail, and what was said about them.
 *
 * Source: Kubernetes API reference, Pod (`status.containerStatuses[].state.waiting`) and Event (`involvedObject`).
 */

import { push } from "../../model/grouped";
import { at, list, record, text } from "../../model/parsed";
import { type Bundle, type BundleFile, filesOf, jsonIn } from "../bundle";

/** What one source said about a pod. */
export interface Said {
  readonly text: string;
  readonly file: BundleFile;
  /** Property path of the text in the file. */
  readonly path: string;
  /** Name of the container that it is about; empty if it does not say. */
  readonly container: string;
}

export interface PodSeen {
  /** `namespace/name`. */
  readonly key: string;
  /** `namespace/name` of its service account. */
  readonly account: string;
  readonly images: readonly string[];
  /** Images by the name of their container. */
  readonly containers: ReadonlyMap<string, string>;
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

export function isFailing(pod: PodSeen): boolean {
  return failsToPull(pod) || pod.waiting.includes(CRASHES);
}

export function failsToPull({ waiting }: PodSeen): boolean {
  return waiting.some((reason) => FAILED_PULL.has(reason));
}

/** Only static pods have it, which have no service account. */
const MIRROR = "kubernetes.io/config.mirror";

/** The pods in a bundle that have a service account, with the events about each. */
export function podsIn(bundle: Bundle): readonly PodSeen[] {
  const events = eventsIn(bundle);
  return filesOf(bundle, "explain").flatMap((file) =>
    itemsOf(file).flatMap(([item, path]) => {
      if (at(item, "kind") !== "Pod" || at(item, "metadata", "annotations", MIRROR) !== undefined) return [];
      const pod = podOf(item, path, file);
      return [{ ...pod, said: [...pod.said, ...(events.get(pod.key) ?? [])] }];
    }),
  );
}

/** The objects of a list, or the one object; of JSON alone, which is how kubectl is asked. */
function itemsOf(file: BundleFile): readonly (readonly [item: unknown, path: string])[] {
  if (!file.path.endsWith(".json")) return [];
  const value = jsonIn(file);
  const items = at(value, "items");
  return Array.isArray(items)
    ? items.map((item, place) => [item, `items[${place}]`] as const)
    : [[value, ""]];
}

const KINDS = ["initContainer", "container", "ephemeralContainer"] as const;

function podOf(item: unknown, path: string, file: BundleFile): PodSeen {
  const spec = record(at(item, "spec"));
  const namespace = text(at(item, "metadata", "namespace")) || "default";
  const all = KINDS.flatMap((kind) => list(spec[`${kind}s`]));
  const containers = new Map(all.map((each) => [text(at(each, "name")), text(at(each, "image"))] as const));
  const volumes = list(spec["volumes"]).map((each) => text(at(each, "image", "reference")));
  const statuses = KINDS.map((kind) => `${kind}Statuses`).flatMap((name) =>
    list(at(item, "status", name)).map((status, place) => ({
      waiting: record(at(status, "state", "waiting")),
      path: `${path === "" ? "" : `${path}.`}status.${name}[${place}].state.waiting.message`,
      container: text(at(status, "name")),
    })),
  );
  return {
    key: `${namespace}/${text(at(item, "metadata", "name"))}`,
    account: `${namespace}/${text(spec["serviceAccountName"]) || "default"}`,
    images: [...new Set([...containers.values(), ...volumes])].filter((image) => image !== ""),
    containers,
    pullSecrets: list(spec["imagePullSecrets"]).map((each) => text(at(each, "name"))),
    waiting: statuses.flatMap(({ waiting }) => text(waiting["reason"]) || []),
    said: statuses.flatMap(({ waiting, path: where, container }) => {
      const message = text(waiting["message"]);
      return message === "" ? [] : [{ text: message, file, path: where, container }];
    }),
  };
}

function eventsIn(bundle: Bundle): ReadonlyMap<string, readonly Said[]> {
  const byPod = new Map<string, Said[]>();
  for (const file of filesOf(bundle, "events"))
    for (const [item, path] of itemsOf(file)) {
      const of = record(at(item, "involvedObject"));
      const message = text(at(item, "message"));
      if (of["kind"] !== "Pod" || message === "") continue;
      const key = `${text(of["namespace"])}/${text(of["name"])}`;
      const [, container = ""] = /\{(.+)\}$/.exec(text(of["fieldPath"])) ?? [];
      const said = { text: message, file, path: `${path === "" ? "" : `${path}.`}message`, container };
      push(byPod, key, said);
    }
  return byPod;
}
