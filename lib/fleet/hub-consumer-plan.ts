/*
 * What each workload of a consumer needs, computed before anything is declared.
 */

import { fail } from "../errors";
import type { ControllerWorkload } from "../model/fleet";
import type { AccessGrant, CredentialFile, PodFragment } from "../model/workloads";
import type { FleetConsumer } from "../rules/fleet/consumer";
import { mergedTexts } from "../rules/fleet/controller-patch";
import { assertOwnAudiences } from "../rules/fleet/spoke-audience";
import { spokeTokens } from "../rules/fleet/spoke-tokens";
import type { SpokeCluster } from "./spoke-cluster";

/** The identities of the consumer's service accounts, by key of the cloud. */
export type ControllerIdentities = Readonly<Record<string, readonly AccessGrant[]>>;

/** What one service account gets. */
export interface AccountPlan {
  /** `namespace/name`. */
  readonly key: string;
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
  /** Annotations for the clouds' webhooks. */
  readonly annotations: Readonly<Record<string, string>>;
  /** What its pods need. */
  readonly fragments: readonly PodFragment[];
  /** Files that its pods read. */
  readonly files: readonly CredentialFile[];
}

/** Clouds of the spokes, sorted. */
export function cloudsOf(spokes: readonly SpokeCluster[]): readonly string[] {
  return [...new Set(spokes.map(({ access }) => access.cloud))].sort();
}

/** Service accounts of the workloads, each once, in the order of the workloads. */
export function accountsOf(
  workloads: readonly ControllerWorkload[],
): ReadonlyMap<string, ControllerWorkload> {
  return new Map(workloads.map((each) => [`${each.namespace}/${each.serviceAccount}`, each]));
}

/**
 * The plan of each executing service account.
 *
 * Throws `fleet-identity-missing` where one has no identity in the cloud of a spoke, `fleet-identity-foreign` for an
 * identity of another service account, `fleet-identity-conflict`, `spoke-audience-twice` and `spoke-audience-foreign`.
 */
export function accountPlans(
  consumer: FleetConsumer,
  spokes: readonly SpokeCluster[],
  identities: ControllerIdentities,
): readonly AccountPlan[] {
  const accounts = accountsOf(consumer.workloads);
  for (const { subject } of Object.values(identities).flat())
    if (!accounts.has(subject.key)) return fail("fleet-identity-foreign", subject.key);
  const clouds = cloudsOf(spokes).filter((cloud) => cloud !== "kubernetes");
  assertOwnAudiences(
    spokes.flatMap(({ profileName: spoke, access: { parameters } }) =>
      parameters.tokenAudience === undefined ? [] : [{ spoke, audience: parameters.tokenAudience }],
    ),
    Object.values(identities).flatMap((grants) => grants.flatMap(({ pod }) => pod.volumes)),
  );
  const tokens = spokeTokens(
    spokes.flatMap(({ profileName, access: { cloud, parameters } }) =>
      cloud === "kubernetes" && parameters.tokenAudience !== undefined && parameters.tokenFile === undefined
        ? [{ spoke: profileName, audience: parameters.tokenAudience }]
        : [],
    ),
  );
  return [...accounts].map(([key, { namespace, serviceAccount: name }]) => {
    const grants = clouds.map((cloud) => {
      const grant = identities[cloud]?.find(({ subject }) => subject.key === key);
      return grant ?? fail("fleet-identity-missing", key, cloud);
    });
    return {
      key,
      namespace,
      name,
      annotations: mergedTexts(
        key,
        "annotation",
        grants.map(({ annotations }) => annotations),
      ),
      fragments: [...grants.map(({ pod }) => pod), tokens],
      files: grants.flatMap(({ credentialFile }) => (credentialFile ? [credentialFile] : [])),
    };
  });
}

/** A ConfigMap with credential files; no secrets. */
export interface CredentialConfigMap {
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
  /** Contents by file name; may be late. */
  readonly data: Readonly<Record<string, CredentialFile["content"]>>;
}

/** Each ConfigMap once, also where several service accounts read it; throws `fleet-identity-conflict`. */
export function credentialConfigMaps(plans: readonly AccountPlan[]): readonly CredentialConfigMap[] {
  const maps = new Map<string, CredentialConfigMap>();
  for (const { key, namespace, files } of plans)
    for (const { configMap: name, fileName, content } of files) {
      const id = `${namespace}/${name}`;
      const data = maps.get(id)?.data ?? {};
      const known = data[fileName];
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(content))
        return fail("fleet-identity-conflict", key, `${fileName} of ConfigMap ${name}`);
      maps.set(id, { namespace, name, data: { ...data, [fileName]: content } });
    }
  return [...maps.values()];
}
