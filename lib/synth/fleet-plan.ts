/*
 * What FleetAccess will declare, checked before anything is declared; and what the fleets of an app have in common: two
 * controllers of one hub have a stack each, but the hub's objects, and the files of a self-managed spoke, are there once.
 */

import { Annotations } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { at, fail } from "../errors";
import type { FleetConsumer } from "../fleet";
import { type ISpokeAccess, SPOKE_ACCESS } from "../model/fleet";
import { Issuer } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { isLate, literal } from "../model/late";
import { checkGiven } from "../model/shape";
import { Subject } from "../model/subject";
import { minorOf } from "../model/version";
import type { IWorkloadIdentities } from "../model/workloads";
import { CLUSTER_SECRET_PREFIX } from "../rules/fleet/cluster-secret";
import { KUEUE_CONFIG_MAP } from "../rules/fleet/kueue";
import { refuseIdle, refuseSecond } from "./account-groups";
import type { FleetAccessProps, FleetSpoke, SpokeHub } from "./fleet-access-props";

/** The checked parts of the properties. */
export interface FleetPlan {
  /** Name of the hub. */
  readonly name: string;
  readonly consumer: FleetConsumer;
  readonly issuer: Issuer;
  /** Kubernetes minor of the hub. */
  readonly apiServer: string;
  /** Namespace of the profiles. */
  readonly namespace: string;
  /** The executing service accounts, each once, sorted. */
  readonly subjects: readonly Subject[];
  /** In their order. */
  readonly spokes: readonly PlannedSpoke[];
  /** The makers of the spokes' clouds, sorted by cloud. */
  readonly makers: readonly IWorkloadIdentities<Construct>[];
  /** Clouds whose webhook changes pods on the hub. */
  readonly webhooks: readonly string[];
}

/** A spoke with its access, made for this hub. */
export interface PlannedSpoke extends Omit<FleetSpoke, "access"> {
  readonly access: ISpokeAccess<Construct>;
}

export function fleetPlan(props: FleetAccessProps): FleetPlan {
  const { hub, consumer, spokes, identities = [] } = props;
  const namespace = props.namespace ?? consumer.profileNamespace ?? consumer.reader.namespace;
  const name = clusterName(hub.name);
  const issuer = Issuer.of(hub.issuer);
  const keys = consumer.workloads.map((each) => `${each.namespace}/${each.serviceAccount}`);
  const subjects = [...new Set(keys)].sort().map((key) => Subject.of(key));
  if (spokes.length === 0)
    return fail("fleet-missing", {
      problem: "no spoke is given",
      value: name,
      allowed: "at least one entry of `spokes`",
      remedy: "name the clusters that the controllers enter",
    });
  refuseForSecrets(props);
  const own = { hub: name, issuer, serviceAccounts: subjects };
  const planned = spokes.map((spoke) => plannedSpoke(spoke, own));
  const names = planned.map((each) => each.name);
  const twice = names.find((each, index) => names.indexOf(each) < index);
  if (twice !== undefined)
    return fail("fleet-conflict", {
      problem: "two spokes have one name",
      value: `${namespace}/${twice}`,
      allowed: "one spoke per name and inventory",
      remedy: "give one of the two spokes another name",
    });
  // Spokes that take the hub's own tokens need no identity in any cloud.
  const clouds = new Set(planned.map(({ access }) => access.cloud).filter((cloud) => cloud !== "kubernetes"));
  return {
    name,
    consumer,
    issuer,
    apiServer: minorOf("apiServer of the hub", hub.apiServer),
    namespace,
    subjects,
    spokes: planned,
    makers: makersOf([...clouds].sort(), identities),
    webhooks: hub.podIdentityWebhooks ?? [],
  };
}

function refuseForSecrets(props: FleetAccessProps): void {
  if (props.consumer.form.kind !== "secrets") return;
  const unused = (["additionalProviders", "statusWriter"] as const).find((key) => props[key] !== undefined);
  if (unused !== undefined)
    fail("fleet-unused", {
      problem: "cluster Secrets have neither a list of access providers nor a status",
      value: unused,
      allowed: "additionalProviders and statusWriter for consumers that read ClusterProfiles",
      remedy: "leave it out",
    });
}

