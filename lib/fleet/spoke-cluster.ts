import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail, refusal } from "../errors";
import { checkedLabels } from "../kubernetes/metadata";
import type { SpokeFacts } from "../model/fleet";
import { isDnsSubdomain } from "../model/kubernetes-name";
import { isLate, literal } from "../model/late";
import { statedRecord } from "../model/stated";
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
  /**
   * Data that a plugin reads from `KUBERNETES_EXEC_INFO` (extension `client.authentication.k8s.io/exec`).
   *
   * @defaultValue - none; no plugin of this library's table needs it
   */
  readonly execExtension?: Readonly<Record<string, unknown>>;
}

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
   * `cluster-profile-field-dropped`, `cluster-manager-label`, `fleet-value-invalid`, `label-invalid`, `version-invalid` or `late-value`.
   */
  constructor(inventory: ClusterInventory, id: string, props: SpokeClusterProps) {
    super(inventory, id);
    const name = literal(props.name ?? id, "name of a spoke");
    checkAccess(name, props.access);
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

function checkAccess(name: string, access: SpokeFacts): void {
  const { endpoint, parameters } = statedRecord(`access of spoke ${name}`, access);
  statedRecord(`endpoint of spoke ${name}`, endpoint);
  statedRecord(`parameters of spoke ${name}`, parameters);
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
