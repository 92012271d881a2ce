/*
 * The OIDC providers that accounts know issuers by. An account has but one of each URL.
 * Source: "Create an OpenID Connect (OIDC) identity provider in IAM" and "IAM and AWS STS quotas" in the IAM user guide.
 */

import {
  type Known,
  type Ternary,
  isKnown,
  joined,
  map,
  or,
  orElse,
  partsOf,
  same,
  unread,
  withoutPrefix,
} from "../../model/known";
import { type Answer, seen, unknown } from "../answer";
import type { Resource } from "../read/block";
import type { ComputedAttribute, Terraform } from "../read/terraform";
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
  /** The accepted audiences; not known of one that is only looked up. */
  readonly clientIds: Known<readonly Known<string>[]>;
}

export const oidcProviderArn: ComputedAttribute = {
  type: TYPE,
  attribute: "arn",
  value: (resource) => {
    const head = joined("arn:", partitionOf(resource), ":iam::", accountOf(resource), `:${IN_ARN}`);
    const arn = joined(head, withoutPrefix(resource.stated("url"), SCHEME));
    return partsOf(arn) === undefined ? undefined : arn;
  },
};

export function oidcProviders(terraform: Terraform): readonly RegisteredIssuer[] {
  return terraform.ofType(TYPE).map((resource) => ({
    resource,
    url: urlOf(resource),
    arn: resource.attribute("arn"),
    account: accountOf(resource),
    clientIds: resource.names.includes("client_id_list")
      ? resource.list("client_id_list")
      : unread("the audiences of an OIDC provider that is only looked up are not known"),
  }));
}

/** States have the URL without its scheme, and data sources may have the ARN alone. */
function urlOf(resource: Resource): Known<string> {
  const host = orElse(resource.text("url"), () => "late") ? undefined : hostOfArn(resource.attribute("arn"));
  if (host !== undefined) return joined(SCHEME, host);
  const url = resource.stated("url");
  const [first] = partsOf(url) ?? [];
  return typeof first === "string" && !first.startsWith(SCHEME) ? joined(SCHEME, url) : url;
}

/** The issuer without `https://` in the ARN of an OIDC provider; `undefined` where it is none. */
export function hostOfArn(arn: Known<string>): Known<string> | undefined {
  const end = arnFields(arn)?.[5];
  if (end === undefined) return undefined;
  const [first] = partsOf(end) ?? [];
  return typeof first === "string" && first.startsWith(IN_ARN) ? withoutPrefix(end, IN_ARN) : undefined;
}

/** The OIDC providers of an issuer that may be an account's; those that tell more of it come alone. */
export function registeredIn(
  providers: readonly RegisteredIssuer[],
  issuer: Known<string>,
  account: Known<string>,
): readonly RegisteredIssuer[] {
  const there = providers.filter(
    (each) => same(each.url, issuer) === "yes" && same(each.account, account) !== "no",
  );
  if (there.length < 2) return there;
  // One that is only looked up does not tell its audiences.
  const all = there.filter(({ clientIds }) => isKnown(clientIds));
  // A configuration lists every audience; a stated fact may list only those that the stack needs.
  const read = all.filter(({ resource }) => !resource.source.stated);
  const telling = read.length > 0 ? read : all;
  const near = telling.filter((each) => same(each.account, account) === "yes");
  return [near, telling, there].find(({ length }) => length > 0) ?? there;
}

export function accepts({ clientIds }: RegisteredIssuer, audience: Known<string>): Ternary {
  return orElse(
    map(clientIds, (ids) => or(...ids.map((id) => same(id, audience)))),
    () => "unknown",
  );
}

/** Not adjustable. */
const CLIENT_IDS_MAX = 100;

/** Why it is not certain which audiences are accepted; `undefined` where it is. */
export function audienceDoubt(
  found: readonly RegisteredIssuer[],
  audience: Known<string>,
): Answer | undefined {
  const [first, ...others] = found.filter((each) => accepts(each, audience) !== "unknown");
  if (!first) return undefined;
  const other = others.find((each) => accepts(each, audience) !== accepts(first, audience));
  if (other)
    return unknown(
      "the issuer is declared as two OIDC providers with other audiences, and an account takes but one of them",
      "leave only one of the two, or limit their Terraform providers to their accounts (allowed_account_ids)",
      seen("client_id_list", first.resource.source),
      seen("client_id_list of the other", other.resource.source),
    );
  return orElse(first.clientIds, () => []).length <= CLIENT_IDS_MAX
    ? undefined
    : unknown(
        `AWS refuses an OIDC provider with more than ${CLIENT_IDS_MAX} audiences; which ones it has, if it is there at all, is not known`,
        "leave out the audiences that are not needed",
        seen("client_id_list", first.resource.source),
      );
}
