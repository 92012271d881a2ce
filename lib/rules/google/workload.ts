/*
 * What a pod needs to act on Google Cloud: a token, a credential file beside it, and the variable by which Google's
 * client libraries find that file. Sources: https://google.aip.dev/auth/4117 ("External Account Credentials");
 * https://cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes.
 */

import { fail } from "../../errors";
import { Duration } from "../../model/duration";
import type { PodFragment } from "../../model/workloads";
import { textOfForm } from "./names";

/** Domain of Google Cloud's APIs in its public universe. */
export const PUBLIC_UNIVERSE = "googleapis.com";
/** Where an SDK finds the path of its credential file. */
export const CREDENTIALS_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";
/** The type of tokens that credential files hand over. */
export const TOKEN_TYPE = "urn:ietf:params:oauth:token-type:jwt";

interface ExternalAccount {
  /** `//iam.googleapis.com/projects/…/providers/<id>`; late when the project number is. */
  readonly stsAudience: string;
  /** Where the service account token is, in the pod. */
  readonly tokenPath: string;
  /** E-mail address of the service account to act as; `undefined` to act as the pool's principal itself. */
  readonly impersonate: string | undefined;
  readonly universeDomain: string;
}

const INDENTATION = 2;

/** Returns the domain of a universe's APIs. */
export function universeDomain(value: string = PUBLIC_UNIVERSE): string {
  return textOfForm(value, {
    problem: "universeDomain is not a domain name",
    pattern: /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/,
    allowed: "googleapis.com, or the domain of another universe of Google Cloud",
    remedy: "leave universeDomain out for the public Google Cloud",
  });
}

/** The credential file, JSON text with the members in ccoctl's order; late when the audience is. */
export function externalAccountFile(account: ExternalAccount): string {
  const { stsAudience, tokenPath: file, impersonate, universeDomain: universe } = account;
  const content = {
    type: "external_account",
    audience: stsAudience,
    subject_token_type: TOKEN_TYPE,
    token_url: `https://sts.${universe}/v1/token`,
    ...(impersonate !== undefined && {
      service_account_impersonation_url: `https://iamcredentials.${universe}/v1/projects/-/serviceAccounts/${impersonate}:generateAccessToken`,
    }),
    credential_source: { file, format: { type: "text" } },
    ...(universe !== PUBLIC_UNIVERSE && { universe_domain: universe }),
  };
  return JSON.stringify(content, undefined, INDENTATION);
}

/** How a pod's credentials are laid out; checked by {@link podCredentials}. */
export interface PodCredentials {
  /** Directory of token and credential file in the container. */
  readonly directory: string;
  readonly tokenLifetime: Duration;
}

/** Key in the ConfigMap, and name of the file in the pod. */
export const CREDENTIAL_FILE = "credentials.json";
/** First part of the name of a service account's ConfigMap. */
export const CONFIG_MAP_PREFIX = "google-credentials-";

const TOKEN_FILE = "token";
const VOLUME = "google-credentials";
const DIRECTORY = "/var/run/secrets/workload-identity/google";
/** What kube-apiserver takes at least (pkg/apis/core/validation). */
const LIFETIME_MIN = Duration.minutes(10).totalSeconds;
/** What Google's token exchange takes at most between `iat` and `exp`, in seconds. */
export const LIFETIME_MAX: number = Duration.hours(24).totalSeconds;

export function podCredentials(
  directory: string = DIRECTORY,
  tokenLifetime: Duration = Duration.hours(1),
): PodCredentials {
  const checked = textOfForm(directory, {
    problem: "directory of the credential file is not an absolute, clean path",
    what: "credentialDirectory",
    pattern: /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/,
    allowed: "for example /var/run/secrets/workload-identity/google",
    remedy: "leave it out, or name a directory that the image does not use",
  });
  const { totalSeconds } = tokenLifetime;
  if (totalSeconds < LIFETIME_MIN || totalSeconds > LIFETIME_MAX)
    fail("google-limit", {
      problem: "lifetime of the token is out of the range that Kubernetes and Google accept, in seconds",
      value: totalSeconds,
      allowed: "10 minutes to 24 hours",
      remedy: "leave it out for one hour; the kubelet renews the token in time",
    });
  return { directory: checked, tokenLifetime };
}

export function tokenPath({ directory }: PodCredentials): string {
  return `${directory}/${TOKEN_FILE}`;
}

/** Variable, mount and volume: the token of that audience, and the file of that ConfigMap, in one directory. */
export function podFragment(layout: PodCredentials, audience: string, configMap: string): PodFragment {
  const { directory, tokenLifetime } = layout;
  const token = { audience, expirationSeconds: tokenLifetime.totalSeconds, path: TOKEN_FILE };
  const file = { name: configMap, items: [{ key: CREDENTIAL_FILE, path: CREDENTIAL_FILE }] };
  return {
    labels: {},
    env: [{ name: CREDENTIALS_VARIABLE, value: `${directory}/${CREDENTIAL_FILE}` }],
    volumeMounts: [{ name: VOLUME, mountPath: directory, readOnly: true }],
    volumes: [
      { name: VOLUME, projected: { sources: [{ serviceAccountToken: token }, { configMap: file }] } },
    ],
  };
}
