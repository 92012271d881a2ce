/*
 * The names of pools and their providers, the audiences that they accept, and the principals that they make.
 */

import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { literal } from "../../model/late";
import type { Subject } from "../../model/subject";

/** The full name of a workload identity pool provider. */
export interface PoolProviderName {
  /** Number of the pool's project, as text; may be late. */
  readonly projectNumber: string;
  readonly poolId: string;
  readonly providerId: string;
}

/** How many audiences a pool provider may accept. Source: its REST reference, `oidc.allowedAudiences`. */
export const AUDIENCES_MAX = 10;

/** Path of a pool below `iam.googleapis.com`, as principals name it; always with the project number. */
export function poolPath(number: string, poolId: string): string {
  return `projects/${number}/locations/global/workloadIdentityPools/${poolId}`;
}

/**
 * What the token exchange names as its audience: `//iam.googleapis.com/projects/…/providers/<id>`. Late when the project
 * number is. Source: Security Token Service, method token, `audience`.
 */
export function stsAudience({ projectNumber: number, poolId, providerId }: PoolProviderName): string {
  return `//iam.googleapis.com/${poolPath(number, poolId)}/providers/${providerId}`;
}

/**
 * Audience of the service account tokens when none is chosen: the pool provider's full name with `https:`, as its REST
 * reference says of `oidc.allowedAudiences`. Not late: it is also written into RBAC and node files.
 */
export function defaultAudience(name: PoolProviderName): string {
  literal(name.projectNumber, "project number (part of the default audience; state an audience instead)");
  return `https:${stsAudience(name)}`;
}

/** Checks the list of allowed audiences, order kept. */
export function allowedAudiences(audiences: readonly string[]): readonly [string, ...string[]] {
  const [first, ...others] = audiences.map(validateAudience);
  const distinct = new Set(audiences).size;
  if (first === undefined || distinct > AUDIENCES_MAX || distinct < audiences.length)
    return fail("google-limit", {
      problem: "number of allowed audiences is out of range",
      value: audiences.length,
      allowed: "1 to 10 different audiences",
      remedy:
        "leave the audiences out to pin the pool provider's own name, or list only those that tokens carry",
    });
  return [first, ...others];
}

/** `<project>.svc.id.goog`: the pool that GKE and the fleet share in a project, and the audience of its tokens. */
export function managedPoolId(project: string): string {
  return `${project}.svc.id.goog`;
}

/** Which identities of the pool: one subject, or all with an attribute. */
export type PrincipalSelector =
  | { readonly kind: "subject"; readonly subject: string }
  | { readonly kind: "attribute"; readonly name: string; readonly value: string };

/**
 * IAM policy member for identities of a pool; late when the project number is.
 * Source: https://cloud.google.com/iam/docs/principal-identifiers, "workload identity pool".
 */
export function renderPrincipal(
  { projectNumber: number, poolId }: Pick<PoolProviderName, "projectNumber" | "poolId">,
  selector: PrincipalSelector,
): string {
  const path = `iam.googleapis.com/${poolPath(number, poolId)}`;
  return selector.kind === "subject"
    ? `principal://${path}/subject/${selector.subject}`
    : `principalSet://${path}/attribute.${selector.name}/${selector.value}`;
}

/** `google.subject` of a service account in the pool of GKE and fleet, another form than the `sub` claim. */
export function managedSubject({ namespace, name }: Subject): string {
  return `ns/${namespace}/sa/${name}`;
}

/** A service account `namespace/name` in the pool of GKE, as the policies of Google service accounts name it. */
export function managedUser(poolId: string, key: string): string {
  return `serviceAccount:${poolId}[${key}]`;
}
