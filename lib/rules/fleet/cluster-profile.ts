/*
 * The two documents of one ClusterProfile. Both repeat name, labels and spec: the API server takes from each what the
 * resource is for, and a status document that is applied to the main resource by mistake changes nothing then.
 */

import { isLate } from "../../model/late";
import type { SpokeEndpoint } from "../../model/fleet";
import type { ClusterProfileVersion } from "./cluster-profile-schema";
import { CLUSTER_MANAGER_LABEL, CLUSTER_PROFILE_GROUP, EXEC_EXTENSION, HEALTHY_CONDITION } from "./names";

/** What both documents say. */
export interface ClusterProfileFacts {
  /** Version of the API. */
  readonly version: ClusterProfileVersion;
  /** Namespace of the inventory. */
  readonly namespace: string;
  /** Name of the profile. */
  readonly name: string;
  /** Who writes the profile. */
  readonly clusterManager: string;
  /** Name for people. */
  readonly displayName: string;
  /** Further labels of the profile. */
  readonly labels: Readonly<Record<string, string>>;
}

/** What only the status says. */
export interface ClusterStatusFacts {
  /** Name of the access provider. */
  readonly provider: string;
  /** Where the spoke is; may be late. */
  readonly endpoint: SpokeEndpoint;
  /** Name in the server's certificate, where it is not that of the URL. */
  readonly tlsServerName: string | undefined;
  /** Proxy before the server. */
  readonly proxyUrl: string | undefined;
  /** Data that the plugin reads from `KUBERNETES_EXEC_INFO`. */
  readonly execExtension: Readonly<Record<string, unknown>> | undefined;
  /** Version of the spoke. */
  readonly kubernetesVersion: string | undefined;
  /** Properties by name. */
  readonly properties: Readonly<Record<string, string>>;
  /** Since when the control plane is declared healthy. */
  readonly healthySince: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Parts of a manifest besides apiVersion and kind. */
export interface ProfileDocument {
  /** `multicluster.x-k8s.io/<version>`. */
  readonly apiVersion: string;
  /** `ClusterProfile`. */
  readonly kind: string;
  /** Name, namespace and labels. */
  readonly metadata: {
    /** Name of the profile. */
    readonly name: string;
    /** Namespace of the inventory. */
    readonly namespace: string;
    /** The manager's label and further ones. */
    readonly labels: Readonly<Record<string, string>>;
  };
  /** Name for people, and who writes the profile. */
  readonly spec: Json;
}

/** The main object, applied as usual. */
export function profileDocument(facts: ClusterProfileFacts): ProfileDocument {
  const { version, namespace, name, clusterManager, displayName, labels } = facts;
  return {
    apiVersion: `${CLUSTER_PROFILE_GROUP}/${version}`,
    kind: "ClusterProfile",
    metadata: { name, namespace, labels: { ...labels, [CLUSTER_MANAGER_LABEL]: clusterManager } },
    spec: { displayName, clusterManager: { name: clusterManager } },
  };
}

/** `status` of the profile; the main object stays without. */
export function profileStatus(facts: ClusterStatusFacts): Json {
  const { kubernetesVersion, properties, healthySince } = facts;
  const names = Object.keys(properties).sort();
  return {
    ...(kubernetesVersion === undefined ? {} : { version: { kubernetes: kubernetesVersion } }),
    ...(names.length > 0 ? { properties: names.map((name) => ({ name, value: properties[name] })) } : {}),
    ...(healthySince === undefined ? {} : { conditions: [healthy(healthySince)] }),
    accessProviders: [{ name: facts.provider, cluster: clusterOf(facts) }],
  };
}

function clusterOf({ endpoint, tlsServerName, proxyUrl, execExtension }: ClusterStatusFacts): Json {
  const { server, certificateAuthorityData } = endpoint;
  return {
    server,
    ...(certificateAuthorityData === undefined
      ? {}
      : { "certificate-authority-data": withoutBreaks(certificateAuthorityData) }),
    ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
    ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl }),
    ...(execExtension === undefined
      ? {}
      : { extensions: [{ name: EXEC_EXTENSION, extension: execExtension }] }),
  };
}

/** `base64` of a shell breaks its lines. */
function withoutBreaks(data: string): string {
  return isLate(data) ? data : data.replace(/\s/g, "");
}

/** Declared, not observed; the reason and the message say so to whoever reads the profile. */
function healthy(since: string): Json {
  return {
    type: HEALTHY_CONDITION,
    status: "True",
    reason: "Declared",
    message: "declared by infrastructure code, not observed",
    lastTransitionTime: since,
  };
}
