/*
 * Where a component's roles count. Source of the default: openshift/cloud-credential-operator,
 * pkg/cmd/provisioning/azure/create_managed_identities.go, which goes by the names of the requests.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import { resourceGroupId } from "./scope-id";

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
const SCOPE =
  /^(?:\/subscriptions\/[0-9a-f-]{36}(?:\/[^/\s]+)*|\/providers\/Microsoft\.Management\/managementGroups\/[^/\s]+)$/i;

/**
 * Resource ids of the resource groups where a component's roles count, by the name of its request: the installation
 * group, the DNS zone's for the ingress operator, the network's for those that work on subnets.
 *
 * Throws `azure-guid-invalid`, `azure-name-invalid` or `late-value`.
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

/** Returns literal scopes, each once; throws `azure-scope-invalid` or `late-value`. */
export function statedScopes(scopes: readonly string[]): readonly string[] {
  return oncePerScope(
    scopes.map((scope) => (SCOPE.test(literal(scope, "scope")) ? scope : fail("azure-scope-invalid", scope))),
  );
}

/** Ids are compared without regard to letter case. */
function oncePerScope(scopes: readonly string[]): readonly string[] {
  const seen = new Map(scopes.map((scope) => [scope.toLowerCase(), scope]));
  return [...seen.values()];
}

/** Resource ids of the subscriptions in which a custom role must be assignable: its own first, the others sorted. */
export function assignableScopes(own: string, scopes: readonly string[]): readonly string[] {
  const others = scopes.map((scope) => /^\/subscriptions\/[^/]+/i.exec(scope)?.[0] ?? scope);
  const known = new Map([own, ...others.sort()].map((scope) => [scope.toLowerCase(), scope]));
  return [own, ...[...known.values()].filter((scope) => scope.toLowerCase() !== own.toLowerCase())];
}
