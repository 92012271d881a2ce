/*
 * What works but people should know. Source of the libraries' faults: kubernetes-sigs/cluster-inventory-api at v0.1.3,
 * pkg/access/config.go.
 */

import type { WorkloadIdentityError } from "../../errors";
import { isKnown } from "../../model/known";
import { once } from "../../model/once";
import { at, list, text } from "../../model/parsed";
import { childOf } from "../../model/tree";
import { foreignManagerIssues, strayExtensionIssues } from "../../rules/fleet/cluster-profile";
import {
  ambiguousProviderIssues,
  ignoredProfileData,
  profileProviders,
  unusedProviders,
} from "../../rules/fleet/resolve-exec";
import { type Evidence, seen } from "../answer";
import type { FleetWarning } from "../result";
import type { ClusterArtefacts } from "../read/clusters";
import type { ProviderListFact } from "../read/fleet-facts";
import type { FleetAccessFacts } from "./fleet-links";
import { providersFor } from "./fleet-plugin";
import { listEntries, profileDocument, sentence } from "./fleet-profile";

const IGNORED: readonly string[] = ["disable-compression", "insecure-skip-tls-verify", "tls-server-name"];

export function fleetWarnings(facts: FleetAccessFacts): readonly FleetWarning[] {
  const { artefacts, controller, call, spoke, profile } = facts;
  const { plain, tree } = profileDocument(profile);
  const where = profile.status ? [seen("status", profile.status.source)] : [];
  const isLateManager = !isKnown(childOf(tree, "spec", "clusterManager", "name"));
  const foreign = isLateManager ? [] : foreignManagerIssues(at(plain, "spec", "clusterManager", "name"));
  const ignored = ignoredProfileData(providersFor(controller, plain), plain, controller.kind !== "kueue");
  const providers = providersFor(controller, plain);
  const cluster = at(profileProviders(plain).get(call?.exec.provider ?? ""), "cluster");
  const found = [
    ...asWarnings("access-provider-ambiguous", ambiguousProviderIssues(providers, plain), where),
    ...asWarnings("cluster-manager-foreign", foreign, where),
    // A plugin that needs this data fails the check of how it is called.
    ...asWarnings("profile-env-without-policy", ignored.variables, where),
    ...asWarnings("profile-config-without-cluster-info", ignored.config, where),
    ...asWarnings("fleet-extension-invalid", strayExtensionIssues(plain), where),
    ...(controller.list ? unusedOf(artefacts)(controller.list) : []),
    ...sharedVariables(facts),
    ...IGNORED.filter((key) => at(cluster, key) !== undefined).map((key) => ({
      id: "cluster-setting-ignored",
      reason: `access library 0.1.3 ignores ${key}`,
      evidence: where,
      remedy: "remove it, or make sure that the controller has a newer library",
    })),
    ...proxy(facts, cluster, where),
    ...withoutWorker(facts),
    ...(spoke?.warnings ?? []),
  ];
  return found.sort((one, other) => (one.id < other.id ? -1 : 1));
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
  const profiles = documents.map(({ plain }) => plain);
  return once((read: ProviderListFact) => {
    if (isOpen) return [];
    return asWarnings("access-provider-unused", unusedProviders(listEntries(read), profiles), [
      seen(read.title, read.source),
    ]);
  });
});

/** The library writes the variables of one spoke into the configuration that it shares with the next one. */
function sharedVariables({ controller: { list: read }, call }: FleetAccessFacts): readonly FleetWarning[] {
  const provider = call?.exec.provider;
  const entry = listEntries(read).find((each) => at(each, "name") === provider);
  const policy = text(at(entry, "profileSourcedEnvVarsPolicy"));
  if (policy === "" || policy === "Ignore" || read === undefined) return [];
  return [
    {
      id: "profile-env-shared",
      reason: `access library 0.1.3 keeps the variables of one spoke for the next one with the policy ${policy}`,
      evidence: [seen(`access provider ${provider ?? ""}`, read.source)],
      remedy: "set the same variables in every profile, or write an entry for each spoke",
    },
  ];
}

/** If the profile names no proxy, the library uses none, whatever the environment says. */
function proxy(
  { controller: { workloads } }: FleetAccessFacts,
  cluster: unknown,
  evidence: readonly Evidence[],
): readonly FleetWarning[] {
  const containers = workloads.flatMap(({ spec }) => list(spec["containers"]));
  const variables = containers.flatMap((container) => list(at(container, "env")));
  const isSet = variables.some((variable) => at(variable, "name") === "HTTPS_PROXY");
  if (!isSet || at(cluster, "proxy-url") !== undefined) return [];
  return [
    {
      id: "proxy-unused",
      reason: "the container has HTTPS_PROXY, which connections to spokes do not use",
      evidence,
      remedy: "write proxy-url into the profile if the spoke is reached through the proxy",
    },
  ];
}

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