function makersOf(
  clouds: readonly string[],
  stated: readonly IWorkloadIdentities<Construct>[],
): readonly IWorkloadIdentities<Construct>[] {
  const makers = new Map<string, IWorkloadIdentities<Construct>>();
  for (const maker of stated) {
    if (makers.has(maker.cloud)) refuseSecond(maker.cloud);
    if (!clouds.includes(maker.cloud)) refuseIdle(maker.cloud, clouds, "spokes");
    makers.set(maker.cloud, maker);
  }
  return clouds.map((cloud) => makers.get(cloud) ?? withoutMaker(cloud));
}

function withoutMaker(cloud: string): never {
  return fail("fleet-missing", {
    problem: "a spoke's cloud has no way of making the controllers' identities",
    value: cloud,
    allowed:
      "workloadRoles() for aws, workloadIdentities() for azure, workloadServiceAccounts() for google in `identities`",
    remedy: "add the maker of that cloud",
  });
}

/** A spoke, checked as far as it can be before identities are there. */
function plannedSpoke(spoke: FleetSpoke, hub: Omit<SpokeHub, "spoke">): PlannedSpoke {
  return at({ node: { path: `spoke ${String(spoke.name)}` } }, () => checkedSpoke(spoke, hub));
}

function checkedSpoke(spoke: FleetSpoke, hub: Omit<SpokeHub, "spoke">): PlannedSpoke {
  const name = literal(spoke.name, "name of a spoke");
  const { access: given, clusterRole, namespaces } = spoke;
  const access = typeof given === "function" ? given({ ...hub, spoke: name }) : given;
  checkGiven(`spoke ${name}`, SPOKE_ACCESS, access, "access");
  checkTrust(name, access, hub);
  if (namespaces !== undefined && clusterRole === undefined)
    return fail("fleet-unused", {
      problem: `namespaces of spoke ${name} limit nothing, since no clusterRole is bound there`,
      value: namespaces,
      allowed: "namespaces beside clusterRole",
      remedy:
        "state the namespaces where the cloud gives the rights (accessPolicies, roles), or leave the rights to a clusterRole",
    });
  if (namespaces?.length === 0)
    return fail("fleet-missing", {
      problem: `namespaces of spoke ${name} are an empty list, and the clusterRole would be bound nowhere`,
      allowed: "at least one namespace, or no `namespaces` for the whole spoke",
      remedy: "name the namespaces",
    });
  const keys = hub.serviceAccounts.map(({ key }) => key);
  checkRole(name, clusterRole, access.authorizes === true ? [] : keys);
  return { ...spoke, access };
}

/** A ClusterRole goes with controllers to which the cloud itself gives no rights. */
export function checkRole(spoke: string, clusterRole: string | undefined, waiting: readonly string[]): void {
  if (clusterRole === undefined && waiting.length > 0)
    fail("fleet-missing", {
      problem: `spoke ${spoke} lets the controllers in, but nothing there allows them anything`,
      value: waiting,
      allowed: "clusterRole: the name of an existing ClusterRole of the spoke",
      remedy: "give the spoke a `clusterRole`, or a policy or role of its cloud that gives rights",
    });
  if (clusterRole !== undefined && waiting.length === 0)
    fail("fleet-unused", {
      problem: `the cloud of spoke ${spoke} itself gives the controllers their rights, so that no user is left for the ClusterRole`,
      value: clusterRole,
      remedy:
        "leave `clusterRole` out, or leave the rights to RBAC: groups of an access entry, no roles of the cloud",
    });
}

/** Who trusts more of the hub's service accounts lets its other controllers in as well. */
function checkTrust(
  name: string,
  { trusts }: ISpokeAccess<Construct>,
  { issuer, serviceAccounts }: Omit<SpokeHub, "spoke">,
): void {
  if (!trusts) return;
  const differs = (what: string, value: unknown, expected: unknown): never =>
    fail("fleet-mismatch", {
      problem: `the ${what} that spoke ${name} trusts are not those of the hub and its consumer`,
      value,
      allowed: JSON.stringify(expected),
      remedy:
        "give `access` as a function, (hub) => selfManagedSpoke({ ...hub, … }), so that they are written once",
    });
  if (!isLate(trusts.issuer) && !isLate(issuer.url) && trusts.issuer !== issuer.url)
    differs("tokens", trusts.issuer, issuer.url);
  const keys = serviceAccounts.map(({ key }) => key);
  if (!keys.every((key) => trusts.serviceAccounts.includes(key)))
    differs("service accounts", trusts.serviceAccounts, keys);
}

