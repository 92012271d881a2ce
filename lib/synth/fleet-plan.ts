/*
 * Checks the properties of FleetAccess before anything is declared, and the fleets of an app against each other: two
 * controllers of one hub have one stack each, but share the hub's objects and the files of a self-managed spoke.
 */

import { Annotations } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { at, fail } from "../errors";
import type { FleetConsumer } from "../fleet";
import { type ISpokeAccess, SPOKE_ACCESS } from "../model/fleet";
import { Issuer } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { isLate, literal } from "../model/late";
import { remembered } from "../model/once";
import { checkGiven } from "../model/shape";
import { Subject } from "../model/subject";
import { minorOf } from "../model/version";
import type { IWorkloadIdentities } from "../model/workloads";
import { CLUSTER_SECRET_PREFIX } from "../rules/fleet/cluster-secret";
import { KUEUE_CONFIG_MAP } from "../rules/fleet/kueue";
import { statedByCloud } from "./account-groups";
import type { FleetAccessProps, FleetSpoke, SpokeHub } from "./fleet-access-props";

export interface FleetPlan {
  readonly name: string;
  readonly consumer: FleetConsumer;
  readonly issuer: Issuer;
  /** Kubernetes minor version of the hub. */
  readonly apiServer: string;
  /** Namespace of the profiles. */
  readonly namespace: string;
  /** The service accounts that open connections, each once, sorted. */
  readonly subjects: readonly Subject[];
  readonly spokes: readonly PlannedSpoke[];
  /** What makes the identities in each of the spokes' clouds, sorted by cloud. */
  readonly makers: readonly IWorkloadIdentities<Construct>[];
  /** Clouds whose pod identity webhook runs on the hub. */
  readonly webhooks: readonly string[];
}

/** A spoke with the access that was made for this hub. */
export interface PlannedSpoke extends Omit<FleetSpoke, "access"> {
  readonly access: ISpokeAccess<Construct>;
}

export function fleetPlan(props: FleetAccessProps): FleetPlan {
  const { hub, consumer, spokes, identities = [] } = props;
  const { namespace = consumer.profileNamespace ?? consumer.reader.namespace } = props;
  const name = clusterName(hub.name);
  const issuer = Issuer.of(hub.issuer);
  const keys = consumer.workloads.map((each) => `${each.namespace}/${each.serviceAccount}`);
  const subjects = [...new Set(keys)].sort().map((key) => Subject.of(key));
  if (spokes.length === 0)
    return fail("fleet-missing", {
      problem: "`spokes` of the hub is an empty list",
      value: name,
      allowed: "at least one entry of `spokes`",
      remedy: "add the clusters that the controllers enter",
    });
  refuseForSecrets(props);
  const own = { hub: name, issuer, serviceAccounts: subjects };
  const planned = spokes.map((spoke) => plannedSpoke(spoke, own));
  refuseTwice(planned, namespace);
  // Spokes that take the hub's own tokens do not need an identity in a cloud.
  const used = new Set(planned.map(({ access }) => access.cloud));
  const clouds = [...used].filter((cloud) => cloud !== "kubernetes").sort();
  const apiServer = minorOf("apiServer of the hub", hub.apiServer);
  const makers = statedByCloud(identities, clouds, "spokes");
  return {
    name,
    consumer,
    issuer,
    apiServer,
    namespace,
    subjects,
    spokes: planned,
    makers: clouds.map((cloud) => makers.get(cloud) ?? withoutMaker(cloud)),
    webhooks: hub.podIdentityWebhooks ?? [],
  };
}

function refuseTwice(spokes: readonly PlannedSpoke[], namespace: string): void {
  const names = spokes.map((each) => each.name);
  const twice = names.find((each, index) => names.indexOf(each) < index);
  if (twice !== undefined)
    fail("fleet-conflict", {
      problem: "two spokes have the same name",
      value: `${namespace}/${twice}`,
      allowed: "a different name for each spoke",
      remedy: "give one of the two spokes another name",
    });
}

function refuseForSecrets(props: FleetAccessProps): void {
  if (props.consumer.form.kind !== "secrets") return;
  const unused = (["additionalProviders", "statusWriter"] as const).find((key) => props[key] !== undefined);
  if (unused !== undefined)
    fail("fleet-unused", {
      problem: "this consumer's cluster Secrets have neither a list of access providers nor a status",
      value: unused,
      allowed: "additionalProviders and statusWriter for consumers that read ClusterProfiles",
      remedy: "leave this property out",
    });
}

function withoutMaker(cloud: string): never {
  return fail("fleet-missing", {
    problem: "`identities` has no entry for the cloud of a spoke, so the controllers get no identity there",
    value: cloud,
    allowed:
      "workloadRoles() for aws, workloadIdentities() for azure, workloadServiceAccounts() for google in `identities`",
    remedy: "add the entry of that cloud",
  });
}

/** Checks a spoke as far as possible before the identities exist. */
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
      problem: `namespaces of spoke ${name} have no effect, because it has no clusterRole to bind`,
      value: namespaces,
      allowed: "namespaces together with clusterRole",
      remedy:
        "limit the rights in the cloud (accessPolicies, roles), or set clusterRole so that RBAC gives them",
    });
  if (namespaces?.length === 0)
    return fail("fleet-missing", {
      problem: `namespaces of spoke ${name} is an empty list, so the clusterRole would be bound nowhere`,
      allowed: "at least one namespace; leave `namespaces` out for the whole spoke",
      remedy: "name the namespaces",
    });
  const keys = hub.serviceAccounts.map(({ key }) => key);
  checkRole(name, clusterRole, access.authorizes === true ? [] : keys);
  return { ...spoke, access };
}

