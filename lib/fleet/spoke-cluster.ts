import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail, throwFirst } from "../errors";
import { checkedLabels } from "../kubernetes/metadata";
import { type SpokeFacts, SPOKE_FACTS } from "../model/fleet";
import { isDnsSubdomain } from "../model/kubernetes-name";
import { isLate, literal } from "../model/late";
import { type Kind, type ObjectKind, checkProps, made, object, optional, record, text } from "../model/shape";
import { treeOf } from "../model/tree";
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

/** The inputs of a {@link SpokeCluster}. */
export interface SpokeClusterProps {
  /** Where the spoke is and what plugins need to know; from a cloud's function, or written out. */
  readonly access: SpokeFacts;
  /**
   * Name of the profile.
   *
   * @defaultValue - the construct's id
   */
  readonly name?: string;
  /**
   * Display name.
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
   * Additional labels of the profile.
   *
   * @defaultValue - only the manager's label
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Current Kubernetes version of the spoke, by which consumers may select.
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
   * RFC 3339 time from which the condition ControlPlaneHealthy is declared true. A declarative tool can only declare
   * health, not observe it. Knative and multicluster-runtime wait for the condition.
   *
   * @defaultValue - no condition
   */
  readonly controlPlaneHealthySince?: string;
  /**
   * Name in the server's certificate, if it differs from the URL's host. Access library 0.1.3 and older ignores it.
   *
   * @defaultValue - the URL's host
   */
  readonly tlsServerName?: string;
  /**
   * Proxy in front of the server; consumers do not use their own `HTTPS_PROXY`.
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
 * One spoke of an inventory: its ClusterProfile, and the status with the access provider in the inventory's
 * `statusScope`. Adding a spoke changes no other object.
 */
export class SpokeCluster extends Construct {
  /** Name of the profile. */
  readonly profileName: string;
  /** The inventory. */
  readonly inventory: ClusterInventory;
  /** Name of the access provider. */
  readonly providerName: string;
  /** Where the spoke is and what plugins need to know. */
  readonly access: SpokeFacts;
  /** The ClusterProfile, without status. */
  readonly resource: ApiObject;
  /** The manifest of the status; `undefined` if the inventory has no `statusScope`. */
  readonly status: ApiObject | undefined;
  /** The status with name, labels and spec, as it is applied; address and certificates may be late. */
  readonly statusDocument: Readonly<Record<string, unknown>>;
  /** Messages for the person who applies the manifests. */
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

/** Checks the name of a ClusterProfile, or of an object that has the same name. */
export function profileName(given: string, what: string): string {
  const name = literal(given, what);
  if (isDnsSubdomain(name)) return name;
  return fail("fleet-invalid", {
    problem: "the name of a ClusterProfile is not a DNS subdomain",
    value: name,
    allowed: "1 to 253 of a-z, 0-9, - and ., each part starting and ending with a letter or digit",
    remedy: "give the spoke a name that Kubernetes accepts",
  });
}

/** Refuses the manager's label, which this library writes: another value would be lost without a warning. */
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
      problem: "the time of a condition is not an RFC 3339 time",
      value: since,
      allowed: 'for example "2026-11-20T00:00:00Z"',
      remedy: "state the time from which the spoke's control plane is declared healthy",
    });
  for (const [key, value] of Object.entries(properties)) {
    literal(key, `property of spoke ${name}`);
    if (!isProperty(key, 253) || !isProperty(value, 1024))
      fail("fleet-invalid", {
        problem: `the property ${key} of a spoke has an empty or too long name or value`,
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
    throw badAuthority("is set together with publicCertificate: true");
  // Validates with placeholder values in place of late ones, whose text is not known yet.
  const endpoint = {
    server: isLate(server) ? "https://late.invalid" : server,
    ...(authority !== undefined && {
      certificateAuthorityData: isLate(authority) ? "bGF0ZQ==" : authority,
    }),
  };
  const status = profileStatus({ ...facts, endpoint });
  // The document is valid under both versions.
  for (const each of [version, ...clusterProfileVersions.filter((other) => other !== version)]) {
    const apiVersion = String(document["apiVersion"]).replace(version, each);
    throwFirst(schemaIssues(treeOf({ ...document, apiVersion, status }), each));
  }
}

export const SPOKE_CLUSTER: Kind<SpokeCluster> = made<
  Pick<SpokeCluster, "profileName" | "providerName" | "access">
>("a spoke: new SpokeCluster(…)", "new SpokeCluster(…)", {
  profileName: text,
  providerName: text,
  access: SPOKE_FACTS,
});
