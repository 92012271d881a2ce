/*
 * The credential file with which Google's client libraries exchange a service account token.
 * Source: https://google.aip.dev/auth/4117 ("External Account Credentials"); member order as ccoctl writes it.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";

/** Domain of Google Cloud's APIs in its public universe. */
const DEFAULT_UNIVERSE = "googleapis.com";

/** What a credential file says. */
export interface ExternalAccount {
  /** `//iam.googleapis.com/projects/…/providers/<id>`; late when the project number is. */
  readonly stsAudience: string;
  /** Where the service account token is, in the pod. */
  readonly tokenPath: string;
  /** E-mail address of the service account to act as; `undefined` to act as the pool's principal itself. */
  readonly impersonate: string | undefined;
  /** Domain of the APIs. */
  readonly universeDomain: string;
}

const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
const INDENTATION = 2;

/** Returns the domain of a universe's APIs; throws `google-universe-invalid` or `late-value`. */
export function universeDomain(value: string = DEFAULT_UNIVERSE): string {
  const given = literal(value, "universeDomain");
  return typeof given === "string" && DOMAIN.test(given) ? given : fail("google-universe-invalid", given);
}

/** The credential file, JSON text; late when the audience is. */
export function externalAccountFile(account: ExternalAccount): string {
  const { stsAudience, tokenPath, impersonate, universeDomain: universe } = account;
  const impersonation =
    impersonate === undefined
      ? {}
      : {
          service_account_impersonation_url: `https://iamcredentials.${universe}/v1/projects/-/serviceAccounts/${impersonate}:generateAccessToken`,
        };
  const file = {
    type: "external_account",
    audience: stsAudience,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `https://sts.${universe}/v1/token`,
    ...impersonation,
    credential_source: { file: tokenPath, format: { type: "text" } },
    ...(universe === DEFAULT_UNIVERSE ? {} : { universe_domain: universe }),
  };
  return JSON.stringify(file, undefined, INDENTATION);
}
