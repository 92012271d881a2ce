/*
 * What OpenShift's objects tell the nodes' runtime of registries: mirrors, limits, signatures. The kubelet looks
 * credentials up by the name in the pod and knows nothing of them.
 */

import type { Source } from "./source";

/** One source with its mirrors. */
export interface MirrorRule {
  /** `ImageDigestMirrorSet acme`. */
  readonly title: string;
  /** `host`, `host/path` or `*.domain`; covers everything below it. */
  readonly source: string;
  /** Where the runtime goes first, in order: `host` or `host/path`. */
  readonly mirrors: readonly string[];
  /** True where the runtime never goes to the source, by `mirrorSourcePolicy: NeverContactSource`. */
  readonly blocksSource: boolean;
  /** Where it stands. */
  readonly place: Source;
}

/** What `Image/cluster` says of registries. */
export interface RegistrySources {
  /** Scopes that are not pulled from: `host`, `host/path` or `*.domain`. */
  readonly blocked: readonly string[];
  /** The only scopes that are pulled from; `undefined` where nothing limits them. */
  readonly allowed: readonly string[] | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** A policy of signatures. */
export interface ImagePolicyFact {
  /** `ClusterImagePolicy acme`, `ImagePolicy shop/acme`. */
  readonly title: string;
  /** Scopes that it is for: `host`, `host/path` or `*.domain`. */
  readonly scopes: readonly string[];
  /** Where it stands. */
  readonly source: Source;
}
