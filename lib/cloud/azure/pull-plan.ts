import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { nodeFile } from "../../model/node-file";
import { Subject } from "../../model/subject";
import { type AzureCloudName, azureCloud } from "../../rules/azure/clouds";
import { federatedCredentials } from "../../rules/azure/trust";
import { type PlannedIdentity, type PlannedPull, spread } from "../../rules/azure/pull";
import { type LoginServer } from "../../rules/azure/registry";
import { permissionKey, pullPermissions } from "../../rules/azure/permission";
import { guid, location, resourceGroupName } from "../../rules/azure/ids";
import { type AcrSource, acrSource } from "./acr";
import type { PullIdentitiesProps } from "./pull-identities-props";
import type { IPullIdentity } from "./pull-identity-base";

/** An adopted identity with the service accounts that will act as it. */
export interface AdoptedPull {
  /** The identity that the caller gave. */
  readonly identity: IPullIdentity;
  /** Who acts as it. */
  readonly subjects: readonly Subject[];
  /** What they pull. */
  readonly sources: readonly AcrSource[];
}

/** Everything that is decided before the first resource is declared. */
export interface PullPlan {
  /** The one cloud of all registries. */
  readonly cloud: AzureCloudName;
  /** Path of the plugin's configuration file on the nodes. */
  readonly azureJsonPath: string;
  /** The one audience. */
  readonly audience: string;
  /** The hosts that are pulled from. */
  readonly loginServers: readonly LoginServer[];
  /** Identities to declare. */
  readonly declared: readonly PlannedIdentity[];
  /** Identities that the caller gave. */
  readonly adopted: readonly AdoptedPull[];
  /** Where declared identities go; `undefined` when none is declared. */
  readonly place: PullPlace | undefined;
}

/** Where declared identities go. */
export interface PullPlace {
  /** Resource group; may be late. */
  readonly resourceGroupName: string;
  /** Region; may be late. */
  readonly location: string;
}

interface AzurePull {
  readonly subject: Subject;
  readonly sources: readonly AcrSource[];
}

const AZURE_JSON_PATH = "/etc/kubernetes/acr-azure.json";

/** Checks a request as a whole and decides who acts as which identity; throws what `PullIdentities` documents. */
export function planPulls(props: PullIdentitiesProps): PullPlan {
  const pulls = props.accounts.map(({ subject, asks }) => ({ subject, sources: asks.map(acrSource) }));
  const loginServers = pulls.flatMap((pull) => pull.sources.map((source) => source.loginServer));
  const cloud = oneCloud(props, loginServers);
  const given = givenIdentities(props, pulls);
  const own = pulls.filter((pull) => !given.has(pull.subject.key)).map(planned);
  const declared = spread(own, {
    namePrefix: props.namePrefix ?? props.clusterName,
    shards: props.shards,
  });
  checkTenants(props, [...given.values()]);
  const audience = props.audience ?? azureCloud(cloud).audience;
  // Checks name, issuer and audience once for all service accounts.
  federatedCredentials({
    clusterName: props.clusterName,
    issuer: props.issuer,
    audience,
    subjects: [],
  });
  return {
    cloud,
    azureJsonPath: checkedPath(props),
    audience,
    loginServers,
    declared,
    adopted: adoptions(pulls, given),
    place: own[0] ? placeOf(props, own[0].subject) : undefined,
  };
}

/** Checks the file as far as it is known, so that nothing is refused after the first resource is declared. */
function checkedPath({ azureJsonPath = AZURE_JSON_PATH, subscriptionId }: PullIdentitiesProps): string {
  if (subscriptionId !== undefined) guid("subscriptionId", subscriptionId);
  return nodeFile({ path: azureJsonPath, mode: 0, content: "" }).path;
}

function planned({ subject, sources }: AzurePull): PlannedPull {
  return { subject, permissions: pullPermissions(sources) };
}

