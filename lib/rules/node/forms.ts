/*
 * The forms in which files and flags for nodes are read, one row each. The first form that matches a document applies.
 */

import { isRecord } from "../../model/record";
import { CLOUD_INIT_FORM } from "./cloud-init";
import type { NodeForm } from "./form";
import { BUTANE_FORM, IGNITION_FORM } from "./ignition";
import { KOPS_FORM } from "./kops";
import { KUBEADM_FORM, KUBEADM_TEMPLATE_FORM } from "./kubeadm";
import type { NodeVersions, VersionObstacle } from "./host";
import { isMicroShiftConfig, microShiftFlags, microShiftObstacle, microShiftRefusal } from "./microshift";
import { NODEADM_FORM } from "./nodeadm";
import { PLAIN_FORM } from "./plain";
import { isRancherConfig, isRancherFile, isRke2Config, rancherFlags, rke2Obstacle } from "./rancher";
import { TALOS_FORM } from "./talos";

/** All forms, in order of precedence. */
export const NODE_FORMS: readonly NodeForm[] = [
  PLAIN_FORM,
  CLOUD_INIT_FORM,
  IGNITION_FORM,
  BUTANE_FORM,
  TALOS_FORM,
  KUBEADM_FORM,
  KUBEADM_TEMPLATE_FORM,
  KOPS_FORM,
  NODEADM_FORM,
];

/** Kubernetes API groups that no form uses; most documents read are of these. */
const OTHERS: readonly unknown[] = ["v1", "apps/v1", "batch/v1", "rbac.authorization.k8s.io/v1"];

/** The form of a document; `undefined` if it is not a document for nodes. */
export function nodeFormOf(document: unknown): NodeForm | undefined {
  if (isRecord(document) && typeof document["kind"] === "string" && OTHERS.includes(document["apiVersion"]))
    return undefined;
  return NODE_FORMS.find((form) => form.is(document));
}

/** The files on a node from which a distribution's kubelet gets its flags. */
export interface KubeletFiles {
  readonly id: string;
  /** Whether a node with this file belongs to the distribution. */
  isOne(path: string): boolean;
  /** Whether the distribution reads flags from the file. */
  isRead(path: string): boolean;
  /** The flags from the parsed files, in the order of their paths. */
  flags(documents: readonly unknown[]): Readonly<Record<string, unknown>>;
  /** Why a release of the distribution does not read flags from there, or why that is unknown; usually `undefined`. */
  obstacle?(versions: NodeVersions): VersionObstacle | undefined;
  /** Why the distribution does not start with these files, or its kubelet runs no plugin of the folder. */
  refused?(modes: ReadonlyMap<string, number | undefined>, directory: string): string | undefined;
}

/** One row per distribution. */
export const KUBELET_FILES: readonly KubeletFiles[] = [
  { id: "rancher", isOne: isRke2Config, isRead: isRke2Config, flags: rancherFlags, obstacle: rke2Obstacle },
  { id: "rancher", isOne: isRancherFile, isRead: isRancherConfig, flags: rancherFlags },
  {
    id: "microshift",
    isOne: isMicroShiftConfig,
    isRead: isMicroShiftConfig,
    flags: microShiftFlags,
    obstacle: microShiftObstacle,
    refused: microShiftRefusal,
  },
];
