import type { Construct } from "constructs";
import { fail } from "../../errors";
import { clusterName } from "../../model/kubernetes-name";
import { type AdoptedComponent, adoptedComponents } from "../../rules/azure/component-adoption";
import type { ComponentNaming } from "../../rules/azure/component-names";
import { type PlannedComponent, hasCustomRole, planComponents } from "../../rules/azure/component-plan";
import { guid, subscriptionScope } from "../../rules/azure/ids";
import { type Tags, ccoctlTags, checkedTags } from "../../rules/azure/tags";
import { type ComponentGroups, componentGroups, groupUses } from "./component-groups";
import type { ComponentIdentitiesProps } from "./component-identities-props";
import { refuseTakenName } from "./identity-names";
import { checkSubscription } from "./provider-place";
import { checkResourceGroup } from "./resource-groups";
import { refuseTakenRoleName } from "./role-names";

/** Everything that is decided before the first resource of a cluster's components is declared. */
export interface ComponentSettings {
  /** One per request, in its order. */
  readonly components: readonly PlannedComponent[];
  /** What of them exists, by the request's name; `undefined` where nothing is adopted. */
  readonly adopted: ReadonlyMap<string, AdoptedComponent> | undefined;
  /** How credentials are named. */
  readonly naming: ComponentNaming;
  /** The resource groups of identities and cluster. */
  readonly groups: ComponentGroups;
  /** Tags of the identities. */
  readonly tags: Tags;
}

/** Checks settings and requests as a whole; throws what `ComponentIdentities` documents. */
export function componentSettings(scope: Construct, props: ComponentIdentitiesProps): ComponentSettings {
  const { adopt, subscriptionId, tenantId } = props;
  clusterName(props.clusterName);
  subscriptionScope(subscriptionId);
  checkSubscription(scope, "subscriptionId", subscriptionId, props.provider);
  if (tenantId !== undefined) guid("tenantId", tenantId);
  const naming = namingOf(props);
  const tags = { ...(naming === "ccoctl" && ccoctlTags(props.clusterName)), ...checkedTags(props.tags) };
  const groups = componentGroups(props, tags);
  const components = planComponents(props, {
    naming,
    overrides: props.overrides ?? {},
    resourceGroups: {
      subscriptionId,
      installationResourceGroupName: groups.installation.name,
      networkResourceGroupName: props.networkResourceGroupName,
      dnsZoneResourceGroupName: props.dnszoneResourceGroupName,
    },
  });
  for (const component of components) checkNames(scope, props, component, groups.oidc.name);
  for (const [, use] of groupUses(groups)) checkResourceGroup(scope, use);
  const adopted = adopt && adoptedComponents(adopt, components, subscriptionId);
  return { components, adopted, naming, groups, tags };
}

function namingOf({ naming, adopt }: ComponentIdentitiesProps): ComponentNaming {
  if (adopt === undefined) return naming ?? "unique";
  return naming === undefined || naming === "ccoctl"
    ? "ccoctl"
    : fail("azure-mismatch", {
        problem: "adopt takes over what ccoctl made, so the names must be those of ccoctl",
        value: naming,
        allowed: 'naming: "ccoctl", or left out',
        remedy: "remove naming, or remove adopt",
      });
}

function checkNames(
  scope: Construct,
  { provider, tenantId }: ComponentIdentitiesProps,
  { identityName, permissions, roleName }: PlannedComponent,
  resourceGroupName: string,
): void {
  refuseTakenName(scope, { identityName, resourceGroupName, ...(provider && { provider }) });
  if (hasCustomRole(permissions)) refuseTakenRoleName(scope, { name: roleName, tenantId, provider });
}
