/*
 * Whether a pool's kubelets accept their CredentialProviderConfig, and the plugin then uses a service account token.
 */

import { isKnown, match, orElse } from "../../model/known";
import { once } from "../../model/once";
import { knownJson } from "../../model/tree";
import { compareVersions } from "../../model/version";
import { featureGateOn, knownKubernetesMinors } from "../../rules/kubelet/feature-gates";
import { validateCredentialProviderConfig } from "../../rules/kubelet/validate-credential-provider-config";
import { isPluginExecutable, pluginCan } from "../../rules/plugins";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../answer";
import type { RegistryPlugin } from "../cloud";
import { obstacle } from "../obstacle";
import type { ClusterFacts, PluginRecord } from "../read/cluster-record";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import { type GateStatement, TOKEN_GATE, TOKEN_GATES } from "../read/node-gates";
import { kubeletGates, kubeletVersion } from "../read/read-record";
import { missing } from "./links";
import type { PullFacts } from "./pull-questions";

/** Older kubelets do not know tokenAttributes: 1.31 ignores them, 1.32 refuses the file. */
export const TOKENS_SINCE: string = "1.33";

type EntryFacts = Pick<PullFacts, "artefacts" | "node" | "entry" | "cloud" | "host">;

/** Does the kubelet accept the file, and does the plugin use service account tokens? */
export function pluginOnNode({ artefacts, node, entry, cloud, host }: EntryFacts): Answer {
  if (!node || !entry) return missing("the entry");
  const { cluster, nodes } = artefacts;
  const plugin = cloud
    ? [
        pluginAble(entry, cloud, cluster),
        pluginNamed(entry, cloud, cluster),
        cloud.arguments(entry, node, host, cluster),
      ]
    : [
        unknown(
          `nothing is known about the plugin ${entry.name}`,
          "see the plugin's own documentation",
          seen(entry.name, entry.source),
        ),
      ];
  const answers = [
    configurationRead(node),
    configurationValid(node, cluster),
    inTokenMode(entry, kubeletVersion(cluster)),
    ...plugin,
  ];
  const worst = obstacle(answers);
  if (worst === undefined)
    return pass(
      "the kubelet accepts the file and the plugin uses the token",
      answers.flatMap(({ evidence }) => evidence),
    );
  // Of several pools only the worst is shown, and its answer need not hold for the others.
  const isNamed = nodes.length < 2 || worst.reason.includes(node.name);
  return isNamed ? worst : { ...worst, reason: `on the nodes ${node.name}: ${worst.reason}` };
}

/** Evidence of files that several MachineConfigs write: the one that takes effect, and each that is overwritten. */
export function contestedFiles({ contested }: NodeConfiguration): readonly Evidence[] {
  return [...contested].flatMap(([path, { owner = "", source, overwrites }]) => [
    seen(`MachineConfig ${owner} writes ${path}; it sorts last, so it takes effect`, source),
    ...overwrites.map((lost) => seen(`MachineConfig ${lost.owner ?? ""} is overwritten there`, lost.source)),
  ]);
}

/** Words for a reason if a file of the pool is contested; empty otherwise. */
export function contestedHint({ contested }: NodeConfiguration): string {
  const [first] = contested;
  if (first === undefined) return "";
  const [path, { owner = "", overwrites }] = first;
  const lost = [...new Set(overwrites.map((each) => each.owner ?? ""))].join(" and ");
  return `; MachineConfig ${owner} overwrites ${path} of ${lost}; such files are not merged`;
}

export function configurationRead(node: NodeConfiguration): Answer {
  const where = [seen(`nodes ${node.name}`, node.source), ...contestedFiles(node)];
  return match(
    node.isRead,
    (read) =>
      read.reads
        ? pass("the kubelet reads the file", where)
        : broken(
            read.reason + contestedHint(node),
            "put the file where the kubelet's flags point, and set both flags",
            read.log === undefined ? SILENT : `"Failed to register CRI auth plugins" err="…${read.log}"`,
            where,
          ),
    (why) =>
      unknown(
        why.kind === "apply" ? "where the kubelet looks for the file is known only after apply" : why.what,
        "see what it does, and if it does not matter here, accept the finding (--baseline); if flags or a platform are missing, also give explain the files with the kubelet's flags, or state the OpenShift version and platform",
        where,
      ),
  );
}

/** Whether the kubelet certainly exits because of the file. */
export function kubeletExits(node: NodeConfiguration, cluster: ClusterFacts): boolean {
  const read = orElse(node.isRead, () => undefined);
  if (read?.reads === false) return read.log !== undefined;
  return configurationValid(node, cluster).status === "fail";
}

