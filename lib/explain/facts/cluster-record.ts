/*
 * Facts of a cluster that manifests do not carry, from `workload-identity.json` or from the caller.
 */

import type { PluginFacts } from "../../model/cluster";
import { minorOf } from "../../model/version";
import { openShiftRelease, openShiftVersions } from "../../rules/openshift/versions";
import { knownKubernetesMinors } from "../../rules/kubelet/feature-gates";
import { list, own, record, text, texts } from "./access";
import {
  type DeclaredComponent,
  type DeclaredWorkload,
  declaredComponents,
  declaredWorkloads,
} from "./access-record";
import { type DeclaredFleet, declaredFleet } from "./fleet-record";
import { switchOf } from "./node-gates";
import { parseJson } from "./read-documents";
import { readUtf8 } from "./read-text";

/** A pull that somebody declared. */
export interface DeclaredPull {
  /** `namespace/name`. */
  readonly serviceAccount: string;
  /** `<registry host>/<repository>`, `*` for any text in the repository. */
  readonly images: readonly string[];
}

/** A plugin on the nodes. */
export interface PluginRecord extends PluginFacts {
  /**
   * Names of its executable on these nodes, besides those that distributions give it.
   *
   * @defaultValue - none
   */
  readonly names?: readonly string[];
}

/** What is known of a cluster; everything may be missing, and what depends on it is then unknown. */
export interface ClusterRecord {
  /**
   * Name of the cluster.
   *
   * @defaultValue - not known
   */
  readonly name?: string;
  /**
   * `iss` of the cluster's service account tokens.
   *
   * @defaultValue - not known
   */
  readonly issuer?: string;
  /**
   * Kubelet minor, `1.35`; for a version without known rules, what depends on them is unknown.
   *
   * @defaultValue - that of the OpenShift version, or not known
   */
  readonly kubelet?: string;
  /**
   * Minor of kube-apiserver, `1.35`.
   *
   * @defaultValue - not known
   */
  readonly apiServer?: string;
  /**
   * Feature gates of kubelet and API server that differ from the defaults.
   *
   * @defaultValue - none
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * Feature gates of the kubelets alone; win over `featureGates`.
   *
   * @defaultValue - `featureGates`
   */
  readonly kubeletFeatureGates?: Readonly<Record<string, boolean>>;
  /**
   * Feature gates of kube-apiserver alone; win over `featureGates`.
   *
   * @defaultValue - `featureGates`
   */
  readonly apiServerFeatureGates?: Readonly<Record<string, boolean>>;
  /**
   * Names of feature gates that were recorded with a value that is neither on nor off.
   *
   * @defaultValue - none
   */
  readonly unclearFeatureGates?: readonly string[];
  /**
   * Properties of registries that no manifest and perhaps no Terraform has, by the registry's host:
   * `{ "acme.azurecr.io": { "roleAssignmentMode": "AbacRepositoryPermissions" } }`.
   *
   * @defaultValue - not known
   */
  readonly registries?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * Plugins on the nodes, by `ecr`, `acr` and `gcp`.
   *
   * @defaultValue - not known
   */
  readonly plugins?: Readonly<Record<string, PluginRecord>>;
  /**
   * OpenShift version and platform, which decide which file the kubelet reads, and the pools of nodes.
   *
   * @defaultValue - no OpenShift, or not known
   */
  readonly openShift?: {
    readonly version: string;
    readonly platform: string;
    readonly pools?: readonly string[];
  };
  /**
   * The declared pulls.
   *
   * @defaultValue - none
   */
  readonly pulls?: readonly DeclaredPull[];
  /**
   * The declared components of OpenShift.
   *
   * @defaultValue - those whose Secrets or CredentialsRequests were read
   */
  readonly components?: readonly DeclaredComponent[];
  /**
   * The declared workloads.
   *
   * @defaultValue - those whose service accounts or pods name an identity
   */
  readonly workloads?: readonly DeclaredWorkload[];
  /**
   * The declared fleet.
   *
   * @defaultValue - controllers and profiles that were read
   */
  readonly fleet?: DeclaredFleet;
}

