/*
 * What is known of controllers that read ClusterProfiles, for those who make them and those who judge them.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { CONTROLLER_WORKLOAD, type ControllerWorkload } from "../../model/fleet";
import { type Kind, anyObject, boolean, like, list, record, text } from "../../model/shape";
import { compareVersions, parseVersion } from "../../model/version";
import type { FleetPluginKey } from "./plugins";

/** How a consumer takes its list of access providers. */
export type ProviderListForm =
  | {
      readonly kind: "file";
      /** Name of the ConfigMap that holds the file. */
      readonly configMap: string;
      /** Key in it, and name of the file. */
      readonly key: string;
    }
  /** A Secret for each cluster, which says how the plugin is run besides. */
  | { readonly kind: "secrets" }
  | {
      readonly kind: "kueue";
      /** Name of the list in `multiKueue.clusterProfile`. */
      readonly field: "accessProviders" | "credentialsProviders";
      /**
       * True where the feature gate stands on the manager's command line and must not be in the configuration.
       *
       * @defaultValue false
       */
      readonly gateByFlag?: boolean;
    };

/** What the fleet must know about a consumer; made by `argoCd()`, `multiKueue()`, `knativeOperator()` or `controller()`. */
export interface FleetConsumer {
  /** Name for people. */
  readonly title: string;
  /** Workloads that run the plugin and so need it and the identity, each. */
  readonly workloads: readonly ControllerWorkload[];
  /** Workload that reads profiles and the list of providers. */
  readonly reader: ControllerWorkload;
  /** The only namespace whose profiles it reads, `undefined` for any. */
  readonly profileNamespace: string | undefined;
  /** How the list of providers is written. */
  readonly form: ProviderListForm;
  /** The plugin per cloud, where the caller does not choose one. */
  readonly plugins: Readonly<Record<string, FleetPluginKey>>;
  /** Programs that the image has on its PATH. */
  readonly onPath: readonly string[];
  /** True for an image with neither shell nor libraries, or where that is not known. */
  readonly isDistroless: boolean;
  /** True where it can take variables from the profile. */
  readonly takesProfileEnv: boolean;
  /** True where it waits for the condition ControlPlaneHealthy. */
  readonly needsHealthy: boolean;
  /** True where it takes plugins by image volume alone. */
  readonly imageVolumeOnly: boolean;
  /** True where its own manifests let it read profiles. */
  readonly readsProfiles: boolean;
}

export const FLEET_CONSUMER: Kind<FleetConsumer> = like(
  "a controller: argoCd(…), multiKueue(…), knativeOperator(…) or controller(…)",
  {
    title: text,
    workloads: list(CONTROLLER_WORKLOAD),
    reader: CONTROLLER_WORKLOAD,
    form: anyObject,
    plugins: record(text),
    onPath: list(text),
    isDistroless: boolean,
  },
);

/** A program that is needed from some version on, and what older ones lack. */
export interface NeededVersion {
  readonly title: string;
  readonly since: string;
  readonly why: string;
}

export function tooOld({ title, since, why }: NeededVersion, version: string): WorkloadIdentityError {
  return refusal("fleet-unsupported", {
    problem: `${title} is too old: ${why}`,
    value: version,
    allowed: `${since} or newer`,
    remedy: "upgrade it",
  });
}

export function atLeast(needed: NeededVersion, version: string): void {
  parseVersion(`version of ${needed.title}`, version);
  if (compareVersions(version, needed.since) < 0) throw tooOld(needed, version);
}

export const ARGO_CD: NeededVersion = {
  title: "Argo CD",
  since: "3.5",
  why: "its cluster Secrets have no provideClusterInfo and no config",
};
/** Argo CD that is given cluster Secrets, and needs nothing besides. */
export const ARGO_CD_SECRETS: NeededVersion = {
  title: ARGO_CD.title,
  since: "3.0",
  why: "it is no longer maintained, and its argocd-k8s-auth may not know all clouds",
};
export const MULTI_KUEUE: NeededVersion & Pick<FleetConsumer, "profileNamespace"> = {
  title: "MultiKueue",
  since: "0.15",
  why: "it does not know ClusterProfiles",
  profileNamespace: "kueue-system",
};
/** Which name Kueue of a version has for its list of providers. */
export function kueueField(version: string): "accessProviders" | "credentialsProviders" {
  return compareVersions(version, "0.19") >= 0 ? "accessProviders" : "credentialsProviders";
}

/** A consumer that does not take profiles of the namespace. */
export function profileNamespaceIssues(
  { title, profileNamespace: wanted }: Pick<FleetConsumer, "title" | "profileNamespace">,
  namespace: string,
): readonly WorkloadIdentityError[] {
  if (wanted === undefined || namespace === wanted) return [];
  return [
    refusal("fleet-mismatch", {
      problem: `${title} reads ClusterProfiles of its own namespace alone`,
      value: namespace,
      allowed: wanted,
      remedy: `put the profiles, and its workloads, into ${wanted}`,
    }),
  ];
}