/** Who writes something, and for which hub. */
interface Claim {
  readonly hub: string;
  readonly issuer: string;
  readonly by: string;
  /** What is written, where two may write the same. */
  readonly text: string;
}

const claims = new WeakMap<IConstruct, Map<string, Claim[]>>();

/** Notes what a fleet writes; nothing is noted where it throws. Warns of another hub's files for a spoke. */
export function claimFleet(construct: Construct, plan: FleetPlan): void {
  const { root } = construct.node;
  const known = claims.get(root) ?? new Map<string, Claim[]>();
  claims.set(root, known);
  const own = { hub: plan.name, issuer: plan.issuer.url, by: construct.node.path };
  const objects = objectsOf(plan);
  for (const object of objects) {
    const other = known.get(object)?.find((claim) => isSameHub(claim, own));
    if (other)
      fail("fleet-conflict", {
        problem: `${other.by} writes ${object} of the same hub as well, and the one applied last would replace the other`,
        value: object,
        allowed: "each object of a hub from one FleetAccess of the app",
        remedy:
          "give the second controller's fleet a `namespace` of its own for its profiles, and workloads of its own",
      });
  }
  const files = plan.spokes.flatMap(fileOf);
  for (const { spoke, key, text } of files)
    for (const claim of known.get(key) ?? []) checkFile(construct, spoke, { ...own, text }, claim);
  const noted = [...objects.map((key) => ({ key, text: "" })), ...files];
  for (const { key, text } of noted) known.set(key, [...(known.get(key) ?? []), { ...own, text }]);
}

/** What is written whole for the hub, and the workloads that are patched. */
function objectsOf({ consumer, namespace, spokes }: FleetPlan): readonly string[] {
  const { reader, workloads, form } = consumer;
  const hasSecrets = form.kind === "secrets";
  const configMap = form.kind === "file" ? form.configMap : KUEUE_CONFIG_MAP;
  const patched = [reader, ...workloads].map(({ kind, namespace: own, name }) => `${kind} ${own}/${name}`);
  return [
    ...new Set([
      ...(hasSecrets ? [] : [`ConfigMap ${reader.namespace}/${configMap}`]),
      ...patched,
      ...spokes.map(({ name }) =>
        hasSecrets
          ? `Secret ${namespace}/${CLUSTER_SECRET_PREFIX}${name}`
          : `ClusterProfile ${namespace}/${name}`,
      ),
    ]),
  ];
}

interface SpokeFile {
  readonly spoke: string;
  readonly key: string;
  readonly text: string;
}

/** Spokes are told apart by their address: two hubs may call one differently. A late text is compared as far as it is known. */
function fileOf({ name, access }: PlannedSpoke): readonly SpokeFile[] {
  const { endpoint, nodeSetup, trusts, parameters } = access;
  if (nodeSetup === undefined) return [];
  const known = isLate(nodeSetup) ? [trusts?.serviceAccounts, parameters.tokenAudience] : nodeSetup;
  return [{ spoke: name, key: `files ${endpoint.server}`, text: JSON.stringify(known) }];
}

function checkFile(construct: Construct, spoke: string, own: Claim, other: Claim): void {
  if (own.text === other.text) return;
  if (isSameHub(own, other))
    fail("fleet-mismatch", {
      problem: `${other.by} writes other files for the control plane of this spoke, and a second entry for one issuer is refused by kube-apiserver`,
      value: spoke,
      allowed: "one file per spoke, with the service accounts of all controllers of the hub",
      remedy:
        "in both, list the service accounts of all of them: (hub) => selfManagedSpoke({ ...hub, serviceAccounts: [all], … }), with one audience",
    });
  Annotations.of(construct).addWarning(
    `the hub of ${other.by} writes files for the control plane of spoke ${spoke} as well: put one file there that holds both entries (additionalAuthenticators)`,
  );
}

/** Late issuers of one name are taken for one hub: names are the app's own. */
function isSameHub(a: Omit<Claim, "text">, b: Omit<Claim, "text">): boolean {
  return a.hub === b.hub && (a.issuer === b.issuer || isLate(a.issuer) || isLate(b.issuer));
}
