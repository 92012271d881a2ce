import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import type { FederatedTrust } from "../../model/federated-trust";
import type { Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { type Known, orElse } from "../../model/known";
import { clusterName } from "../../model/kubernetes-name";
import { type NameRules, derivedName } from "../names";
import { azureClouds } from "./clouds";
import { issuerClusterInternal, nameTaken } from "../../model/problems";

/**
 * One federated identity credential: tokens of exactly this issuer, subject and audience may act as the identity.
 *
 * Limits: learn.microsoft.com, "Important considerations and restrictions for federated identity credentials".
 */
export interface FederatedCredential {
  /** 3 to 120 of letters, digits, `-` and `_`; cannot be changed later. */
  readonly name: string;
  /** The `iss` claim, compared exactly; may be late. */
  readonly issuer: string;
  /** The `sub` claim, compared exactly; there are no wildcards. */
  readonly subject: string;
  /** The only accepted `aud` claim. */
  readonly audience: string;
}

/** True for credentials that admit the same tokens, whatever their names. */
export function sameCredential(one: FederatedCredential, other: FederatedCredential): boolean {
  const parts = ["issuer", "subject", "audience"] as const;
  return parts.every((part) => one[part] === other[part]);
}

/** A trust, and the cluster whose name starts the credentials' names. */
export interface ClusterTrust extends FederatedTrust {
  /** Name of the cluster, so that two clusters never use the same credential name on a shared identity. */
  readonly clusterName: string;
}

/** Maximum number of federated identity credentials on one identity. */
export const CREDENTIALS_PER_IDENTITY = 20;

const NAME: NameRules = { max: 120, allowed: /[A-Za-z0-9_-]/, separator: "_" };
const TEXT_MAX = 600;
const WRITTEN_NAME = /^[a-z0-9][\w-]{2,119}$/i;
const HOST = /^https:\/\/([^/:]+)/;

/**
 * The credentials of a trust, by issuer and subject; names are `<cluster>_<namespace>_<service account>`, or for an
 * issuer with a label `<cluster>_<namespace>_<service account>_<label>`.
 */
export function federatedCredentials(
  trust: ClusterTrust,
  nameOf = (parts: readonly string[]): string => derivedName(parts, NAME),
): readonly FederatedCredential[] {
  const cluster = clusterName(trust.clusterName);
  const audience = validateAudience(trust.audience);
  return trust.issuer.accepted.flatMap((each) => {
    const issuer = checkedIssuer(each);
    const label = each.label === undefined ? [] : [each.label];
    return trust.subjects
      .map((subject) => ({
        name: nameOf([cluster, subject.namespace, subject.name, ...label]),
        issuer,
        subject: subject.toString(),
        audience,
      }))
      .sort((a, b) => (a.subject < b.subject ? -1 : 1));
  });
}

/** Checks all credentials of one identity together; `remedy` says what to do if there are too many. */
export function checkCredentials(
  identity: string,
  credentials: readonly FederatedCredential[],
  remedy: string,
): void {
  const pairs = new Set<string>();
  const names = new Set<string>();
  for (const { name, issuer, subject } of credentials) {
    // Equal late issuers are one attribute of one resource; different ones may still turn out equal after apply.
    if (pairs.has(`${issuer} ${subject}`))
      fail("azure-conflict", {
        problem: `the identity ${identity} already trusts this issuer and subject`,
        value: `${issuer} ${subject}`,
        allowed: "each pair of issuer and subject once per identity",
        remedy: "remove one of the two",
      });
    if (names.has(name)) {
      const by = `another issuer on identity ${identity}; give the two clusters different names`;
      fail("property-conflict", nameTaken("name of a federated identity credential", name, by));
    }
    pairs.add(`${issuer} ${subject}`);
    names.add(name);
  }
  if (credentials.length > CREDENTIALS_PER_IDENTITY) tooManyCredentials(identity, credentials.length, remedy);
}

export function tooManyCredentials(identity: string, count: number, remedy: string): never {
  return fail("azure-limit", {
    problem: `the identity ${identity} would have ${count} federated identity credentials`,
    value: count,
    allowed: `at most ${CREDENTIALS_PER_IDENTITY} per identity`,
    remedy,
  });
}

export interface WrittenCredential {
  /** The credential's name; `undefined` if none is written. */
  readonly name: Known<string | undefined>;
  readonly issuer: Known<string | undefined>;
  readonly subject: Known<string | undefined>;
  readonly audiences: Known<readonly Known<string>[]>;
}

/** Why Azure certainly refuses a credential, as the end of "the credential …"; `undefined` if no reason is known. */
export function credentialProblem({
  name,
  issuer,
  subject,
  audiences,
}: WrittenCredential): string | undefined {
  const problem = (value: Known<string | undefined>, of: (text: string) => string | undefined) => {
    const text = orElse(value, () => undefined);
    return text === undefined ? undefined : of(text);
  };
  const count = orElse(audiences, () => [""]).length;
  const long = (what: string) => (text: string) =>
    text.length > TEXT_MAX ? `has a ${what} of more than ${TEXT_MAX} characters` : undefined;
  return (
    (count > 1 ? `has ${count} audiences, but only one is allowed` : undefined) ??
    problem(name, (text) =>
      WRITTEN_NAME.test(text)
        ? undefined
        : `is named ${JSON.stringify(text)}, but only 3 to 120 letters, digits, - and _ are allowed`,
    ) ??
    problem(issuer, (text) =>
      isEntra(text) ? "has Microsoft Entra itself as issuer (AADSTS700222)" : long("issuer")(text),
    ) ??
    problem(subject, long("subject"))
  );
}

/** Tokens of Entra itself are not those of a workload. */
function isEntra(issuer: string): boolean {
  const host = HOST.exec(issuer)?.[1] ?? "";
  return azureClouds.some((cloud) => cloud.entraHosts.includes(host));
}

function checkedIssuer({ url, clusterInternal }: Issuer): string {
  if (isLate(url)) return url;
  if (clusterInternal) fail("issuer-unsupported", issuerClusterInternal(url, "Microsoft Entra"));
  if (isEntra(url))
    fail("azure-invalid", {
      problem:
        "the issuer is Microsoft Entra itself, which federated identity credentials refuse (AADSTS700222)",
      value: url,
      allowed: "the issuer of the cluster's service account tokens",
      remedy: "use the `issuer` of the cluster's /.well-known/openid-configuration",
    });
  return url.length <= TEXT_MAX
    ? url
    : fail("azure-limit", {
        problem: `the issuer of a federated identity credential has ${url.length} characters`,
        value: url,
        allowed: `at most ${TEXT_MAX} characters`,
        remedy: "use a shorter issuer; Azure does not shorten these texts",
      });
}
