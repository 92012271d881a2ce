/*
 * Whether the kubelet takes the file, and the plugin a service account token.
 */

import { isKnown } from "../../model/known";
import { compareVersions } from "../../model/version";
import { isPluginExecutable, pluginCan } from "../../rules/plugins";
import { type Answer, SILENT, badness, broken, pass, seen, unknown } from "../answer";
import type { PluginCloud } from "../cloud";
import type { ClusterFacts, PluginRecord } from "../read/cluster-record";
import { kubeletVersion } from "../read/read-record";
import type { ClusterArtefacts } from "../read/facts";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import { TOKENS_SINCE, configurationRead, configurationValid } from "./kubelet-configuration";

/** An entry of the nodes of a pool, and what its plugin is. */
export interface EntryQuestion {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** The nodes. */
  readonly node: NodeConfiguration;
  /** The entry. */
  readonly entry: ProviderEntry;
  /** The plugin; `undefined` for one that is not known. */
  readonly cloud: PluginCloud | undefined;
  /** The registry's host. */
  readonly host: string;
}

/** Does the kubelet take the file, and does the plugin use service account tokens? */
export function pluginOnNode({ artefacts, node, entry, cloud, host }: EntryQuestion): Answer {
  const { cluster, nodes } = artefacts;
  const steps = [
    () => configurationRead(node),
    () => configurationValid(node, cluster),
    () => inTokenMode(entry, kubeletVersion(cluster)),
    () => (cloud ? pluginAble(entry, cloud, cluster) : pluginNotKnown(entry)),
    () => (cloud ? pluginNamed(entry, cloud, cluster) : pluginNotKnown(entry)),
    () => cloud?.arguments(entry, node, host, cluster) ?? pluginNotKnown(entry),
  ];
  return inPool(worst(steps), node, nodes);
}

/** The first that fails; else the first that cannot be told; else a pass with all evidence. */
function worst(steps: readonly (() => Answer)[]): Answer {
  const answers: Answer[] = [];
  for (const step of steps) {
    const answer = step();
    if (answer.status === "fail") return answer;
    answers.push(answer);
  }
  return (
    answers.find((answer) => badness(answer) > 0) ??
    pass(
      "the kubelet takes the file and the plugin uses the token",
      ...answers.flatMap(({ evidence }) => evidence),
    )
  );
}

/** Of several pools the worst is shown, and what is said of it need not hold for the others. */
function inPool(answer: Answer, { name }: NodeConfiguration, all: readonly NodeConfiguration[]): Answer {
  const isNamed = answer.status === "pass" || all.length < 2 || answer.reason.includes(name);
  return isNamed ? answer : { ...answer, reason: `on the nodes ${name}: ${answer.reason}` };
}

function inTokenMode({ tokenAttributes, name, source }: ProviderEntry, kubelet: string | undefined): Answer {
  const where = seen(name, source);
  if (kubelet !== undefined && compareVersions(kubelet, TOKENS_SINCE) < 0)
    return broken(
      `kubelet ${kubelet} knows no tokenAttributes and runs the plugin with the node's identity`,
      "use kubelet 1.34 or newer",
      SILENT,
      where,
    );
  if (tokenAttributes)
    return isKnown(tokenAttributes.audience)
      ? pass(`${name} is in token mode`, where)
      : unknown(`the audience of the entry ${name} is not known`, "write it into the file", where);
  return broken(
    `the entry ${name} has no tokenAttributes with an audience, so the plugin runs with the node's identity`,
    `add tokenAttributes with serviceAccountTokenAudience, requireServiceAccount and cacheType to the entry ${name}`,
    SILENT,
    where,
  );
}

function pluginAble(entry: ProviderEntry, cloud: PluginCloud, cluster: ClusterFacts): Answer {
  const facts = pluginRecord(cluster, cloud.plugin);
  const where = seen(`${cloud.plugin} plugin ${facts.version ?? "of unknown version"}`, undefined);
  if (facts.unusable !== undefined)
    return broken(facts.unusable, "pull by other means on these nodes", SILENT, where);
  for (const ability of cloud.needs(entry)) {
    const { outcome, reason } = pluginCan(cloud.plugin, facts, ability);
    if (outcome === "no")
      return broken(
        `the ${cloud.plugin} plugin cannot: ${reason}`,
        `put a release or build of the ${cloud.plugin} plugin on the nodes that can, or state its version where a wrong one is recorded`,
        SILENT,
        where,
      );
    if (outcome === "unknown")
      return unknown(
        `whether the ${cloud.plugin} plugin uses the token is not known: ${reason}`,
        `state the version of the ${cloud.plugin} plugin on the nodes`,
        where,
      );
  }
  return pass(`the ${cloud.plugin} plugin uses the token`, where);
}

/** What is recorded of a plugin; nothing where it is not. */
export function pluginRecord({ plugins = {} }: ClusterFacts, plugin: string): PluginRecord {
  return (Object.hasOwn(plugins, plugin) ? plugins[plugin] : undefined) ?? {};
}

/** Annotation keys and registries tell for which cloud an entry was meant, not what its executable does. */
function pluginNamed(entry: ProviderEntry, { plugin }: PluginCloud, cluster: ClusterFacts): Answer {
  const where = seen(entry.name, entry.source);
  const { names = [] } = pluginRecord(cluster, plugin);
  if (isPluginExecutable(plugin, entry.name) || names.includes(entry.name))
    return pass(`${entry.name} is the ${plugin} plugin`, where);
  return unknown(
    `nothing says that the plugin ${entry.name} does what the ${plugin} plugin does`,
    `state ${entry.name} among the names of the ${plugin} plugin where it is a copy of it`,
    where,
  );
}

function pluginNotKnown({ name, source }: ProviderEntry): Answer {
  return unknown(
    `nothing is known of the plugin ${name}`,
    "see the plugin's own documentation",
    seen(name, source),
  );
}
