/*
 * Resource names that tie the parts together: the audience of the service account tokens, the audience of the
 * token exchange, and the name of the pool that GKE and fleets bring along.
 */

import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { literal } from "../../model/late";
import { parseManagedIdentityProvider } from "./managed-identity-provider";

/** Full name of a workload identity pool provider, as three ids. */
export interface PoolProviderName {
  /** Number of the pool's project, as text; may be late. */
  readonly projectNumber: string;
  /** Id of the workload identity pool. */
  readonly poolId: string;
  /** Id of the pool provider. */
  readonly providerId: string;
}

/** How many audiences a pool provider may accept. Source: its REST reference, `oidc.allowedAudiences`. */
export const AUDIENCES_MAX = 10;

/** Path of a pool below `iam.googleapis.com`, as principals name it; always with the project number. */
export function poolPath(projectNumber: string, poolId: string): string {
  return `projects/${projectNumber}/locations/global/workloadIdentityPools/${poolId}`;
}

/**
 * What the token exchange names as its audience: `//iam.googleapis.com/projects/…/providers/<id>`.
 *
 * Source: Security Token Service, method token, `audience`; flag `--sts-audience` of kubernetes/cloud-provider-gcp
 * pull request 1248. Late when the project number is.
 */
export function stsAudience({ projectNumber, poolId, providerId }: PoolProviderName): string {
  return `//iam.googleapis.com/${poolPath(projectNumber, poolId)}/providers/${providerId}`;
}

/**
 * Audience of the service account tokens when none is chosen: the pool provider's full name with `https:`.
 *
 * Source: REST reference of workloadIdentityPools.providers, `oidc.allowedAudiences`. Throws `late-value`: the text
 * also stands in RBAC and node files.
 */
export function defaultAudience(name: PoolProviderName): string {
  literal(name.projectNumber, "project number (part of the default audience; state an audience instead)");
  return `https:${stsAudience(name)}`;
}

/** Checks the list of allowed audiences, order kept; throws `google-audiences-invalid`, `audience-invalid`, `late-value`. */
export function allowedAudiences(audiences: readonly string[]): readonly [string, ...string[]] {
  const [first, ...others] = audiences.map(validateAudience);
  const distinct = new Set(audiences).size;
  if (first === undefined || distinct > AUDIENCES_MAX || distinct < audiences.length)
    return fail("google-audiences-invalid", audiences.length);
  return [first, ...others];
}

/**
 * Id of the pool that GKE and the fleet share in a project, which is also the audience of its tokens:
 * `<project>.svc.id.goog`.
 *
 * Source: kubernetes/cloud-provider-gcp, pkg/gcpcredential/gcpcredential.go composes it the same way.
 */
export function managedPoolId(project: string): string {
  return `${project}.svc.id.goog`;
}

/** True for the URL of a GKE cluster or a fleet membership, the two identity providers of that pool. */
export function isManagedIdentityProvider(url: string): boolean {
  return parseManagedIdentityProvider(url) !== undefined;
}
