/*
 * What is added to a workload that has another owner: a partial object for server-side apply. Lists that are keyed by
 * name (containers, volumes, variables, init containers) are merged with the owner's by the API server.
 */

import { fail } from "../../errors";
import type { ControllerWorkload } from "../../model/fleet";
import { mergedEntries, mergedMaps } from "../../model/merged-fields";
import type { PodFragment } from "../../model/workloads";
import type { MountedPlugin } from "./plugin-mount";

type Json = Readonly<Record<string, unknown>>;

/** Everything that one workload needs. */
export interface ControllerNeeds {
  /** What the identities of its service account require, one per cloud. */
  readonly identities: readonly PodFragment[];
  /** Mounted plugins. */
  readonly plugins: readonly MountedPlugin[];
  /** Annotations of the pod template; a hash of the files that are read only at start rolls the pods. */
  readonly annotations: Readonly<Record<string, string>>;
  /** A further volume with its mount, for example of the provider file. */
  readonly files: readonly { readonly volume: Json; readonly volumeMount: Json }[];
}

/** `metadata` and `spec` of the pod template, each only if something is added to it. */
export function controllerPatch(workload: ControllerWorkload, needs: ControllerNeeds): Json {
  const { identities, plugins, files, annotations } = needs;
  const who = `${workload.namespace}/${workload.serviceAccount}`;
  const merge = (what: string, key: string, lists: readonly (readonly Json[])[]): Json => {
    const list = mergedEntries(lists.flat(), key, (name) => conflict(who, `${what} ${name}`));
    return list.length > 0 ? { [what]: list } : {};
  };
  const env = identities.map((each) => each.env);
  const mounts = [...identities, ...plugins].map(({ volumeMounts }) => volumeMounts);
  const volumes = [...identities, ...plugins].map((each) => each.volumes);
  const copies = plugins.map(({ initContainers }) => initContainers);
  const container = {
    ...merge("env", "name", env),
    ...merge("volumeMounts", "mountPath", [...mounts, files.map(({ volumeMount }) => volumeMount)]),
  };
  const labelled = identities.map(({ labels }) => labels);
  const labels = mergedTexts(who, "label", labelled);
  const metadata = { ...nonEmpty("labels", labels), ...nonEmpty("annotations", annotations) };
  const spec = {
    ...merge("initContainers", "name", copies),
    ...(Object.keys(container).length > 0 && { containers: [{ name: workload.container, ...container }] }),
    ...merge("volumes", "name", [...volumes, files.map(({ volume }) => volume)]),
  };
  return { ...nonEmpty("metadata", metadata), ...nonEmpty("spec", spec) };
}

function nonEmpty(key: string, value: object): Json {
  return Object.keys(value).length > 0 ? { [key]: value } : {};
}

/** Merges maps whose values must agree; late values are compared as they are. */
export function mergedTexts(
  who: string,
  what: string,
  maps: readonly Readonly<Record<string, string>>[],
): Readonly<Record<string, string>> {
  return mergedMaps(maps, (key) => conflict(who, `${what} ${key}`));
}

/** Throws because two parts require different things under one name. */
export function conflict(subject: string, what: string): never {
  return fail("fleet-conflict", {
    problem: `two identities of one service account disagree about ${what}`,
    value: subject,
    remedy: "use one identity per cloud and service account",
  });
}
