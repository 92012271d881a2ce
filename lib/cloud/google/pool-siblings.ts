/*
 * Several pool providers of one workload identity pool: the pool has each id once, and its principals do not tell
 * the issuers apart.
 */

import { Annotations, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { Issuer } from "../../model/issuer";
import type { PoolName } from "./principals";

/** A pool provider as the others of its pool see it. */
export interface PoolSibling extends Construct {
  /** Id in the pool. */
  readonly providerId: string;
  /** Whose tokens it trusts. */
  readonly issuer: Issuer;
}

/** Throws `google-oidc-provider-taken` for an id that one of them has. */
export function refuseTakenId(siblings: readonly PoolSibling[], providerId: string): void {
  const holder = siblings.find((sibling) => sibling.providerId === providerId);
  if (holder) fail("google-oidc-provider-taken", providerId, holder.node.path);
}

/** Warns at a pool provider where another one of the pool trusts another issuer. */
export function warnOfSharedPool(
  added: PoolSibling,
  { poolId }: PoolName,
  siblings: readonly PoolSibling[],
): void {
  const first = siblings.find(({ issuer }) => !issuer.equals(added.issuer));
  if (!first) return;
  Annotations.of(added).addWarning(
    `workload identity pool ${poolId} trusts several issuers, whose principals do not differ: a service account has the rights of the one with the same namespace and name in ${first.node.path}; give each cluster a pool of its own unless that is meant`,
  );
}

/** True where both are of one stack. */
export function sameStack(one: Construct, other: Construct): boolean {
  return TerraformStack.of(one) === TerraformStack.of(other);
}
