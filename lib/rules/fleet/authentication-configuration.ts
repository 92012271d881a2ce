/*
 * What makes a self-managed spoke's API server trust the hub's service account tokens: structured authentication
 * configuration. Source: KEP-3331; kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver (v1 from 1.34, v1beta1
 * from 1.30), compared with its validation by running it (k8s.io/apiserver 0.35.3).
 */

import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { Issuer } from "../../model/issuer";
import { literal } from "../../model/late";
import { Subject } from "../../model/subject";
import { compareVersions, minorOf } from "../../model/version";

/** Whose tokens a spoke takes, and as whom. */
export interface HubAuthenticationProps {
  /** Name of the spoke, for refusals. */
  readonly spoke: string;
  /** Kubernetes version of the spoke, `1.34`. */
  readonly apiServer: string;
  /** Issuer of the hub's tokens; the spoke must reach it, or `discoveryUrl`. May be late. */
  readonly issuer: string | Issuer;
  /** Audience of the tokens, one for each spoke: a token that leaks from one opens no other. */
  readonly audience: string;
  /** The hub's service accounts that may sign in, `namespace/name`; nobody else of the hub may. */
  readonly serviceAccounts: readonly (string | Subject)[];
  /**
   * Begins the user names on the spoke, with a colon at its end, so that they are nobody else's.
   *
   * @defaultValue "hub:"
   */
  readonly userPrefix?: string;
  /**
   * Where the spoke reads the issuer's discovery document, if not from the issuer.
   *
   * @defaultValue - at the issuer
   */
  readonly discoveryUrl?: string;
  /**
   * PEM certificates that sign the issuer's own certificate.
   *
   * @defaultValue - those of the spoke's system
   */
  readonly certificateAuthority?: string;
  /**
   * Further entries of `jwt`, as they are in the file of the spoke.
   *
   * @defaultValue - none
   */
  readonly additionalAuthenticators?: readonly Readonly<Record<string, unknown>>[];
}

const PREFIX = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?:$/;
const STRUCTURED_SINCE = "1.30";
const V1_SINCE = "1.34";

/** Returns the prefix of user names, `hub:` by default; throws `spoke-authentication-prefix` or `late-value`. */
export function userPrefix(prefix: string = "hub:"): string {
  const given = literal(prefix, "userPrefix");
  const isGood = typeof given === "string" && PREFIX.test(given) && !given.startsWith("system:");
  return isGood ? given : fail("spoke-authentication-prefix", given);
}

/** User names of the hub's service accounts on the spoke, sorted; throws what the names throw. */
export function spokeUserNames(
  serviceAccounts: readonly (string | Subject)[],
  prefix?: string,
): readonly string[] {
  const start = userPrefix(prefix);
  const names = serviceAccounts.map((each) => `${start}${Subject.of(each).toString()}`);
  return [...new Set(names)].sort();
}

/**
 * The `AuthenticationConfiguration` of the spoke's API servers.
 *
 * Throws `version-unsupported` before 1.30, `spoke-authentication-empty`, `spoke-authentication-prefix`, and of bad
 * issuers, audiences and service accounts.
 */
export function authenticationConfiguration(
  props: HubAuthenticationProps,
): Readonly<Record<string, unknown>> {
  const { spoke, audience, certificateAuthority, additionalAuthenticators = [] } = props;
  const minor = minorOf(`version of spoke ${spoke}`, props.apiServer);
  if (compareVersions(minor, STRUCTURED_SINCE) < 0)
    return fail(
      "version-unsupported",
      `spoke ${spoke}`,
      minor,
      `${STRUCTURED_SINCE} or newer`,
      "no structured authentication",
    );
  const prefix = userPrefix(props.userPrefix);
  const users = spokeUserNames(props.serviceAccounts, prefix);
  if (users.length === 0) return fail("spoke-authentication-empty", spoke);
  const { url } = Issuer.of(props.issuer);
  const discoveryURL =
    props.discoveryUrl === undefined ? {} : { discoveryURL: Issuer.exactly(props.discoveryUrl).url };
  const hub = {
    issuer: {
      url,
      ...discoveryURL,
      ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
      audiences: [validateAudience(audience)],
    },
    claimMappings: { username: { claim: "sub", prefix } },
    userValidationRules: [
      {
        expression: `user.username in [${users.map((user) => `'${user}'`).join(", ")}]`,
        message: "only the named controllers of the hub may sign in",
      },
    ],
  };
  const version = compareVersions(minor, V1_SINCE) >= 0 ? "v1" : "v1beta1";
  return {
    apiVersion: `apiserver.config.k8s.io/${version}`,
    kind: "AuthenticationConfiguration",
    jwt: [hub, ...additionalAuthenticators],
  };
}
