import type { Duration } from "./duration";
import { type ObjectKind, type Kind, like, list, object, text } from "./shape";

/** One environment variable of an image credential provider. */
export interface CredentialProviderEnv {
  /** The variable's name. */
  readonly name: string;
  /** Its value. */
  readonly value: string;
}

/**
 * What a cloud needs on the node: the kubelet's entry for its image credential provider, before decisions that depend
 * on the cluster (versions, strict or mixed mode, the distribution's own entry).
 */
export interface ImageCredentialProvider {
  /** Key of the plugin: `ecr`, `acr`, `gcp`, or the name of the executable of any other. */
  readonly plugin: string;
  /** File name of the upstream executable; a distribution may use another. */
  readonly name: string;
  /** Patterns for the images of this cloud's registries, as narrow as possible. */
  readonly matchImages: readonly string[];
  /**
   * Only the hosts of the declared registries, for strict mode where the nodes' own entry does not use the plugin with
   * tokens: they keep it next to this one, or have none.
   *
   * @defaultValue - `matchImages`
   */
  readonly hosts?: readonly string[];
  /** Cache duration that the kubelet uses if the plugin's response has none. */
  readonly defaultCacheDuration: Duration;
  /** Arguments of the plugin for pulls with tokens; literal, like everything in the kubelet's file. */
  readonly args: readonly string[];
  /**
   * Arguments of the plugin for pulls with the node's identity, for the entry without tokens in mixed mode; `[]` for
   * none, `undefined` if only the nodes' owner knows them.
   */
  readonly nodeIdentityArgs: readonly string[] | undefined;
  /** Variables added to the kubelet's own environment, only for the entry with tokens. */
  readonly env: readonly CredentialProviderEnv[];
  /** The one audience of the service account tokens. */
  readonly audience: string;
  /** Key of the kubelet's credential cache; `ServiceAccount` suits the upstream plugins. */
  readonly cacheType: "ServiceAccount" | "Token";
  /** Annotation keys that the plugin reads from the service account. */
  readonly annotationKeys: readonly string[];
  /**
   * Annotation keys that the plugin reads if the service account has them.
   *
   * @defaultValue - none
   */
  readonly optionalAnnotationKeys?: readonly string[];
  /** Abilities that the plugin must have: `tokens`, or for Google `custom-pools`; empty if its version does not matter. */
  readonly needs: readonly string[];
}

export const CREDENTIAL_PROVIDER_ENV: ObjectKind<CredentialProviderEnv> = object({ name: text, value: text });

export const IMAGE_CREDENTIAL_PROVIDER: Kind<ImageCredentialProvider> = like(
  "the `provider` of a declaration of pulls",
  {
    plugin: text,
    name: text,
    matchImages: list(text),
    args: list(text),
    env: list(CREDENTIAL_PROVIDER_ENV),
    audience: text,
    annotationKeys: list(text),
    needs: list(text),
  },
);
