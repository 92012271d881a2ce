/*
 * Whether the kubelets of a pool take their CredentialProviderConfig, and hand tokens to plugins by it.
 */

import { type Known, isKnown, match, orElse } from "../../model/known";
import { knownJson } from "../../model/tree";
import { featureGateOn, knownKubernetesMinors } from "../../rules/kubelet/feature-gates";
import { validateCredentialProviderConfig } from "../../rules/kubelet/validate-credential-provider-config";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../answer";
import type { ClusterFacts } from "../read/cluster-record";
import { kubeletGates, kubeletVersion } from "../read/read-record";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import type { GateStatement } from "../read/node-gates";

/** Evidence of files that several MachineConfigs write: the one that counts, and each that is overwritten. */
export function contestedFiles({ contested }: NodeConfiguration): readonly Evidence[] {
  return [...contested].flatMap(([path, { owner = "", source, overwrites }]) => [
    seen(`MachineConfig ${owner} writes ${path}; it sorts last, so this one counts`, source),
    ...overwrites.map((lost) => seen(`MachineConfig ${lost.owner ?? ""} is overwritten there`, lost.source)),
  ]);
}

/** Words for a reason where a file of the pool is contested; empty otherwise. */
export function contestedHint({ contested }: NodeConfiguration): string {
  const [first] = contested;
  if (first === undefined) return "";
  const [path, { owner = "", overwrites }] = first;
  const lost = [...new Set(overwrites.map((each) => each.owner ?? ""))].join(" and ");
  return `; MachineConfig ${owner} writes ${path} over that of ${lost}, and files are not merged`;
}

/** Whether the kubelet reads the file. */
export function configurationRead(node: NodeConfiguration): Answer {
  const where = [seen(`nodes ${node.name}`, node.source), ...contestedFiles(node)];
  return match(
    node.isRead,
    (read) =>
      read.reads
        ? pass("the kubelet reads the file", ...where)
        : broken(
            read.reason + contestedHint(node),
            "put the file where the kubelet's flags point, and set both flags",
            read.log === undefined ? SILENT : `"Failed to register CRI auth plugins" err="…${read.log}"`,
            ...where,
          ),
    (why) =>
      unknown(
        why.kind === "apply" ? "where the kubelet looks for the file is known only after apply" : why.what,
        "state OpenShift version and platform, or name the files with the kubelet's flags as well",
        ...where,
      ),
  );
}

/** Whether the kubelet certainly exits because of the file. */
export function kubeletExits(node: NodeConfiguration, cluster: ClusterFacts): boolean {
  const read = orElse(node.isRead, () => undefined);
  if (read?.reads === false) return read.log !== undefined;
  return configurationValid(node, cluster).status === "fail";
}

/** Before, tokenAttributes are not known: 1.31 passes over them, 1.32 refuses the file. */
export const TOKENS_SINCE: string = "1.33";

type Gates = Readonly<Record<string, boolean>>;

const GATE = "KubeletServiceAccountTokenForCredentialProviders";
const GATES: readonly string[] = [GATE, "AllAlpha", "AllBeta"];

/** Whether the kubelet takes the file. */
export function configurationValid(node: NodeConfiguration, cluster: ClusterFacts): Answer {
  const version = kubeletVersion(cluster);
  const minors = version === undefined ? knownKubernetesMinors : [version];
  const gates = certainGates(node, cluster);
  const refusals = minors.map((minor) => refusalsOf(node, minor, gates));
  const refused = refusals.filter((list) => list.length > 0);
  const [first] = refused;
  if (first !== undefined && refused.length === minors.length) return refuses(node, cluster, first);
  const [again, ...others] = repeated(node);
  if (again !== undefined)
    return refuses(
      node,
      cluster,
      [again, ...others].map(({ name, source }) =>
        seen(`duplicate provider name "${name}" found in configuration file(s)`, source),
      ),
    );
  if (first !== undefined)
    return unknown(
      `the kubelet's version is not known, and not every version takes the file: ${first[0]?.text ?? ""}`,
      "state the kubelet's version",
      ...(cluster.kubelet === undefined ? [] : [seen(`kubelet ${cluster.kubelet}`, undefined)]),
    );
  return (
    lateDocument(node) ??
    unclearGates(node, cluster, minors, gates) ??
    pass(
      `kubelet ${minors.join(", ")} takes the file`,
      ...node.documents.map(({ source }) => seen("file", source)),
    )
  );
}

