/*
 * The two documents of one ClusterProfile, and the rules for them, as lists of errors: constructs throw the first,
 * the verifier shows all. Both documents repeat name, labels and spec: the API server uses from each what the resource
 * is for, so a status document that is applied to the main resource by mistake changes nothing.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import type { SpokeEndpoint } from "../../model/fleet";
import { isLate } from "../../model/late";
import { is, isAbsent, isKnown, orElse, shown, whyText } from "../../model/known";
import { fieldsOf, isObjectTree, wordAt } from "../../model/parsed-tree";
import { type Tree, type TreeList, childOf, itemsAt, plainOf, sameTree, treeOf } from "../../model/tree";
import { type ClusterProfileVersion, clusterProfileFindings, isLabelValue } from "./cluster-profile-schema";
import { certificateAuthorityIssues, proxyIssues, serverIssues } from "./endpoint";
import {
  ADDITIONAL_ARGS_EXTENSION,
  ADDITIONAL_ENVS_EXTENSION,
  CLUSTER_MANAGER_LABEL,
  CLUSTER_PROFILE_GROUP,
  EXEC_EXTENSION,
  HEALTHY_CONDITION,
  outdatedNames,
} from "./names";
import { additionalArgs, providerNameIssues } from "./provider-list";
import { extensionsOf, nameOf, profileProviders } from "./resolve-exec";

type Json = Readonly<Record<string, unknown>>;
type Issues = readonly WorkloadIdentityError[];

/** The facts in both documents. */
interface ClusterProfileFacts {
  readonly version: ClusterProfileVersion;
  readonly namespace: string;
  readonly name: string;
  readonly clusterManager: string;
  readonly displayName: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The facts only in the status; address and certificates may be late. */
export interface ClusterStatusFacts {
  readonly provider: string;
  readonly endpoint: SpokeEndpoint;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly kubernetesVersion?: string;
  readonly properties?: Readonly<Record<string, string>>;
  readonly controlPlaneHealthySince?: string;
}

/** The main object, applied as usual, without status. */
export function profileDocument(facts: ClusterProfileFacts): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Json;
} {
  const { version, namespace, name, clusterManager, displayName, labels } = facts;
  const metadata = { name, namespace, labels: { ...labels, [CLUSTER_MANAGER_LABEL]: clusterManager } };
  return {
    apiVersion: `${CLUSTER_PROFILE_GROUP}/${version}`,
    kind: "ClusterProfile",
    metadata,
    spec: { displayName, clusterManager: { name: clusterManager } },
  };
}

/** `status` of the profile, which the main object does not contain. */
export function profileStatus(facts: ClusterStatusFacts): Json {
  const { endpoint, tlsServerName, proxyUrl } = facts;
  const { kubernetesVersion, properties = {}, controlPlaneHealthySince: since } = facts;
  const { server, certificateAuthorityData: authority } = endpoint;
  const names = Object.keys(properties).sort();
  const cluster = {
    server,
    // A shell's `base64` inserts line breaks.
    ...(authority !== undefined && {
      "certificate-authority-data": isLate(authority) ? authority : authority.replace(/\s/g, ""),
    }),
    ...(tlsServerName !== undefined && { "tls-server-name": tlsServerName }),
    ...(proxyUrl !== undefined && { "proxy-url": proxyUrl }),
  };
  return {
    ...(kubernetesVersion !== undefined && { version: { kubernetes: kubernetesVersion } }),
    ...(names.length > 0 && { properties: names.map((name) => ({ name, value: properties[name] })) }),
    ...(since !== undefined && { conditions: [healthy(since)] }),
    accessProviders: [{ name: facts.provider, cluster }],
  };
}

/** The condition is declared, not observed; its reason and message say so to readers of the profile. */
function healthy(since: string): Json {
  return {
    type: HEALTHY_CONDITION,
    status: "True",
    reason: "Declared",
    message: "declared by infrastructure code, not observed",
    lastTransitionTime: since,
  };
}

export function statusInMain(where: string): WorkloadIdentityError {
  return refusal("fleet-unused", {
    problem:
      "the status of a ClusterProfile is written together with its main object, so the API server drops it",
    value: where,
    allowed: "a separate chart or file for the status",
    remedy:
      "pass another chart as `statusScope`, and apply it with `kubectl apply --server-side --subresource=status`",
  });
}

/** What an API server would drop or reject. */
export function schemaIssues(profile: Tree, version: ClusterProfileVersion): Issues {
  const { dropped, rejected } = clusterProfileFindings(profile, version);
  return [
    ...dropped.map((path) => {
      const [outdated] = outdatedNames([path.slice(path.lastIndexOf(".") + 1)]);
      return (
        outdated ??
        refusal("fleet-unknown", {
          problem: `the API server silently drops a field of the ClusterProfile (${version})`,
          value: path,
          allowed: "the fields of the CRD; within `cluster` they are in kebab-case",
          remedy: "correct the spelling, or remove the field",
        })
      );
    }),
    ...rejected.map(({ field, message }) =>
      refusal("fleet-invalid", {
        problem: `the API server rejects the ClusterProfile (${version}): ${field} ${message}`,
        remedy: "correct the field",
      }),
    ),
  ];
}

const EXTENSIONS: readonly string[] = [EXEC_EXTENSION, ADDITIONAL_ENVS_EXTENSION];

function badExtension(name: string, reason: string): WorkloadIdentityError {
  return refusal("fleet-invalid", {
    problem: `an extension of an access provider ${reason}`,
    value: name,
    allowed: `${EXTENSIONS.join(", ")}; each once, its value an object`,
    remedy: "correct the extension, or remove it",
  });
}

