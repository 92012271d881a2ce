/*
 * The OIDC providers of accounts. An account has at most one for each issuer URL.
 * Source: "Create an OpenID Connect (OIDC) identity provider in IAM" and "IAM and AWS STS quotas" in the IAM user guide.
 */

import {
  type Known,
  type Ternary,
  isBlank,
  isKnown,
  joined,
  or,
  anyOf,
  orElse,
  partsOf,
  same,
  shown,
  unread,
  whether,
  withoutPrefix,
} from "../../model/known";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import type { Resource } from "../read/block";
import type { ComputedAttribute, Terraform } from "../read/terraform";
import { computed } from "../shared/computed";
import { difference, notAmongRead } from "../shared/near-miss";
import type { Role } from "./identity";
import { accountOf, arnFields, partitionOf } from "./place";

const TYPE = "aws_iam_openid_connect_provider";
const SCHEME = "https://";
const IN_ARN = "oidc-provider/";

export interface RegisteredIssuer {
  readonly resource: Resource;
  /** The issuer's URL with `https://`. */
  readonly url: Known<string>;
  readonly arn: Known<string>;
  readonly account: Known<string>;
  readonly partition: Known<string>;
  /** The accepted audiences; unknown for an OIDC provider that is only looked up. */
  readonly clientIds: Known<readonly Known<string>[]>;
}

export const oidcProviderArn: readonly ComputedAttribute[] = computed(TYPE, ["arn"], (resource) => {
  const head = joined("arn:", partitionOf(resource), ":iam::", accountOf(resource), `:${IN_ARN}`);
  return joined(head, withoutPrefix(resource.stated("url"), SCHEME));
});

export function oidcProviders(terraform: Terraform): readonly RegisteredIssuer[] {
  return terraform.ofType(TYPE).map((resource) => ({
    resource,
    url: urlOf(resource),
    arn: resource.attribute("arn"),
    account: accountOf(resource),
    partition: partitionOf(resource),
    clientIds: resource.names.includes("client_id_list")
      ? resource.list("client_id_list")
      : unread("the audiences of an OIDC provider that is only looked up are not known"),
  }));
}

/** States hold the URL without its scheme, and data sources may hold only the ARN. */
function urlOf(resource: Resource): Known<string> {
  const host = isBlank(resource.text("url")) ? hostOfArn(resource.attribute("arn")) : undefined;
  if (host !== undefined) return joined(SCHEME, host);
  const url = resource.stated("url");
  const [first] = partsOf(url) ?? [];
  return typeof first === "string" && !first.startsWith(SCHEME) ? joined(SCHEME, url) : url;
}

/** The issuer without `https://` in the ARN of an OIDC provider; `undefined` for any other ARN. */
export function hostOfArn(arn: Known<string>): Known<string> | undefined {
  const end = arnFields(arn)?.[5];
  if (end === undefined) return undefined;
  const [first] = partsOf(end) ?? [];
  return typeof first === "string" && first.startsWith(IN_ARN) ? withoutPrefix(end, IN_ARN) : undefined;
}

/** The OIDC providers of an issuer that may be in an account of a partition; only those that say most about it. */
export function registeredIn(
  providers: readonly RegisteredIssuer[],
  issuer: Known<string>,
  { account, partition }: Pick<RegisteredIssuer, "account" | "partition">,
): readonly RegisteredIssuer[] {
  const there = providers.filter(
    (each) =>
      same(each.url, issuer) === "yes" &&
      same(each.account, account) !== "no" &&
      same(each.partition, partition) !== "no",
  );
  // An OIDC provider that is only looked up does not tell its audiences; a stated one may tell only some of them.
  const telling = there.filter(({ clientIds }) => isKnown(clientIds));
  const read = telling.filter(({ resource }) => !resource.source.stated);
  const near = read.filter((each) => same(each.account, account) === "yes");
  return [near, read, telling].find(({ length }) => length > 0) ?? there;
}

/**
 * The answer for an issuer whose OIDC provider was not read. STS looks for exactly the `iss` of the token, so one in the
 * account that differs in letter case or a trailing slash does not count. Source: OpenID Connect Core 1.0, section 2 (iss
 * is case-sensitive), and "Create an OpenID Connect (OIDC) identity provider in IAM".
 */
export function unregistered(
  providers: readonly RegisteredIssuer[],
  { issuer, account, role }: { readonly issuer: Known<string>; readonly account: Known<string>; role: Role },
  isWhole: boolean,
  where: Evidence,
): Answer {
  const who = shown(issuer);
  const there = providers.filter((each) => same(each.account, account) !== "no");
  const near = there.find(
    (each) =>
      or(same(each.account, account), same(each.account, role.account)) === "yes" &&
      difference(issuer, [each.url]) !== "",
  );
  if (near && isWhole && there.every(({ url }) => same(url, issuer) === "no"))
    return broken(
      `no OIDC provider of the account is for ${who}${difference(issuer, [near.url])}`,
      "write exactly the cluster's issuer into the OIDC provider and the trust policy",
      `InvalidIdentityToken: No OpenIDConnect provider found in your account for ${who}`,
      seen("OIDC provider", near.resource.source),
      where,
    );
  return unknown(
    notAmongRead(
      `the OIDC provider of ${who}`,
      issuer,
      there.map(({ url }) => url),
    ),
    "also give explain the Terraform that declares it, or state it with --facts as aws.oidcProviders; without it STS refuses every token of the issuer",
    where,
  );
}

/** Not adjustable: AWS refuses an OIDC provider with more. */
const CLIENT_IDS_MAX = 100;

/** Whether an audience is accepted; unknown if two declarations of the account's one OIDC provider differ. */
export function accepts(providers: readonly RegisteredIssuer[], audience: Known<string>): Ternary {
  const answers = providers.map(({ clientIds }) =>
    whether(clientIds, (ids) => anyOf(ids.map((id) => same(id, audience)))),
  );
  const [first = "unknown"] = answers;
  const differs = new Set(answers.filter((answer) => answer !== "unknown")).size > 1;
  const isTooLong = providers.some(({ clientIds }) => orElse(clientIds, () => []).length > CLIENT_IDS_MAX);
  return differs || isTooLong ? "unknown" : first;
}
