/*
 * What must hold for a profile by itself, as lists of refusals: constructs throw the first, the verifier shows all.
 * Source: ClusterProfile API and access library, see `names.ts`.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { isRecord } from "../../model/record";
import { certificateAuthorityIssues } from "./certificate-authority";
import { type ClusterProfileVersion, isLabelValue } from "./cluster-profile-schema";
import {
  ADDITIONAL_ARGS_EXTENSION,
  ADDITIONAL_ENVS_EXTENSION,
  CLUSTER_MANAGER_LABEL,
  EXEC_EXTENSION,
  HEALTHY_CONDITION,
} from "./names";
import { currentNameOf } from "./outdated-names";
import { providerNameIssues } from "./provider-file";
import { extensionsOf, profileProviders } from "./resolve-exec";
import { proxyIssues, serverIssues } from "./server-url";
import { validateClusterProfile } from "./validate-cluster-profile";

type Issues = readonly WorkloadIdentityError[];

const EXTENSIONS: readonly string[] = [EXEC_EXTENSION, ADDITIONAL_ENVS_EXTENSION];
const KNOWN: readonly string[] = [...EXTENSIONS, ADDITIONAL_ARGS_EXTENSION];

/** Managers that rewrite the status of their profiles; theirs are not ours to declare. */
const FOREIGN_MANAGERS: readonly string[] = ["KubeFleet", "gke-fleet", "open-cluster-management"];

/** What an API server would drop or reject: `fleet-name-outdated`, `cluster-profile-field-dropped`, `cluster-profile-rejected`. */
export function schemaIssues(profile: unknown, version: ClusterProfileVersion): Issues {
  const { dropped, rejected } = validateClusterProfile(profile, version);
  return [
    ...dropped.map((path) => {
      const key = path.slice(path.lastIndexOf(".") + 1);
      const now = currentNameOf(key);
      return now === undefined
        ? refusal("cluster-profile-field-dropped", path, version)
        : refusal("fleet-name-outdated", key, now);
    }),
    ...rejected.map(({ field, message }) => refusal("cluster-profile-rejected", field, message, version)),
  ];
}

/** Names, extensions and the older list of a profile's providers; those of {@link strayExtensionIssues} included. */
export function profileProviderIssues(profile: unknown): Issues {
  return [...keptProviderIssues(profile), ...strayExtensionIssues(profile)];
}

/** `fleet-extension-invalid` of extensions that nobody looks for, which change nothing where they stand. */
export function strayExtensionIssues(profile: unknown): Issues {
  return [...profileProviders(profile).values()].flatMap((provider) =>
    extensionsOf(provider)
      .map(({ name }) => String(name))
      .filter((name) => !KNOWN.includes(name) && currentNameOf(name) === undefined)
      .map((name) => refusal("fleet-extension-invalid", name, "is of no known name")),
  );
}

/** Names, extensions and the older list of a profile's providers that a controller fails with. */
export function keptProviderIssues(profile: unknown): Issues {
  const status = isRecord(profile) ? profile["status"] : undefined;
  const older = isRecord(status) && "credentialProviders" in status;
  return [
    ...(older ? [refusal("fleet-name-outdated", "credentialProviders", "accessProviders")] : []),
    ...[...profileProviders(profile)].flatMap(([name, provider]) => [
      ...providerNameIssues(name),
      ...extensionIssues(extensionsOf(provider)),
    ]),
  ];
}

function extensionIssues(extensions: readonly Readonly<Record<string, unknown>>[]): Issues {
  const names = extensions.map(({ name }) => String(name));
  return extensions.flatMap(({ extension }, index) => {
    const name = names[index] ?? "";
    const now = currentNameOf(name);
    if (now !== undefined) return [refusal("fleet-name-outdated", name, now)];
    if (name === ADDITIONAL_ARGS_EXTENSION)
      return [refusal("access-provider-additional-args", "the profile")];
    if (!EXTENSIONS.includes(name)) return [];
    if (names.indexOf(name) < index) return [refusal("fleet-extension-invalid", name, "stands twice")];
    if (!isRecord(extension)) return [refusal("fleet-extension-invalid", name, "is no object")];
    const texts = Object.values(extension).every((value) => typeof value === "string");
    return name === ADDITIONAL_ENVS_EXTENSION && !texts
      ? [refusal("fleet-extension-invalid", name, "has a variable that is no text")]
      : [];
  });
}

/** Addresses and certificates of a profile's providers; `publicCertificate` says that no CA is needed. */
export function endpointIssues(profile: unknown, publicCertificate: boolean): Issues {
  return [...profileProviders(profile)].flatMap(([name, provider]) => {
    const cluster = isRecord(provider["cluster"]) ? provider["cluster"] : {};
    const data = cluster["certificate-authority-data"];
    const missing = publicCertificate ? [] : [refusal("spoke-ca-missing", name)];
    return [
      ...serverIssues(cluster["server"]),
      ...(data === undefined ? missing : certificateAuthorityIssues(data)),
      ...proxyIssues(cluster["proxy-url"]),
    ];
  });
}

/** The manager's name, alone: `cluster-manager-invalid`, `cluster-manager-foreign`. */
export function managerNameIssues(name: unknown): Issues {
  if (!isLabelValue(name)) return [refusal("cluster-manager-invalid", name)];
  return FOREIGN_MANAGERS.includes(name) ? [refusal("cluster-manager-foreign", name)] : [];
}

/** The manager's name and the label that repeats it; another manager's profile is good here. */
export function managerLabelIssues(profile: unknown): Issues {
  const { metadata, spec } = isRecord(profile) ? profile : {};
  const labels = isRecord(metadata) && isRecord(metadata["labels"]) ? metadata["labels"] : {};
  const manager =
    isRecord(spec) && isRecord(spec["clusterManager"]) ? spec["clusterManager"]["name"] : undefined;
  if (!isLabelValue(manager)) return [refusal("cluster-manager-invalid", manager)];
  const label = labels[CLUSTER_MANAGER_LABEL];
  return label === manager ? [] : [refusal("cluster-manager-label", label, manager)];
}

/** `spoke-health-missing` where the consumer waits for a condition that the profile does not have. */
export function healthIssues(
  profile: unknown,
  consumer: { readonly title: string; readonly needsHealthy: boolean },
): Issues {
  if (!consumer.needsHealthy) return [];
  const { metadata, status } = isRecord(profile) ? profile : {};
  const conditions = isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const healthy = conditions.some(
    (each) => isRecord(each) && each["type"] === HEALTHY_CONDITION && each["status"] === "True",
  );
  const name = isRecord(metadata) ? String(metadata["name"]) : "";
  return healthy ? [] : [refusal("spoke-health-missing", consumer.title, name)];
}