/** As `explain` warns of the policies and roles of EKS and AKS that permit everything. */
export function adminWarnings({ spokes }: Pick<FleetPlan, "spokes">): readonly string[] {
  return spokes.flatMap(({ name, clusterRole, namespaces }) =>
    clusterRole === "cluster-admin"
      ? [
          `ClusterRole cluster-admin lets the controller do everything in ${namespaces === undefined ? `spoke ${name}` : `${namespaces.join(", ")} of spoke ${name}`}: bind a ClusterRole with the rights that it needs`,
        ]
      : [],
  );
}

/** Requires a ClusterRole for controllers that get no rights from the cloud; without such controllers, refuses it. */
export function checkRole(spoke: string, clusterRole: string | undefined, waiting: readonly string[]): void {
  if (clusterRole === undefined && waiting.length > 0)
    fail("fleet-missing", {
      problem: `spoke ${spoke} admits the controllers, but nothing gives them rights there`,
      value: waiting,
      allowed: "clusterRole: the name of an existing ClusterRole of the spoke",
      remedy: "set `clusterRole` of the spoke, or give rights by a policy or role of its cloud",
    });
  if (clusterRole !== undefined && waiting.length === 0)
    fail("fleet-unused", {
      problem: `the cloud of spoke ${spoke} already gives all controllers their rights, so no user is left to bind to the ClusterRole`,
      value: clusterRole,
      remedy:
        "leave `clusterRole` out, or leave the rights to RBAC: set groups on the access entry, and no roles of the cloud",
    });
}

/** The spoke may trust further service accounts of the hub: those of its other controllers. */
function checkTrust(
  name: string,
  { trusts }: ISpokeAccess<Construct>,
  { issuer, serviceAccounts }: Omit<SpokeHub, "spoke">,
): void {
  if (!trusts) return;
  const differs = (what: string, value: unknown, expected: unknown): never =>
    fail("fleet-mismatch", {
      problem: `the ${what} that spoke ${name} trusts differ from those of the hub and its consumer`,
      value,
      allowed: JSON.stringify(expected),
      remedy:
        "give `access` as a function, (hub) => selfManagedSpoke({ ...hub, … }), which gets these values from the hub",
    });
  if (!isLate(trusts.issuer) && !isLate(issuer.url) && trusts.issuer !== issuer.url)
    differs("tokens", trusts.issuer, issuer.url);
  const keys = serviceAccounts.map(({ key }) => key);
  if (!keys.every((key) => trusts.serviceAccounts.includes(key)))
    differs("service accounts", trusts.serviceAccounts, keys);
}

/** What a fleet writes, and for which hub. */
interface Claim {
  readonly hub: string;
  readonly issuer: string;
  readonly by: string;
  /** The content, if two fleets may write the same; otherwise empty. */
  readonly text: string;
}

const claims = new WeakMap<IConstruct, Map<string, Claim[]>>();

/** Registers what a fleet writes, or throws and registers nothing. Warns if another hub writes a spoke's files. */
export function claimFleet(construct: Construct, plan: FleetPlan): void {
  const known = remembered(claims, construct.node.root, () => new Map<string, Claim[]>());
  const ownClaim = { hub: plan.name, issuer: plan.issuer.url, by: construct.node.path };
  const objects = objectsOf(plan);
  for (const object of objects) {
    const other = known.get(object)?.find((claim) => isSameHub(claim, ownClaim));
    if (other)
      fail("fleet-conflict", {
        problem: `${other.by} also writes ${object} of the same hub, and whichever is applied last would replace the other`,
        value: object,
        allowed: "each object of a hub in only one FleetAccess of the app",
        remedy:
          "give the second FleetAccess its own `namespace` for profiles and its own controller workloads",
      });
  }
  const files = plan.spokes.flatMap(fileOf);
  for (const { spoke, key, text } of files)
    for (const claim of known.get(key) ?? []) checkFile(construct, spoke, { ...ownClaim, text }, claim);
  const noted = [...objects.map((key) => ({ key, text: "" })), ...files];
  for (const { key, text } of noted) known.set(key, [...(known.get(key) ?? []), { ...ownClaim, text }]);
}

/** Objects of the hub that are written as a whole, and workloads that are patched. */
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

/** Identifies spokes by address, as hubs may name one differently. Of a late text the known part is compared. */
function fileOf({ name, access }: PlannedSpoke) {
  const { endpoint, nodeSetup, trusts, parameters } = access;
  if (nodeSetup === undefined) return [];
  const known = isLate(nodeSetup) ? [trusts?.serviceAccounts, parameters.tokenAudience] : nodeSetup;
  return [{ spoke: name, key: `files ${endpoint.server}`, text: JSON.stringify(known) }];
}

function checkFile(construct: Construct, spoke: string, own: Claim, other: Claim): void {
  if (own.text === other.text) return;
  if (isSameHub(own, other))
    fail("fleet-mismatch", {
      problem: `${other.by} writes different files for the control plane of this spoke, and kube-apiserver refuses a second entry for the same issuer`,
      value: spoke,
      allowed: "one file per spoke that names the service accounts of all controllers of the hub",
      remedy:
        "list all these service accounts in both FleetAccess, with the same audience: (hub) => selfManagedSpoke({ ...hub, serviceAccounts: [all], … })",
    });
  Annotations.of(construct).addWarning(
    `the hub of ${other.by} also writes files for the control plane of spoke ${spoke}: install one file that has both entries (additionalAuthenticators)`,
  );
}

/** Hubs with the same name and a late issuer are treated as one hub: within an app, names are unique. */
function isSameHub(a: Omit<Claim, "text">, b: Omit<Claim, "text">): boolean {
  return a.hub === b.hub && (a.issuer === b.issuer || isLate(a.issuer) || isLate(b.issuer));
}
