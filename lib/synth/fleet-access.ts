import { Annotations } from "cdktf";
import { Construct } from "constructs";
import type { FinishedRule, FinishedRuleName } from "../artefact/finished-rule";
import { at } from "../errors";
import type {
  ClusterInventory,
  ClusterSecret,
  FleetConsumer,
  HubConsumer,
  MultiKueueCluster,
  SpokeCluster,
  StatusWriter,
} from "../fleet";
import type { ControllerWorkload, SpokeFacts } from "../model/fleet";
import { isLate } from "../model/late";
import { checkProps } from "../model/shape";
import type { AccessDeclaration, IWorkloadIdentities } from "../model/workloads";
import { ARGO_NAMESPACES } from "../rules/fleet/names";
import { fleetPlugin } from "../rules/fleet/plugins";
import { manifestsFor } from "./cluster-job";
import { type FleetAccessProps, FLEET_ACCESS_PROPS } from "./fleet-access-props";
import {
  type EnteredSpoke,
  type FleetChart,
  CONSUMER,
  STATUS,
  enterSpokes,
  fleetObjects,
  rehearseFleet,
} from "./fleet-objects";
import { type FleetPlan, type PlannedSpoke, adminWarnings, claimFleet, fleetPlan } from "./fleet-plan";
import type { ClusterManifests } from "./cluster-manifests";
import { proveAtSynth } from "./proof";
import type { RecordedCluster } from "./cluster-records";

const JOB = { records: "fleet", construct: "FleetAccess" } as const;

/**
 * Lets a hub's controller enter spoke clusters with workload identity.
 *
 * In Terraform it declares, for each cloud of the spokes, one identity without permissions per service account that
 * opens connections, and for each spoke whatever admits these identities. For the hub it writes to `manifests/` a
 * ClusterProfile per spoke, their status in a separate file, the controller's list of access providers, and the patches
 * of its workloads and service accounts. For spokes that need them, it writes RBAC and the API server's files to
 * `spokes/`.
 *
 * Adding a spoke adds objects. Of the existing ones it changes only the controller's list with the hash that restarts
 * its pods, and for a self-managed spoke the tokens mounted into these pods. A stack holds one FleetAccess per hub; give
 * another controller of the hub its own stack, with profiles in another namespace.
 */
export class FleetAccess extends Construct {
  /** The manifests of the cluster. */
  readonly manifests: ClusterManifests;
  /** The profiles; not written to a file if the consumer reads cluster Secrets instead. */
  readonly inventory: ClusterInventory;
  /** The spokes, in the order of `spokes` in the properties. */
  readonly spokes: readonly SpokeCluster[];
  /** The controllers' identities in each cloud, by the cloud's key (`aws`, `azure`, `google`). */
  readonly declarations: Readonly<Record<string, AccessDeclaration>>;
  /** The controllers' users and RBAC in each spoke, by the spoke's name. */
  readonly entries: ReadonlyMap<string, EnteredSpoke>;
  /** The controller: its list of providers, service accounts and patches. */
  readonly consumer: HubConsumer;
  /** Jobs that write the profiles' status; empty without `statusWriter`. */
  readonly statusWriters: readonly StatusWriter[];
  /** Worker clusters of MultiKueue, one per spoke; empty for other consumers. */
  readonly workerClusters: readonly MultiKueueCluster[];

  /** Argo CD's cluster Secrets, one per spoke; empty for consumers that read profiles. */
  readonly clusterSecrets: readonly ClusterSecret[];

  /** Checks everything that does not depend on the identities before it declares anything. */
  constructor(scope: Construct, id: string, props: FleetAccessProps) {
    checkProps(new.target.name, scope, id, FLEET_ACCESS_PROPS, props);
    super(scope, id);
    const plan = at(this, () => fleetPlan(props));
    at(this, () => rehearseFleet(props, plan));
    const { name, issuer } = plan;
    this.manifests = manifestsFor(this, { ...JOB, name, issuer: issuer.url });
    at(this, () => claimFleet(this, plan));

    this.declarations = Object.fromEntries(
      plan.makers.map((maker) => [maker.cloud, at(this, () => this.#declared(maker, plan))]),
    );
    const { manifests, declarations } = this;
    this.entries = at(this, () => enterSpokes(new Construct(this, "spokes"), plan, declarations, manifests));
    const identities = Object.fromEntries(
      Object.entries(declarations).map(([cloud, { grants }]) => [cloud, grants]),
    );
    const objects = at(this, () =>
      fleetObjects(({ name: chart, ...options }) => manifests.chart(chart, options), props, plan, identities),
    );
    this.inventory = objects.inventory;
    this.spokes = objects.spokes;
    this.consumer = objects.consumer;
    this.statusWriters = objects.statusWriters;
    this.workerClusters = objects.workerClusters;
    this.clusterSecrets = objects.clusterSecrets;

    this.#comment(props, plan);
    for (const rule of plan.spokes.flatMap(lateRules)) manifests.late.requireFinished(rule);
    at(this, () => this.manifests.record(fleetRecord(props, plan, this)));
    at(this, () => proveAtSynth(this, "fleet-access", props.proof));
    const warnings = [...this.spokes, this.consumer.file].flatMap((each) => each.warnings);
    for (const warning of [...warnings, ...adminWarnings(plan)]) Annotations.of(this).addWarning(warning);
  }

  #declared(
    maker: IWorkloadIdentities<Construct>,
    { name, issuer, subjects, webhooks }: FleetPlan,
  ): AccessDeclaration {
    return maker.declare(new Construct(this, maker.cloud), {
      clusterName: name,
      issuer,
      accounts: subjects.map((subject) => ({ subject, asks: [] })),
      withoutWebhook: !webhooks.includes(maker.cloud),
    });
  }

  #comment({ consumer }: FleetAccessProps, { makers, webhooks }: FleetPlan): void {
    const { statusCommand, statusScope } = this.inventory;
    const status = [`${statusCommand} --filename=<this file>`];
    if (statusScope) this.#commentOn(STATUS, status);
    const needed = makers.map(({ cloud }) => cloud).filter((cloud) => webhooks.includes(cloud));
    const comment = [...webhookComment(needed), ...consumerComment(consumer, this.consumer.flag)];
    this.#commentOn(CONSUMER, comment);
  }

  #commentOn({ name, ...options }: FleetChart, comment: readonly string[]): void {
    this.manifests.chart(name, { ...options, comment });
  }
}

