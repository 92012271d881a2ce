/*
 * Signatures that OpenShift's nodes ask of images.
 *
 * Source: openshift/api, config/v1 ClusterImagePolicy and ImagePolicy (which is for the pods of its namespace).
 */

import { at, own, text, texts } from "./access";
import { type Source, below } from "./source";

/** A policy of signatures. */
export interface ImagePolicyFact {
  /** `ClusterImagePolicy acme`, `ImagePolicy shop/acme`. */
  readonly title: string;
  /** Scopes that it is for: `host`, `host/path` or `*.domain`. */
  readonly scopes: readonly string[];
  /** Where it stands. */
  readonly source: Source;
}

/** Reads a policy; `undefined` for every other object. */
export function readImagePolicy(object: unknown, source: Source): ImagePolicyFact | undefined {
  const kind = text(own(object, "kind"));
  if (kind !== "ClusterImagePolicy" && kind !== "ImagePolicy") return undefined;
  const name = text(at(object, "metadata", "name"));
  const namespace = kind === "ImagePolicy" ? `${text(at(object, "metadata", "namespace"))}/` : "";
  return {
    title: `${kind} ${namespace}${name}`,
    scopes: texts(at(object, "spec", "scopes")),
    source: below(source, "spec.scopes"),
  };
}
