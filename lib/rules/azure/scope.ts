/*
 * Scopes of role assignments. Source: learn.microsoft.com, "Understand scope for Azure RBAC"; letter case does not count
 * to Azure, but azurerm compares the fixed words of an id with theirs.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";
import { subscriptionScope } from "./ids";

const RESOURCE = "(?:/providers/[a-z0-9.]+(?:/[^/\\s]+/[^/\\s]+)+)*";
const SUBSCRIPTION = `/subscriptions/[0-9a-f-]{36}(?:/resourceGroups/[^/\\s]+)?${RESOURCE}`;
const MANAGEMENT_GROUP = "/providers/Microsoft\\.Management/managementGroups/[^/\\s]+";
const SCOPE = new RegExp(`^(?:${SUBSCRIPTION}|${MANAGEMENT_GROUP})$`, "i");
const IN_MANAGEMENT_GROUP = new RegExp(`^${MANAGEMENT_GROUP}$`, "i");
const LIMITED = /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)/i;

/** Terraform would read these as the beginning of a template; no resource id has them. */
const TEMPLATE = /[$%]\{/;

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^\/subscriptions\//i, "/subscriptions/"],
  [/^(\/subscriptions\/[^/]+)\/resourceGroups\//i, "$1/resourceGroups/"],
  [/\/providers\//gi, "/providers/"],
  [
    /^\/providers\/Microsoft\.Management\/managementGroups\//i,
    "/providers/Microsoft.Management/managementGroups/",
  ],
];

/** Returns a literal scope with the fixed words in azurerm's letter case. */
export function statedScope(scope: string): string {
  if (!SCOPE.test(literal(scope, "scope")) || TEMPLATE.test(scope)) return invalidScope(scope);
  return WORDS.reduce((text, [pattern, word]) => text.replace(pattern, word), scope);
}

/** Returns literal scopes, at least one, each once as it was written first. */
export function statedScopes(scopes: readonly string[]): readonly string[] {
  if (!Array.isArray(scopes) || scopes.length === 0) return invalidScope(scopes);
  return oncePerScope(scopes.map(statedScope));
}

function invalidScope(value: unknown): never {
  return fail("azure-invalid", {
    problem: "scope is not a resource id",
    value,
    allowed:
      "/subscriptions/<GUID>, a resource group or resource below it, or /providers/Microsoft.Management/managementGroups/<name>",
    remedy: "copy it from `az resource show --query id` or `az group show --query id`",
  });
}

/** Ids are compared without regard to letter case; the first spelling is kept. */
export function oncePerScope(scopes: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return scopes.filter((scope) => !seen.has(scope.toLowerCase()) && seen.add(scope.toLowerCase()));
}

/** True for a scope that holds more than one resource group; a late one may. */
export function isBroadScope(scope: string): boolean {
  return isLate(scope) || !LIMITED.test(scope);
}

export function isManagementGroup(scope: string): boolean {
  return IN_MANAGEMENT_GROUP.test(scope);
}

/** The resource group of a literal scope, where that is one of the subscription, or within one. */
export function scopeResourceGroup(scope: string, subscriptionId: string): string | undefined {
  const own = scope.toLowerCase().startsWith(`${subscriptionScope(subscriptionId).toLowerCase()}/`);
  return own ? LIMITED.exec(scope)?.[1] : undefined;
}

/** How a refusal shows a scope. */
export function shownScope(scope: string): string {
  return isLate(scope) ? "a scope that is known only after apply" : scope;
}