type Gates = Readonly<Record<string, boolean>>;

/** Whether the kubelet accepts the file. Remembered, since thousands of pulls ask about a handful of pools. */
export function configurationValid(node: NodeConfiguration, cluster: ClusterFacts): Answer {
  return validIn(cluster)(node);
}

const validIn = once((cluster: ClusterFacts) => once((node: NodeConfiguration) => validated(node, cluster)));

function validated(node: NodeConfiguration, cluster: ClusterFacts): Answer {
  const version = kubeletVersion(cluster);
  const minors = version === undefined ? knownKubernetesMinors : [version];
  const gates = certainGates(node, cluster);
  const refusals = minors.map((minor) => refusalsOf(node, minor, gates));
  const refused = refusals.filter((list) => list.length > 0);
  const [first] = refused;
  if (first !== undefined && refused.length === minors.length) return refuses(node, cluster, first);
  const again = repeated(node);
  if (again.length > 0) return refuses(node, cluster, again);
  if (first !== undefined)
    return unknown(
      `the kubelet's version is not known, and not every version accepts the file: ${first[0]?.text ?? ""}`,
      "state the kubelet's version, with --facts as cluster.kubelet",
      cluster.kubelet === undefined ? [] : [seen(`kubelet ${cluster.kubelet}`, undefined)],
    );
  // A file with a value known only after apply is validated when it is bound.
  const late = node.documents.find(({ value, error }) => error === undefined && !isKnown(knownJson(value)));
  if (late)
    return unknown(
      "the file holds a value that is known only after apply, so whether the kubelet accepts it is not known",
      "write the value into the file, or explain the files that bind wrote",
      seen("file", late.source),
    );
  const nameless = node.entries.find(({ name }) => name === "");
  if (nameless) return refuses(node, cluster, [seen(NAMELESS, nameless.source)]);
  return (
    unclearGates(node, cluster, minors, gates) ??
    pass(
      `kubelet ${minors.join(", ")} accepts the file`,
      node.documents.map(({ source }) => seen("file", source)),
    )
  );
}

/** Validation accepts an empty name; then the kubelet takes the plugins' folder for the executable. */
const NAMELESS = 'error inspecting binary executable : exec: "…": is a directory';

function refusalsOf(node: NodeConfiguration, kubelet: string, featureGates: Gates): readonly Evidence[] {
  return node.documents.flatMap(({ value, error, source }) => {
    if (error !== undefined) return [seen(`error decoding config: ${error}`, source)];
    return match(
      knownJson(value),
      (document) =>
        validateCredentialProviderConfig(document, { kubelet, featureGates }).map(({ message }) =>
          seen(message, source),
        ),
      () => [],
    );
  });
}

function refuses(node: NodeConfiguration, cluster: ClusterFacts, refusals: readonly Evidence[]): Answer {
  const text = refusals[0]?.text ?? "";
  const kubelet = cluster.kubelet ?? kubeletVersion(cluster) ?? "of any version";
  return broken(
    `kubelet ${kubelet} refuses the file and does not start: ${text}${contestedHint(node)}`,
    "correct the file; every pod of the node is affected",
    `"Failed to register CRI auth plugins" err="…${text}"`,
    refusals,
    contestedFiles(node),
  );
}

/** Gates that were read from the nodes' own files override those that were recorded for the cluster. */
function certainGates({ gates }: NodeConfiguration, cluster: ClusterFacts): Gates {
  const certain = gates.filter(({ isCertain }) => isCertain).flatMap((stated) => clearRows(stated.gates));
  return { ...kubeletGates(cluster), ...Object.fromEntries(certain) };
}

function clearRows(gates: GateStatement["gates"]): readonly (readonly [gate: string, on: boolean])[] {
  return [...gates].flatMap(([gate, on]) => {
    const value = orElse(on, () => undefined);
    return value === undefined ? [] : [[gate, value] as const];
  });
}

