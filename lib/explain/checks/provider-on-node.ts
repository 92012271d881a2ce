import { compareVersions } from "../../model/version";
import { isPluginExecutable, pluginCan } from "../../rules/plugins";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { Cloud } from "../clouds/cloud";
import { type ClusterRecord, type PluginRecord, kubeletVersion } from "../facts/cluster-record";
import type { NodeConfiguration, ProviderEntry } from "../facts/node-configuration";
import type { PullCheck } from "./check";
import { TOKENS_SINCE, configurationRead, configurationValid } from "./provider-configuration";

/** Does the kubelet take the file, and the plugin a service account token? */
export const providerOnNode: PullCheck = {
  id: "provider-on-node",
  asks: "Does the kubelet take the file, and does the plugin use service account tokens?",
  why: "A refused file stops the kubelet; a plugin that is too old silently uses the node's identity.",
  run: ({ artefacts: { cluster, nodes }, node, entry, cloud, repository }) => {
    if (!node || !entry || !repository) return unknown("no entry is known", "see the checks before");
    const steps = [
      () => configurationRead(node),
      () => configurationValid(node, cluster),
      () => inTokenMode(entry, kubeletVersion(cluster)),
      () => (cloud ? pluginAble(entry, cloud, cluster) : pluginNotKnown(entry)),
      () => (cloud ? pluginNamed(entry, cloud, cluster) : pluginNotKnown(entry)),
      () => cloud?.arguments(entry, node, repository, cluster) ?? pluginNotKnown(entry),
    ];
    return inPool(worst(steps), node, nodes);
  },
};

/** The first that fails; else the first that cannot be told; else a pass with all evidence. */
function worst(steps: readonly (() => Answer)[]): Answer {
  const answers: Answer[] = [];
  for (const step of steps) {
    const answer = step();
    if (answer.status === "fail") return answer;
    answers.push(answer);
  }
  const open = answers.find(({ status }) => status === "unknown");
  return (
    open ??
    pass(
      "the kubelet takes the file and the plugin uses the token",
      ...answers.flatMap(({ evidence }) => evidence),
    )
  );
}

/** Of several pools the worst is shown, and what is said of it need not hold for the others. */
function inPool(answer: Answer, { name }: NodeConfiguration, all: readonly NodeConfiguration[]): Answer {
  const isTold = answer.status === "pass" || all.length < 2 || answer.reason.includes(name);
  return isTold ? answer : { ...answer, reason: `on the nodes ${name}: ${answer.reason}` };
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
  if (tokenAttributes) return pass(`${name} is in token mode`, where);
  return broken(
    `the entry ${name} has no tokenAttributes with an audience, so the plugin runs with the node's identity`,
    `add tokenAttributes with serviceAccountTokenAudience, requireServiceAccount and cacheType to the entry ${name}`,
    SILENT,
    where,
  );
}

function pluginAble(entry: ProviderEntry, cloud: Cloud, { plugins = {} }: ClusterRecord): Answer {
  const facts = recordOf(plugins, cloud);
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

function recordOf(plugins: Readonly<Record<string, PluginRecord>>, { plugin }: Cloud): PluginRecord {
  return (Object.hasOwn(plugins, plugin) ? plugins[plugin] : undefined) ?? {};
}

/** Annotation keys and registries tell for which cloud an entry was meant, not what its executable does. */
function pluginNamed(entry: ProviderEntry, cloud: Cloud, { plugins = {} }: ClusterRecord): Answer {
  const where = seen(entry.name, entry.source);
  const { names = [] } = recordOf(plugins, cloud);
  if (isPluginExecutable(cloud.plugin, entry.name) || names.includes(entry.name))
    return pass(`${entry.name} is the ${cloud.plugin} plugin`, where);
  return unknown(
    `nothing says that the plugin ${entry.name} does what the ${cloud.plugin} plugin does`,
    `state ${entry.name} among the names of the ${cloud.plugin} plugin where it is a copy of it`,
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
