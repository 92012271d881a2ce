import { type AzureCloudName, azureCloud } from "../../../lib/rules/azure/clouds";

/**
 * How the acr plugin recognises a login server: releases up to August 2026 know names of letters and digits,
 * later ones also names with a hash (`name-hash`) and regional hosts (`name.region.geo`).
 */
export type AcrHostRule = "letters-and-digits" | "hashes-and-regions";

const SUFFIXES = "(?:azurecr\\.io|azurecr\\.cn|azurecr\\.de|azurecr\\.us)";

/**
 * Source: kubernetes-sigs/cloud-provider-azure, pkg/credentialprovider/azure_credentials.go (`acrRE`) at 7b31c76c,
 * and its pull request 10720.
 */
const HOSTS: Readonly<Record<AcrHostRule, RegExp>> = {
  "letters-and-digits": new RegExp(`^[a-zA-Z0-9]+\\.${SUFFIXES}`),
  "hashes-and-regions": new RegExp(`^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)?(?:\\.[a-zA-Z0-9]+\\.geo)?\\.${SUFFIXES}`),
};

/** What decides how the plugin reads an image name. */
export interface ParseAcrHostOptions {
  /** `cloud` of the plugin's azure.json. */
  readonly cloud: AzureCloudName;
  /**
   * Which releases of the plugin are asked about.
   *
   * @defaultValue "letters-and-digits"
   */
  readonly rule?: AcrHostRule;
}

/**
 * The login server that the acr plugin takes from an image, `undefined` when it answers without credentials.
 *
 * First its pattern, which must end the text or be followed by a slash; otherwise everything up to the first
 * occurrence of the configured cloud's suffix, wherever that stands. The second rule is what makes names with a
 * hash work in old releases, and also why `matchImages` must never be wider than the suffixes of registries:
 * `example.com/proxy/azurecr.io/x` gives `example.com/proxy/azurecr.io`. Throws `azure-cloud-unknown`.
 */
export function parseAcrHost(image: string, options: ParseAcrHostOptions): string | undefined {
  const { acrSuffix } = azureCloud(options.cloud);
  const host = HOSTS[options.rule ?? "letters-and-digits"].exec(image)?.[0];
  if (host !== undefined && (image.length === host.length || image[host.length] === "/")) return host;
  const index = image.indexOf(acrSuffix);
  return index < 0 ? undefined : image.slice(0, index + acrSuffix.length);
}
