import type { ClusterFacts } from "../model/cluster";
import type { Subject } from "../model/subject";
import type { CredentialProviderSettings } from "../node";
import { WITHOUT_CACHE_TYPE, takesCacheType } from "../node/credential-provider-entry";
import { featureGateWarnings } from "../rules/kubelet/feature-gates";
import { isWithin } from "../rules/plugins";

interface PullWarning {
  readonly applies: (subject: Subject, cluster: ClusterFacts) => boolean;
  /** The consequence, and what to do. */
  readonly text: string;
}

const OPENSHIFT = "openshift";

const WARNINGS: readonly PullWarning[] = [
  {
    // kubernetes/kubernetes, plugin/pkg/admission/serviceaccount: pods without a service account run as `default`.
    applies: ({ name }) => name === "default",
    text: "every pod of the namespace without a service account name runs as this one and pulls with its identity; give the pods that pull their own service account",
  },
  {
    // The cluster version operator reverts changes of others, and payload images do not need an identity.
    applies: ({ namespace }, { distribution }) =>
      distribution.startsWith(OPENSHIFT) &&
      (namespace === OPENSHIFT || namespace.startsWith(`${OPENSHIFT}-`)),
    text: "the namespace belongs to OpenShift's operators, which pull with the cluster's pull secret and may remove the annotations again; let pods in your own namespace pull",
  },
];

/**
 * Warnings about the cluster's nodes, and about service accounts that pull, in the order of the subjects;
 * `service account <ns>/<name>: <why>`.
 */
export function pullWarnings(
  cluster: ClusterFacts,
  subjects: readonly Subject[],
  settings: Readonly<Record<string, CredentialProviderSettings>> = {},
): readonly string[] {
  const ofAccounts = subjects.flatMap((subject) =>
    WARNINGS.filter(({ applies }) => applies(subject, cluster)).map(
      ({ text }) => `service account ${subject.key}: ${text}`,
    ),
  );
  const upgrade = takesCacheType(cluster.kubelet) ? [] : [`${WITHOUT_CACHE_TYPE}; ${UPGRADE}`];
  const gates = featureGateWarnings(cluster.featureGates ?? {});
  return [...upgrade, ...gates, ...droppedPatterns(cluster, settings), ...ofAccounts];
}

/** Patterns of the distribution's own file that the caller leaves out: no plugin runs for those images any more. */
function droppedPatterns(
  { stockProviders }: ClusterFacts,
  settings: Readonly<Record<string, CredentialProviderSettings>>,
): readonly string[] {
  return Object.entries(settings).flatMap(([plugin, { matchImages }]) => {
    const stock = stockProviders[plugin]?.matchImages ?? [];
    const dropped = stock.filter((pattern) => matchImages && !isWithin(pattern, matchImages));
    return dropped.length === 0
      ? []
      : [
          `matchImages of the ${plugin} image credential provider leave out ${dropped.join(", ")} of the nodes' own file, which this file replaces: pods that pull from there lose the node's credentials; add these patterns, or make sure that no pod needs them`,
        ];
  });
}

const UPGRADE =
  "before you upgrade nodes, synthesize with the new `version`, and give each node its new file together with its new kubelet";