/** Rules for late values of a spoke, which only `bind` can check. */
function lateRules({ name, access, proxyUrl }: PlannedSpoke): readonly FinishedRule[] {
  const { server, certificateAuthorityData } = access.endpoint;
  const texts: readonly (readonly [of: string, rule: FinishedRuleName, text: string | undefined])[] = [
    ["server", "server", server],
    ["certificate authority", "certificate-authority", certificateAuthorityData],
    ["proxy", "proxy", proxyUrl],
  ];
  return texts.flatMap(([of, rule, text]) =>
    text !== undefined && isLate(text) ? [{ of: `${of} of spoke ${name}`, rule, text }] : [],
  );
}

/** Names the webhooks that must run on the hub and says that they change only new pods. */
function webhookComment(webhooks: readonly string[]): readonly string[] {
  return webhooks.length === 0
    ? []
    : [
        `Needs the pod identity webhook of ${webhooks.join(" and ")} on the hub. It reads annotations when a pod is created:`,
        "restart workloads whose pods this file does not replace.",
      ];
}

/** Steps that the person who applies the file must do by hand. */
export function consumerComment(
  { title, form, reader, profileNamespace }: FleetConsumer,
  flag: string | undefined,
): readonly string[] {
  if (form.kind === "kueue")
    return [
      "The ConfigMap is the installation's own with the list of providers added: apply with --force-conflicts. The",
      "ClusterProfile CRD must exist before Kueue starts.",
      form.gateByFlag === true
        ? "The manager must have --feature-gates with MultiKueueClusterProfile=true on its command line."
        : "Kueue does not start if the ConfigMap has featureGates and its command line has --feature-gates.",
    ];
  if (flag === undefined) return [];
  const isElsewhere = profileNamespace !== undefined && profileNamespace !== reader.namespace;
  return [
    `Give the ${reader.kind} ${reader.namespace}/${reader.name} of ${title} the argument`,
    flag,
    ...(isElsewhere
      ? [
          `and, because the profiles are in another namespace, the argument`,
          `${ARGO_NAMESPACES}=${profileNamespace}`,
        ]
      : []),
  ];
}

/**
 * The fleet's record in `workload-identity.json`: who opens connections, its identity in each cloud, the spokes that it
 * enters, and whether the cloud or RBAC gives it its rights there.
 */
function fleetRecord(
  { consumer, clusterManager, hub }: FleetAccessProps,
  { name, issuer, apiServer, namespace }: FleetPlan,
  declared: FleetAccess,
): RecordedCluster {
  const { title, kind, form, isDistroless, onPath, needsHealthy } = consumer;
  return {
    name,
    ...issuer.recorded,
    apiServer,
    ...(hub.featureGates && { featureGates: hub.featureGates }),
    fleet: {
      consumer: { title, kind, form, isDistroless, onPath, ...(needsHealthy && { needsHealthy }) },
      reader: workloadRecord(consumer.reader),
      workloads: consumer.workloads.map(workloadRecord),
      plugins: declared.consumer.plugins.map(({ plugin, path }) => ({
        plugin,
        path: path ?? fleetPlugin(plugin).path,
      })),
      ...(declared.statusWriters.length > 0 && {
        statusWriters: declared.statusWriters.map(({ subject }) => subject.key),
      }),
      clusterManager,
      namespace,
      podIdentityWebhooks: [...(hub.podIdentityWebhooks ?? [])].sort(),
      identities: Object.entries(declared.declarations).flatMap(([cloud, { grants }]) =>
        grants.map(({ subject, identity }) => ({ serviceAccount: subject.key, cloud, identity })),
      ),
      spokes: declared.spokes.map(({ profileName, providerName, access }) => ({
        name: profileName,
        ...accessRecord(access),
        ...(form.kind !== "secrets" && { provider: providerName }),
        rights: declared.entries.get(profileName)?.binding === undefined ? "cloud" : "rbac",
      })),
    },
  };
}

/** Late values are left out: they are only in the profile. */
function accessRecord({
  cloud,
  endpoint,
  project,
  projectNumber,
}: SpokeFacts): Readonly<Record<string, string>> {
  const { server } = endpoint;
  return {
    cloud,
    ...(!isLate(server) && { server }),
    ...(project !== undefined && { project }),
    ...(projectNumber !== undefined && !isLate(projectNumber) && { projectNumber }),
  };
}

function workloadRecord(workload: ControllerWorkload): Readonly<Record<string, string>> {
  const { kind, namespace, name, container, serviceAccount } = workload;
  return { kind, namespace, name, container, serviceAccount };
}
