/**
 * Hosts of AKS issuers, one per Azure cloud: `https://<region>.<host>/<tenant>/<id>/`. Clusters from the feature's
 * preview keep `https://oidc.prod-aks.azure.com/<id>/`.
 *
 * The `iss` of their tokens ends with the slash, and Entra, STS and Google compare it exactly. Source:
 * learn.microsoft.com, "Create an OpenID Connect provider on AKS"; Azure/azure-workload-identity#1700, and its
 * troubleshooting page for the early host; `oidcIssuerProfile.issuerURL` of clusters in `usgovvirginia` and
 * `chinanorth2`.
 */
const AKS_ISSUER_HOSTS: readonly string[] = [
  "oic.prod-aks.azure.com",
  "oic.prod-aks.azure.us",
  "oic.prod-aks.azure.cn",
];
const EARLY_HOST = "oidc.prod-aks.azure.com";

/** Whether a URL is the issuer of an AKS cluster, with or without the required trailing slash. */
export function isAksIssuer(url: string): boolean {
  const [, host = ""] = /^https:\/\/([^/]*)/.exec(url) ?? [];
  return host === EARLY_HOST || AKS_ISSUER_HOSTS.some((suffix) => host.endsWith(`.${suffix}`));
}

/** The tenant of the cluster with an issuer; `undefined` for issuers that do not tell it. */
export function tenantOfIssuer(url: string): string | undefined {
  return isAksIssuer(url) ? /^https:\/\/[^/]+\/([0-9a-f-]{36})\/[^/]+\/?$/i.exec(url)?.[1] : undefined;
}

/** Returns the issuer in the form of the tokens' `iss`: adds the slash at the end of an AKS issuer if it is missing. */
export function issuerOfTokens(url: string): string {
  return isAksIssuer(url) && !url.endsWith("/") ? `${url}/` : url;
}
