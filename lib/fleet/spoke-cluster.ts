import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail, refusal } from "../errors";
import { checkedLabels } from "../kubernetes/metadata";
import { type SpokeFacts, SPOKE_FACTS } from "../model/fleet";
import { isDnsSubdomain } from "../model/kubernetes-name";
import { isLate, literal } from "../model/late";
import { parseVersion } from "../model/version";
import {
  type ClusterProfileFacts,
  type ClusterStatusFacts,
  type ProfileDocument,
  profileDocument,
  profileStatus,
} from "../rules/fleet/cluster-profile";
import { type ClusterProfileVersion, isDateTime } from "../rules/fleet/cluster-profile-schema";
import { CLUSTER_MANAGER_LABEL } from "../rules/fleet/names";
import { endpointIssues, profileProviderIssues, schemaIssues } from "../rules/fleet/profile-checks";
import { secretIssues } from "../rules/fleet/secret-material";
import type { ClusterInventory } from "./cluster-inventory";
import { throwFirst } from "./first-issue";
import { type Kind, checkProps, like, text } from "../model/shape";
import { SPOKE_CLUSTER_PROPS, SpokeClusterProps } from "./spoke-cluster-props";

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

  /**
   * Throws `cluster-profile-name-invalid`, `cluster-profile-twice`, `spoke-server-invalid`, `spoke-ca-invalid`,
   * `spoke-ca-missing`, `spoke-proxy-invalid`, `spoke-time-invalid`, `cluster-property-invalid`,
   * `access-provider-name-invalid`, `argo-cd-builtin-aws`, `fleet-secret-material`, `cluster-profile-rejected`,
   * `cluster-profile-field-dropped`, `cluster-manager-label`, `label-invalid`, `version-invalid` or `late-value`.
   */
  constructor(inventory: ClusterInventory, id: string, props: SpokeClusterProps) {
    checkProps(new.target.name, inventory, id, SPOKE_CLUSTER_PROPS, props);
    super(inventory, id);
    const name = literal(props.name ?? id, "name of a spoke");
    if (!isDnsSubdomain(name)) fail("cluster-profile-name-invalid", name);
    const main = profileDocument(mainFacts(inventory, name, props));
    const facts = statusFacts(name, props);
    checkStatus(main, facts, inventory.apiVersion);
    inventory.claim(name, this);

    this.statusDocument = { ...main, status: profileStatus(facts) };
    this.resource = new ApiObject(this, "Resource", { ...main });
    this.status =
      inventory.statusScope &&
      new ApiObject(inventory.statusScope, `${name}-status`, { ...main, ...statusOf(facts) });

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

function statusOf(facts: ClusterStatusFacts): Readonly<Record<string, unknown>> {
  return { status: profileStatus(facts) };
}

function mainFacts(inventory: ClusterInventory, name: string, props: SpokeClusterProps): ClusterProfileFacts {
  return {
    version: inventory.apiVersion,
    namespace: inventory.namespace,
    name,
    clusterManager: inventory.clusterManager,
    displayName: literal(props.displayName ?? name, "displayName"),
    labels: ownLabels(inventory, name, props.labels ?? {}),
  };
}

/** The manager's label is written by this library; another value would be lost in silence. */
function ownLabels(
  { clusterManager }: ClusterInventory,
  name: string,
  labels: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const manager = labels[CLUSTER_MANAGER_LABEL] ?? clusterManager;
  if (manager !== clusterManager) return fail("cluster-manager-label", manager, clusterManager);
  return checkedLabels(`ClusterProfile ${name}`, labels);
}

function statusFacts(name: string, props: SpokeClusterProps): ClusterStatusFacts {
  const { access, kubernetesVersion, properties = {}, controlPlaneHealthySince: since } = props;
  const provider = literal(props.providerName ?? `${access.cloud}-${name}`, "providerName");
  if (kubernetesVersion !== undefined && !isLate(kubernetesVersion))
    parseVersion(`version of spoke ${name}`, kubernetesVersion);
  if (since !== undefined && !isDateTime(literal(since, "controlPlaneHealthySince")))
    fail("spoke-time-invalid", since);
  for (const [key, value] of Object.entries(properties)) {
    literal(key, `property of spoke ${name}`);
    if (!isProperty(key, 253) || !isProperty(value, 1024)) fail("cluster-property-invalid", key, value);
  }
  return {
    provider,
    endpoint: access.endpoint,
    tlsServerName: props.tlsServerName,
    proxyUrl: props.proxyUrl,
    execExtension: props.execExtension,
    kubernetesVersion,
    properties,
    healthySince: since,
  };
}

function isProperty(value: unknown, max: number): boolean {
  return typeof value === "string" && value !== "" && value.length <= max;
}

/** Stands for late values while the schema is applied: good ones, since nothing is known about them. */
const STAND_INS = { server: "https://late.invalid", certificateAuthorityData: "bGF0ZQ==" } as const;

function checkStatus(main: ProfileDocument, facts: ClusterStatusFacts, version: ClusterProfileVersion): void {
  const { publicCertificate = false, server, certificateAuthorityData } = facts.endpoint;
  const document = { ...main, status: profileStatus(facts) };
  throwFirst([
    ...endpointIssues(document, publicCertificate),
    ...profileProviderIssues(document),
    ...secretIssues(`ClusterProfile ${main.metadata.name}`, document),
  ]);
  if (publicCertificate && certificateAuthorityData !== undefined)
    throw refusal("spoke-ca-invalid", "stands beside publicCertificate: true");
  const endpoint = {
    server: isLate(server) ? STAND_INS.server : server,
    ...(certificateAuthorityData === undefined
      ? {}
      : {
          certificateAuthorityData: isLate(certificateAuthorityData)
            ? STAND_INS.certificateAuthorityData
            : certificateAuthorityData,
        }),
  };
  const status = profileStatus({ ...facts, endpoint });
  const versions: readonly ClusterProfileVersion[] = [
    version,
    version === "v1alpha1" ? "v1alpha2" : "v1alpha1",
  ];
  for (const each of versions) {
    const apiVersion = main.apiVersion.replace(version, each);
    throwFirst(schemaIssues({ ...main, apiVersion, status }, each));
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