/** Extensions that no controller reads and that therefore have no effect. */
export function strayExtensionIssues(profile: unknown): Issues {
  return [...profileProviders(profile).values()].flatMap((provider) =>
    extensionsOf(provider)
      .map(nameOf)
      .filter((name) => ![...EXTENSIONS, ADDITIONAL_ARGS_EXTENSION].includes(name))
      .filter((name) => outdatedNames([name]).length === 0)
      .map((name) => badExtension(name, "has an unknown name")),
  );
}

/** Names, extensions and the older list of a profile's providers with which a controller fails. */
export function profileProviderIssues(profile: unknown): Issues {
  const hasOlder = !isAbsent(childOf(treeOf(profile), "status", "credentialProviders"));
  return [
    ...(hasOlder ? outdatedNames(["credentialProviders"]) : []),
    ...[...profileProviders(profile)].flatMap(([name, provider]) => [
      ...providerNameIssues(name),
      ...extensionIssues(extensionsOf(provider)),
    ]),
  ];
}

function extensionIssues(extensions: TreeList): Issues {
  const names = extensions.map(nameOf);
  return names.flatMap((name, index) => {
    const outdated = outdatedNames([name]);
    if (outdated.length > 0) return outdated;
    if (name === ADDITIONAL_ARGS_EXTENSION) return [additionalArgs("the profile")];
    if (!EXTENSIONS.includes(name)) return [];
    if (names.indexOf(name) < index) return [badExtension(name, "appears twice")];
    const value = childOf(extensions[index] ?? treeOf({}), "extension");
    if (isKnown(value) && !isObjectTree(value)) return [badExtension(name, "is not an object")];
    const areTexts = fieldsOf(value).every(([, item]) => typeof orElse(item, whyText) === "string");
    return name === ADDITIONAL_ENVS_EXTENSION && !areTexts
      ? [badExtension(name, "contains a variable that is not a string")]
      : [];
  });
}

/**
 * Addresses and certificates of a profile's providers. `publicCertificate` means that no CA is needed; `isOpen` is true
 * for a value known only after apply.
 */
export function endpointIssues(
  profile: unknown,
  publicCertificate: boolean,
  isOpen: (value: unknown) => boolean = isLate,
): Issues {
  return [...profileProviders(profile)].flatMap(([name, provider]) => {
    const cluster = childOf(provider, "cluster");
    const data = childOf(cluster, "certificate-authority-data");
    const missing = refusal("fleet-missing", {
      problem:
        "the spoke has no certificate authority, so its certificate would be verified with the system's certificates",
      value: name,
      allowed:
        "certificateAuthorityData, or publicCertificate: true for Connect Gateway and endpoints with a public certificate",
      remedy: "set one of the two",
    });
    return [
      ...serverIssues(childOf(cluster, "server"), isOpen),
      ...(!isAbsent(data) ? certificateAuthorityIssues(data, isOpen) : publicCertificate ? [] : [missing]),
      ...proxyIssues(childOf(cluster, "proxy-url"), isOpen),
    ];
  });
}

/** The manager's name must be valid as a label value. */
export function managerNameIssues(name: unknown): Issues {
  if (isLabelValue(name)) return [];
  return [
    refusal("fleet-invalid", {
      problem: "the name of the cluster manager is not a valid label value",
      value: name,
      allowed:
        "1 to 63 of A-Z, a-z, 0-9, -, _ and ., starting and ending with a letter or digit: it is also a label",
      remedy: "use a short name that no other manager uses, for example platform-iac",
    }),
  ];
}

/** Managers that rewrite the status of their profiles, which must not be declared here. */
export function foreignManagerIssues(name: unknown): Issues {
  if (!["KubeFleet", "gke-fleet", "open-cluster-management"].includes(String(name))) return [];
  return [
    refusal("fleet-foreign", {
      problem: "the cluster manager is a program that rewrites the status of its own profiles",
      value: name,
      allowed: "a name that no other manager uses",
      remedy: "declare your profiles under another name, and leave that manager's profiles to it",
    }),
  ];
}

/** What is certainly wrong with the manager's name and the label that repeats it; another manager's profile is valid. */
export function managerLabelIssues(profile: unknown): Issues {
  const manager = childOf(treeOf(profile), "spec", "clusterManager", "name");
  const label = childOf(treeOf(profile), "metadata", "labels", CLUSTER_MANAGER_LABEL);
  const name = plainOf(manager, shown);
  const issues = isKnown(manager) ? managerNameIssues(name) : [];
  if (issues.length > 0) return issues;
  if (!isAbsent(label) && sameTree(label, manager) !== "no") return [];
  return [
    refusal("fleet-mismatch", {
      problem: `the label ${CLUSTER_MANAGER_LABEL} differs from spec.clusterManager.name`,
      value: plainOf(label, shown),
      allowed: String(name),
      remedy: "use the same name in both places",
    }),
  ];
}

/** A consumer that waits for a condition that the profile does not have. */
export function healthIssues(
  profile: unknown,
  consumer: { readonly title: string; readonly needsHealthy: boolean },
): Issues {
  const isHealthy = itemsAt(treeOf(profile), "status", "conditions").some(
    (each) =>
      is(wordAt(each, "type"), HEALTHY_CONDITION) === "yes" && is(wordAt(each, "status"), "True") === "yes",
  );
  if (isHealthy || !consumer.needsHealthy) return [];
  return [
    refusal("fleet-missing", {
      problem: `${consumer.title} waits for the condition ${HEALTHY_CONDITION}, which the profile does not have`,
      value: nameOf(childOf(treeOf(profile), "metadata")),
      allowed: "`controlPlaneHealthySince` with a time",
      remedy: "set `controlPlaneHealthySince`; note that the condition is then declared, not observed",
    }),
  ];
}
