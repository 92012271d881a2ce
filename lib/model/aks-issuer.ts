/**
 * Hosts of the issuers of AKS clusters, one per cloud of Azure: `https://<region>.<host>/<tenant>/<id>/`.
 *
 * The `iss` of their tokens ends with the slash, and Entra, STS and Google compare it exactly. Source: learn.microsoft.com,
 * "Create an OpenID Connect provider on AKS"; Azure/azure-workload-identity#1700; `oidcIssuerProfile.issuerURL` of
 * clusters in `usgovvirginia` and `chinanorth2`.
 */
const AKS_ISSUER_HOSTS: readonly string[] = [
  "oic.prod-aks.azure.com",
  "oic.prod-aks.azure.us",
  "oic.prod-aks.azure.cn",
];

/** Whether a URL is the issuer of an AKS cluster, with or without the slash that it needs. */
export function isAksIssuer(url: string): boolean {
  const [, host = ""] = /^https:\/\/([^/]*)/.exec(url) ?? [];
  return AKS_ISSUER_HOSTS.some((suffix) => host.endsWith(`.${suffix}`));
}

/** An issuer as tokens have it: that of an AKS cluster ends with a slash, however it was written down. */
export function issuerOfTokens(url: string): string {
  return isAksIssuer(url) && !url.endsWith("/") ? `${url}/` : url;
}
