/*
 * Whether the tenant and the subscription of a component's Secret are those of its identity, and of the Secrets beside
 * it: a cluster is of one tenant and one subscription.
 */

import { type Answer, broken, seen, unknown } from "../../answer";
import type { SecretFact } from "../../facts/component-facts";
import { isLateText } from "../../facts/terraform";
import { SUBSCRIPTION_ID, TENANT_ID } from "./component-secret";
import type { IdentityFact } from "./entra";
import { foreignTenant } from "./tenants";

const SUBSCRIPTION = /^\/subscriptions\/([^/]+)/i;
const AS_OTHERS =
  "write the cluster's tenant and subscription into every Secret; `bind` writes those of the outputs";

/** What speaks against them; `undefined` where nothing does. */
export function homeAnswer(
  secret: SecretFact,
  beside: ReadonlyMap<string, SecretFact>,
  identity: IdentityFact | undefined,
): Answer | undefined {
  const tenant = known(secret, TENANT_ID);
  const subscription = known(secret, SUBSCRIPTION_ID);
  const where = seen(`Secret ${secret.key}`, secret.source);
  const foreign = foreignTenant(identity, TENANT_ID, tenant, AS_OTHERS, where);
  if (foreign) return foreign;
  const scopes = subscription === "" ? undefined : identity && scopesAnswer(secret, subscription, identity);
  if (scopes !== undefined && scopes !== CONFIRMED) return scopes;
  return (
    othersAnswer(secret, beside, TENANT_ID, tenant) ??
    (scopes === CONFIRMED ? undefined : othersAnswer(secret, beside, SUBSCRIPTION_ID, subscription))
  );
}

const CONFIRMED = "confirmed";

/** Without rights in its subscription a component can do nothing there. */
function scopesAnswer(
  secret: SecretFact,
  subscription: string,
  { assignments, adopted, label }: IdentityFact,
): Answer | typeof CONFIRMED | undefined {
  const found = assignments.map(({ scope, source }) => ({ id: SUBSCRIPTION.exec(scope)?.[1] ?? "", source }));
  const literal = found.filter(({ id }) => id !== "" && !isLateText(id));
  if (literal.some(({ id }) => isSame(id, subscription))) return CONFIRMED;
  if (literal.length === 0) return undefined;
  const ids = [...new Set(literal.map(({ id }) => id))].join(", ");
  const reason = `${SUBSCRIPTION_ID} is ${subscription}, and the roles of ${label} are assigned in ${ids}`;
  const where = [
    seen(`Secret ${secret.key}`, secret.source),
    ...literal.slice(0, 1).map(({ source }) => seen("scope of a role assignment", source)),
  ];
  // A scope that only apply tells, or that of a management group, may have it.
  return adopted || literal.length < found.length
    ? unknown(reason, AS_OTHERS, ...where)
    : broken(reason, AS_OTHERS, "AuthorizationFailed", ...where);
}

/** Where more of the other Secrets agree on another value than on this one. */
function othersAnswer(
  secret: SecretFact,
  beside: ReadonlyMap<string, SecretFact>,
  key: string,
  own: string,
): Answer | undefined {
  if (own === "") return undefined;
  const counts = new Map<string, SecretFact[]>();
  for (const other of beside.values()) {
    const id = other.key === secret.key || !other.keys.includes(key) ? "" : known(other, key).toLowerCase();
    if (id !== "") counts.set(id, [...(counts.get(id) ?? []), other]);
  }
  const alike = counts.get(own.toLowerCase())?.length ?? 0;
  counts.delete(own.toLowerCase());
  const [rival] = [...counts].sort(([, one], [, other]) => other.length - one.length);
  if (rival === undefined || rival[1].length <= alike) return undefined;
  return unknown(
    `${key} is ${own}, and that of ${rival[1].length === 1 ? "another Secret" : `${rival[1].length} other Secrets`} is ${rival[0]}`,
    AS_OTHERS,
    seen(`Secret ${secret.key}`, secret.source),
    ...rival[1].slice(0, 1).map((other) => seen(`Secret ${other.key}`, other.source)),
  );
}

/** The value; empty where it is absent or only apply tells it. */
function known(secret: SecretFact, key: string): string {
  const value = secret.value(key) ?? "";
  return isLateText(value) ? "" : value;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
