/*
 * What is known about image credential provider plugins, row by row.
 */

import type { Duration } from "./duration";
import type { CredentialProviderEnv } from "./image-credential-provider";

/**
 * An ability of a plugin on which the configuration of a node depends.
 *
 * - `tokens`: uses the service account token of the request.
 * - `custom-pools`: Google only; exchanges tokens at a pool other than the GKE or fleet pool.
 * - `unannotated-node-identity`: falls back to the node's identity if it gets a token without its annotation.
 * - `eusc-hosts`: ECR only; recognises the region in hosts of the European Sovereign Cloud, `*.amazonaws.eu`.
 */
export type PluginAbility = "tokens" | "custom-pools" | "unannotated-node-identity" | "eusc-hosts";

/** An answer with its reason; `unknown` if no release or statement proves it. */
export interface PluginAnswer {
  /** Whether the plugin has the ability. */
  readonly outcome: "yes" | "no" | "unknown";
  /** The reason, for readers. */
  readonly reason: string;
}

/** From which version on an answer applies. */
export interface AbilityRow {
  readonly from: string;
  readonly outcome: PluginAnswer["outcome"];
  readonly reason: string;
}

/**
 * How a flag's value is parsed. `print` is a `bool` that makes the plugin print something other than credentials; for
 * `unread` it is unknown here which values the plugin accepts.
 */
export type FlagKind = "string" | "level" | "bool" | "print" | "unread";

/** The flags of one plugin. */
export interface PluginFlags {
  readonly short: Readonly<Record<string, string>>;
  readonly kinds: Readonly<Record<string, FlagKind>>;
}

/** An image credential provider plugin, as the kubelet runs it for a registry. */
export interface TokenPlugin {
  /** File name of the executable in the nodes' plugin directory. */
  readonly executable: string;
  /**
   * What the kubelet caches answers by: `Token` for a plugin that returns the token itself, or something that must not
   * outlive it; `ServiceAccount` for one that returns credentials of the registry.
   */
  readonly cacheType: "ServiceAccount" | "Token";
  /**
   * Whether the plugin returns the service account token itself as the password.
   *
   * @defaultValue false
   */
  readonly echoesToken?: boolean;
  /**
   * Arguments of the plugin.
   *
   * @defaultValue - none
   */
  readonly args?: readonly string[];
  /**
   * Variables of the plugin, added to the kubelet's environment.
   *
   * @defaultValue - none
   */
  readonly env?: readonly CredentialProviderEnv[];
  /**
   * Annotation keys of the service account without which the kubelet does not run the plugin.
   *
   * @defaultValue - none
   */
  readonly annotationKeys?: readonly string[];
  /**
   * Annotation keys that the plugin reads if the service account has them.
   *
   * @defaultValue - none
   */
  readonly optionalAnnotationKeys?: readonly string[];
  /**
   * Cache duration that the kubelet uses if the plugin's answer has none.
   *
   * @defaultValue - ten minutes for credentials, none for tokens
   */
  readonly defaultCacheDuration?: Duration;
}

/**
 * A plugin, as the kubelet runs it: one row for each, whether its registry is a cloud's or not.
 *
 * `Keys` are the annotation keys without which it does not know whom a service account acts as.
 */
export interface Plugin<Keys extends readonly string[] = readonly string[]> {
  readonly executable: string;
  /** Names that releases and distributions use; a suffix names a platform or a second copy. */
  readonly executables: RegExp;
  readonly annotations: Keys;
  /** The newest minor whose source was read; nothing is known about newer ones. */
  readonly newest: string;
  /** From which version on each answer applies, newest last. */
  readonly abilities: Readonly<Partial<Record<PluginAbility, readonly AbilityRow[]>>>;
  /** Registries that it serves, as matchImages patterns; a wider one would pass it tokens for other registries. */
  readonly registries: readonly string[];
  /** @defaultValue - not known */
  readonly flags?: PluginFlags;
  /** Variables that it reads only for a service account without its annotation, and why they have no effect. */
  readonly unannotatedEnv?: Readonly<Record<string, string>>;
  /** The variable that sets how long the kubelet caches its answer, whosever credentials it contains. */
  readonly answerDuration?: string;
  /** Annotation keys that it reads besides, in one cloud or another. @defaultValue - those of its entry */
  readonly alsoReads?: readonly string[];
  /** True if its registry takes tokens for any audience unless it is set up otherwise. @defaultValue false */
  readonly anyAudience?: true;
  /** How its entry looks, if a registry that is not a cloud's has it. @defaultValue - its cloud decides */
  readonly entry?: Omit<TokenPlugin, "executable" | "annotationKeys">;
}
