/*
 * Where a component's roles count. Source of the default: openshift/cloud-credential-operator,
 * pkg/cmd/provisioning/azure/create_managed_identities.go, which goes by the names of the requests.
 */

import { fail } from "../../errors";
import { isBroadScope, isManagementGroup, oncePerScope, resourceGroupId } from "./ids";

/** The resource groups of a cluster. */
export interface ClusterResourceGroups {
  /** Literal GUID of the cluster's subscription. */
  readonly subscriptionId: string;
  /** Resource group that the installer fills. */
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

/** Checks the groups of a cluster. */
export function checkResourceGroups(groups: ClusterResourceGroups): void {
  for (const request of [...DNS, ...NETWORK]) componentScopes(request, groups);
}

/**
 * Resource ids of the resource groups where a component's roles count, by the name of its request: the installation
 * group, the DNS zone's for the ingress operator, the network's for those that work on subnets.
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

/** Refuses roles of a component beyond resource groups without a reason. */
export function checkBroadScopes(scopes: readonly string[], reason: string | undefined): void {
  const broad = reason === undefined ? scopes.find(isBroadScope) : undefined;
  if (broad !== undefined)
    fail("azure-unsafe", {
      problem: "roles of a component would count beyond resource groups, and no reason is stated",
      value: broad,
      allowed: "/subscriptions/<GUID>/resourceGroups/<name> and what is in one, or a written `reason`",
      remedy: "name the resource groups; otherwise state the reason, which is written beside the assignments",
    });
}

/**
 * Resource ids of the subscriptions in which a custom role must be assignable: its own first, the others sorted.
 *
 * Azure takes one management group among them, and then no data actions (learn.microsoft.com, "Azure custom roles",
 * custom role limits).
 */
export function assignableScopes(
  own: string,
  scopes: readonly string[],
  hasDataActions = false,
): readonly string[] {
  const places = scopes.map((scope) => /^\/subscriptions\/[^/]+/i.exec(scope)?.[0] ?? scope);
  const [, ...others] = oncePerScope([own, ...places.sort()]);
  const groups = others.filter(isManagementGroup);
  if (groups.length > (hasDataActions ? 0 : 1))
    fail("azure-limit", {
      problem: "Azure lets no custom role be assignable at these scopes together",
      value: groups,
      allowed: hasDataActions ? "subscriptions, for a role with data actions" : "one management group",
      remedy:
        "give the component scopes in subscriptions, or split it over several roles with ComponentIdentity",
    });
  return [own, ...others];
}
