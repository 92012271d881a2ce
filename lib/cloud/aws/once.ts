/*
 * Objects that AWS allows only once per account are declared once per stack and shared: an OIDC provider per issuer, a
 * policy per repository, a role per name. Different Terraform providers are treated as different accounts.
 */

import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import type { Issuer } from "../../model/issuer";
import { stableHash } from "../../rules/names";
import { PerApp, PerStack } from "../shared/per-scope";

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

/** True if both are the same Terraform provider; `undefined` is the stack's default provider. */
export function sameProvider(a: TerraformProvider | undefined, b: TerraformProvider | undefined): boolean {
  return providerName(a) === providerName(b);
}

/** Construct id of a shared construct: readable if the parts are valid in an id, otherwise with a hash. */
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

/** Across stacks a duplicate is found only if the account is known; otherwise the apply would fail. */
const inAccounts = new PerApp<Construct>();

export interface OnceInAccount {
  readonly kind: "oidc-provider" | "role" | "ecr-policy" | "bucket";
  /** Its account, 12 digits; if `undefined`, the object is not registered. */
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
 * The OIDC provider of an issuer in an account. A late issuer is identified by its text: that of a construct such as
 * `IssuerBucket` is the same in every stack, while an expression is valid only in its own stack.
 */
export function oidcProviderOf({ url }: Issuer, account: string | undefined): OnceInAccount {
  return { kind: "oidc-provider", account, name: url };
}

/** Account ids are unique over all partitions. */
function keyOf({ kind, account, name }: OnceInAccount): string {
  return `${kind}:${account}:${name}`;
}
