/*
 * What a caller may decide about an image credential provider, with those checks that need neither plugin nor cluster.
 */

import { fail } from "../errors";
import { type Duration, DURATION } from "../model/duration";
import { type CredentialProviderEnv, CREDENTIAL_PROVIDER_ENV } from "../model/image-credential-provider";
import { isLate, literal } from "../model/late";
import { NEWEST_KUBERNETES } from "../rules/kubelet/feature-gates";
import { nameRule } from "../rules/kubelet/validate-credential-provider-config";
import { type ObjectKind, choice, list, object, optional, text } from "../model/shape";

/**
 * Settings of one image credential provider.
 *
 * - `strict`: the plugin runs only for service accounts with its annotations; all other pods pull without it.
 * - `mixed`: service accounts without annotations keep the node's identity, if the plugin supports that. With one entry
 *   (ECR from 1.35 on, Google's GKE pool) the kubelet first requests a token of every service account. If the API
 * server   refuses it, the pod gets no credentials: grant the audience for the whole cluster, as `ImagePulls` does.
 *
 * All values must be literal: the kubelet's file is YAML, into which a late value would be filled without quotes.
 */
export interface CredentialProviderSettings {
  /**
   * Strict or mixed mode.
   *
   * @defaultValue "strict"
   */
  readonly mode?: "strict" | "mixed";
  /**
   * Second file name (link or copy) of the plugin's executable, for the entry without tokens that mixed mode needs
   * if the plugin itself does not fall back (ACR always, ECR 1.34, Google custom pools). Refused for other plugins.
   *
   * @defaultValue - mixed mode is refused for such plugins
   */
  readonly nodeIdentityName?: string;
  /**
   * Arguments of that entry, which does not use the arguments for tokens: for ACR the path of an
   * azure.json with `userAssignedIdentityID`. Refused if there is no such entry.
   *
   * @defaultValue - the cloud's, or else the distribution's; required if neither is known
   */
  readonly nodeIdentityArgs?: readonly string[];
  /**
   * Patterns that replace the default ones, without duplicates; checked against the plugin's registries and the pulls.
   *
   * @defaultValue - the distribution's own patterns plus those of the declared registries
   */
  readonly matchImages?: readonly string[];
  /**
   * Arguments that replace the default ones in the entry with tokens.
   *
   * @defaultValue - the cloud's, or else the distribution's
   */
  readonly args?: readonly string[];
  /**
   * Variables added to those that the cloud needs; on equal names these win. The entry without tokens gets only
   * these, because the cloud's variables serve the tokens.
   *
   * @defaultValue - none
   */
  readonly env?: readonly CredentialProviderEnv[];
  /**
   * How long the kubelet caches an answer of the plugin that states no duration.
   *
   * @defaultValue - the distribution's, or else the cloud's
   */
  readonly defaultCacheDuration?: Duration;
}

export const CREDENTIAL_PROVIDER_SETTINGS: ObjectKind<CredentialProviderSettings> = object({
  mode: optional(choice(["strict", "mixed"])),
  nodeIdentityName: optional(text),
  nodeIdentityArgs: optional(list(text)),
  matchImages: optional(list(text)),
  args: optional(list(text)),
  env: optional(list(CREDENTIAL_PROVIDER_ENV)),
  defaultCacheDuration: optional(DURATION),
});

const LISTS = ["matchImages", "args", "nodeIdentityArgs"] as const;

/** The rules for names are the same in all supported minors. */
const ANY_KUBELET = { minor: NEWEST_KUBERNETES, tokensEnabled: true };

/** Names that an environment variable can have: `=` would end the name, a zero byte the text. */
const ENV_NAME = /^[^=\0]+$/;

/** Returns the settings if they are literal and well formed; independent of the cluster. `plugin` is for messages. */
export function checkedSettings(
  plugin: string,
  settings: CredentialProviderSettings,
): CredentialProviderSettings {
  for (const key of LISTS) assertLiteralItems(key, plugin, settings[key] ?? []);
  if (settings.nodeIdentityName !== undefined) checkName(plugin, settings.nodeIdentityName);
  if (settings.env !== undefined) checkEnv(plugin, settings.env);
  return settings;
}

export function assertLiteralItems(what: string, plugin: string, items: readonly unknown[]): void {
  if (!isLate(items)) return;
  const index = items.findIndex(isLate);
  literal(items, `${what}${index < 0 ? "" : `[${index}]`} of the image credential provider ${plugin}`);
}

export function assertLiteralEnv(plugin: string, env: readonly CredentialProviderEnv[]): void {
  for (const [index, { name, value }] of env.entries()) {
    literal(name, `name of env[${index}] of the image credential provider ${plugin}`);
    literal(value, `value of the variable ${name} of the image credential provider ${plugin}`);
  }
}

/** Applies the kubelet's rules for an entry's name, a file name; it accepts an empty name but finds no file. */
function checkName(plugin: string, name: string): void {
  literal(name, `nodeIdentityName of the image credential provider ${plugin}`);
  const reason = name === "" ? "it is empty" : nameRule({ name }, ANY_KUBELET)[0]?.message;
  if (reason !== undefined)
    fail("node-invalid", {
      problem: `\`nodeIdentityName\` of the ${plugin} image credential provider is not a file name that the kubelet accepts: ${reason}`,
      value: name,
      allowed: "a file name in the plugin directory, without / and blanks, other than . and ..",
      remedy: "state the file name of the link or copy of the plugin",
    });
}

function checkEnv(plugin: string, env: readonly CredentialProviderEnv[]): void {
  assertLiteralEnv(plugin, env);
  const names = new Set<string>();
  for (const { name, value } of env) {
    const reason = !ENV_NAME.test(name)
      ? "has no name, or a name that no variable can have"
      : value.includes("\0")
        ? "has a value that is not text"
        : names.has(name)
          ? "is given twice"
          : undefined;
    if (reason !== undefined)
      fail("node-invalid", {
        problem: `a variable of the ${plugin} image credential provider ${reason}`,
        value: name,
        allowed: "{ name, value }, both text; each name once, not empty and without =",
        remedy: "correct `env`",
      });
    names.add(name);
  }
}
