import type { Construct } from "constructs";
import { fail } from "../../errors";
import { oneOf } from "../../model/choice";
import { isLate, literal } from "../../model/late";
import { ccoctlTags } from "../../rules/azure/ccoctl-tags";
import { type AdoptedComponent, adoptedComponents } from "../../rules/azure/component-adoption";
import type { ComponentNaming } from "../../rules/azure/component-names";
import { type PlannedComponent, planComponents } from "../../rules/azure/component-plan";
import { guid, identityName, location, resourceGroupName } from "../../rules/azure/resource-id";
import { subscriptionScope } from "../../rules/azure/scope-id";
import type { ComponentIdentitiesProps } from "./component-identities-props";
import { defaultProvider, refuseTakenName } from "./identity-names";
import { RESOURCE_GROUP_MODES, type ResourceGroupDeclaration, checkResourceGroup } from "./resource-groups";

/** Everything that is decided before the first resource of a cluster's components is declared. */
export interface ComponentSettings {
  /** One per request, in its order. */
  readonly components: readonly PlannedComponent[];
  /** What of them exists, by the request's name; `undefined` where nothing is adopted. */
  readonly adopted: ReadonlyMap<string, AdoptedComponent> | undefined;
  /** How credentials are named. */
  readonly naming: ComponentNaming;
  /** Resource group of the identities. */
  readonly oidc: ResourceGroupDeclaration;
  /** Resource group of the cluster. */
  readonly installation: ResourceGroupDeclaration;
  /** True where both are declared, unless the stack declares them already. */
  readonly declaresGroups: boolean;
  /** Tags of the identities. */
  readonly tags: Readonly<Record<string, string>>;
}

/** Checks settings and requests as a whole; throws what `ComponentIdentities` documents. */
export function componentSettings(scope: Construct, props: ComponentIdentitiesProps): ComponentSettings {
  const naming = namingOf(props);
  const tags = { ...(naming === "ccoctl" && ccoctlTags(props.clusterName)), ...props.tags };
  const oidc = group(props, props.oidcResourceGroupName ?? `${props.clusterName}-oidc`, tags);
  const installation = group(props, props.installationResourceGroupName ?? props.clusterName, tags);
  if (oidc.name.toLowerCase() === installation.name.toLowerCase())
    fail("azure-resource-groups-equal", oidc.name);
  for (const own of [oidc, installation]) checkResourceGroup(scope, own);
  checkSubscription(scope, props);
  if (props.tenantId !== undefined) guid("tenantId", props.tenantId);
  const components = planComponents(props, {
    naming,
    overrides: props.overrides ?? {},
    resourceGroups: {
      subscriptionId: props.subscriptionId,
      installationResourceGroupName: installation.name,
      networkResourceGroupName: props.networkResourceGroupName,
      dnsZoneResourceGroupName: props.dnszoneResourceGroupName,
    },
  });
  for (const component of components) checkName(scope, props, component.identityName, oidc.name);
  const { adopt, subscriptionId } = props;
  const adopted = adopt && adoptedComponents(adopt, components, subscriptionId);
  const mode = oneOf("resourceGroups", props.resourceGroups ?? "declared", RESOURCE_GROUP_MODES);
  return { components, adopted, naming, oidc, installation, declaresGroups: mode === "declared", tags };
}

function namingOf({ naming, adopt }: ComponentIdentitiesProps): ComponentNaming {
  if (adopt === undefined) return naming ?? "unique";
  return naming === undefined || naming === "ccoctl" ? "ccoctl" : fail("azure-adopt-naming", naming);
}

function group(
  { region, subscriptionId, adopt, provider }: ComponentIdentitiesProps,
  name: string,
  tags: Readonly<Record<string, string>>,
): ResourceGroupDeclaration {
  const known = resourceGroupName(literal(name, "resource group"));
  return {
    name: known,
    location: location(region),
    tags,
    ...(provider && { provider }),
    ...(adopt && { importId: `${subscriptionScope(subscriptionId)}/resourceGroups/${known}` }),
  };
}

function checkName(
  scope: Construct,
  { provider }: ComponentIdentitiesProps,
  name: string,
  resourceGroup: string,
): void {
  const place = { identityName: identityName(name), resourceGroupName: resourceGroup };
  refuseTakenName(scope, { ...place, ...(provider && { provider }) });
}

/** Identities are made in the provider's subscription, whatever is stated here. */
function checkSubscription(scope: Construct, { subscriptionId, provider }: ComponentIdentitiesProps): void {
  const stated = (provider ?? defaultProvider(scope))?.subscriptionIdInput;
  if (stated === undefined || isLate(stated)) return;
  if (stated.toLowerCase() !== subscriptionId.toLowerCase())
    fail("azure-subscription-mismatch", subscriptionId, stated);
}
