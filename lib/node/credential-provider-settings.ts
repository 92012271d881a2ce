/*
 * What a caller decides about an image credential provider, checked as far as it needs no plugin and no cluster.
 */

import { fail } from "../errors";
import { type Duration, DURATION } from "../model/duration";
import { type CredentialProviderEnv, CREDENTIAL_PROVIDER_ENV } from "../model/image-credential-provider";
import { isLate, literal } from "../model/late";
import { NEWEST_KUBERNETES } from "../rules/kubelet/feature-gates";
import { nameRule } from "../rules/kubelet/validate-credential-provider-config";
import { type ObjectKind, choice, list, object, optional, text } from "../model/shape";

/**
 * What a caller may decide about one image credential provider.
 *
 * - `strict`: the plugin runs only for service accounts with its annotations; everybody else pulls without it.
 * - `mixed`: service accounts without annotations keep the node's identity, where the plugin can do that. In one entry
 *   (ECR from 1.35 on, Google's GKE pool) the kubelet then requests a token of every service account first, and where
 *   the API server refuses, the pod gets no credentials: grant the audience for the whole cluster, as `ImagePulls` does.
 *
 * Everything is literal: the kubelet's file is YAML, into which a late value would be filled without quotes.
 */
export interface CredentialProviderSettings {
  /**
   * Strict or mixed mode.
   *
   * @defaultValue "strict"
   */
  readonly mode?: "strict" | "mixed";
  /**
   * Second file name (link or copy) of the plugin's executable, for the token-less entry that mixed mode needs
   * where the plugin itself does not fall back (ACR always, ECR 1.34, Google custom pools). Refused elsewhere.
   *
   * @defaultValue - mixed mode is refused for such plugins
   */
  readonly nodeIdentityName?: string;
  /**
   * Arguments of that token-less entry, which needs none of those that serve the tokens: for ACR the path of an
   * azure.json with `userAssignedIdentityID`. Refused where there is no such entry.
   *
   * @defaultValue - the cloud's own, or else the distribution's; refused where neither is known
   */
  readonly nodeIdentityArgs?: readonly string[];
  /**
   * Patterns instead of the usual ones, each once; checked against the plugin's registries and the declared pulls.
   *
   * @defaultValue - the distribution's own patterns plus those of the declared registries
   */
  readonly matchImages?: readonly string[];
  /**
   * Arguments instead of the usual ones, of the entry with tokens.
   *
   * @defaultValue - the cloud's own, or else the distribution's
   */
  readonly args?: readonly string[];
  /**
   * Variables added to those that the cloud needs; the same name wins here. The token-less entry of mixed mode gets
   * these alone: what the cloud needs serves the tokens.
   *
   * @defaultValue - none
   */
  readonly env?: readonly CredentialProviderEnv[];
  /**
   * For answers of the plugin without a duration.
   *
   * @defaultValue - the distribution's own, or else the cloud's
   */
  readonly defaultCacheDuration?: Duration;
}

/** The kind of {@link CredentialProviderSettings}. */
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

/** The rules for names are the same in every known minor. */
const ANY_KUBELET = { minor: NEWEST_KUBERNETES, tokensEnabled: true };

/** What the kubelet's environment cannot hold as a name: it ends at `=`, and a text at a zero byte. */
const ENV_NAME = /^[^=\0]+$/;

/** Returns settings whose parts are literal and of the right kind, whatever the cluster; `plugin` is for messages. */
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

/** The kubelet's own rules for the name of an entry, which is a file name; an empty one it would take and not find. */
function checkName(plugin: string, name: string): void {
  literal(name, `nodeIdentityName of the image credential provider ${plugin}`);
  const reason = name === "" ? "it is empty" : nameRule({ name }, ANY_KUBELET)[0]?.message;
  if (reason !== undefined)
    fail("node-invalid", {
      problem: `\`nodeIdentityName\` of the ${plugin} image credential provider is not a file name that the kubelet takes: ${reason}`,
      value: name,
      allowed: "a file name in the plugin directory, without / and blanks, and neither . nor ..",
      remedy: "give the name of the link or copy of the plugin",
    });
}

function checkEnv(plugin: string, env: readonly CredentialProviderEnv[]): void {
  assertLiteralEnv(plugin, env);
  const names = new Set<string>();
  for (const { name, value } of env) {
    const reason = !ENV_NAME.test(name)
      ? "has no name, or one that no variable can have"
      : value.includes("\0")
        ? "has a value that is not text"
        : names.has(name)
          ? "is given twice"
          : undefined;
    if (reason !== undefined)
      fail("node-invalid", {
        problem: `a variable of the ${plugin} image credential provider ${reason}`,
        value: name,
        allowed: "{ name, value }, each name once, not empty and without =, both text",
        remedy: "correct `env`",
      });
    names.add(name);
  }
}
