/*
 * How clouds meet Kubernetes without importing each other. A cloud's `from` object says which cloud it is of;
 * that cloud's maker turns all pulls of one cluster into identities and answers with what Kubernetes must write.
 */

import type { ClusterFacts } from "./cluster";
import type { ImageCredentialProvider } from "./image-credential-provider";
import type { NodeFile } from "./node-file";
import { SUBJECT, type Subject } from "./subject";
import { type ObjectKind, type Kind, like, list, method, object, text } from "./shape";

/** Registries that a service account may pull from; made by `ecr()`, `acr()`, `artifactRegistry()` and the like. */
export interface IPullSource<Scope> {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /** The pull targets as the kubelet sees them: `<registry host>/<repository>`, `*` allowed in the repository. */
  readonly images: readonly string[];
  /** The maker to use when the caller states none; throws where the cloud cannot do without settings. */
  defaultIdentities(): IPullIdentities<Scope>;
}

/** One service account and the registries of one cloud that it pulls from. */
export interface DeclaredPull<Scope> {
  /** Who pulls. */
  readonly subject: Subject;
  /** From where; all of the maker's own cloud. */
  readonly sources: readonly IPullSource<Scope>[];
}

/** All pulls of one cluster from one cloud. */
export interface PullRequest<Scope> {
  /** Whose tokens are trusted, and what its nodes can do. */
  readonly cluster: ClusterFacts;
  /** Sorted by subject, each subject once. */
  readonly pulls: readonly DeclaredPull<Scope>[];
}

/** What one service account gets from a cloud. */
export interface PullGrant {
  /** Who may pull. */
  readonly subject: Subject;
  /** Annotations that the plugin reads; values may be late. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** What a cloud's maker declared, as far as Kubernetes must know it. */
export interface PullDeclaration {
  /** One grant per subject of the request. */
  readonly grants: readonly PullGrant[];
  /** The kubelet's entry. */
  readonly provider: ImageCredentialProvider;
  /** Further files that the plugin needs on the node, for example `azure.json`. */
  readonly nodeFiles: readonly NodeFile[];
  /**
   * Properties of registries that neither manifests nor Terraform hold, by the registry's own host; written to
   * `workload-identity.json` for the verifier.
   *
   * @defaultValue - none
   */
  readonly registries?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** How one cloud's identities for pulls are made: account, names, boundaries. One per cloud and cluster. */
export interface IPullIdentities<Scope> {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /** Declares identities, trust and permissions in the scope. */
  declare(scope: Scope, request: PullRequest<Scope>): PullDeclaration;
}

/** The kind of an {@link IPullSource}. */
export const PULL_SOURCE: Kind<IPullSource<never>> = like(
  "a source of images: ecr(), ecrPublic(), acr(), artifactRegistry(), gcrRepository()",
  { cloud: text, images: list(text), defaultIdentities: method },
);

/** The kind of {@link IPullIdentities}. */
export const PULL_IDENTITIES: Kind<IPullIdentities<never>> = like(
  "identities for pulls: pullRoles(), pullIdentities(), pullPrincipals()",
  { cloud: text, declare: method },
);

/** The kind of a {@link DeclaredPull}. */
export const DECLARED_PULL: ObjectKind<DeclaredPull<never>> = object({
  subject: SUBJECT,
  sources: list(PULL_SOURCE),
});
