import { Annotations } from "cdktf";
import { Construct } from "constructs";
import { at } from "../errors";
import type { ClusterInventory, HubConsumer, MultiKueueCluster, SpokeCluster, StatusWriter } from "../fleet";
import type { AccessDeclaration, IWorkloadIdentities } from "../model/workloads";
import { manifestsFor } from "./cluster-job";
import { type FleetAccessProps, FLEET_ACCESS_PROPS } from "./fleet-access-props";
import { type FleetChart, CONSUMER, STATUS } from "./fleet-charts";
import { consumerComment, webhookComment } from "./fleet-comments";
import { claimFleet } from "./fleet-claims";
import { lateRules } from "./fleet-late-rules";
import { fleetObjects } from "./fleet-objects";
import { type FleetPlan, fleetPlan } from "./fleet-plan";
import { fleetRecord } from "./fleet-record";
import { rehearseFleet } from "./fleet-rehearsal";
import { type EnteredSpoke, enterSpokes } from "./fleet-spokes";
import type { Manifests } from "./manifests";
import { proveAtSynth } from "./proof";
import { checkProps } from "../model/shape";

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
  /** The profiles. */
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
