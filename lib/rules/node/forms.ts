/*
 * The forms in which files and flags for nodes are read, one row each. A document is of the first form that knows it.
 */

import { CLOUD_INIT_FORM } from "./cloud-init";
import type { NodeForm } from "./form";
import { PLAIN_FORM } from "./plain";
import { isRancherConfig, rancherFlags } from "./rancher";

/** All forms. */
export const NODE_FORMS: readonly NodeForm[] = [PLAIN_FORM, CLOUD_INIT_FORM];

/** The form of a document; `undefined` where it is none for nodes. */
export function nodeFormOf(document: unknown): NodeForm | undefined {
  return NODE_FORMS.find((form) => form.is(document));
}

/** Files on a node by which a distribution gives its kubelet the flags. */
export interface KubeletFiles {
  isOne(path: string): boolean;
  /** The flags by the parsed files, in the order of their paths. */
  flags(documents: readonly unknown[]): Readonly<Record<string, unknown>>;
}

/** One row per distribution. */
export const KUBELET_FILES: readonly KubeletFiles[] = [{ isOne: isRancherConfig, flags: rancherFlags }];
