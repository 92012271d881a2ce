/*
 * What a pod needs to use Google Cloud as a principal of a workload identity pool: a token, a credential file beside
 * it, and the variable by which Google's client libraries find that file (Application Default Credentials).
 * Source: https://cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes; lifetime of the token:
 * kubernetes/kubernetes, pkg/apis/core/validation (at least 10 minutes), and Google's token exchange (at most 24 hours
 * between `iat` and `exp`).
 */

import { fail } from "../../errors";
import { Duration } from "../../model/duration";
import { literal } from "../../model/late";
import type { PodFragment } from "../../model/workloads";

/** How a pod's credentials are laid out; checked by {@link podCredentials}. */
export interface PodCredentials {
  /** Directory of token and credential file in the container. */
  readonly directory: string;
  /** Lifetime of the token. */
  readonly tokenLifetime: Duration;
}

/** Key in the ConfigMap, and name of the file in the pod. */
export const CREDENTIAL_FILE = "credentials.json";

const TOKEN_FILE = "token";
const VOLUME = "google-credentials";
const DIRECTORY = "/var/run/secrets/workload-identity/google";
const CLEAN_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/;
const LIFETIME_MIN = Duration.minutes(10).totalSeconds;
const LIFETIME_MAX = Duration.hours(24).totalSeconds;

/** Checks the layout, absent parts with their defaults; throws `google-token-path`, `google-token-lifetime`, `late-value`. */
export function podCredentials(
  directory: string = DIRECTORY,
  tokenLifetime: Duration = Duration.hours(1),
): PodCredentials {
  const given = literal(directory, "credentialDirectory");
  if (typeof given !== "string" || !CLEAN_PATH.test(given)) return fail("google-token-path", given);
  const { totalSeconds } = tokenLifetime;
  return totalSeconds < LIFETIME_MIN || totalSeconds > LIFETIME_MAX
    ? fail("google-token-lifetime", totalSeconds)
    : { directory: given, tokenLifetime };
}

/** Where the token is in the container. */
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
    env: [{ name: "GOOGLE_APPLICATION_CREDENTIALS", value: `${directory}/${CREDENTIAL_FILE}` }],
    volumeMounts: [{ name: VOLUME, mountPath: directory, readOnly: true }],
    volumes: [
      { name: VOLUME, projected: { sources: [{ serviceAccountToken: token }, { configMap: file }] } },
    ],
  };
}
