/*
 * What the image credential provider auth-provider-gcp is told, by kind of pool.
 * Sources: kubernetes/cloud-provider-gcp, cmd/auth-provider-gcp (app/getcredentials.go, provider/provider.go) and
 * pkg/gcpcredential/gcpcredential.go; `--sts-audience` is pull request 1248.
 */

import { fail } from "../../errors";
import type { Duration } from "../../model/duration";
import type { CredentialProviderEnv } from "../../model/image-credential-provider";
import { literal } from "../../model/late";
import { PLUGINS } from "../plugins";

/** Annotation by which a service account opts in; the plugin compares its value with {@link OPT_IN_VALUE} to the letter. */
export const OPT_IN_ANNOTATION: string = PLUGINS.gcp.annotations[0];

/** The only value that opts in. */
export const OPT_IN_VALUE = "true";

/** Federated tokens live an hour at most, as the service account tokens that they come from. */
const TOKEN_LIFETIME_SECONDS = 3600;

/** Arguments with which the plugin answers the credentials of the node's own service account. */
export const NODE_IDENTITY_ARGUMENTS: readonly string[] = ["get-credentials"];

/** Arguments for a custom pool; `audience` is the audience of the token exchange. Throws `late-value`. */
export function customPoolArguments(audience: string): readonly string[] {
  literal(audience, "projectNumber of the workload identity pool (part of the plugin's --sts-audience)");
  return ["get-credentials", `--sts-audience=${audience}`];
}

/** Arguments for the pool of GKE and fleet. */
export function managedPoolArguments(project: string, identityProvider: string): readonly string[] {
  return ["get-credentials", `--identity-provider=${identityProvider}`, `--project-id=${project}`];
}

/**
 * Environment that makes the kubelet keep credentials, none by default: the plugin then answers with duration 0 and
 * exchanges a token for each pull. The key becomes the registry, since one credential serves all its images.
 *
 * Throws `google-cache-duration-invalid`.
 */
export function cacheEnvironment(duration: Duration | undefined): readonly CredentialProviderEnv[] {
  if (duration === undefined) return [];
  const { totalSeconds } = duration;
  if (totalSeconds <= 0 || totalSeconds >= TOKEN_LIFETIME_SECONDS)
    return fail("google-cache-duration-invalid", duration.toString());
  return [
    { name: "KUBE_SIDECAR_CACHE_DURATION", value: duration.toString() },
    { name: "KUBE_SIDECAR_CACHE_TYPE", value: "registry" },
  ];
}
