import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail, throwFirst } from "../errors";
import { checkedLabels } from "../kubernetes/metadata";
import { type SpokeFacts, SPOKE_FACTS } from "../model/fleet";
import { isDnsSubdomain } from "../model/kubernetes-name";
import { isLate, literal } from "../model/late";
import { type Kind, type ObjectKind, checkProps, like, object, optional, record, text } from "../model/shape";
import { parseVersion } from "../model/version";
import {
  type ClusterStatusFacts,
  endpointIssues,
  managerLabelIssues,
  profileDocument,
  profileProviderIssues,
  profileStatus,
  schemaIssues,
  strayExtensionIssues,
} from "../rules/fleet/cluster-profile";
import {
  type ClusterProfileVersion,
  clusterProfileVersions,
  isDateTime,
} from "../rules/fleet/cluster-profile-schema";
import { badAuthority } from "../rules/fleet/endpoint";
import { CLUSTER_MANAGER_LABEL } from "../rules/fleet/names";
import { secretIssues } from "../rules/fleet/secret-material";
import type { ClusterInventory } from "./cluster-inventory";

/** What a {@link SpokeCluster} says. */
export interface SpokeClusterProps {
  /** Where the spoke is, and what plugins must be told; of a cloud's function, or written out. */
  readonly access: SpokeFacts;
  /**
   * Name of the profile.
   *
   * @defaultValue - the construct's id
   */
  readonly name?: string;
  /**
   * Name for people.
   *
   * @defaultValue - the name
   */
  readonly displayName?: string;
  /**
   * Name of the access provider, in the profile and in every consumer's list.
   *
   * @defaultValue - `<cloud>-<name>`
   */
  readonly providerName?: string;
  /**
   * Further labels of the profile.
   *
   * @defaultValue - none besides the manager's
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Kubernetes version of the spoke, as it is now; consumers may choose by it.
   *
   * @defaultValue - left out
   */
  readonly kubernetesVersion?: string;
  /**
   * Properties by name, for example `topology.kubernetes.io/region`.
   *
   * @defaultValue - none
   */
  readonly properties?: Readonly<Record<string, string>>;
  /**
   * RFC 3339 time since when the condition ControlPlaneHealthy is declared. It is declared, not observed: a
   * declarative tool cannot report health. Knative and multicluster-runtime wait for it.
   *
   * @defaultValue - no condition
   */
  readonly controlPlaneHealthySince?: string;
  /**
   * Name in the server's certificate where it is not that of the URL. Access library 0.1.3 and older ignores it.
   *
   * @defaultValue - the URL's host
   */
  readonly tlsServerName?: string;
  /**
   * Proxy before the server; consumers do not use their own `HTTPS_PROXY`.
   *
   * @defaultValue - none
   */
  readonly proxyUrl?: string;
}

export const SPOKE_CLUSTER_PROPS: ObjectKind<SpokeClusterProps> = object({
  access: SPOKE_FACTS,
  name: optional(text),
  displayName: optional(text),
  providerName: optional(text),
  labels: optional(record(text)),
  kubernetesVersion: optional(text),
  properties: optional(record(text)),
  controlPlaneHealthySince: optional(text),
  tlsServerName: optional(text),
  proxyUrl: optional(text),
});

/**
 * One spoke of an inventory: its ClusterProfile, and in the inventory's `statusScope` the status that holds the
 * access provider. Adding a spoke changes no other object.
 */
export class SpokeCluster extends Construct {
  /** Name of the profile. */
  readonly profileName: string;
  /** The inventory. */
  readonly inventory: ClusterInventory;
  /** Name of the access provider. */
  readonly providerName: string;
  /** Where the spoke is, and what plugins are told. */
  readonly access: SpokeFacts;
  /** The main object. */
  readonly resource: ApiObject;
  /** The manifest of the status, `undefined` where the inventory has no `statusScope`. */
  readonly status: ApiObject | undefined;
  /** The status with name, labels and spec, as it is sent; address and certificates may be late. */
  readonly statusDocument: Readonly<Record<string, unknown>>;
  /** What the person who applies it should know. */
  readonly warnings: readonly string[];

