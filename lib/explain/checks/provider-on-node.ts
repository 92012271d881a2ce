import { featureGateDefault, knownKubernetesMinors } from "../../rules/kubelet/feature-gates";
import { validateCredentialProviderConfig } from "../../rules/kubelet/validate-credential-provider-config";
import { pluginCan } from "../../rules/plugins";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { Cloud } from "../clouds/cloud";
import { type ClusterRecord, kubeletGates } from "../facts/cluster-record";
import type { NodeConfiguration, ProviderEntry } from "../facts/node-configuration";
import type { PullCheck } from "./check";
import { contestedFiles, contestedHint } from "./contested-files";

/** Does the kubelet take the file, and the plugin a service account token? */
export const providerOnNode: PullCheck = {
  id: "provider-on-node",
  asks: "Does the kubelet take the file, and does the plugin use service account tokens?",
  why: "A refused file stops the kubelet; a plugin that is too old silently uses the node's identity.",
  run: ({ artefacts: { cluster }, node, entry, cloud, repository }) => {
    if (!node || !entry || !repository) return unknown("no entry is known", "see the checks before");
    const steps = [
      () => configurationRead(node),
      () => configurationValid(node, cluster),
      () => inTokenMode(entry),
      () => (cloud ? pluginAble(entry, cloud, cluster) : pluginNotKnown(entry)),
      () => cloud?.arguments(entry, node, repository) ?? pluginNotKnown(entry),
    ];
    return worst(steps);
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

function configurationRead(node: NodeConfiguration): Answer {
  const { name, problem, problemLog, source } = node;
  const where = [seen(`nodes ${name}`, source), ...contestedFiles(node)];
  if (problem === undefined) return pass("the kubelet reads the file", ...where);
  const log =
    problemLog === undefined ? SILENT : `"Failed to register CRI auth plugins" err="…${problemLog}"`;
  return broken(
    problem + contestedHint(node),
    "put the file where the kubelet's flags point, and set both flags",
    log,
    ...where,
  );
}

/** A cluster has many service accounts and few files. */
const judged = new WeakMap<NodeConfiguration, Answer>();

function configurationValid(node: NodeConfiguration, cluster: ClusterRecord): Answer {
  const known = judged.get(node) ?? validated(node, cluster);
  judged.set(node, known);
  return known;
}

function validated(node: NodeConfiguration, cluster: ClusterRecord): Answer {
  const { kubelet } = cluster;
  const featureGates = kubeletGates(cluster);
  const minors =
    kubelet === undefined
      ? knownKubernetesMinors.filter((minor) => tokensOn(minor, featureGates))
      : [kubelet];
  const refusals = minors.map((minor) =>
    node.documents.flatMap(({ value, source }) =>
      validateCredentialProviderConfig(value, { kubelet: minor, featureGates }).map(({ message }) =>
        seen(message, source),
      ),
    ),
  );
  const refused = refusals.filter((list) => list.length > 0);
  const [first] = refused;
  const twice = repeated(node);
  if (first === undefined && twice.length === 0)
    return pass(
      `kubelet ${minors.join(", ")} takes the file`,
      ...node.documents.map(({ source }) => seen("file", source)),
    );
  if (refused.length < minors.length && twice.length === 0)
    return unknown(
      `the kubelet's version is not known, and not every version takes the file: ${first?.[0]?.text ?? ""}`,
      "state the kubelet's version",
    );
  const text =
    first?.[0]?.text ?? `duplicate provider name "${twice[0]?.name}" found in configuration file(s)`;
  return broken(
    `kubelet ${kubelet ?? "of any version"} refuses the file and does not start: ${text}${contestedHint(node)}`,
    "mend the file; every pod of the node is affected",
    `"Failed to register CRI auth plugins" err="…${text}"`,
    ...(first ?? []),
    ...twice.map(({ name, source }) => seen(name, source)),
    ...contestedFiles(node),
  );
}

function tokensOn(minor: string, gates: Readonly<Record<string, boolean>>): boolean {
  const gate = "KubeletServiceAccountTokenForCredentialProviders";
  return gates[gate] ?? featureGateDefault(gate, minor) ?? false;
}

/** The entries whose name another one has; names must differ over all files of a directory. */
function repeated({ entries }: NodeConfiguration): readonly ProviderEntry[] {
  const first = entries.find(({ name }, index) =>
    entries.some((each, at) => at > index && each.name === name),
  );
  return first === undefined ? [] : entries.filter(({ name }) => name === first.name);
}

function inTokenMode({ tokenAttributes, name, source }: ProviderEntry): Answer {
  const where = seen(name, source);
  if (tokenAttributes) return pass(`${name} is in token mode`, where);
  return broken(
    `the entry ${name} has no tokenAttributes with an audience, so the plugin runs with the node's identity`,
    `add tokenAttributes with serviceAccountTokenAudience, requireServiceAccount and cacheType to the entry ${name}`,
    SILENT,
    where,
  );
}

function pluginAble(entry: ProviderEntry, cloud: Cloud, { plugins = {} }: ClusterRecord): Answer {
  const facts = (Object.hasOwn(plugins, cloud.plugin) ? plugins[cloud.plugin] : undefined) ?? {};
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

function pluginNotKnown({ name, source }: ProviderEntry): Answer {
  return unknown(
    `nothing is known of the plugin ${name}`,
    "see the plugin's own documentation",
    seen(name, source),
  );
}
