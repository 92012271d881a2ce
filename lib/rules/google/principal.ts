/*
 * Members of IAM policies that are identities of a workload identity pool.
 * Source: https://cloud.google.com/iam/docs/principal-identifiers, "workload identity pool".
 */

import type { Subject } from "../../model/subject";
import { poolPath } from "./workload-identity-names";

/** Which identities of the pool: one subject, or all with an attribute. */
export type PrincipalSelector =
  | { readonly kind: "subject"; readonly subject: string }
  | { readonly kind: "attribute"; readonly name: string; readonly value: string };

/** One or several identities of a workload identity pool. */
export interface PoolPrincipal {
  /** Number of the pool's project, as text; may be late when rendered. */
  readonly projectNumber: string;
  /** Id of the pool, `<project>.svc.id.goog` for the one of GKE and fleet. */
  readonly poolId: string;
  /** Which identities of the pool. */
  readonly selector: PrincipalSelector;
}

/** IAM policy member of a principal; late when the project number is. */
export function renderPrincipal({ projectNumber, poolId, selector }: PoolPrincipal): string {
  const path = `iam.googleapis.com/${poolPath(projectNumber, poolId)}`;
  return selector.kind === "subject"
    ? `principal://${path}/subject/${selector.subject}`
    : `principalSet://${path}/attribute.${selector.name}/${selector.value}`;
}

/**
 * `google.subject` of a service account in the pool of GKE and fleet: `ns/<namespace>/sa/<name>`, another form than
 * the `sub` claim that custom pools use.
 */
export function managedSubject(subject: Subject): string {
  return `ns/${subject.namespace}/sa/${subject.name}`;
}
