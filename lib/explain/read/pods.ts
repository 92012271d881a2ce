/*
 * Pods, and objects that make pods: their images, who they run as, and what else can bring credentials.
 */

import type { Known } from "../../model/known";
import type { Tree } from "../../model/tree";
import type { Source } from "./source";

/** One image that a pod pulls. */
export interface WorkloadImage {
  /** As written in the pod. */
  readonly image: Known<string>;
  /** `imagePullPolicy`; `undefined` where the kubelet's default holds. */
  readonly pullPolicy: string | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** A pod, the template of many, or what was written that pods need. */
export interface PodFact {
  /** `Deployment shop/web`. */
  readonly title: string;
  /** Labels of the pods. */
  readonly labels: ReadonlyMap<string, Known<string>>;
  /** The pods' spec, late values in it as references. */
  readonly spec: Tree;
  /** Where it stands. */
  readonly source: Source;
}

/** A pod, or the template of many. */
export interface WorkloadFact extends PodFact {
  /** Namespace; `default` where none is written. */
  readonly namespace: string;
  /** Name of the service account; `default` where none is written, as the API server fills it in. */
  readonly serviceAccount: string;
  /** Images of all containers, those of init and debugging included, and of image volumes. */
  readonly images: readonly WorkloadImage[];
  /** Names of the pull secrets. */
  readonly pullSecrets: readonly string[];
  /** Audiences of projected service account tokens, which a node may request without RBAC. */
  readonly audiences: readonly Known<string>[];
  /** CSI drivers of inline volumes, which may bring audiences too. */
  readonly drivers: readonly string[];
  /** Names of persistent volume claims, behind which CSI drivers may stand. */
  readonly claims: readonly string[];
  /** True where claims are made with the pod, so that their volumes are not known before. */
  readonly hasGeneratedClaims: boolean;
  /** True for a pod that the kubelet runs from a file: it has no service account, and no token. */
  readonly isStatic: boolean;
}