function oneCloud(props: PullIdentitiesProps, loginServers: readonly LoginServer[]): AzureCloudName {
  const [first] = loginServers;
  if (first === undefined)
    return fail("azure-missing", {
      problem: "no service account pulls anything",
      remedy: "give at least one pull, or leave the construct out",
    });
  const cloud = props.cloud === undefined ? first.cloud : azureCloud(props.cloud).name;
  const other = loginServers.find((loginServer) => loginServer.cloud !== cloud);
  return other
    ? fail("azure-mismatch", {
        problem: "login server is of another azure cloud than the rest",
        value: other.host,
        allowed: cloud,
        remedy: "pull from one azure cloud per cluster: the plugin's azure.json names one cloud",
      })
    : cloud;
}

function givenIdentities(
  props: PullIdentitiesProps,
  pulls: readonly AzurePull[],
): ReadonlyMap<string, IPullIdentity> {
  const known = new Set(pulls.map((pull) => pull.subject.key));
  const given = new Map(
    Object.entries(props.identities ?? {}).map(([key, identity]) => [Subject.of(key).key, identity]),
  );
  for (const key of given.keys())
    if (!known.has(key))
      fail("azure-unused", {
        problem: "an identity is given for a service account that pulls nothing",
        value: key,
        allowed: [...known].sort().join(", "),
        remedy: "correct the key, which is namespace/name, or remove the entry",
      });
  return given;
}

/** Service accounts that were given one identity share its rights, so they must have stated the same ones. */
function adoptions(
  pulls: readonly AzurePull[],
  given: ReadonlyMap<string, IPullIdentity>,
): readonly AdoptedPull[] {
  const adopted = new Map<IPullIdentity, AzurePull[]>();
  for (const pull of pulls) {
    const identity = given.get(pull.subject.key);
    if (identity) adopted.set(identity, [...(adopted.get(identity) ?? []), pull]);
  }
  return [...adopted].map(([identity, sharing]) => {
    checkSameRights(sharing);
    return {
      identity,
      subjects: sharing.map((pull) => pull.subject),
      sources: sharing.flatMap((pull) => pull.sources),
    };
  });
}

function checkSameRights([first, ...others]: readonly AzurePull[]): void {
  const rights = (pull: AzurePull): string => permissionKey(planned(pull).permissions).join("\n");
  for (const other of others)
    if (first && rights(first) !== rights(other))
      fail("azure-unsafe", {
        problem: `${first.subject.key} and ${other.subject.key} share an identity but not their registries, so each would get the other's`,
        remedy: "give each its own identity, or give both the same registries and repositories",
      });
}

function placeOf(props: PullIdentitiesProps, subject: Subject): PullPlace {
  const group = props.resourceGroupName;
  const region = props.location;
  if (group === undefined || region === undefined) {
    const missing = group === undefined ? "resourceGroupName" : "location";
    return fail("azure-missing", {
      problem: `the identity of ${subject.key} has to be declared, but ${missing} is not given`,
      remedy: `give pullIdentities ${missing}, or adopt an identity for the service account in \`identities\``,
    });
  }
  return { resourceGroupName: resourceGroupName(group), location: location(region) };
}

/** The plugin exchanges all tokens in the tenant of its azure.json, so literal tenants must agree. */
function checkTenants({ tenantId }: PullIdentitiesProps, identities: readonly IPullIdentity[]): void {
  if (tenantId !== undefined) guid("tenantId", tenantId);
  const literals = [...(tenantId === undefined ? [] : [tenantId]), ...identities.map((own) => own.tenantId)];
  const [first, ...others] = literals.filter((id) => !isLate(id));
  const other = others.find((id) => id.toLowerCase() !== first?.toLowerCase());
  if (first !== undefined && other !== undefined)
    fail("azure-mismatch", {
      problem: "an identity is of another tenant than the rest",
      value: other,
      allowed: first,
      remedy:
        "use identities and registries of one tenant: the plugin exchanges every token in the one tenant of its azure.json",
    });
}
