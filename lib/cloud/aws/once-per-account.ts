/*
 * What AWS allows once per account is declared once per app where the account is known: a second stack would fail
 * only when it is applied.
 */

import type { Construct } from "constructs";
import type { Issuer } from "../../model/issuer";
import { PerApp } from "../shared/per-app";

const declared = new PerApp<Construct>();

/** Something that an account has once. */
export interface OnceInAccount {
  /** What it is: a role name, an OIDC provider, the policy of a repository, a bucket. */
  readonly kind: "oidc-provider" | "role" | "ecr-policy" | "bucket";
  /** Its account, 12 digits; `undefined` where it is not known at synth, and nothing is remembered. */
  readonly account: string | undefined;
  /** What it is known by in the account. */
  readonly name: string;
}

/** What the app of a construct declares under that name in that account; `undefined` where it declares nothing. */
export function declaredInAccount(scope: Construct, what: OnceInAccount): Construct | undefined {
  return what.account === undefined ? undefined : declared.get(scope, keyOf(what));
}

/** Remembers a construct for its account. */
export function declareInAccount(construct: Construct, what: OnceInAccount): void {
  if (what.account !== undefined) declared.set(construct, keyOf(what), construct);
}

/**
 * The OIDC provider of an issuer in an account. A late issuer is known by its text as given: that of one construct, an
 * `IssuerBucket` say, is the same in every stack, while an expression means something in its own stack alone.
 */
export function oidcProviderOf({ url }: Issuer, account: string | undefined): OnceInAccount {
  return { kind: "oidc-provider", account, name: url };
}

/** Account ids are unique over all partitions. */
function keyOf({ kind, account, name }: OnceInAccount): string {
  return `${kind}:${account}:${name}`;
}
