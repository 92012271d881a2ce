/*
 * Facts about controllers that read ClusterProfiles, for both the constructs and the verifier.
 */

import { type WorkloadIdentityError, refusal } from "../../errors";
import { CONTROLLER_WORKLOAD, type ControllerWorkload } from "../../model/fleet";
import { type Kind, anyObject, boolean, made, list, record, text } from "../../model/shape";
import { compareVersions, parseVersion } from "../../model/version";
import type { FleetPluginKey } from "./plugins";

/** The form in which a consumer reads its list of access providers. */
export type ProviderListForm =
  | {
      readonly kind: "file";
      /** Name of the ConfigMap with the file. */
      readonly configMap: string;
      /** Key in the ConfigMap, and name of the file. */
      readonly key: string;
    }
  /** A Secret for each cluster, which also states how the plugin is run. */
  | { readonly kind: "secrets" }
  | {
      readonly kind: "kueue";
      /** Name of the list in `multiKueue.clusterProfile`. */
      readonly field: "accessProviders" | "credentialsProviders";
      /**
       * True if the feature gate is set on the manager's command line and must not be in the configuration.
       *
       * @defaultValue false
       */
      readonly gateByFlag?: boolean;
    };

/** The controllers that are known here; `other` for any that uses the access library. */
export type FleetConsumerKind = "argocd" | "kueue" | "knative" | "other";

/** The kind that a record names, or the only one that reads its list of access providers in this form. */
export function consumerKind(name: unknown, form: unknown): FleetConsumerKind {
  const named = CONSUMER_KINDS.find((kind) => kind === name);
  return named ?? OF_FORM.find(([only]) => only === form)?.[1] ?? "other";
}

const CONSUMER_KINDS: readonly FleetConsumerKind[] = ["argocd", "kueue", "knative", "other"];
const OF_FORM: readonly (readonly [ProviderListForm["kind"], FleetConsumerKind])[] = [
  ["kueue", "kueue"],
  ["secrets", "argocd"],
];

/** Facts about a consumer; made by `argoCd()`, `multiKueue()`, `knativeOperator()` or `controller()`. */
export interface FleetConsumer {
  /** Which controller it is. */
  readonly kind: FleetConsumerKind;
  /** Display name. */
  readonly title: string;
  /** Workloads that run the plugin, so that each needs the plugin and the identity. */
  readonly workloads: readonly ControllerWorkload[];
  /** Workload that reads the profiles and the list of providers. */
  readonly reader: ControllerWorkload;
  /** The only namespace whose profiles it reads; `undefined` for any. */
  readonly profileNamespace: string | undefined;
  /** The form of the list of providers. */
  readonly form: ProviderListForm;
  /** The plugin per cloud, unless the caller chooses another. */
  readonly plugins: Readonly<Record<string, FleetPluginKey>>;
  /** Programs that the image has on its PATH. */
  readonly onPath: readonly string[];
  /** True for an image without shell and libraries, or if that is unknown. */
  readonly isDistroless: boolean;
  /** True if it supports variables from the profile. */
  readonly takesProfileEnv: boolean;
  /** True if it waits for the condition ControlPlaneHealthy. */
  readonly needsHealthy: boolean;
  /** True if it supports plugins only as image volumes. */
  readonly imageVolumeOnly: boolean;
  /** True if its own manifests allow it to read profiles. */
  readonly readsProfiles: boolean;
}

export const FLEET_CONSUMER: Kind<FleetConsumer> = made(
  "a controller: argoCd(…), multiKueue(…), knativeOperator(…) or controller(…)",
  "argoCd(…)",
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

/** A program that is required from some version on, and what older versions lack. */
export interface NeededVersion {
  readonly title: string;
  readonly since: string;
  readonly why: string;
  /**
   * What works with versions before, and how.
   *
   * @defaultValue - nothing
   */
  readonly instead?: { readonly since: string; readonly how: string };
}

export function tooOld(
  { title, since, why, instead }: NeededVersion,
  version: string,
): WorkloadIdentityError {
  const other = instead && compareVersions(version, instead.since) >= 0 ? `, or ${instead.how}` : "";
  return refusal("fleet-unsupported", {
    problem: `${title} is too old: ${why}`,
    value: version,
    allowed: `${since} or newer`,
    remedy: `upgrade it${other}`,
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
  instead: { since: "3.0", how: "use `clusterSecrets: true`, which works from 3.0 on" },
};
/** Argo CD with cluster Secrets only, which needs nothing newer. */
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
/** The name of Kueue's list of providers in a version. */
export function kueueField(version: string): "accessProviders" | "credentialsProviders" {
  return compareVersions(version, "0.19") >= 0 ? "accessProviders" : "credentialsProviders";
}

/** The problem of a consumer that does not read profiles of the namespace. */
export function profileNamespaceIssues(
  { title, profileNamespace: onlyNamespace }: Pick<FleetConsumer, "title" | "profileNamespace">,
  namespace: string,
): readonly WorkloadIdentityError[] {
  if (onlyNamespace === undefined || namespace === onlyNamespace) return [];
  return [
    refusal("fleet-mismatch", {
      problem: `${title} reads only ClusterProfiles of its own namespace`,
      value: namespace,
      allowed: onlyNamespace,
      remedy: `put the profiles, and its workloads, into ${onlyNamespace}`,
    }),
  ];
}
