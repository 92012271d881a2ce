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
import { type FleetPlan, type PlannedSpoke, claimFleet, fleetPlan } from "./fleet-plan";
import type { Manifests } from "./manifests";
import { proveAtSynth } from "./proof";
import type { RecordedCluster } from "./cluster-records";

const JOB = { records: "fleet", construct: "FleetAccess" } as const;

/**
 * The whole job for one hub: this controller enters these spoke clusters with workload identity.
 *
 * Declares in Terraform, once per cloud of the spokes, one identity per service account that opens connections, without
 * permissions, and per spoke what lets it in. Writes for the hub, into `manifests/`, a ClusterProfile per spoke, its
 * status apart, the controller's list of access providers, and what its workloads and service accounts need besides;
 * for each spoke, into `spokes/`, RBAC and the files of its API servers, where it needs any.
 *
 * Another spoke adds objects and changes none of the others but the controller's list, with the hash that rolls its
 * pods, and for a self-managed spoke the tokens that are mounted into them. One per stack; another controller of the hub
 * has a stack of its own, with profiles in another namespace.
 */
export class FleetAccess extends Construct {
  /** Where the manifests are written. */
  readonly manifests: Manifests;
  /** The profiles; where the consumer takes cluster Secrets, they are not written. */
  readonly inventory: ClusterInventory;
  /** The spokes, in the order of the properties. */
  readonly spokes: readonly SpokeCluster[];
  /** What each cloud declared for the controllers, by the cloud's key (`aws`, `azure`, `google`). */
  readonly declarations: Readonly<Record<string, AccessDeclaration>>;
  /** What lets the controllers in, and their RBAC, by name of the spoke. */
  readonly entries: ReadonlyMap<string, EnteredSpoke>;
  /** The controller: its list of providers, service accounts and patches. */
  readonly consumer: HubConsumer;
  /** Jobs that write the status; none without `statusWriter`. */
  readonly statusWriters: readonly StatusWriter[];
  /** Worker clusters of MultiKueue, one per spoke; none for other consumers. */
  readonly workerClusters: readonly MultiKueueCluster[];

  /** Argo CD's cluster Secrets, one per spoke; none for consumers that read profiles. */
  readonly clusterSecrets: readonly ClusterSecret[];

  /** What can be known without identities is refused before anything is declared. */
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
    for (const warning of [...this.spokes, this.consumer.file].flatMap(({ warnings }) => warnings))
      Annotations.of(this).addWarning(warning);
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

  /** What the files' headers say of these objects. */
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

/** What `bind` must check of a spoke, since it is not known before. */
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

/** Which webhook must run on the hub, and that it changes new pods alone. */
function webhookComment(webhooks: readonly string[]): readonly string[] {
  return webhooks.length === 0
    ? []
    : [
        `Needs the pod identity webhook of ${webhooks.join(" and ")} on the hub, which reads annotations when a pod begins:`,
        "restart workloads that this file does not change.",
      ];
}

/** What the person who applies the file must do besides. */
export function consumerComment(
  { title, form, reader, profileNamespace }: FleetConsumer,
  flag: string | undefined,
): readonly string[] {
  if (form.kind === "kueue")
    return [
      "The ConfigMap is that of the installation with the list of providers in it: add --force-conflicts. The",
      "ClusterProfile CRD must be there before Kueue starts.",
      form.gateByFlag === true
        ? "The manager must have --feature-gates with MultiKueueClusterProfile=true on its command line."
        : "Kueue does not start with featureGates there and --feature-gates on its command line.",
    ];
  if (flag === undefined) return [];
  const isElsewhere = profileNamespace !== undefined && profileNamespace !== reader.namespace;
  return [
    `Give the ${reader.kind} ${reader.namespace}/${reader.name} of ${title} the argument`,
    flag,
    ...(isElsewhere
      ? [`and the namespace of the profiles, which is not its own:`, `${ARGO_NAMESPACES}=${profileNamespace}`]
      : []),
  ];
}

/**
 * What `workload-identity.json` says of a hub's fleet: who opens connections, as what it acts in each cloud, and which
 * spokes it shall enter, each with what gives it its rights there.
 */
function fleetRecord(
  { consumer, clusterManager, hub, plugins = [] }: FleetAccessProps,
  { name, issuer, apiServer, namespace }: FleetPlan,
  declared: FleetAccess,
): RecordedCluster {
  const { title, form, isDistroless, onPath } = consumer;
  return {
    name,
    ...issuer.recorded,
    apiServer,
    ...(hub.featureGates && { featureGates: hub.featureGates }),
    fleet: {
      consumer: { title, form, isDistroless, onPath },
      reader: workloadRecord(consumer.reader),
      workloads: consumer.workloads.map(workloadRecord),
      plugins: plugins.map(({ plugin, path }) => ({ plugin, path: path ?? fleetPlugin(plugin).path })),
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

/** What is late stands in the profile alone. */
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
