/*
 * Whether the kubelets of a pool take their CredentialProviderConfig, and hand tokens to plugins by it; judged once per
 * pool.
 */

import { featureGateOn, knownKubernetesMinors } from "../../rules/kubelet/feature-gates";
import { validateCredentialProviderConfig } from "../../rules/kubelet/validate-credential-provider-config";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../answer";
import { type ClusterRecord, kubeletVersion } from "../facts/cluster-record";
import { kubeletGates } from "../facts/recorded-gates";
import type { NodeConfiguration, ProviderEntry } from "../facts/node-configuration";
import type { GateStatement } from "../facts/node-gates";
import { contestedFiles, contestedHint } from "./contested-files";

/** Whether the kubelet reads the file. */
export function configurationRead(node: NodeConfiguration): Answer {
  const { name, problem, problemLog, doubt, source } = node;
  const where = [seen(`nodes ${name}`, source), ...contestedFiles(node)];
  if (problem !== undefined)
    return broken(
      problem + contestedHint(node),
      "put the file where the kubelet's flags point, and set both flags",
      problemLog === undefined ? SILENT : `"Failed to register CRI auth plugins" err="…${problemLog}"`,
      ...where,
    );
  if (doubt === undefined) return pass("the kubelet reads the file", ...where);
  return unknown(
    doubt,
    "state OpenShift version and platform, or name the files with the kubelet's flags as well",
    ...where,
  );
}

/** A cluster has many service accounts and few files. */
const judged = new WeakMap<NodeConfiguration, Answer>();

/** Whether the kubelet takes the file. */
export function configurationValid(node: NodeConfiguration, cluster: ClusterRecord): Answer {
  const known = judged.get(node) ?? validated(node, cluster);
  judged.set(node, known);
  return known;
}

/** Whether the kubelet certainly exits because of the file. */
export function kubeletExits(node: NodeConfiguration, cluster: ClusterRecord): boolean {
  if (node.problem !== undefined) return node.problemLog !== undefined;
  return configurationValid(node, cluster).status === "fail";
}

/** Before, tokenAttributes are not known: 1.31 passes over them, 1.32 refuses the file. */
export const TOKENS_SINCE: string = "1.33";

type Gates = Readonly<Record<string, boolean>>;

function validated(node: NodeConfiguration, cluster: ClusterRecord): Answer {
  const version = kubeletVersion(cluster);
  const minors = version === undefined ? knownKubernetesMinors : [version];
  const gates = certainGates(node, cluster);
  const refusals = minors.map((minor) => refusalsOf(node, minor, gates));
  const refused = refusals.filter((list) => list.length > 0);
  const [first] = refused;
  const twice = repeated(node);
  if (first !== undefined && refused.length === minors.length) return refuses(node, cluster, first);
  const [again] = twice;
  if (again !== undefined)
    return refuses(
      node,
      cluster,
      twice.map(({ source }) =>
        seen(`duplicate provider name "${again.name}" found in configuration file(s)`, source),
      ),
    );
  if (first !== undefined)
    return unknown(
      `the kubelet's version is not known, and not every version takes the file: ${first[0]?.text ?? ""}`,
      "state the kubelet's version",
      ...(cluster.kubelet === undefined ? [] : [seen(`kubelet ${cluster.kubelet}`, undefined)]),
    );
  return (
    unclearGates(node, cluster, minors, gates) ??
    pass(
      `kubelet ${minors.join(", ")} takes the file`,
      ...node.documents.map(({ source }) => seen("file", source)),
    )
  );
}

function refusalsOf(node: NodeConfiguration, kubelet: string, featureGates: Gates): readonly Evidence[] {
  return node.documents.flatMap(({ value, error, source }) =>
    error === undefined
      ? validateCredentialProviderConfig(value, { kubelet, featureGates }).map(({ message }) =>
          seen(message, source),
        )
      : [seen(`error decoding config: ${error}`, source)],
  );
}

function refuses(node: NodeConfiguration, cluster: ClusterRecord, refusals: readonly Evidence[]): Answer {
  const text = refusals[0]?.text ?? "";
  const off = node.gates.find(
    ({ gates, isCertain }) => isCertain && GATES.some((gate) => gates[gate] === false),
  );
  const kubelet = cluster.kubelet ?? kubeletVersion(cluster) ?? "of any version";
  return broken(
    `kubelet ${kubelet} refuses the file and does not start: ${text}${contestedHint(node)}`,
    "mend the file; every pod of the node is affected",
    `"Failed to register CRI auth plugins" err="…${text}"`,
    ...refusals,
    ...(off ? [seen(off.title, off.source)] : []),
    ...contestedFiles(node),
  );
}

const GATE = "KubeletServiceAccountTokenForCredentialProviders";
const GATES: readonly string[] = [GATE, "AllAlpha", "AllBeta"];

/** What was read of the nodes themselves wins over what was recorded of the cluster. */
function certainGates({ gates }: NodeConfiguration, cluster: ClusterRecord): Gates {
  const certain = gates
    .filter(({ isCertain }) => isCertain)
    .flatMap((statement) => Object.entries(statement.gates));
  const clear = certain.filter((gate): gate is [string, boolean] => gate[1] !== undefined);
  return { ...kubeletGates(cluster), ...Object.fromEntries(clear) };
}

/** Somebody may switch tokens off. */
function unclearGates(
  node: NodeConfiguration,
  { unclearFeatureGates = [] }: ClusterRecord,
  minors: readonly string[],
  gates: Gates,
): Answer | undefined {
  if (!node.entries.some(({ tokenAttributes }) => tokenAttributes)) return undefined;
  const recorded = unclearFeatureGates.find((gate) => GATES.includes(gate));
  if (recorded !== undefined)
    return unknown(
      `the recorded value of the feature gate ${recorded} is neither true nor false`,
      "record it as true or false",
    );
  const other = node.gates.find((statement) => mayChange(statement, minors, gates));
  return (
    other &&
    unknown(
      `${other.title} sets feature gates by which kubelets may refuse the file, and it is not known that these do not read it`,
      `switch ${GATE} on there, or leave it alone`,
      seen(other.title, other.source),
    )
  );
}

function mayChange(
  { gates: stated, isCertain }: GateStatement,
  minors: readonly string[],
  gates: Gates,
): boolean {
  const rows = Object.entries(stated).filter(([gate]) => GATES.includes(gate));
  if (rows.some(([, on]) => on === undefined)) return true;
  if (isCertain) return false;
  const changed = { ...gates, ...(Object.fromEntries(rows) as Gates) };
  return minors.some((minor) => featureGateOn(GATE, minor, gates) && !featureGateOn(GATE, minor, changed));
}

/** The entries whose name another one has; names must differ over all files of a directory. */
function repeated({ entries }: NodeConfiguration): readonly ProviderEntry[] {
  const first = entries.find(({ name }, index) =>
    entries.some((each, at) => at > index && each.name === name),
  );
  return first === undefined ? [] : entries.filter(({ name }) => name === first.name);
}
