import { Annotations, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { at } from "../errors";
import { ClusterInventory, HubConsumer, MultiKueueCluster, SpokeCluster, StatusWriter } from "../fleet";
import type { AccessDeclaration } from "../model/workloads";
import { checkClaim } from "./cluster-records";
import type { FleetAccessProps } from "./fleet-access-props";
import { CONSUMER, KUEUE, PROFILES, STATUS, STATUS_WRITERS, consumerComment } from "./fleet-charts";
import { type FleetPlan, fleetPlan, imageVolumeGate } from "./fleet-plan";
import { fleetRecord } from "./fleet-record";
import { type EnteredSpoke, enterSpokes } from "./fleet-spokes";
import { Manifests } from "./manifests";
import { warnOfSharedIssuer } from "./shared-issuer";

const CLAIM = { key: "fleet", construct: "FleetAccess", lines: "spokes" } as const;

/**
 * The whole job for one hub: this controller enters these spoke clusters with workload identity.
 *
 * Declares in Terraform, once per cloud of the spokes, one identity per service account that opens connections, without
 * permissions, and per spoke what lets it in. Writes for the hub, into `manifests/`, a ClusterProfile per spoke, its
 * status apart, the controller's list of access providers, and what its workloads and service accounts need besides;
 * for each spoke, into `spokes/`, RBAC and the files of its API servers, where it needs any.
 *
 * Another spoke adds objects and changes none of the others but the controller's list. One per stack; another
 * controller of the hub has a stack of its own.
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

  /**
   * Throws `fleet-spokes-empty`, `fleet-identities-none`, `identities-twice`, `identities-unused`,
   * `spoke-trust-differs`, `spoke-cluster-role-missing`, `spoke-cluster-role-unused`, `cluster-profile-twice`,
   * `cluster-taken`, `cluster-facts-differ`, and the codes of everything it composes, with its own path before the
   * message.
   */
  constructor(scope: Construct, id: string, props: FleetAccessProps) {
    super(scope, id);
    const plan = at(this, () => fleetPlan(props));
    const { name, issuer } = plan;
    this.manifests = Manifests.of(TerraformStack.of(this));
    at(this, () => checkClaim(this.manifests.recorded, { ...CLAIM, name, issuer: issuer.url }));

    this.inventory = at(this, () => this.#inventory(props, plan));
    this.spokes = at(this, () => this.#profiles(plan));
    this.declarations = Object.fromEntries(
      plan.makers.map((maker) => [
        maker.cloud,
        at(this, () =>
          maker.declare(new Construct(this, maker.cloud), {
            clusterName: name,
            issuer,
            workloads: plan.subjects.map((subject) => ({ subject, access: [] })),
          }),
        ),
      ]),
    );
    this.entries = at(this, () =>
      enterSpokes(new Construct(this, "spokes"), plan, this.declarations, this.manifests),
    );
    this.consumer = at(this, () => this.#consumer(props, plan));
    this.statusWriters = at(this, () => this.#statusWriters(props));
    this.workerClusters = at(this, () => this.#workerClusters(props));

    at(this, () => this.manifests.record(fleetRecord(props, plan, this)));
    warnOfSharedIssuer(this, name, issuer.url);
    for (const warning of [...this.spokes, this.consumer.file].flatMap(({ warnings }) => warnings))
      Annotations.of(this).addWarning(warning);
  }

  #inventory(
    { clusterManager, apiVersion, statusWriter }: FleetAccessProps,
    { namespace }: FleetPlan,
  ): ClusterInventory {
    const { manifests } = this;
    const inventory = new ClusterInventory(manifests.chart(PROFILES.name, PROFILES), "inventory", {
      namespace,
      clusterManager,
      ...(apiVersion !== undefined && { apiVersion }),
      ...(statusWriter === undefined && { statusScope: manifests.chart(STATUS.name, STATUS) }),
    });
    const comment = [`${inventory.statusCommand} --filename=<this file>`];
    if (inventory.statusScope) manifests.chart(STATUS.name, { ...STATUS, comment });
    return inventory;
  }

  #profiles({ spokes }: FleetPlan): readonly SpokeCluster[] {
    return spokes.map(({ name, clusterRole: _, namespaces: __, ...spoke }) =>
      at({ node: { path: `spoke ${name}` } }, () => new SpokeCluster(this.inventory, name, spoke)),
    );
  }

  #consumer(props: FleetAccessProps, { apiServer }: FleetPlan): HubConsumer {
    const { consumer, hub, plugins, pluginByCloud, additionalProviders, kueueConfiguration } = props;
    const imageVolume = imageVolumeGate(hub);
    const { manifests } = this;
    const made = new HubConsumer(manifests.chart(CONSUMER.name, CONSUMER), "consumer", {
      consumer,
      hub: { version: apiServer, ...(imageVolume !== undefined && { imageVolume }) },
      spokes: this.spokes,
      identities: Object.fromEntries(
        Object.entries(this.declarations).map(([cloud, { grants }]) => [cloud, grants]),
      ),
      ...(plugins && { plugins }),
      ...(pluginByCloud && { pluginByCloud }),
      ...(additionalProviders && { additionalProviders }),
      ...(kueueConfiguration !== undefined && { kueueConfiguration }),
    });
    manifests.chart(CONSUMER.name, { ...CONSUMER, comment: consumerComment(consumer, made.flag) });
    return made;
  }

  #statusWriters({ statusWriter }: FleetAccessProps): readonly StatusWriter[] {
    if (statusWriter === undefined) return [];
    const chart = this.manifests.chart(STATUS_WRITERS.name, STATUS_WRITERS);
    return this.spokes.map((spoke) => new StatusWriter(chart, spoke.profileName, { ...statusWriter, spoke }));
  }

  #workerClusters({ consumer: { form } }: FleetAccessProps): readonly MultiKueueCluster[] {
    if (form.kind !== "kueue") return [];
    const chart = this.manifests.chart(KUEUE.name, KUEUE);
    return this.spokes.map((spoke) => new MultiKueueCluster(chart, spoke.profileName, { spoke }));
  }
}