  constructor(inventory: ClusterInventory, id: string, props: SpokeClusterProps) {
    checkProps(new.target.name, inventory, id, SPOKE_CLUSTER_PROPS, props);
    super(inventory, id);
    const name = profileName(props.name ?? id, "name of a spoke");
    const main = profileDocument({
      version: inventory.apiVersion,
      namespace: inventory.namespace,
      name,
      clusterManager: inventory.clusterManager,
      displayName: literal(props.displayName ?? name, "displayName"),
      labels: ownLabels(inventory, name, props.labels ?? {}),
    });
    checkFacts(name, props);
    const provider = literal(props.providerName ?? `${props.access.cloud}-${name}`, "providerName");
    const facts = { ...props, provider, endpoint: props.access.endpoint };
    this.statusDocument = { ...main, status: profileStatus(facts) };
    checkStatus(this.statusDocument, name, facts, inventory.apiVersion);
    inventory.claim(name, this);

    this.resource = new ApiObject(this, "Resource", { ...main });
    this.status =
      inventory.statusScope &&
      new ApiObject(inventory.statusScope, `${name}-status`, {
        ...main,
        status: profileStatus(facts),
      });

    this.inventory = inventory;
    this.profileName = name;
    this.providerName = facts.provider;
    this.access = props.access;
    this.warnings =
      props.tlsServerName === undefined
        ? []
        : [`${name}: access library 0.1.3 and older ignores tls-server-name`];
  }
}

/** A name of a ClusterProfile, or of what refers to one by its name. */
export function profileName(given: string, what: string): string {
  const name = literal(given, what);
  if (isDnsSubdomain(name)) return name;
  return fail("fleet-invalid", {
    problem: "name of a ClusterProfile is not a DNS subdomain",
    value: name,
    allowed: "1 to 253 of a-z, 0-9, - and ., each part starting and ending with a letter or digit",
    remedy: "give the spoke a name that Kubernetes takes",
  });
}

/** The manager's label is written by this library; another value would be lost in silence. */
function ownLabels(
  { clusterManager }: ClusterInventory,
  name: string,
  labels: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const given = { [CLUSTER_MANAGER_LABEL]: clusterManager, ...labels };
  const spec = { clusterManager: { name: clusterManager } };
  throwFirst(managerLabelIssues({ metadata: { labels: given }, spec }));
  return checkedLabels(`ClusterProfile ${name}`, labels);
}

function checkFacts(name: string, props: SpokeClusterProps): void {
  const { kubernetesVersion, properties = {}, controlPlaneHealthySince: since } = props;
  if (kubernetesVersion !== undefined && !isLate(kubernetesVersion))
    parseVersion(`version of spoke ${name}`, kubernetesVersion);
  if (since !== undefined && !isDateTime(literal(since, "controlPlaneHealthySince")))
    fail("fleet-invalid", {
      problem: "time of a condition is not an RFC 3339 time",
      value: since,
      allowed: 'for example "2026-11-20T00:00:00Z"',
      remedy: "write the time since when the spoke's control plane is declared healthy",
    });
  for (const [key, value] of Object.entries(properties)) {
    literal(key, `property of spoke ${name}`);
    if (!isProperty(key, 253) || !isProperty(value, 1024))
      fail("fleet-invalid", {
        problem: `property ${key} of a spoke is empty or too long`,
        value,
        allowed: "a name of 1 to 253 and a value of 1 to 1024 characters",
        remedy: "shorten it, or leave it out",
      });
  }
}

function isProperty(value: unknown, max: number): boolean {
  return typeof value === "string" && value !== "" && value.length <= max;
}

function checkStatus(
  document: Readonly<Record<string, unknown>>,
  name: string,
  facts: ClusterStatusFacts,
  version: ClusterProfileVersion,
): void {
  const { publicCertificate = false, server, certificateAuthorityData: authority } = facts.endpoint;
  throwFirst([
    ...endpointIssues(document, publicCertificate),
    ...profileProviderIssues(document),
    ...strayExtensionIssues(document),
    ...secretIssues(`ClusterProfile ${name}`, document),
  ]);
  if (publicCertificate && authority !== undefined)
    throw badAuthority("stands beside publicCertificate: true");
  // Good values in place of late ones while the schema is applied, since nothing is known about those.
  const endpoint = {
    server: isLate(server) ? "https://late.invalid" : server,
    ...(authority !== undefined && {
      certificateAuthorityData: isLate(authority) ? "bGF0ZQ==" : authority,
    }),
  };
  const status = profileStatus({ ...facts, endpoint });
  // What is written is valid under both versions.
  for (const each of [version, ...clusterProfileVersions.filter((other) => other !== version)]) {
    const apiVersion = String(document["apiVersion"]).replace(version, each);
    throwFirst(schemaIssues({ ...document, apiVersion, status }, each));
  }
}

/** The kind of a {@link SpokeCluster}. */
export const SPOKE_CLUSTER: Kind<SpokeCluster> = like<
  Pick<SpokeCluster, "profileName" | "providerName" | "access">
>("a spoke: new SpokeCluster(…)", {
  profileName: text,
  providerName: text,
  access: SPOKE_FACTS,
});
