/*
 * Reads the facts about a cluster that are not in manifests; entries in other forms are left out.
 */

import { issuerOfTokens } from "../../model/aks-issuer";
import { type Known, map } from "../../model/known";
import { at, list, record, text, texts } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { minorOf } from "../../model/version";
import { consumerKind } from "../../rules/fleet/consumer";
import { knownKubernetesMinors } from "../../rules/kubelet/feature-gates";
import { openShiftRelease, openShiftVersions } from "../../rules/openshift/versions";
import type {
  ClusterFacts,
  ClusterRecord,
  DeclaredComponent,
  DeclaredPull,
  DeclaredWorkload,
  PluginRecord,
  RecordedGates,
  DeclaredController,
  DeclaredFleet,
  DeclaredSpoke,
} from "./cluster-record";
import { type LateReader, lateTree } from "./late-text";
import type { FollowedRegistry, StatedRegistry } from "./registry-facts";
import { switchOf } from "./node-gates";

export function readClusterRecord(recorded: unknown): ClusterRecord {
  const { name, issuer, kubelet, apiServer, plugins, openShift, microShift } = record(recorded);
  const { pulls, registries, components, workloads, fleet, additionalIssuers } = record(recorded);
  const { cloudName, podIdentityWebhooks: webhooks, tokenRegistries } = record(recorded);
  const version = text(at(openShift, "version"));
  const nodePools = at(openShift, "nodePools");
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof cloudName === "string" && { cloudName }),
    ...(webhooks !== undefined && { podIdentityWebhooks: texts(webhooks) }),
    ...(typeof issuer === "string" && { issuer }),
    ...(additionalIssuers !== undefined && { additionalIssuers: texts(additionalIssuers) }),
    ...(typeof kubelet === "string" && { kubelet }),
    ...(typeof microShift === "string" && VERSION.test(microShift) && { microShift }),
    ...(isKnownMinor(apiServer) && { apiServer }),
    ...recordedGates(recorded),
    ...(registries !== undefined && { registries: mapped(record(registries), registryFacts) }),
    ...(tokenRegistries !== undefined && {
      tokenRegistries: mapped(record(tokenRegistries), statedRegistry),
    }),
    ...(plugins !== undefined && { plugins: mapped(record(plugins), pluginFacts) }),
    ...(version !== "" && {
      openShift: {
        version,
        platform: text(at(openShift, "platform")),
        pools: texts(at(openShift, "pools")),
        ...(nodePools !== undefined && { nodePools: texts(nodePools) }),
      },
    }),
    ...(pulls !== undefined && { pulls: list(pulls).map(declaredPull) }),
    ...(components !== undefined && { components: declaredComponents(components) }),
    ...(workloads !== undefined && { workloads: list(workloads).map(declaredWorkload) }),
    ...(fleet !== undefined && { fleet: declaredFleet(fleet) }),
  };
}

export function followedRecord(cluster: ClusterRecord, late: LateReader): ClusterFacts {
  const { issuer, additionalIssuers, pulls, components, workloads, fleet, tokenRegistries, ...others } =
    cluster;
  const issuerOf = (text: string): Known<string> => map(late(text), issuerOfTokens);
  const followedRegistry = (registry: StatedRegistry): FollowedRegistry => {
    const pulls = registry.pulls.map((pull) => ({
      ...pull,
      annotations: pull.annotations.map(([key, value]) => [key, late(value)] as const),
    }));
    return { ...registry, audience: late(registry.audience), issuer: issuerOf(registry.issuer), pulls };
  };
  return {
    ...others,
    ...(issuer !== undefined && { issuer: issuerOf(issuer) }),
    ...(additionalIssuers && { additionalIssuers: additionalIssuers.map(issuerOf) }),
    ...(tokenRegistries && { tokenRegistries: mapped(tokenRegistries, followedRegistry) }),
    ...(pulls && { pulls: pulls.map((pull) => ({ ...pull, images: pull.images.map(late) })) }),
    ...(components && {
      components: components.map((each) => {
        const intends = each.intends && lateTree(each.intends, late);
        return { ...each, intends, places: each.places.map(late) };
      }),
    }),
    ...(workloads && {
      workloads: workloads.map((each) => ({ ...each, asks: each.asks && lateTree(each.asks, late) })),
    }),
    ...(fleet && { fleet: { ...fleet, spokes: fleet.spokes.map((spoke) => followedSpoke(spoke, late)) } }),
  };
}

