/*
 * The kubelet's validation of one provider entry, rule by rule in its order
 * (kubernetes:pkg/credentialprovider/plugin/config.go, `validateCredentialProviderConfig`, 1.31 to 1.36).
 */

import { complaint, type ConfigIssue, required } from "./config-issue";
import { isAtLeast } from "./feature-gates";
import { formatGoDuration, parseGoDuration } from "./go-duration";
import { quoted, toBytes } from "./go-text";
import { parseSchemelessUrl } from "./go-url";
import { textOf, textsOf } from "./json-value";

/** What the rules need to know besides the entry. */
export interface RuleContext {
  /** A known kubelet minor. */
  readonly minor: string;
  /** Whether `KubeletServiceAccountTokenForCredentialProviders` is on. */
  readonly tokensEnabled: boolean;
}

/** One rule: a decoded provider entry in, the kubelet's complaints out. */
export type ProviderRule = (
  provider: Readonly<Record<string, unknown>>,
  context: RuleContext,
) => readonly ConfigIssue[];

/** The only plugin protocol that takes service account tokens. */
export const TOKEN_PROTOCOL = "credentialprovider.kubelet.k8s.io/v1";

const PROTOCOLS: readonly string[] = [TOKEN_PROTOCOL, `${TOKEN_PROTOCOL}alpha1`, `${TOKEN_PROTOCOL}beta1`];

const NAME_RULES: readonly (readonly [refused: (name: string) => boolean, text: string])[] = [
  [(name) => name.includes("/"), "provider name cannot contain '/'"],
  [(name) => name.includes(" "), "provider name cannot contain spaces"],
  [(name) => name === ".", "provider name cannot be '.'"],
  [(name) => name === "..", "provider name cannot be '..'"],
];

/** An empty name passes, as it does in the kubelet. */
export const nameRule: ProviderRule = (provider) => {
  const name = textOf(provider["name"]);
  return NAME_RULES.filter(([refused]) => refused(name)).map(([, text]) =>
    complaint("providers.name", `Invalid value: ${quoted(name)}: ${text}`),
  );
};

/** The plugin protocol, independent of the version of the file. */
export const protocolRule: ProviderRule = (provider, context) => {
  const version = textOf(provider["apiVersion"]);
  const field = "providers.apiVersion";
  if (version === "") return [required(field, context.minor)];
  if (PROTOCOLS.includes(version)) return [];
  const known = PROTOCOLS.map(quoted).join(", ");
  return [complaint(field, `Unsupported value: ${quoted(version)}: supported values: ${known}`)];
};

/** Each entry must parse as `https://<entry>`; whether it can ever match is not asked. */
export const matchImagesRule: ProviderRule = (provider, { minor }) => {
  const field = "providers.matchImages";
  const images = textsOf(provider["matchImages"]);
  if (images.length === 0)
    return [complaint(field, "Required value: at least 1 item in matchImages is required")];
  const strictColons = isAtLeast(minor, "1.36");
  return images.flatMap((image) => {
    const url = parseSchemelessUrl(toBytes(image), { strictColons });
    const text = "error" in url ? `match image is invalid: ${url.error}` : undefined;
    return text ? [complaint(field, `Invalid value: ${quoted(image)}: ${text}`)] : [];
  });
};

/** Required, Go syntax, not negative; 0 is allowed. */
export const durationRule: ProviderRule = (provider, context) => {
  const field = "providers.defaultCacheDuration";
  const { nanoseconds } = parseGoDuration(textOf(provider["defaultCacheDuration"]));
  if (nanoseconds === undefined) return [required(field, context.minor)];
  if (nanoseconds >= 0n) return [];
  const value = formatGoDuration(nanoseconds);
  const text = "must be greater than or equal to 0";
  const line = isAtLeast(context.minor, "1.34")
    ? `"${value}": ${text}`
    : `${value}: defaultCacheDuration ${text}`;
  return [complaint(field, `Invalid value: ${line}`)];
};