/** A file with a value that only apply tells is validated when it is bound. */
function lateDocument({ documents }: NodeConfiguration): Answer | undefined {
  const late = documents.find(({ value, error }) => error === undefined && !isKnown(knownJson(value)));
  return (
    late &&
    unknown(
      "the file holds a value that is known only after apply, and whether the kubelet takes it is not",
      "write the value into the file, or explain the files that bind wrote",
      seen("file", late.source),
    )
  );
}

function refusalsOf(node: NodeConfiguration, kubelet: string, featureGates: Gates): readonly Evidence[] {
  return node.documents.flatMap(({ value, error, source }) =>
    error === undefined
      ? match(
          knownJson(value),
          (document) =>
            validateCredentialProviderConfig(document, { kubelet, featureGates }).map(({ message }) =>
              seen(message, source),
            ),
          () => [],
        )
      : [seen(`error decoding config: ${error}`, source)],
  );
}

function refuses(node: NodeConfiguration, cluster: ClusterFacts, refusals: readonly Evidence[]): Answer {
  const text = refusals[0]?.text ?? "";
  const off = node.gates.find(
    ({ gates, isCertain }) => isCertain && GATES.some((gate) => isOff(gates.get(gate))),
  );
  const kubelet = cluster.kubelet ?? kubeletVersion(cluster) ?? "of any version";
  return broken(
    `kubelet ${kubelet} refuses the file and does not start: ${text}${contestedHint(node)}`,
    "correct the file; every pod of the node is affected",
    `"Failed to register CRI auth plugins" err="…${text}"`,
    ...refusals,
    ...(off ? [seen(off.title, off.source)] : []),
    ...contestedFiles(node),
  );
}

function isOff(gate: Known<boolean> | undefined): boolean {
  return gate !== undefined && orElse(gate, () => true) === false;
}

/** What was read of the nodes themselves wins over what was recorded of the cluster. */
function certainGates({ gates }: NodeConfiguration, cluster: ClusterFacts): Gates {
  const certain = gates
    .filter(({ isCertain }) => isCertain)
    .flatMap(({ gates: stated }) => clearRows(stated));
  return { ...kubeletGates(cluster), ...Object.fromEntries(certain) };
}

type Row = readonly [gate: string, on: boolean];

function clearRows(gates: GateStatement["gates"]): readonly Row[] {
  return [...gates].flatMap(([gate, on]) =>
    match(
      on,
      (value): readonly Row[] => [[gate, value]],
      () => [],
    ),
  );
}

/** Where tokens may be switched off. */
function unclearGates(
  node: NodeConfiguration,
  { unclearFeatureGates = [] }: ClusterFacts,
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
  const rows = [...stated].filter(([gate]) => GATES.includes(gate));
  if (rows.some(([, on]) => !isKnown(on))) return true;
  if (isCertain) return false;
  const changed = { ...gates, ...Object.fromEntries(clearRows(new Map(rows))) };
  return minors.some((minor) => featureGateOn(GATE, minor, gates) && !featureGateOn(GATE, minor, changed));
}

/** The entries whose name another one has; names must differ over all files of a directory. */
function repeated({ entries }: NodeConfiguration): readonly ProviderEntry[] {
  const first = entries.find(({ name }, index) =>
    entries.some((each, at) => at > index && each.name === name),
  );
  return first === undefined ? [] : entries.filter(({ name }) => name === first.name);
}
