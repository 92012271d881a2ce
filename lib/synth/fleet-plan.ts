/*
 * What FleetAccess will declare, checked before anything is declared.
 */

import type { Construct } from "constructs";
import { at, fail } from "../errors";
import { clusterName } from "../model/kubernetes-name";
import type { ISpokeAccess } from "../model/fleet";
import type { Issuer } from "../model/issuer";
import { isLate, literal } from "../model/late";
import { Subject } from "../model/subject";
import { minorOf } from "../model/version";
import type { IWorkloadIdentities } from "../model/workloads";
import type { FleetAccessProps, FleetHub, FleetSpoke } from "./fleet-access-props";
import { issuerOf } from "./issuer-of";

/** A spoke with its access. */
export interface PlannedSpoke extends Omit<FleetSpoke, "access"> {
  /** Its access, made for this hub. */
  readonly access: ISpokeAccess<Construct>;
}

/** The checked parts of the properties. */
export interface FleetPlan {
  /** Name of the hub. */
  readonly name: string;
  /** Issuer of the hub. */
  readonly issuer: Issuer;
  /** Kubernetes minor of the hub. */
  readonly apiServer: string;
  /** Namespace of the profiles. */
  readonly namespace: string;
  /** The executing service accounts, each once, sorted. */
  readonly subjects: readonly Subject[];
  /** The spokes in their order. */
  readonly spokes: readonly PlannedSpoke[];
  /** The makers of the spokes' clouds, sorted by cloud. */
  readonly makers: readonly IWorkloadIdentities<Construct>[];
}

/** Spokes that take the hub's own tokens need no identity in any cloud. */
const OWN_TOKENS = "kubernetes";

/**
 * Throws `cluster-name-invalid`, `issuer-invalid`, `issuer-trailing-slash`, `version-invalid`, `fleet-spokes-empty`,
 * `cluster-profile-twice`, `spoke-trust-differs`, `identities-twice`, `fleet-identities-none`, `identities-unused`, and
 * what a function of the hub throws that makes a spoke.
 */
export function fleetPlan(props: FleetAccessProps): FleetPlan {
  const { hub, consumer, spokes, identities = [] } = props;
  const inventory = props.namespace ?? consumer.profileNamespace ?? consumer.reader.namespace;
  const issuer = issuerOf(hub.issuer);
  const keys = consumer.workloads.map(({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`);
  const subjects = [...new Set(keys)].sort().map((key) => Subject.of(key));
  if (!Array.isArray(spokes) || spokes.length === 0) return fail("fleet-spokes-empty", hub.name);
  const planned = spokes.map((spoke) =>
    at({ node: { path: `spoke ${String(spoke.name)}` } }, () => plannedSpoke(spoke, issuer, subjects)),
  );
  const names = planned.map(({ name: own }) => own);
  const twice = names.find((own, index) => names.indexOf(own) < index);
  if (twice !== undefined) return fail("cluster-profile-twice", inventory, twice, `spoke ${twice}`);
  const clouds = new Set(planned.map(({ access }) => access.cloud).filter((cloud) => cloud !== OWN_TOKENS));
  return {
    name: clusterName(hub.name),
    issuer,
    apiServer: minorOf("apiServer of the hub", hub.apiServer),
    namespace: inventory,
    subjects,
    spokes: planned,
    makers: makersOf([...clouds].sort(), identities),
  };
}

/** Whether the hub has image volumes by its own word; `undefined` where the release decides. */
export function imageVolumeGate({ featureGates = {} }: FleetHub): boolean | undefined {
  return featureGates["ImageVolume"];
}

function plannedSpoke(spoke: FleetSpoke, issuer: Issuer, serviceAccounts: readonly Subject[]): PlannedSpoke {
  const name = literal(spoke.name, "name of a spoke");
  const { access: given } = spoke;
  const access = typeof given === "function" ? given({ spoke: name, issuer, serviceAccounts }) : given;
  const { trusts } = access;
  const keys = serviceAccounts.map(({ key }) => key);
  if (trusts) {
    const known = !isLate(trusts.issuer) && !isLate(issuer.url);
    if (known && trusts.issuer !== issuer.url)
      fail("spoke-trust-differs", name, "tokens", trusts.issuer, issuer.url);
    if (JSON.stringify(trusts.serviceAccounts) !== JSON.stringify(keys))
      fail("spoke-trust-differs", name, "service accounts", trusts.serviceAccounts, keys);
  }
  return { ...spoke, access };
}

function makersOf(
  clouds: readonly string[],
  stated: readonly IWorkloadIdentities<Construct>[],
): readonly IWorkloadIdentities<Construct>[] {
  const makers = new Map<string, IWorkloadIdentities<Construct>>();
  for (const maker of stated) {
    if (makers.has(maker.cloud)) return fail("identities-twice", maker.cloud);
    if (!clouds.includes(maker.cloud))
      return fail("identities-unused", maker.cloud, clouds, "in which there is no spoke", "spoke");
    makers.set(maker.cloud, maker);
  }
  return clouds.map((cloud) => makers.get(cloud) ?? fail("fleet-identities-none", cloud));
}
