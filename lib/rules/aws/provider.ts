/*
 * What IAM accepts of an OIDC provider. Source: CreateOpenIDConnectProvider in the IAM API reference, IAM quotas.
 */

import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { GivenIssuer, Issuer } from "../../model/issuer";
import { literal } from "../../model/late";
import { partitionOf } from "./partitions";
import { accountId, oidcProviderArn } from "./arn";
import { audienceMismatch, issuerClusterInternal } from "../../model/problems";

const URL_MAX = 255;
const CLIENT_IDS_MAX = 100;
const THUMBPRINTS_MAX = 5;
const THUMBPRINT = /^[0-9a-fA-F]{40}$/;
const PORT = /^https:\/\/[^/]*:\d*(\/|$)/;

/**
 * Returns an issuer that IAM accepts.
 *
 * An issuer that really ends with a slash (`Issuer.exactly`) is kept: IAM keeps the slash in the ARN and in the
 * condition keys.
 */
export function awsIssuer(issuer: GivenIssuer): Issuer {
  const checked = Issuer.of(issuer);
  if (checked.late) return checked;
  const { url } = checked;
  if (checked.clusterInternal) return fail("issuer-unsupported", issuerClusterInternal(url, "AWS"));
  const reason = PORT.test(url)
    ? "has a port"
    : url.length > URL_MAX && `is longer than ${URL_MAX} characters`;
  if (reason === false) return checked;
  return fail("aws-invalid", {
    problem: `the issuer ${reason}, which IAM refuses for an OIDC provider`,
    value: url,
    allowed: "https://host[/path] of at most 255 characters, on port 443",
    remedy:
      "publish the cluster's discovery document under such a URL and set --service-account-issuer to it",
  });
}

export function clientIds(audiences: readonly string[]): string[] {
  const ids = [...new Set(audiences.map(validateAudience))].sort();
  const usable = ids.length > 0 && ids.length <= CLIENT_IDS_MAX;
  return usable
    ? ids
    : fail("aws-limit", {
        problem: "the number of audiences (client ids) of the OIDC provider is out of range",
        value: ids.length,
        allowed: "1 to 100 per OIDC provider (IAM quota, not adjustable)",
        remedy: "use one audience for all workloads; sts.amazonaws.com is the convention in every partition",
      });
}

/**
 * Throws for an audience that an OIDC provider is known not to accept: STS would answer `Incorrect token audience`.
 *
 * `accepted` is `undefined` if it is unknown.
 */
export function requireAudience(audience: string, accepted: readonly string[] | undefined): void {
  if (accepted === undefined || accepted.includes(audience)) return;
  fail(
    "audience-mismatch",
    audienceMismatch("the IAM role's trust", audience, accepted.join(", "), ADD_AUDIENCE),
  );
}

const ADD_AUDIENCE =
  "add it to the OIDC provider before the role is created, with addAudience(audience) or among its `audiences`";

export function thumbprintList(thumbprints: readonly string[]): string[] {
  literal(thumbprints, "thumbprints");
  const usable =
    thumbprints.length > 0 &&
    thumbprints.length <= THUMBPRINTS_MAX &&
    thumbprints.every((thumbprint) => THUMBPRINT.test(thumbprint));
  return usable
    ? [...thumbprints]
    : fail("aws-invalid", {
        problem: "the thumbprints of the OIDC provider are not valid",
        value: thumbprints,
        allowed: "at most 5 SHA-1 fingerprints of 40 hexadecimal digits, without colons",
        remedy: "omit them: AWS trusts issuers whose certificate chains to a public certificate authority",
      });
}

/** The ARN if all its parts are known, otherwise `undefined`. */
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