function followedSpoke(spoke: DeclaredSpoke, late: LateReader): DeclaredSpoke<Known<string>> {
  const followed = (value: string | undefined): Known<string> | undefined =>
    value === undefined ? undefined : late(value);
  return {
    ...spoke,
    server: followed(spoke.server),
    project: followed(spoke.project),
    projectNumber: followed(spoke.projectNumber),
  };
}

const VERSION = /^v?\d+\.\d+(?:\.\d+)?(?:[-+].*)?$/;

/** Whether the library knows the rules of a Kubernetes version. */
export function isKnownMinor(minor: unknown): minor is string {
  return (
    typeof minor === "string" &&
    VERSION.test(minor) &&
    knownKubernetesMinors.includes(minorOf("Kubernetes", minor))
  );
}

/** The kubelets' minor version, stated or by OpenShift version; `undefined` if its rules are not known. */
export function kubeletVersion({
  kubelet,
  openShift,
}: Pick<ClusterFacts, "kubelet" | "openShift">): string | undefined {
  if (kubelet !== undefined) return isKnownMinor(kubelet) ? minorOf("kubelet", kubelet) : undefined;
  const version = openShift?.version ?? "";
  if (!VERSION.test(version)) return undefined;
  const minor = minorOf("OpenShift version", version);
  return openShiftVersions.includes(minor) ? openShiftRelease(minor).kubernetes : undefined;
}

export function kubeletGates(cluster: RecordedGates): Readonly<Record<string, boolean>> {
  return { ...cluster.featureGates, ...cluster.kubeletFeatureGates };
}

/** The feature gates of kube-apiserver that differ from the defaults. */
export function apiServerGates(cluster: RecordedGates): Readonly<Record<string, boolean>> {
  return { ...cluster.featureGates, ...cluster.apiServerFeatureGates };
}

const GATES = ["featureGates", "kubeletFeatureGates", "apiServerFeatureGates"] as const;

function recordedGates(recorded: unknown): RecordedGates {
  const unclear: string[] = [];
  const stated = GATES.filter((key) => at(recorded, key) !== undefined).map((key) => {
    const rows = Object.entries(record(at(recorded, key))).flatMap(([gate, written]) => {
      const on = typeof written === "boolean" ? written : switchOf(text(written));
      if (on === undefined) unclear.push(gate);
      return on === undefined ? [] : [[gate, on] as const];
    });
    return [key, Object.fromEntries(rows)] as const;
  });
  return { ...Object.fromEntries(stated), ...(unclear.length > 0 && { unclearFeatureGates: unclear }) };
}

function mapped<S, T>(values: Readonly<Record<string, S>>, read: (value: S) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([key, each]) => [key, read(each)]));
}

function registryFacts(properties: unknown): Readonly<Record<string, string>> {
  const rows = Object.entries(record(properties));
  return Object.fromEntries(rows.filter((row): row is [string, string] => typeof row[1] === "string"));
}

function statedRegistry(stated: unknown): StatedRegistry {
  return {
    plugin: text(at(stated, "plugin")),
    audience: text(at(stated, "audience")),
    issuer: text(at(stated, "issuer")),
    echoesToken: at(stated, "echoesToken") === true,
    args: texts(at(stated, "args")),
    env: list(at(stated, "env")).map((each) => ({
      name: text(at(each, "name")),
      value: text(at(each, "value")),
    })),
    pulls: list(at(stated, "pulls")).map((pull) => ({
      serviceAccount: text(at(pull, "serviceAccount")),
      repositories: texts(at(pull, "repositories")),
      identity: text(at(pull, "identity")) || undefined,
      annotations: Object.entries(record(at(pull, "annotations"))).map(
        ([key, value]) => [key, text(value)] as const,
      ),
    })),
  };
}

