/*
 * What IAM accepts of an OIDC provider. Source: CreateOpenIDConnectProvider in the IAM API reference, IAM quotas.
 */

import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { GivenIssuer, Issuer } from "../../model/issuer";
import { literal } from "../../model/late";
import { accountId, oidcProviderArn } from "./arn";
import { partitionOf } from "./partitions";

const URL_MAX = 255;
const CLIENT_IDS_MAX = 100;
const THUMBPRINTS_MAX = 5;
const THUMBPRINT = /^[0-9a-fA-F]{40}$/;
const PORT = /^https:\/\/[^/]*:\d*(\/|$)/;

/**
 * Returns an issuer that IAM accepts; throws `aws-issuer-unusable`, `issuer-cluster-internal` and what `Issuer.of`
 * throws.
 *
 * An issuer that really ends with a slash (`Issuer.exactly`) is passed on: IAM keeps the slash in the ARN and in
 * the condition keys.
 */
export function awsIssuer(issuer: GivenIssuer): Issuer {
  const checked = Issuer.of(issuer);
  if (checked.late) return checked;
  const { url } = checked;
  if (checked.clusterInternal) return fail("issuer-cluster-internal", url, "AWS");
  if (PORT.test(url)) return fail("aws-issuer-unusable", url, "has a port");
  if (url.length > URL_MAX) return fail("aws-issuer-unusable", url, `is longer than ${URL_MAX} characters`);
  return checked;
}

/** Returns the client ids, sorted, each once; throws `aws-client-ids-invalid` or `audience-invalid`. */
export function clientIds(audiences: readonly string[]): string[] {
  const ids = [...new Set(audiences.map(validateAudience))].sort();
  const usable = ids.length > 0 && ids.length <= CLIENT_IDS_MAX;
  return usable ? ids : fail("aws-client-ids-invalid", ids.length);
}

/**
 * Refuses an audience that an OIDC provider is known not to accept: STS would answer `Incorrect token audience`.
 *
 * `accepted` is `undefined` where it is not known. Throws `audience-mismatch`.
 */
export function requireAudience(audience: string, accepted: readonly string[] | undefined): void {
  if (accepted === undefined || accepted.includes(audience)) return;
  fail("audience-mismatch", "the IAM role's trust", audience, accepted.join(", "), ADD_AUDIENCE);
}

const ADD_AUDIENCE =
  "add it to the OIDC provider before the role is made, with addAudience(audience) or among its `audiences`";

/** Returns the thumbprints; throws `aws-thumbprints-invalid` or `late-value`. */
export function thumbprintList(thumbprints: readonly string[]): string[] {
  literal(thumbprints, "thumbprints");
  const usable =
    thumbprints.length > 0 &&
    thumbprints.length <= THUMBPRINTS_MAX &&
    thumbprints.every((thumbprint) => THUMBPRINT.test(thumbprint));
  return usable ? [...thumbprints] : fail("aws-thumbprints-invalid", thumbprints);
}

/**
 * The ARN where everything that it consists of is known, `undefined` otherwise.
 *
 * Throws `aws-account-invalid` or `aws-region-unknown`.
 */
export function literalOidcProviderArn(
  issuer: Issuer,
  account: string | undefined,
  region: string | undefined,
): string | undefined {
  const checked = account === undefined ? undefined : accountId(account);
  const partition = region === undefined ? undefined : partitionOf(region).name;
  if (issuer.late || checked === undefined || partition === undefined) return undefined;
  return oidcProviderArn({ partition, account: checked, hostPath: issuer.hostPath });
}
