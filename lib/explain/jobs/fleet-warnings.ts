/*
 * What works but people should know.
 */

import type { WorkloadIdentityError } from "../../errors";
import { once } from "../../model/once";
import { shownAt } from "../../model/parsed-tree";

import { foreignManagerIssues, strayExtensionIssues } from "../../rules/fleet/cluster-profile";
import { ambiguousProviderIssues, ignoredProfileData, unusedProviders } from "../../rules/fleet/resolve-exec";
import { type Evidence, seen } from "../answer";
import type { FleetWarning } from "../result";
import type { ClusterArtefacts } from "../read/clusters";
import type { ProviderListFact } from "../read/fleet-facts";
import type { FleetAccessFacts } from "./fleet-links";
import { providersFor } from "./fleet-plugin";
import { listEntries, profileDocument, sentence } from "./fleet-profile";

export function fleetWarnings(facts: FleetAccessFacts): readonly FleetWarning[] {
  const { artefacts, controller, spoke, profile } = facts;
  const { tree } = profileDocument(profile);
  const where = profile.status ? [seen("status", profile.status.source)] : [];
  const foreign = foreignManagerIssues(shownAt(tree, "spec", "clusterManager", "name"));
  const providers = providersFor(controller, tree);
  const ignored = ignoredProfileData(providers, tree, controller.kind !== "kueue");
  const warnings = [
    ...asWarnings("access-provider-ambiguous", ambiguousProviderIssues(providers, tree), where),
    ...asWarnings("cluster-manager-foreign", foreign, where),
    // A plugin that needs this data fails the check of how it is called.
    ...asWarnings("profile-env-without-policy", ignored.variables, where),
    ...asWarnings("profile-config-without-cluster-info", ignored.config, where),
    ...asWarnings("fleet-extension-invalid", strayExtensionIssues(tree), where),
    ...(controller.list ? unusedOf(artefacts)(controller.list) : []),
    ...withoutWorker(facts),
    ...(spoke?.warnings ?? []),
  ];
  return warnings.sort((one, other) => (one.id < other.id ? -1 : 1));
}

function asWarnings(
  id: string,
  issues: readonly WorkloadIdentityError[],
  evidence: readonly Evidence[],
): readonly FleetWarning[] {
  return issues.map((issue) => ({ id, reason: sentence(issue), evidence, remedy: issue.remedy }));
}

/** Entries of a list that no profile of the hub names; the same for all of its spokes. */
const unusedOf = once(({ fleet }: ClusterArtefacts) => {
  const documents = fleet.profiles.map(profileDocument);
  const isOpen = documents.some(({ open }) => open !== undefined);
  const profiles = documents.map(({ tree }) => tree);
  return once((read: ProviderListFact) => {
    if (isOpen) return [];
    return asWarnings("access-provider-unused", unusedProviders(listEntries(read), profiles), [
      seen(read.title, read.source),
    ]);
  });
});

/** Kueue enters only spokes that a MultiKueueCluster refers to. */
function withoutWorker({ artefacts, controller, profile }: FleetAccessFacts): readonly FleetWarning[] {
  const { workerClusters } = artefacts.fleet;
  // Other teams' objects may be elsewhere; a declared fleet has one for each profile.
  const isComplete = workerClusters.length > 0 || controller.declared;
  if (controller.kind !== "kueue" || !isComplete) return [];
  if (workerClusters.some((each) => each.profile === profile.name)) return [];
  return [
    {
      id: "worker-cluster-missing",
      reason: `no MultiKueueCluster refers to the profile ${profile.name}, so no jobs are sent there`,
      evidence: workerClusters.map((each) => seen(`refers to ${each.profile}`, each.source)),
      remedy: `write spec.clusterSource.clusterProfileRef.name: ${profile.name}`,
    },
  ];
}
