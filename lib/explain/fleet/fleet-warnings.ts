/*
 * What works, and somebody should know. Source of the libraries' faults: kubernetes-sigs/cluster-inventory-api at
 * v0.1.3, pkg/access/config.go.
 */

import type { WorkloadIdentityError } from "../../errors";
import { managerNameIssues, strayExtensionIssues } from "../../rules/fleet/profile-checks";
import {
  ambiguousProviderIssues,
  profileDataIssues,
  providerNameMatchIssues,
} from "../../rules/fleet/provider-checks";
import { profileProviders } from "../../rules/fleet/resolve-exec";
import { type Evidence, seen } from "../answer";
import type { FleetWarning } from "../clouds/cloud-spokes";
import { at, list, own, text } from "../facts/access";
import type { ProviderListFact } from "../facts/fleet-facts";
import type { FleetContext } from "./fleet-context";
import { providersFor } from "./plugin-call";
import { profileDocument } from "./profile-document";
import { sentence } from "./refused";

/** The warnings of one way, sorted by their ids. */
export function fleetWarnings(context: FleetContext): readonly FleetWarning[] {
  const { controller, document, spoke, profile } = context;
  const where = profile.status ? [seen("status", profile.status.source)] : [];
  const manager = at(document, "spec", "clusterManager", "name");
  const foreign = managerNameIssues(manager).filter(({ code }) => code === "cluster-manager-foreign");
  const providers = providersFor(controller, document);
  const found = [
    ...asWarnings(ambiguousProviderIssues(providers, document), where),
    ...asWarnings(foreign, where),
    // A plugin that cannot do without this data is refused for how it is called.
    ...asWarnings(profileDataIssues(providers, document, controller.kind !== "kueue"), where),
    ...asWarnings(strayExtensionIssues(document), where),
    ...unused(context),
    ...sharedVariables(context),
    ...ignoredSettings(context, where),
    ...proxy(context, where),
    ...withoutWorker(context),
    ...(spoke?.warnings ?? []),
  ];
  return found.sort((one, other) => (one.id < other.id ? -1 : 1));
}

const UNUSED = new WeakMap<ProviderListFact, readonly FleetWarning[]>();

/** Entries of the list that no profile of the hub names; the same for all of its spokes. */
function unused({ artefacts, controller }: FleetContext): readonly FleetWarning[] {
  const { list: read } = controller;
  if (read === undefined) return [];
  const known = UNUSED.get(read);
  if (known) return known;
  const documents = artefacts.fleet.profiles.map(profileDocument);
  const issues = providerNameMatchIssues(read.providers ?? [], documents);
  const made = asWarnings(
    issues.filter(({ code }) => code === "access-provider-unused"),
    [seen(`ConfigMap ${read.namespace}/${read.configMap}`, read.source)],
  );
  UNUSED.set(read, made);
  return made;
}

function asWarnings(
  issues: readonly WorkloadIdentityError[],
  evidence: readonly Evidence[],
): readonly FleetWarning[] {
  return issues.map((issue) => ({
    id: issue.code,
    reason: sentence(issue),
    evidence,
    remedy: issue.remedy,
  }));
}

/** The library writes the variables of one spoke into the configuration that it shares with the next one. */
function sharedVariables({ controller, exec }: FleetContext): readonly FleetWarning[] {
  const { list: read } = controller;
  const entry = read?.providers?.find((each) => own(each, "name") === exec?.provider);
  const policy = text(own(entry, "profileSourcedEnvVarsPolicy"));
  if (policy === "" || policy === "Ignore" || read === undefined) return [];
  return [
    {
      id: "profile-env-shared",
      reason: `access library 0.1.3 keeps variables of one spoke for the next one under the policy ${policy}`,
      evidence: [seen(`access provider ${exec?.provider ?? ""}`, read.source)],
      remedy: "set the same variables in every profile, or write an entry for each spoke",
    },
  ];
}

const IGNORED: readonly string[] = ["disable-compression", "insecure-skip-tls-verify", "tls-server-name"];

function ignoredSettings(context: FleetContext, evidence: readonly Evidence[]): readonly FleetWarning[] {
  const cluster = chosenCluster(context);
  return IGNORED.filter((key) => own(cluster, key) !== undefined).map((key) => ({
    id: "cluster-setting-ignored",
    reason: `access library 0.1.3 does not look at ${key}`,
    evidence,
    remedy: "do without it, or make sure that the controller has a newer library",
  }));
}

/** Where the profile says nothing of a proxy, the library takes none, whatever the environment says. */
function proxy(context: FleetContext, evidence: readonly Evidence[]): readonly FleetWarning[] {
  const { workloads } = context.controller;
  const isSet = workloads.some(({ pods }) =>
    list(own(pods.spec, "containers"))
      .flatMap((container) => list(own(container, "env")))
      .some((variable) => own(variable, "name") === "HTTPS_PROXY"),
  );
  if (!isSet || own(chosenCluster(context), "proxy-url") !== undefined) return [];
  return [
    {
      id: "proxy-unused",
      reason: "the container has HTTPS_PROXY, which connections to spokes do not take",
      evidence,
      remedy: "write proxy-url into the profile where the spoke is reached through the proxy",
    },
  ];
}

/** Kueue enters only where a MultiKueueCluster tells it to. */
function withoutWorker({ artefacts, controller, profile }: FleetContext): readonly FleetWarning[] {
  const { workerClusters } = artefacts.fleet;
  // Other people's objects may stand elsewhere; what was declared as a whole has one for each profile.
  const isKnown = workerClusters.length > 0 || controller.declared;
  if (controller.kind !== "kueue" || !isKnown) return [];
  if (workerClusters.some((each) => each.profile === profile.name)) return [];
  return [
    {
      id: "worker-cluster-missing",
      reason: `no MultiKueueCluster refers to the profile ${profile.name}, so that no jobs are sent there`,
      evidence: workerClusters.map((each) => seen(`refers to ${each.profile}`, each.source)),
      remedy: `write spec.clusterSource.clusterProfileRef.name: ${profile.name}`,
    },
  ];
}

function chosenCluster({ document, exec }: FleetContext): unknown {
  return own(profileProviders(document).get(exec?.provider ?? ""), "cluster");
}