/** The answer if a gate that is not clear may switch tokens off. */
function unclearGates(
  node: NodeConfiguration,
  { unclearFeatureGates = [] }: ClusterFacts,
  minors: readonly string[],
  gates: Gates,
): Answer | undefined {
  if (!node.entries.some(({ tokenAttributes }) => tokenAttributes)) return undefined;
  const recorded = unclearFeatureGates.find((gate) => TOKEN_GATES.includes(gate));
  if (recorded !== undefined)
    return unknown(
      `the recorded value of the feature gate ${recorded} is neither true nor false`,
      "record it as true or false",
    );
  const other = node.gates.find((statement) => mayChange(statement, minors, gates));
  return (
    other &&
    unknown(
      `${other.title} sets feature gates with which kubelets may refuse the file, and whether these kubelets read it is not known`,
      `switch ${TOKEN_GATE} on there, or do not set it`,
      seen(other.title, other.source),
    )
  );
}

function mayChange(
  { gates: stated, isCertain }: GateStatement,
  minors: readonly string[],
  gates: Gates,
): boolean {
  const rows = [...stated].filter(([gate]) => TOKEN_GATES.includes(gate));
  if (rows.some(([, on]) => !isKnown(on))) return true;
  if (isCertain) return false;
  const changed = { ...gates, ...Object.fromEntries(clearRows(new Map(rows))) };
  return minors.some(
    (minor) => featureGateOn(TOKEN_GATE, minor, gates) && !featureGateOn(TOKEN_GATE, minor, changed),
  );
}

/** The entries that share a name; names must differ across all files of a directory. */
function repeated({ entries }: NodeConfiguration): readonly Evidence[] {
  const names = new Set<string>();
  const name = entries.map((entry) => entry.name).find((each) => names.has(each) || !names.add(each));
  return entries
    .filter((entry) => entry.name === name)
    .map(({ source }) => seen(`duplicate provider name "${name}" found in configuration file(s)`, source));
}

function inTokenMode({ tokenAttributes, name, source }: ProviderEntry, kubelet: string | undefined): Answer {
  const where = seen(name, source);
  if (kubelet !== undefined && compareVersions(kubelet, TOKENS_SINCE) < 0)
    return broken(
      `kubelet ${kubelet} does not know tokenAttributes and runs the plugin with the node's identity`,
      "use kubelet 1.34 or newer",
      SILENT,
      where,
    );
  if (!tokenAttributes)
    return broken(
      `the entry ${name} has no tokenAttributes with an audience, so the plugin runs with the node's identity`,
      `add tokenAttributes with serviceAccountTokenAudience, requireServiceAccount and cacheType to the entry ${name}`,
      SILENT,
      where,
    );
  return isKnown(tokenAttributes.audience)
    ? pass(`${name} is in token mode`, where)
    : unknown(`the audience of the entry ${name} is not known`, "write it into the file", where);
}

function pluginAble(entry: ProviderEntry, cloud: RegistryPlugin, cluster: ClusterFacts): Answer {
  const { plugin } = cloud;
  const facts = pluginRecord(cluster, plugin);
  const where = seen(`${plugin} plugin ${facts.version ?? "of unknown version"}`, undefined);
  if (facts.unusable !== undefined)
    return broken(facts.unusable, "pull by other means on these nodes", SILENT, where);
  for (const ability of cloud.needs(entry)) {
    const { outcome, reason } = pluginCan(plugin, facts, ability);
    if (outcome === "no")
      return broken(
        `the ${plugin} plugin cannot: ${reason}`,
        `put a release or build of the ${plugin} plugin that can on the nodes, or state its version if a wrong one is recorded`,
        SILENT,
        where,
      );
    if (outcome === "unknown")
      return unknown(
        `whether the ${plugin} plugin uses the token is not known: ${reason}`,
        `state the version of the ${plugin} plugin on the nodes, with --facts as cluster.plugins.${plugin}.version`,
        where,
      );
  }
  return pass(`the ${plugin} plugin uses the token`, where);
}

/** What is recorded about a plugin; empty if nothing is. */
export function pluginRecord({ plugins = {} }: ClusterFacts, plugin: string): PluginRecord {
  return (Object.hasOwn(plugins, plugin) ? plugins[plugin] : undefined) ?? {};
}

/** Annotation keys and registries show which cloud an entry is for, not what its executable does. */
function pluginNamed(entry: ProviderEntry, { plugin }: RegistryPlugin, cluster: ClusterFacts): Answer {
  const where = seen(entry.name, entry.source);
  const { names = [] } = pluginRecord(cluster, plugin);
  if (isPluginExecutable(plugin, entry.name) || names.includes(entry.name))
    return pass(`${entry.name} is the ${plugin} plugin`, where);
  return unknown(
    `nothing says that the plugin ${entry.name} does what the ${plugin} plugin does`,
    `state ${entry.name} among the names of the ${plugin} plugin if it is a copy of that`,
    where,
  );
}
