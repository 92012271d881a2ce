/*
 * How a cluster is named to the pool of GKE and fleet: by the URL of the GKE cluster, or of its fleet membership.
 * Source: kubernetes/cloud-provider-gcp, pkg/gcpcredential/gcpcredential.go; GKE Hub API, `Membership.authority`.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";

/** What the URL of a cluster in the managed pool says. */
export interface ManagedIdentityProvider {
  /** A GKE cluster, or the membership of any cluster in a fleet. */
  readonly kind: "gke" | "membership";
  /** The cluster's own project for `gke`, the fleet's host project for `membership`. */
  readonly project: string;
}

const IDENTITY_PROVIDERS: readonly (readonly [ManagedIdentityProvider["kind"], RegExp])[] = [
  [
    "gke",
    /^https:\/\/container\.googleapis\.com\/v1\/projects\/([^/]+)\/locations\/[a-z0-9-]+\/clusters\/[a-z0-9-]+$/,
  ],
  [
    "membership",
    /^https:\/\/gkehub\.googleapis\.com\/projects\/([^/]+)\/locations\/[a-z0-9-]+\/memberships\/[a-z0-9-]+$/,
  ],
];

/** Reads the URL of a GKE cluster or a fleet membership; `undefined` for any other text, a late value included. */
export function parseManagedIdentityProvider(url: string): ManagedIdentityProvider | undefined {
  if (isLate(url)) return undefined;
  for (const [kind, pattern] of IDENTITY_PROVIDERS) {
    const [, project] = pattern.exec(url) ?? [];
    if (project !== undefined) return { kind, project };
  }
  return undefined;
}

/**
 * Returns the identity provider of a cluster in the managed pool.
 *
 * Throws `late-value`: the URL stands in the kubelet's file, and follows from project, location and name of the
 * cluster. Throws `google-identity-provider-invalid`: with a wrong URL the plugin prints an empty answer and exits 0,
 * so nothing but the registry's refusal would be seen.
 */
export function managedIdentityProvider(url: string | undefined): string {
  literal(url, "identityProvider (write it from the cluster's project, location and name)");
  return url !== undefined && parseManagedIdentityProvider(url) !== undefined
    ? url
    : fail("google-identity-provider-invalid", url);
}