/** Reads a recorded cluster; what has another form is left out. */
export function readClusterRecord(recorded: unknown): ClusterRecord {
  const { name, issuer, kubelet, apiServer, plugins, openShift } = record(recorded);
  const { pulls, registries, components, workloads, fleet } = record(recorded);
  const version = text(own(openShift, "version"));
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof issuer === "string" && { issuer }),
    ...(typeof kubelet === "string" && { kubelet }),
    ...(isKnown(apiServer) && { apiServer }),
    ...gatesOf(recorded),
    ...(registries !== undefined && { registries: registriesOf(registries) }),
    ...(plugins !== undefined && { plugins: pluginsOf(plugins) }),
    ...(version !== "" && {
      openShift: {
        version,
        platform: text(own(openShift, "platform")),
        pools: texts(own(openShift, "pools")),
      },
    }),
    ...(pulls !== undefined && { pulls: list(pulls).map(declaredPull) }),
    ...(components !== undefined && { components: declaredComponents(components) }),
    ...(workloads !== undefined && { workloads: declaredWorkloads(workloads) }),
    ...(fleet !== undefined && { fleet: declaredFleet(fleet) }),
  };
}

const GATES = ["featureGates", "kubeletFeatureGates", "apiServerFeatureGates"] as const;

function gatesOf(recorded: unknown): Pick<ClusterRecord, (typeof GATES)[number] | "unclearFeatureGates"> {
  const stated = GATES.filter((key) => own(recorded, key) !== undefined);
  const read = stated.map((key) => [key, switches(own(recorded, key))] as const);
  const unclear = read.flatMap(([, rows]) => rows.flatMap(([gate, on]) => (on === undefined ? [gate] : [])));
  return {
    ...Object.fromEntries(read.map(([key, rows]) => [key, Object.fromEntries(rows.filter(isClear))])),
    ...(unclear.length > 0 && { unclearFeatureGates: unclear }),
  };
}

type Switch = readonly [gate: string, on: boolean | undefined];

function switches(value: unknown): readonly Switch[] {
  return Object.entries(record(value)).map(([gate, on]) => [
    gate,
    typeof on === "boolean" ? on : switchOf(text(on)),
  ]);
}

function isClear(gate: Switch): gate is readonly [string, boolean] {
  return gate[1] !== undefined;
}

/** The minor of the kubelets, stated or that of the OpenShift version; `undefined` where its rules are not known. */
export function kubeletVersion({
  kubelet,
  openShift,
}: Pick<ClusterRecord, "kubelet" | "openShift">): string | undefined {
  if (kubelet !== undefined) return isKnown(kubelet) ? minorOf("kubelet", kubelet) : undefined;
  const version = openShift?.version ?? "";
  if (!VERSION.test(version)) return undefined;
  const minor = minorOf("OpenShift version", version);
  return openShiftVersions.includes(minor) ? openShiftRelease(minor).kubernetes : undefined;
}

/** The feature gates of the kubelets that differ from the defaults. */
export function kubeletGates(cluster: ClusterRecord): Readonly<Record<string, boolean>> {
  return { ...cluster.featureGates, ...cluster.kubeletFeatureGates };
}

/** The feature gates of kube-apiserver that differ from the defaults. */
export function apiServerGates(cluster: ClusterRecord): Readonly<Record<string, boolean>> {
  return { ...cluster.featureGates, ...cluster.apiServerFeatureGates };
}

function registriesOf(value: unknown): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const rows = Object.entries(record(value)).map(([host, properties]) => [
    host,
    Object.fromEntries(
      Object.entries(record(properties)).filter((row): row is [string, string] => typeof row[1] === "string"),
    ),
  ]);
  return Object.fromEntries(rows) as Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function pluginsOf(value: unknown): Readonly<Record<string, PluginRecord>> {
  return Object.fromEntries(
    Object.entries(record(value)).map(([plugin, facts]) => [plugin, pluginFacts(facts)]),
  );
}

function declaredPull(pull: unknown): DeclaredPull {
  return { serviceAccount: text(own(pull, "serviceAccount")), images: texts(own(pull, "images")) };
}

/** Reads a cluster from a JSON file; throws what reading throws. */
export function readClusterFile(file: string): ClusterRecord {
  return readClusterRecord(parseJson(readUtf8(file), file));
}

function isKnown(minor: unknown): minor is string {
  return (
    typeof minor === "string" &&
    VERSION.test(minor) &&
    knownKubernetesMinors.includes(minorOf("Kubernetes", minor))
  );
}

const VERSION = /^v?\d+\.\d+(?:\.\d+)?(?:[-+].*)?$/;

function pluginFacts(facts: unknown): PluginRecord {
  const { version, unusable } = record(facts);
  return {
    ...(typeof version === "string" && VERSION.test(version) && { version }),
    abilities: texts(own(facts, "abilities")),
    ...(own(facts, "names") !== undefined && { names: texts(own(facts, "names")) }),
    ...(typeof unusable === "string" && { unusable }),
  };
}
