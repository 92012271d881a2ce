/*
 * ARNs as text. Everything here works on literals; an ARN that Terraform knows only after apply is never read.
 */

import { fail, type Problem } from "../../errors";
import { validateAudience } from "../../model/audience";
import { GivenIssuer, Issuer } from "../../model/issuer";
import { literal } from "../../model/late";
import { partitions, partitionOf } from "./partitions";

// HEADER /*  * What IAM accepts of an OIDC provider. Source: CreateOpenIDConnectProvider in the IAM API reference, IAM quotas.  */
const ACCOUNT = /^\d{12}$/;
const OIDC_PROVIDER_ARN = /^arn:([a-z-]+):iam::(\d{12}):oidc-provider\/([\x21-\x7e]+)$/;
const ROLE_ARN = /^arn:([a-z-]+):iam::(\d{12}):role(\/(?:[\x21-\x7e]{1,510}\/)?)([\w+=,.@-]{1,64})$/;

/** The parts of the ARN of an IAM OIDC provider. */
export interface OidcProviderArn {
  readonly partition: string;
  /** Account id, 12 digits. */
  readonly account: string;
  /** The issuer without `https://`. */
  readonly hostPath: string;
}

/** The parts of the ARN of an IAM role. */
export interface RoleArn {
  readonly partition: string;
  /** Account id, 12 digits. */
  readonly account: string;
  readonly path: string;
  /** Name, without path. */
  readonly name: string;
}

/** Returns an account id of 12 digits. */
export function accountId(account: string): string {
  literal(account, "account");
  return typeof account === "string" && ACCOUNT.test(account)
    ? account
    : fail("aws-invalid", {
        problem: "AWS account is not an account id",
        value: account,
        allowed: "12 digits, as text because of leading zeros",
        remedy: "use the id that `aws sts get-caller-identity` prints",
      });
}

/** `arn:<partition>:iam::<account>:oidc-provider/<host path>`. */
export function oidcProviderArn({ partition, account, hostPath }: OidcProviderArn): string {
  return `arn:${partition}:iam::${account}:oidc-provider/${hostPath}`;
}

/** Reads the ARN of an OIDC provider. */
export function parseOidcProviderArn(arn: string): OidcProviderArn {
  literal(arn, "ARN of the OIDC provider");
  const [, partition, account, hostPath] = (typeof arn === "string" && OIDC_PROVIDER_ARN.exec(arn)) || [];
  if (partition && account && hostPath && isPartition(partition)) return { partition, account, hostPath };
  return fail(
    "aws-invalid",
    noArn("OIDC provider", arn, "arn:<partition>:iam::<account>:oidc-provider/<issuer without https://>"),
  );
}

/** `arn:<partition>:iam::<account>:role<path><name>`. */
export function roleArn({ partition, account, path, name }: RoleArn): string {
  return `arn:${partition}:iam::${account}:role${path}${name}`;
}

/** Reads the ARN of an IAM role. */
export function parseRoleArn(arn: string): RoleArn {
  literal(arn, "ARN of the IAM role");
  const [, partition, account, path, name] = (typeof arn === "string" && ROLE_ARN.exec(arn)) || [];
  if (partition && account && path && name && isPartition(partition))
    return { partition, account, path, name };
  return fail("aws-invalid", noArn("IAM role", arn, "arn:<partition>:iam::<account>:role/[<path>/]<name>"));
}

function isPartition(name: string): boolean {
  return partitions.some((partition) => partition.name === name);
}

const URL_MAX = 255;
const CLIENT_IDS_MAX = 100;
const THUMBPRINTS_MAX = 5;
const THUMBPRINT = /^[0-9a-fA-F]{40}$/;
const PORT = /^https:\/\/[^/]*:\d*(\/|$)/;

/**
 * Returns an issuer that IAM accepts.
 *
 * An issuer that really ends with a slash (`Issuer.exactly`) is passed on: IAM keeps the slash in the ARN and in the
 * condition keys.
 */
export function awsIssuer(issuer: GivenIssuer): Issuer {
  const checked = Issuer.of(issuer);
  if (checked.late) return checked;
  const { url } = checked;
  if (checked.clusterInternal) return fail("issuer-cluster-internal", url, "AWS");
  if (PORT.test(url)) return fail("aws-invalid", refusedIssuer(url, "has a port"));
  if (url.length > URL_MAX)
    return fail("aws-invalid", refusedIssuer(url, `is longer than ${URL_MAX} characters`));
  return checked;
}

/** Returns the client ids, sorted, each once. */
export function clientIds(audiences: readonly string[]): string[] {
  const ids = [...new Set(audiences.map(validateAudience))].sort();
  const usable = ids.length > 0 && ids.length <= CLIENT_IDS_MAX;
  return usable
    ? ids
    : fail("aws-limit", {
        problem: "number of audiences (client ids) of the OIDC provider is out of range",
        value: ids.length,
        allowed: "1 to 100 per OIDC provider (IAM quota, not adjustable)",
        remedy: "use one audience for all workloads; sts.amazonaws.com is the convention in every partition",
      });
}

/**
 * Refuses an audience that an OIDC provider is known not to accept: STS would answer `Incorrect token audience`.
 *
 * `accepted` is `undefined` where it is not known.
 */
export function requireAudience(audience: string, accepted: readonly string[] | undefined): void {
  if (accepted === undefined || accepted.includes(audience)) return;
  fail("audience-mismatch", "the IAM role's trust", audience, accepted.join(", "), ADD_AUDIENCE);
}

const ADD_AUDIENCE =
  "add it to the OIDC provider before the role is made, with addAudience(audience) or among its `audiences`";

/** Returns the thumbprints. */
export function thumbprintList(thumbprints: readonly string[]): string[] {
  literal(thumbprints, "thumbprints");
  const usable =
    thumbprints.length > 0 &&
    thumbprints.length <= THUMBPRINTS_MAX &&
    thumbprints.every((thumbprint) => THUMBPRINT.test(thumbprint));
  return usable
    ? [...thumbprints]
    : fail("aws-invalid", {
        problem: "thumbprints of the OIDC provider are not usable",
        value: thumbprints,
        allowed: "at most 5 SHA-1 fingerprints of 40 hexadecimal digits, without colons",
        remedy:
          "leave them out: AWS trusts issuers whose certificate chains to a public certificate authority",
      });
}

/** The ARN where everything that it consists of is known, `undefined` otherwise. */
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

export function noArn(what: string, value: unknown, form: string): Problem {
  return {
    problem: `${what} is not an ARN of that kind`,
    value,
    allowed: form,
    remedy: "copy the whole ARN from IAM",
  };
}

function refusedIssuer(value: string, reason: string): Problem {
  return {
    problem: `issuer ${reason}, which IAM refuses for an OIDC provider`,
    value,
    allowed: "https://host[/path] of at most 255 characters, on port 443",
    remedy: "host the cluster's discovery document under such a URL and set --service-account-issuer to it",
  };
}
