import type { CredentialsRequest } from "../../model/credentials-request";
import { componentNames } from "../../rules/azure/component";
import { resourceGroupScope } from "../../rules/azure/ids";
import { type ClusterResourceGroups, componentScopes, scopeResourceGroup } from "../../rules/azure/scope";
import type { AdoptionFindings } from "../adoption";
import { ASK } from "../../rules/azure/commands";
import type { Identity, Subscription } from "./answers";

/** The resource groups in which the identity of a request holds roles. */
interface Held {
  readonly request: string;
  readonly groups: readonly string[];
}

const SURPLUS = "remove from the answers the role assignments that ccoctl did not make";

/**
 * Finds the cluster's resource groups by where its identities hold roles: every component in the installation's, those
 * that work on subnets also in the network's, and the ingress operator also in the DNS zone's.
 */
export function clusterGroups(
  subscription: Subscription,
  identities: readonly Identity[],
  name: string,
  requests: readonly CredentialsRequest[],
  findings: AdoptionFindings,
): ClusterResourceGroups | undefined {
  const held = heldGroups(subscription, identities, name, requests);
  const [first, ...others] = held;
  const everywhere = (first?.groups ?? []).filter((group) =>
    others.every(({ groups }) => groups.includes(group)),
  );
  const installation = findings.choose("the installation resource group", everywhere, {
    none: `run \`az ${ASK.assignments} --all\``,
    several: SURPLUS,
  });
  if (installation === undefined) return undefined;
  const beyond = (inDnsGroup: boolean): readonly string[] =>
    held
      .filter(({ request }) => worksOnDns(request, subscription.id) === inDnsGroup)
      .flatMap(({ groups }) => groups)
      .filter((group) => group !== installation);
  const network = atMostOne("the network's resource group", beyond(false), findings);
  const dns = atMostOne(
    "the DNS zone's resource group",
    beyond(true).filter((group) => group !== network),
    findings,
  );
  return {
    subscriptionId: subscription.id,
    installationResourceGroupName: installation,
    networkResourceGroupName: network,
    dnsZoneResourceGroupName: dns,
  };
}

/** The groups of an identity's custom role, which has the identity's name; of all its roles if there is none. */
function heldGroups(
  { id, assignments }: Subscription,
  identities: readonly Identity[],
  name: string,
  requests: readonly CredentialsRequest[],
): readonly Held[] {
  return componentNames(name, id, requests, "ccoctl").flatMap(({ request, identityName }) => {
    const principalId = identities.find((each) => each.name === identityName)?.principalId;
    const all = assignments.filter((each) => principalId !== undefined && each.principalId === principalId);
    const custom = all.filter(({ role }) => role === identityName);
    const groups = (custom.length > 0 ? custom : all).flatMap(
      ({ scope }) => scopeResourceGroup(scope, id) ?? [],
    );
    return groups.length > 0 ? [{ request: request.name, groups }] : [];
  });
}

function worksOnDns(request: string, subscriptionId: string): boolean {
  const groups = { subscriptionId, installationResourceGroupName: "i", dnsZoneResourceGroupName: "d" };
  return componentScopes(request, groups).includes(resourceGroupScope(subscriptionId, "d"));
}

function atMostOne(what: string, groups: readonly string[], findings: AdoptionFindings): string | undefined {
  return groups.length === 0 ? undefined : findings.choose(what, groups, { none: SURPLUS, several: SURPLUS });
}
