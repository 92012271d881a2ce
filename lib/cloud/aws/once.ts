/*
 * What AWS allows once per account is declared once per stack and shared: an OIDC provider per issuer, a policy per
 * repository, a role per name. Terraform providers that differ stand for different accounts.
 */

import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import type { Issuer } from "../../model/issuer";
import { stableHash } from "../../rules/names";
import { PerApp } from "../shared/per-app";
import { PerStack } from "../shared/per-stack";

const declared = new PerStack<Construct>();
const DEFAULT_PROVIDER = "aws";
const ID_CHARACTERS = /^[\w.-]+$/;
const UNSAFE = /[^\w.-]/g;

export function declaredOnce(scope: Construct, key: string): Construct | undefined {
  return declared.get(scope, key);
}

export function declareOnce(construct: Construct, key: string): void {
  declared.set(construct, key, construct);
}

export function onceKey(provider: TerraformProvider | undefined, ...parts: readonly string[]): string {
  return JSON.stringify([providerName(provider), ...parts]);
}

/** True for one Terraform provider given twice; left out it is the stack's default one. */
export function sameProvider(a: TerraformProvider | undefined, b: TerraformProvider | undefined): boolean {
  return providerName(a) === providerName(b);
}

/** Construct id of a shared construct: readable where the parts can stand in an id, with a hash where they cannot. */
export function sharedId(
  kind: string,
  provider: TerraformProvider | undefined,
  ...parts: readonly string[]
): string {
  const alias = provider?.alias;
  const all = [kind, ...(alias === undefined ? [] : [alias]), ...parts];
  const plain = all.join("-");
  return all.every((part) => ID_CHARACTERS.test(part))
    ? plain
    : `${plain.replace(UNSAFE, "-")}-${stableHash(all)}`;
}

function providerName(provider: TerraformProvider | undefined): string {
  if (!provider) return DEFAULT_PROVIDER;
  return [provider.terraformResourceType, ...(provider.alias === undefined ? [] : [provider.alias])].join(
    ".",
  );
}

/** Where the account is known, a second stack would fail only when it is applied. */
const inAccounts = new PerApp<Construct>();

export interface OnceInAccount {
  readonly kind: "oidc-provider" | "role" | "ecr-policy" | "bucket";
  /** Its account, 12 digits; `undefined` where it is not known at synth, and nothing is remembered. */
  readonly account: string | undefined;
  readonly name: string;
}

export function declaredInAccount(scope: Construct, what: OnceInAccount): Construct | undefined {
  return what.account === undefined ? undefined : inAccounts.get(scope, keyOf(what));
}

export function declareInAccount(construct: Construct, what: OnceInAccount): void {
  if (what.account !== undefined) inAccounts.set(construct, keyOf(what), construct);
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
