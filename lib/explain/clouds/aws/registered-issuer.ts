/*
 * The OIDC provider that an account knows an issuer by. An account has but one of each URL.
 * Source: "Create an OpenID Connect (OIDC) identity provider in IAM" and "IAM and AWS STS quotas" in the IAM user guide.
 */

import { type Answer, seen, unknown } from "../../answer";
import { isLateText } from "../../facts/terraform";
import { NO_ACCOUNT, type OidcProviderFact } from "./iam";

/** Which OIDC provider is asked for. */
interface IssuerQuestion {
  /** All that were read. */
  readonly oidcProviders: readonly OidcProviderFact[];
  /** `iss` of the token. */
  readonly issuer: string;
  /** What the trust policy names. */
  readonly principal: { readonly account: string };
  /** Account of the role; empty where it is not known. */
  readonly account: string;
}

/** Not adjustable. */
const CLIENT_IDS_MAX = 100;

/** The OIDC providers of an issuer that may be the account's; those that tell more of it come alone. */
export function registeredIssuers(question: IssuerQuestion): readonly OidcProviderFact[] {
  const { oidcProviders, issuer, principal, account } = question;
  const home = account === "" ? principal.account : account;
  const there = oidcProviders.filter(
    (each) => each.url === issuer && (each.account === "" || home === NO_ACCOUNT || each.account === home),
  );
  if (there.length < 2) return there;
  // One that is only looked up does not tell its audiences.
  const telling = there.filter(({ clientIds }) => clientIds);
  const near = telling.filter((each) => each.account === home);
  return [near, telling, there].find(({ length }) => length > 0) ?? there;
}

/** Why it is not certain which audiences are accepted; `undefined` where it is. */
export function audienceDoubt(found: readonly OidcProviderFact[], audience: string): Answer | undefined {
  const [first, ...others] = found.filter(({ clientIds }) => clientIds && !clientIds.some(isLateText));
  if (!first?.clientIds) return undefined;
  const accepts = first.clientIds.includes(audience);
  const other = others.find(({ clientIds }) => clientIds?.includes(audience) !== accepts);
  if (other)
    return unknown(
      "the issuer is declared as two OIDC providers with other audiences, and an account takes but one of them",
      "leave only one of the two, or limit their Terraform providers to their accounts (allowed_account_ids)",
      seen("client_id_list", first.source),
      seen("client_id_list of the other", other.source),
    );
  if (first.clientIds.length <= CLIENT_IDS_MAX) return undefined;
  return unknown(
    `AWS refuses an OIDC provider with more than ${CLIENT_IDS_MAX} audiences; which ones it has, if it is there at all, is not known`,
    "leave out the audiences that nobody needs",
    seen("client_id_list", first.source),
  );
}
