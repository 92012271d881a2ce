import { App, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { at } from "../errors";
import {
  ClusterInventory,
  ClusterSecret,
  type ControllerIdentities,
  HubConsumer,
  MultiKueueCluster,
  SpokeCluster,
  SpokeRoleBinding,
  StatusWriter,
} from "../fleet";
import { clusterObject } from "../kubernetes/metadata";
import type { SpokeEntry, SpokeUser } from "../model/fleet";
import type { ChartOptions } from "../model/manifest-sink";
import { record } from "../model/parsed";
import type { Subject } from "../model/subject";
import type { AccessDeclaration, AccessGrant } from "../model/workloads";
import type { FleetAccessProps } from "./fleet-access-props";
import { type FleetPlan, type PlannedSpoke, checkRole } from "./fleet-plan";
import type { ClusterManifests } from "./cluster-manifests";

/**
 * A file of a fleet. Files are applied in this order: spokes, so that they already admit the controller; profiles,
 * their status, the controller, and objects that refer to profiles.
 */
export interface FleetChart extends ChartOptions {
  readonly name: string;
}

const SPOKE: Pick<ChartOptions, "order" | "appliesTo"> = { order: 55, appliesTo: "spoke" };

const PROFILES: FleetChart = { name: "cluster-profiles", order: 60 };

const CLUSTER_SECRETS: FleetChart = {
  name: "cluster-secrets",
  order: 60,
  comment: ["Address, certificate authority and exec plugin of each cluster; no credentials."],
};

export const STATUS: FleetChart = {
  name: "cluster-profile-status",
  order: 61,
  comment: [
    "A plain apply silently drops the status. Apply this file after the profiles, with kubectl 1.32 or newer:",
  ],
};

const STATUS_WRITERS: FleetChart = { name: "cluster-profile-status-writers", order: 62 };

export const CONSUMER: FleetChart = {
  name: "fleet-controller",
  order: 65,
  comment: [
    "Only the fields that are added to workloads and service accounts of the controller's installation.",
    "Apply with `kubectl apply --server-side`; never prune or delete with this file. Names of workloads and containers",
    "must match the installation: a container with an unknown name would be added to the pods.",
  ],
};

const KUEUE: FleetChart = { name: "multi-kueue-clusters", order: 70 };

type ChartOf = (chart: FleetChart) => Chart;

export interface FleetObjects {
  readonly inventory: ClusterInventory;
  readonly spokes: readonly SpokeCluster[];
  readonly consumer: HubConsumer;
  readonly statusWriters: readonly StatusWriter[];
  readonly workerClusters: readonly MultiKueueCluster[];
  readonly clusterSecrets: readonly ClusterSecret[];
}

export function fleetObjects(
  chart: ChartOf,
  props: FleetAccessProps,
  plan: FleetPlan,
  identities: ControllerIdentities,
): FleetObjects {
  const { clusterManager, apiVersion, statusWriter, consumer: controller } = props;
  const hasSecrets = controller.form.kind === "secrets";
  // The Secrets are made from profiles, so these are made and checked even if they are not written.
  const profiles = hasSecrets ? new Chart(new App(), PROFILES.name) : chart(PROFILES);
  const inventory = new ClusterInventory(profiles, "inventory", {
    namespace: plan.namespace,
    clusterManager,
    ...(apiVersion !== undefined && { apiVersion }),
    ...(statusWriter === undefined && !hasSecrets && { statusScope: chart(STATUS) }),
  });
  const spokes = plan.spokes.map(({ name, clusterRole: _, namespaces: __, ...spoke }) =>
    ofSpoke(name, () => new SpokeCluster(inventory, name, spoke)),
  );
  const consumer = consumerOf(chart(CONSUMER), props, plan, { spokes, identities });
  const jobs = statusWriter && chart(STATUS_WRITERS);
  const kueue = controller.form.kind === "kueue" ? chart(KUEUE) : undefined;
  return {
    inventory,
    spokes,
    consumer,
    statusWriters: jobs
      ? spokes.map((spoke) => new StatusWriter(jobs, spoke.profileName, { ...statusWriter, spoke }))
      : [],
    workerClusters: kueue
      ? spokes.map((spoke) => new MultiKueueCluster(kueue, spoke.profileName, { spoke }))
      : [],
    clusterSecrets: hasSecrets ? secretsOf(chart(CLUSTER_SECRETS), spokes, consumer) : [],
  };
}

function secretsOf(
  chart: Chart,
  spokes: readonly SpokeCluster[],
  { file }: HubConsumer,
): readonly ClusterSecret[] {
  return spokes.flatMap((spoke) => {
    const provider = file.providers.find(({ name }) => name === spoke.providerName);
    return provider ? [new ClusterSecret(chart, spoke.profileName, { spoke, provider })] : [];
  });
}

function ofSpoke<T>(name: string, run: () => T): T {
  return at({ node: { path: `spoke ${name}` } }, run);
}

function consumerOf(
  chart: Chart,
  props: FleetAccessProps,
  { apiServer }: FleetPlan,
  parts: { readonly spokes: readonly SpokeCluster[]; readonly identities: ControllerIdentities },
): HubConsumer {
  const { consumer, hub, plugins, pluginByCloud, additionalProviders, kueueConfiguration } = props;
  const imageVolume = hub.featureGates?.["ImageVolume"];
  return new HubConsumer(chart, "consumer", {
    consumer,
    hub: { version: apiServer, ...(imageVolume !== undefined && { imageVolume }) },
    ...parts,
    ...(plugins && { plugins }),
    ...(pluginByCloud && { pluginByCloud }),
    ...(additionalProviders && { additionalProviders }),
    ...(kueueConfiguration !== undefined && { kueueConfiguration }),
  });
}

/**
 * Makes all objects of a fleet, except its cloud resources, in charts that are never written. Errors are thus thrown
 * before anything is declared, and a caller who catches one is not left with half a fleet in the stack.
 */
export function rehearseFleet(props: FleetAccessProps, plan: FleetPlan): void {
  const app = new App();
  const charts = new Map<string, Chart>();
  const chart: ChartOf = ({ name }) => {
    const known = charts.get(name) ?? new Chart(app, name);
    charts.set(name, known);
    return known;
  };
  const grants = plan.subjects.map((subject) => grantOf(subject, "identity"));
  fleetObjects(chart, props, plan, Object.fromEntries(plan.makers.map(({ cloud }) => [cloud, grants])));
  const users = plan.subjects.map((subject) => ({ subject, user: "user", groups: [], authorized: false }));
  const bindings = new Chart(app, "bindings");
  for (const spoke of plan.spokes) ofSpoke(spoke.name, () => bound(bindings, spoke.name, spoke, users, plan));
}

/** A grant that adds nothing to pods. */
function grantOf(subject: Subject, identity: string): AccessGrant {
  const pod = { labels: {}, env: [], volumeMounts: [], volumes: [] };
  return { subject, identity, annotations: {}, pod };
}

/** A spoke with the controllers' users and rights. */
export interface EnteredSpoke {
  /** The users as which the spoke sees the controllers. */
  readonly users: readonly SpokeUser[];
  /** The users' RBAC; `undefined` if the cloud itself gives them their rights. */
  readonly binding: SpokeRoleBinding | undefined;
}

/** Declares the controllers' access in each spoke's cloud, and writes the spoke's own manifests. */
export function enterSpokes(
  scope: Construct,
  plan: FleetPlan,
  declarations: Readonly<Record<string, AccessDeclaration>>,
  manifests: ClusterManifests,
): ReadonlyMap<string, EnteredSpoke> {
  // For spokes that take the hub's own tokens: the service accounts themselves.
  const own = plan.subjects.map((subject) => grantOf(subject, subject.toString()));
  const entered = plan.spokes.map((spoke) => {
    const { name, access, clusterRole } = spoke;
    const controllers = declarations[access.cloud]?.grants ?? own;
    return ofSpoke(name, () => {
      const entry = access.declare(scope, { hub: plan.name, spoke: name, controllers });
      const { users } = entry;
      if (access.controlPlane) manifests.spokeDocuments(name, access.controlPlane);
      else if (access.nodeSetup) manifests.spokeNodeSetup(name, access.nodeSetup);
      writeObjects(name, entry, manifests);
      const waiting = users.filter(({ authorized }) => !authorized).map(({ subject }) => subject.key);
      checkRole(name, clusterRole, waiting);
      const comment = [`The ClusterRole ${clusterRole} must already exist.`];
      const chart = clusterRole === undefined ? scope : manifests.chart(name, { ...SPOKE, comment });
      return [name, { users, binding: bound(chart, "controllers", spoke, users, plan) }] as const;
    });
  });
  return new Map(entered);
}

/** Writes the objects that the spoke needs in addition to the controllers' RBAC. */
function writeObjects(
  spoke: string,
  { objects = [], comment = [] }: SpokeEntry,
  manifests: ClusterManifests,
): void {
  if (objects.length === 0) return;
  const chart = manifests.chart(spoke, { ...SPOKE, comment });
  for (const [index, { apiVersion, kind, metadata, ...fields }] of objects.entries())
    clusterObject(chart, `object-${index}`, {
      apiVersion: String(apiVersion),
      kind: String(kind),
      metadata: record(metadata),
      ...fields,
    });
}

function bound(
  scope: Construct,
  id: string,
  { name, clusterRole, namespaces }: PlannedSpoke,
  users: readonly SpokeUser[],
  { name: hub, consumer }: FleetPlan,
): SpokeRoleBinding | undefined {
  if (clusterRole === undefined) return undefined;
  const limits = namespaces && { namespaces };
  return new SpokeRoleBinding(scope, id, { spoke: name, hub, consumer, users, clusterRole, ...limits });
}
