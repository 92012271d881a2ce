/*
 * What makes a self-managed spoke's API server trust the hub's service account tokens: structured authentication
 * configuration. Source: KEP-3331; kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver (v1 from 1.34, v1beta1
 * from 1.30), compared with its validation by running it (k8s.io/apiserver 0.35.3).
 */

import { fail } from "../../errors";
import { GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { isLate, literal } from "../../model/late";
import { clusterName } from "../../model/kubernetes-name";
import { holdsPrivateKey } from "../../model/private-key";
import { isRecord } from "../../model/record";
import { SUBJECT, Subject } from "../../model/subject";
import { compareVersions, minorOf } from "../../model/version";
import { authenticationProblems } from "./authentication-document";
import { certificateProblem } from "./certificate-authority";
import { secretIssues } from "./secret-material";
import { spokeAudience } from "./spoke-audience";
import { isOwnInEachCluster } from "./spoke-issuer";
import { type ObjectKind, anyObject, list, object, optional, text } from "../../model/shape";

/** Whose tokens a spoke takes, and as whom. */
export interface HubAuthenticationProps {
  /** Name of the spoke, for refusals. */
  readonly spoke: string;
  /** Kubernetes version of the spoke, `1.34`. */
  readonly apiServer: string;
  /** Issuer of the hub's tokens; the spoke must reach it, or `discoveryUrl`. May be late. */
  readonly issuer: GivenIssuer;
  /** Name of the hub; it begins the names of its service accounts on the spoke. */
  readonly hub: string;
  /** Audience of the tokens, one for each spoke and nobody else's: a token that leaks from one opens no other door. */
  readonly audience: string;
  /** The hub's service accounts that may sign in, `namespace/name`; nobody else of the hub may. */
  readonly serviceAccounts: readonly (string | Subject)[];
  /**
   * Begins the user names on the spoke, with a colon at its end, so that they are nobody else's: neither the spoke's
   * own users nor those of another hub.
   *
   * @defaultValue - the name of the hub and a colon
   */
  readonly userPrefix?: string;
  /**
   * Where the spoke reads the issuer's discovery document, if not from the issuer: exactly this URL, with
   * `/.well-known/openid-configuration` at its end where the document is there.
   *
   * @defaultValue - at the issuer
   */
  readonly discoveryUrl?: string;
  /**
   * PEM certificates that sign the certificate of the web server with the discovery document; a text, not base64, and
   * not late: kube-apiserver does not start with a damaged one.
   *
   * @defaultValue - those of the spoke's system
   */
  readonly certificateAuthority?: string;
  /**
   * Further entries of `jwt`, as they are in the file of the spoke; not late.
   *
   * @defaultValue - none
   */
  readonly additionalAuthenticators?: readonly Readonly<Record<string, unknown>>[];
}

/** The kind of {@link HubAuthenticationProps}. */
export const HUB_AUTHENTICATION_PROPS: ObjectKind<HubAuthenticationProps> = object({
  spoke: text,
  apiServer: text,
  issuer: ISSUER,
  hub: text,
  audience: text,
  serviceAccounts: list(SUBJECT),
  userPrefix: optional(text),
  discoveryUrl: optional(text),
  certificateAuthority: optional(text),
  additionalAuthenticators: optional(list(anyObject)),
});

/** How a hub's service accounts are called on a spoke. */
export type HubUsers = Pick<HubAuthenticationProps, "hub" | "userPrefix">;

const PREFIX = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?:$/;
const STRUCTURED_SINCE = "1.30";
const V1_SINCE = "1.34";

/** Returns the prefix of user names, by default that of the hub; throws `spoke-authentication-prefix`, `cluster-name-invalid` or `late-value`. */
export function userPrefix({ hub, userPrefix: given }: HubUsers): string {
  const prefix = literal(given ?? `${clusterName(hub)}:`, "userPrefix");
  const isGood = typeof prefix === "string" && PREFIX.test(prefix) && !prefix.startsWith("system:");
  return isGood ? prefix : fail("spoke-authentication-prefix", prefix);
}

/** User names of the hub's service accounts on the spoke, sorted; throws what the names throw. */
export function spokeUserNames(
  serviceAccounts: readonly (string | Subject)[],
  users: HubUsers,
): readonly string[] {
  const start = userPrefix(users);
  const names = serviceAccounts.map((each) => `${start}${Subject.of(each).toString()}`);
  return [...new Set(names)].sort();
}

/**
 * The `AuthenticationConfiguration` of the spoke's API servers.
 *
 * Throws `version-unsupported` before 1.30, `spoke-authentication-empty`, `spoke-authentication-prefix`,
 * `spoke-authentication-invalid`, `spoke-authentication-ca`, `issuer-cluster-internal`, `spoke-audience-foreign`, `fleet-secret-material`,
 * `late-value`, and of bad issuers, audiences and service accounts.
 */
export function authenticationConfiguration(
  props: HubAuthenticationProps,
): Readonly<Record<string, unknown>> {
  const { spoke } = props;
  const minor = minorOf(`version of spoke ${spoke}`, props.apiServer);
  if (compareVersions(minor, STRUCTURED_SINCE) < 0)
    return fail(
      "version-unsupported",
      `spoke ${spoke}`,
      minor,
      `${STRUCTURED_SINCE} or newer`,
      "no structured authentication",
    );
  const users = spokeUserNames(props.serviceAccounts, props);
  if (users.length === 0) return fail("spoke-authentication-empty", spoke);
  const issuer = issuerFields(props);
  const hub = {
    issuer,
    claimMappings: { username: { claim: "sub", prefix: userPrefix(props) } },
    userValidationRules: [
      {
        expression: `user.username in [${users.map((user) => `'${user}'`).join(", ")}]`,
        message: "only the named controllers of the hub may sign in",
      },
    ],
  };
  const others = additional(props, issuer);
  const version = compareVersions(minor, V1_SINCE) >= 0 ? "v1" : "v1beta1";
  const document = {
    apiVersion: `apiserver.config.k8s.io/${version}`,
    kind: "AuthenticationConfiguration",
    jwt: [hub, ...others],
  };
  const [problem] = authenticationProblems(document, isLate);
  return problem === undefined
    ? document
    : fail("spoke-authentication-invalid", spoke, `the file ${problem}`);
}

interface IssuerFields {
  readonly url: string;
  readonly discoveryURL?: string;
  readonly certificateAuthority?: string;
  readonly audiences: readonly string[];
}

function issuerFields(props: HubAuthenticationProps): IssuerFields {
  const { spoke, audience, discoveryUrl, certificateAuthority } = props;
  const issuer = Issuer.of(props.issuer);
  if (!issuer.late && isOwnInEachCluster(issuer.url))
    return discoveryUrl === undefined
      ? fail("issuer-cluster-internal", issuer.url, "a spoke")
      : fail(
          "spoke-authentication-invalid",
          spoke,
          `${issuer.url} is the issuer of most clusters, and may be its own`,
        );
  const discoveryURL = discoveryUrl === undefined ? undefined : Issuer.exactly(discoveryUrl).url;
  if (discoveryURL === issuer.url)
    return fail("spoke-authentication-invalid", spoke, "discoveryUrl is the issuer's own URL");
  return {
    url: issuer.url,
    ...(discoveryURL !== undefined && { discoveryURL }),
    ...(certificateAuthority !== undefined && {
      certificateAuthority: certificates(spoke, certificateAuthority),
    }),
    audiences: [spokeAudience(audience, issuer)],
  };
}

/** A PEM text of several lines cannot be filled into the file later on. */
function certificates(spoke: string, pem: string): string {
  literal(pem, "certificateAuthority");
  if (typeof pem !== "string") return fail("spoke-authentication-ca", spoke, "is no text");
  if (holdsPrivateKey(pem)) return fail("fleet-secret-material", "certificateAuthority");
  const problem = certificateProblem(pem);
  return problem === undefined ? pem : fail("spoke-authentication-ca", spoke, problem);
}

/** Kube-apiserver refuses a second entry of one issuer, or of one discovery URL. */
function additional(
  { spoke, additionalAuthenticators = [] }: HubAuthenticationProps,
  { url, discoveryURL }: IssuerFields,
): readonly Readonly<Record<string, unknown>>[] {
  const wrong = (reason: string): never => fail("spoke-authentication-invalid", spoke, reason);
  const urls = new Set([url]);
  const discoveryUrls = new Set<unknown>([discoveryURL]);
  literal(additionalAuthenticators, "additionalAuthenticators");
  for (const entry of additionalAuthenticators) {
    const issuer = isRecord(entry) ? entry["issuer"] : undefined;
    const own = isRecord(issuer) ? issuer["url"] : undefined;
    if (!isRecord(issuer) || typeof own !== "string")
      return wrong("an additional authenticator has no issuer.url");
    if (urls.has(own)) return wrong(`two authenticators have the issuer ${own}`);
    const discovery = issuer["discoveryURL"];
    if (discovery !== undefined && discoveryUrls.has(discovery))
      return wrong("two authenticators have one discoveryURL");
    urls.add(own);
    discoveryUrls.add(discovery);
  }
  const [secret] = secretIssues("additionalAuthenticators", additionalAuthenticators);
  if (secret) throw secret;
  return additionalAuthenticators;
}
