/*
 * Arguments, environment and annotation of the image credential provider auth-provider-gcp, by kind of pool.
 * Sources: kubernetes/cloud-provider-gcp, cmd/auth-provider-gcp (app/getcredentials.go, provider/provider.go) and
 * pkg/gcpcredential/gcpcredential.go; `--sts-audience` is pull request 1248.
 */

import { gcp } from "../../registries/artifact-registry";
import { fail } from "../../errors";
import type { Duration } from "../../model/duration";
import type { CredentialProviderEnv } from "../../model/image-credential-provider";
import { isLate, literal } from "../../model/late";

/** Annotation by which a service account opts in, with exactly this value. */
export const OPT_IN_ANNOTATION: string = gcp.annotations[0];
export const OPT_IN_VALUE = "true";

/** Federated tokens live an hour at most, as the service account tokens that they come from. */
const TOKEN_LIFETIME_SECONDS = 3600;

/** Arguments with which the plugin answers the credentials of the node's own service account. */
export const NODE_IDENTITY_ARGUMENTS: readonly string[] = ["get-credentials"];

/** Arguments for a custom pool; `audience` is the audience of the token exchange. */
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
 */
export function cacheEnvironment(duration: Duration | undefined): readonly CredentialProviderEnv[] {
  if (duration === undefined) return [];
  const { totalSeconds } = duration;
  if (totalSeconds <= 0 || totalSeconds >= TOKEN_LIFETIME_SECONDS)
    return fail("google-limit", {
      problem: "cache duration reaches the lifetime of the federated token",
      value: duration.toString(),
      allowed: "more than 0 and less than 1h",
      remedy: "use a few minutes, or leave it out: the plugin then exchanges a token for each pull",
    });
  return [
    { name: "KUBE_SIDECAR_CACHE_DURATION", value: duration.toString() },
    { name: "KUBE_SIDECAR_CACHE_TYPE", value: "registry" },
  ];
}

/** What the URL of a cluster in the managed pool says. */
export interface ManagedIdentityProvider {
  /** A GKE cluster, or the membership of any cluster in a fleet. */
  readonly kind: "gke" | "membership";
  /** The cluster's own project for `gke`, the fleet's host project for `membership`. */
  readonly project: string;
  /** Region or zone of a GKE cluster. */
  readonly location?: string | undefined;
  /** Name of a GKE cluster. */
  readonly cluster?: string | undefined;
}

const GKE =
  /^https:\/\/container\.googleapis\.com\/v1\/projects\/([^/]+)\/locations\/([a-z0-9-]+)\/clusters\/([a-z0-9-]+)$/;
const MEMBERSHIP =
  /^https:\/\/gkehub\.googleapis\.com\/projects\/([^/]+)\/locations\/[a-z0-9-]+\/memberships\/[a-z0-9-]+$/;

/**
 * Reads the URL of a GKE cluster or a fleet membership; `undefined` for any other text, a late value included.
 * Source of the latter: GKE Hub API, `Membership.authority`.
 */
export function parseManagedIdentityProvider(url: string): ManagedIdentityProvider | undefined {
  if (isLate(url)) return undefined;
  const [, project, location, cluster] = GKE.exec(url) ?? [];
  if (project !== undefined) return { kind: "gke", project, location, cluster };
  const membership = MEMBERSHIP.exec(url)?.[1];
  return membership === undefined ? undefined : { kind: "membership", project: membership };
}

/**
 * Returns the identity provider of a cluster in the managed pool. It is never late, as it is written into the kubelet's file;
 * with a wrong one the plugin prints an empty answer and exits 0.
 */
export function managedIdentityProvider(url: string | undefined): string {
  literal(url, "identityProvider (write it from the cluster's project, location and name)");
  if (url !== undefined && parseManagedIdentityProvider(url) !== undefined) return url;
  return fail("google-invalid", {
    problem:
      "identity provider of the GKE or fleet pool is missing or not one that Google's token service knows",
    value: url,
    allowed:
      "https://container.googleapis.com/v1/projects/<project>/locations/<location>/clusters/<cluster>, or https://gkehub.googleapis.com/projects/<project>/locations/<location>/memberships/<membership>",
    remedy: "state identityProvider; a fleet membership shows it as authority.identityProvider",
  });
}