function pluginFacts(facts: unknown): PluginRecord {
  const { version, unusable, names, source } = record(facts);
  const { url, sha256 } = record(source);
  return {
    ...(typeof version === "string" && VERSION.test(version) && { version }),
    abilities: texts(at(facts, "abilities")),
    ...(names !== undefined && { names: texts(names) }),
    ...(typeof unusable === "string" && { unusable }),
    ...(typeof url === "string" && typeof sha256 === "string" && { source: { url, sha256 } }),
  };
}

function declaredPull(pull: unknown): DeclaredPull {
  return { serviceAccount: text(at(pull, "serviceAccount")), images: texts(at(pull, "images")) };
}

function declaredComponents(components: unknown): readonly DeclaredComponent[] {
  return list(at(components, "granted")).map((granted) => {
    const intends = at(granted, "intends");
    return {
      cloud: text(at(components, "cloud")),
      secret: text(at(granted, "secret")),
      serviceAccounts: texts(at(granted, "serviceAccounts")),
      tokenPath: text(at(granted, "tokenPath")),
      audience: text(at(components, "audience")),
      asks: record(at(granted, "asks")),
      intends: intends === undefined ? undefined : record(at(intends, "rights")),
      reason: text(at(intends, "reason")),
      places: texts(at(granted, "places")),
    };
  });
}

function declaredWorkload(workload: unknown): DeclaredWorkload {
  const asks = at(workload, "asks");
  return {
    serviceAccount: text(at(workload, "serviceAccount")),
    cloud: text(at(workload, "cloud")),
    asks: isRecord(asks) ? asks : undefined,
  };
}

function declaredFleet(fleet: unknown): DeclaredFleet {
  const namespace = text(at(fleet, "namespace"));
  const reader = at(fleet, "reader");
  const webhooks = at(fleet, "podIdentityWebhooks");
  return {
    title: text(at(fleet, "consumer", "title")),
    kind: consumerKind(at(fleet, "consumer", "kind"), at(fleet, "consumer", "form", "kind")),
    needsHealthy: at(fleet, "consumer", "needsHealthy") === true,
    configMap: text(at(fleet, "consumer", "form", "configMap")),
    onPath: texts(at(fleet, "consumer", "onPath")),
    isDistroless: at(fleet, "consumer", "isDistroless") === true,
    gateByFlag: at(fleet, "consumer", "form", "gateByFlag") === true,
    pluginPaths: new Map(
      list(at(fleet, "plugins")).map((each) => [text(at(each, "plugin")), text(at(each, "path"))]),
    ),
    workloads: list(at(fleet, "workloads")).map(controller),
    reader: reader === undefined ? undefined : controller(reader),
    webhooks: webhooks === undefined ? undefined : texts(webhooks),
    statusWriters: texts(at(fleet, "statusWriters")),
    spokes: list(at(fleet, "spokes")).map((spoke) => ({
      profile: `${namespace}/${text(at(spoke, "name"))}`,
      cloud: text(at(spoke, "cloud")),
      server: text(at(spoke, "server")) || undefined,
      provider: text(at(spoke, "provider")),
      project: text(at(spoke, "project")) || undefined,
      projectNumber: text(at(spoke, "projectNumber")) || undefined,
    })),
  };
}

function controller(recorded: unknown): DeclaredController {
  const part = (key: string): string => text(at(recorded, key));
  const namespace = part("namespace");
  return {
    title: `${part("kind")} ${namespace}/${part("name")}`,
    serviceAccount: `${namespace}/${part("serviceAccount")}`,
    container: part("container"),
  };
}
