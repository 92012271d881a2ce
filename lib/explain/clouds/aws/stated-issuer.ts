/*
 * The issuer that only apply told, where a state is read beside the configuration that it was made by.
 */

import { isLateText } from "../../facts/terraform";
import { type AwsTrustQuestion, awsTrust } from "./trust";

/**
 * The issuer's URL, as the state's declaration of the same OIDC provider tells it, where the role trusts that one, which
 * then was read from the state as well; the issuer as it was asked about for any other.
 */
export function statedIssuer(question: AwsTrustQuestion): string | undefined {
  const { issuer, role, oidcProviders } = question;
  if (issuer === undefined || !isLateText(issuer) || !role) return issuer;
  const addresses = new Set(oidcProviders.filter(({ url }) => url === issuer).map(({ address }) => address));
  const urls = oidcProviders
    .filter(({ address, url }) => addresses.has(address) && !isLateText(url))
    .map(({ url }) => url);
  // One resource of several stacks may have one address: only what is trusted is certainly the same.
  return new Set(urls).size === 1 && awsTrust({ ...question, issuer: urls[0] })[0].status === "pass"
    ? urls[0]
    : issuer;
}
