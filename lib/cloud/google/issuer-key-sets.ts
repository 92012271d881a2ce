/*
 * The keys of an issuer, once per app. Components, workloads and pulls of a cluster each have a pool provider of their
 * own; where one has the keys and another asks the issuer, or has other keys, token exchanges of that one fail, and
 * nothing says so before a pod tries.
 */

import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { Issuer } from "../../model/issuer";
import { type KeySet, keySetOf, keySetsDiffer } from "../../rules/google/issuer";
import { PerApp } from "../shared/per-app";
import type { PoolName } from "./principals";

/** An issuer as a pool provider trusts it. */
export interface TrustedIssuer {
  /** The issuer. */
  readonly issuer: Issuer;
  /** The pool of the pool provider. */
  readonly pool: PoolName;
  /** The uploaded keys as JSON text; `undefined` where Google fetches them. */
  readonly jwks: string | undefined;
}

interface StatedKeys {
  readonly keys: KeySet;
  /** Path of the pool provider that states them. */
  readonly path: string;
}

/** Each set that pool providers of an app state for an issuer, once: one, and late ones beside it. */
const stated = new PerApp<StatedKeys[]>();

/** Throws `google-issuer-keys-differ` where a pool provider of the app trusts the issuer with other keys. */
export function checkIssuerKeys(scope: Construct, trusted: TrustedIssuer): void {
  const keys = keySetOf(trusted.jwks);
  const other = stated.get(scope, keyOf(trusted))?.find((each) => keySetsDiffer(each.keys, keys));
  if (other) fail("google-issuer-keys-differ", trusted.issuer.url, keys.label, other.keys.label, other.path);
}

/** Remembers the keys that a pool provider trusts an issuer with. */
export function recordIssuerKeys(provider: Construct, trusted: TrustedIssuer): void {
  const keys = keySetOf(trusted.jwks);
  const key = keyOf(trusted);
  const sets = stated.get(provider, key) ?? [];
  if (sets.some((each) => each.keys.identity === keys.identity)) return;
  stated.set(provider, key, [...sets, { keys, path: provider.node.path }]);
}

/** Many clusters have the same cluster-internal issuer, `https://kubernetes.default.svc` say; their pools differ. */
function keyOf({ issuer, pool }: TrustedIssuer): string {
  return issuer.clusterInternal ? `${issuer.url} ${pool.project}/${pool.poolId}` : issuer.url;
}
