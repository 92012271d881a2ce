/*
 * What clouds and Kubernetes share about image pulls; `identity.ts` describes the contract.
 */

import type { AccountGrant, AccountsRequest, IIdentities, IIdentitySource } from "./identity";
import type { CredentialProviderEnv, ImageCredentialProvider } from "./image-credential-provider";
import type { NodeFile } from "./node-file";
import { type Kind, choice, made, list, method, text } from "./shape";

/** Registries that a service account may pull from, returned by `ecr()`, `acr()`, `artifactRegistry()` and the like. */
export interface IPullSource<Scope> extends IIdentitySource<IPullIdentities<Scope>> {
  /** The images as the kubelet sees them: `<registry host>/<repository>`, with `*` allowed in the repository. */
  readonly images: readonly string[];
}

/** All pulls of one cluster from one cloud. */
export type PullRequest<Scope> = AccountsRequest<IPullSource<Scope>>;

/** A service account that a registry admits by its token. */
export interface TokenPull {
  /** `namespace/name`. */
  readonly serviceAccount: string;
  /** Repositories below the host, `*` for any text. */
  readonly repositories: readonly string[];
  /**
   * Whom the registry takes it for.
   *
   * @defaultValue - the subject of its tokens
   */
  readonly identity?: string;
  /**
   * The annotations that the plugin needs; values may be late.
   *
   * @defaultValue - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A registry that takes service account tokens, as its owner has configured it; part of `workload-identity.json`. */
export interface TokenRegistry {
  /** File name of the plugin's executable. */
  readonly plugin: string;
  /** The audience that it accepts. */
  readonly audience: string;
  /** The issuer that it trusts; may be late. */
  readonly issuer: string;
  /** Whether the plugin returns the token itself. */
  readonly echoesToken: boolean;
  /** Arguments with which the plugin works for it. */
  readonly args: readonly string[];
  /** Variables with which the plugin works for it. */
  readonly env: readonly CredentialProviderEnv[];
  /** Whom it admits. */
  readonly pulls: readonly TokenPull[];
}

/** What a cloud declared for pulls, as far as the manifests need it. */
export interface PullDeclaration {
  /** One grant per service account of the request, with the annotations that the plugin reads. */
  readonly grants: readonly AccountGrant[];
  /** The kubelet's entry. */
  readonly provider: ImageCredentialProvider;
  /** Further files that the plugin needs on the node, for example `azure.json`. */
  readonly nodeFiles: readonly NodeFile[];
  /**
   * Properties of registries that neither manifests nor Terraform show, by the registry's own host; written to
   * `workload-identity.json` for the verifier.
   *
   * @defaultValue - none
   */
  readonly registries?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * Registries that decide by the token themselves, by host.
   *
   * @defaultValue - none
   */
  readonly tokenRegistries?: Readonly<Record<string, TokenRegistry>>;
  /**
   * What the owner of such a registry must configure, in the registry's own form; `undefined` if none is known.
   *
   * @defaultValue - none is written
   */
  ownerDocument?(host: string, registry: TokenRegistry): object | undefined;
}

/** How one cloud's identities for pulls are made, returned by `pullRoles()`, `pullIdentities()`, `pullPrincipals()`. */
export interface IPullIdentities<Scope> extends IIdentities<Scope, PullRequest<Scope>, PullDeclaration> {
  /** Distinguishes these identities from those for other jobs. */
  readonly job: "pulls";
}

export const PULL_SOURCE: Kind<IPullSource<never>> = made(
  "a source of images: ecr(), ecrPublic(), acr(), artifactRegistry(), gcrRepository(), oidcRegistry()",
  "ecr(…)",
  { cloud: text, images: list(text), defaultIdentities: method },
);

export const PULL_IDENTITIES: Kind<IPullIdentities<never>> = made(
  "identities for pulls: pullRoles(), pullIdentities(), pullPrincipals()",
  "pullRoles(…)",
  { cloud: text, job: choice(["pulls"]), declare: method },
);
