/*
 * Facts of a cluster that manifests do not carry, from `workload-identity.json` or from the caller.
 */

import { issuerOfTokens } from "../../model/aks-issuer";
import { fail } from "../../errors";
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
import { clusterMisfit } from "./cluster-shape";
import { lineOf, parseJson, parseYaml } from "./read-documents";
import { type RecordedGates, recordedGates } from "./recorded-gates";
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
export interface ClusterRecord extends RecordedGates {
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
   * OpenShift version and platform, which decide which file the kubelet reads, and the pools of nodes; of a
   * hosted cluster the NodePools whose nodes pull.
   *
   * @defaultValue - no OpenShift, or not known
   */
  readonly openShift?: {
    readonly version: string;
    readonly platform: string;
    readonly pools?: readonly string[];
    readonly nodePools?: readonly string[];
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
    ...recordedGates(recorded),
    ...(registries !== undefined && { registries: registriesOf(registries) }),
    ...(plugins !== undefined && { plugins: pluginsOf(plugins) }),
    ...(version !== "" && {
      openShift: {
        version,
        platform: text(own(openShift, "platform")),
        pools: texts(own(openShift, "pools")),
        ...(own(openShift, "nodePools") !== undefined && { nodePools: texts(own(openShift, "nodePools")) }),
      },
    }),
    ...(pulls !== undefined && { pulls: list(pulls).map(declaredPull) }),
    ...(components !== undefined && { components: declaredComponents(components) }),
    ...(workloads !== undefined && { workloads: declaredWorkloads(workloads) }),
    ...(fleet !== undefined && { fleet: declaredFleet(fleet) }),
  };
}

/** Tokens of an AKS cluster end their `iss` with a slash, also where the record lacks it. */
export function issuing(cluster: ClusterRecord): ClusterRecord {
  return cluster.issuer === undefined ? cluster : { ...cluster, issuer: issuerOfTokens(cluster.issuer) };
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

/**
 * Reads a cluster from a file in JSON or YAML, one document; keys and types as `workload-identity.json` has them.
 *
 * Throws `explain-file-unreadable`, `explain-file-too-large` or `explain-file-invalid`, also for keys and types that are
 * not known.
 */
export function readClusterFile(file: string): ClusterRecord {
  const text = readUtf8(file);
  const documents = file.endsWith(".json") ? [{ value: parseJson(text, file) }] : parseYaml(text, file);
  if (documents.length !== 1)
    return fail("explain-file-invalid", file, 1, `has ${documents.length} documents`, "one document");
  const value = documents[0]?.value;
  const misfit = clusterMisfit(value);
  if (misfit === undefined) return readClusterRecord(value);
  return fail("explain-file-invalid", file, lineOf(text, misfit.path), misfit.reason, misfit.allowed);
}

/** Whether the rules of a version of Kubernetes are known. */
export function isKnown(minor: unknown): minor is string {
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
