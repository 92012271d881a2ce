/*
 * Whether pulls of pods are worth a question.
 */

import { isKnown } from "../../model/known";
import { once } from "../../model/once";
import { PLUGINS } from "../../registries/plugins";
import type { ClusterArtefacts } from "../read/clusters";
import type { SkippedDocument } from "../read/source";

/** The kinds of which one that was refused or not read may configure nodes. */
const OF_NODES: readonly string[] = ["CredentialProviderConfig", "MachineConfig", "KubeletConfig"];

/**
 * Whether the images of workloads matter: something configures the nodes' credential providers, or may do so, or names
 * them. Otherwise kubelets pull as they always did, and there is nothing to explain about each of a thousand pods.
 */
export const isConfigured: (artefacts: ClusterArtefacts) => boolean = once(
  ({ cluster, nodes, refused, perhaps, serviceAccounts }: ClusterArtefacts): boolean => {
    if (cluster.fleet !== undefined && cluster.pulls === undefined && nodes.length === 0) return false;
    const speaks = (kind: string): boolean =>
      perhaps.declaring(kind) !== undefined || [...refused.keys()].some((title) => title.startsWith(kind));
    return (
      cluster.pulls !== undefined ||
      nodes.some(({ documents, isRead }) => documents.length > 0 || !isKnown(isRead)) ||
      OF_NODES.some(speaks) ||
      [...serviceAccounts.values()].some(({ annotations }) => [...annotations.keys()].some(isOfPlugin))
    );
  },
);

function isOfPlugin(annotation: string): boolean {
  return Object.values(PLUGINS).some(({ annotations }) => annotations.includes(annotation));
}

/** The pods whose pulls are not asked about, if any. */
export function pullsNotAsked(artefacts: ClusterArtefacts): readonly SkippedDocument[] {
  const { workloads, cluster } = artefacts;
  const [first] = workloads;
  if (first === undefined || cluster.fleet !== undefined || isConfigured(artefacts)) return [];
  const reason = `pulls of ${workloads.length === 1 ? "its pod are" : `${workloads.length} pods and workloads are`} not asked about, since nothing that was read configures image credential providers on the nodes; --image asks anyway`;
  return [{ source: { file: first.source.file, path: "" }, reason }];
}
