/*
 * Scopes of role assignments. Source: learn.microsoft.com, "Understand scope for Azure RBAC"; Azure ignores letter
 * case, but azurerm compares the fixed words of an id including their case.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";
import { resourceGroupId, subscriptionScope } from "./ids";

const RESOURCE = "(?:/providers/[a-z0-9.]+(?:/[^/\\s]+/[^/\\s]+)+)*";
const SUBSCRIPTION = `/subscriptions/[0-9a-f-]{36}(?:/resourceGroups/[^/\\s]+)?${RESOURCE}`;
const MANAGEMENT_GROUP = "/providers/Microsoft\\.Management/managementGroups/[^/\\s]+";
const SCOPE = new RegExp(`^(?:${SUBSCRIPTION}|${MANAGEMENT_GROUP})$`, "i");
const IN_MANAGEMENT_GROUP = new RegExp(`^${MANAGEMENT_GROUP}$`, "i");
const LIMITED = /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)/i;

/** Terraform would read these as the start of a template; no resource id contains them. */
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

/** Returns literal scopes without duplicates, in their first spelling; throws if there are none. */
export function statedScopes(scopes: readonly string[]): readonly string[] {
  if (!Array.isArray(scopes) || scopes.length === 0) return invalidScope(scopes);
  return oncePerScope(scopes.map(statedScope));
}

function invalidScope(value: unknown): never {
  return fail("azure-invalid", {
    problem: "the scope is not a resource id",
    value,
    allowed:
      "/subscriptions/<GUID>, a resource group or resource below it, or /providers/Microsoft.Management/managementGroups/<name>",
    remedy: "copy it from `az resource show --query id` or `az group show --query id`",
  });
}

/** Compares ids without regard to letter case and keeps the first spelling. */
export function oncePerScope(scopes: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return scopes.filter((scope) => !seen.has(scope.toLowerCase()) && seen.add(scope.toLowerCase()));
}

/** True for a scope that contains more than one resource group; a late scope counts as such. */
export function isBroadScope(scope: string): boolean {
  return isLate(scope) || !LIMITED.test(scope);
}

export function isManagementGroup(scope: string): boolean {
  return IN_MANAGEMENT_GROUP.test(scope);
}

/** The resource group of a literal scope that is or is within a resource group of the subscription. */
export function scopeResourceGroup(scope: string, subscriptionId: string): string | undefined {
  const isInSubscription = scope
    .toLowerCase()
    .startsWith(`${subscriptionScope(subscriptionId).toLowerCase()}/`);
  return isInSubscription ? LIMITED.exec(scope)?.[1] : undefined;
}

/** How messages show a scope. */
export function shownScope(scope: string): string {
  return isLate(scope) ? "a scope that is known only after apply" : scope;
}

/** The resource groups of a cluster. */
export interface ClusterResourceGroups {
  /** Literal GUID of the cluster's subscription. */
  readonly subscriptionId: string;
  readonly installationResourceGroupName: string;
  /**
   * Resource group of an existing virtual network.
   *
   * @defaultValue - the network is in the installation resource group
   */
  readonly networkResourceGroupName?: string | undefined;
  /**
   * Resource group of the DNS zone.
   *
   * @defaultValue - no role is given there
   */
  readonly dnsZoneResourceGroupName?: string | undefined;
}

const DNS: readonly string[] = ["openshift-ingress-azure"];

const NETWORK: readonly string[] = [
  "azure-file-csi-driver-operator",
  "openshift-azure-cloud-controller-manager",
  "openshift-cloud-network-config-controller-azure",
  "openshift-image-registry-azure",
  "openshift-ingress-azure",
  "openshift-machine-api-azure",
];

export function checkResourceGroups(groups: ClusterResourceGroups): void {
  for (const request of [...DNS, ...NETWORK]) componentScopes(request, groups);
}

/**
 * Resource ids of the resource groups in which a component's roles apply, by the name of its request: the installation
 * group, the DNS zone's for the ingress operator, the network's for components that work on subnets.
 */
export function componentScopes(requestName: string, groups: ClusterResourceGroups): readonly string[] {
  const { installationResourceGroupName, networkResourceGroupName, dnsZoneResourceGroupName } = groups;
  const names = [
    installationResourceGroupName,
    DNS.includes(requestName) ? dnsZoneResourceGroupName : undefined,
    NETWORK.includes(requestName) ? networkResourceGroupName : undefined,
  ];
  const scopes = names.flatMap((name) =>
    name === undefined ? [] : [resourceGroupId(groups.subscriptionId, name)],
  );
  return oncePerScope(scopes);
}

/** Throws if roles of a component reach beyond resource groups without a reason. */
export function checkBroadScopes(scopes: readonly string[], reason: string | undefined): void {
  const broad = reason === undefined ? scopes.find(isBroadScope) : undefined;
  if (broad !== undefined)
    fail("azure-unsafe", {
      problem: "a component's roles would apply beyond resource groups, but no reason is stated",
      value: broad,
      allowed: "/subscriptions/<GUID>/resourceGroups/<name>, resources in one, or a `reason`",
      remedy:
        "name the resource groups, or state a `reason`, which becomes the description of the assignments",
    });
}

/**
 * Resource ids of the subscriptions in which a custom role must be assignable: its own first, the others sorted.
 *
 * Azure accepts one management group among them, and then no data actions (learn.microsoft.com, "Azure custom roles",
 * custom role limits).
 */
export function assignableScopes(
  home: string,
  scopes: readonly string[],
  hasDataActions = false,
): readonly string[] {
  const places = scopes.map((scope) => /^\/subscriptions\/[^/]+/i.exec(scope)?.[0] ?? scope);
  const [, ...others] = oncePerScope([home, ...places.sort()]);
  const groups = others.filter(isManagementGroup);
  if (groups.length > (hasDataActions ? 0 : 1))
    fail("azure-limit", {
      problem: "Azure does not allow a custom role to be assignable at these scopes together",
      value: groups,
      allowed: hasDataActions ? "subscriptions, for a role with data actions" : "one management group",
      remedy:
        "use scopes in subscriptions for the component, or split it into several roles with ComponentIdentity",
    });
  return [home, ...others];
}
