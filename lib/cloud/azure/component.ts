import { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { ComponentGrant, ComponentsDeclaration, IComponentIdentities } from "../../model/components";
import { clusterName } from "../../model/kubernetes-name";
import { isLate, literal } from "../../model/late";
import { checkGiven, checkProps } from "../../model/shape";
import { type IdentityAdoption, adoptedComponents } from "../../rules/azure/adoption";
import {
  type ComponentNaming,
  type PlannedComponent,
  componentIntent,
  hasCustomRole,
  planComponents,
} from "../../rules/azure/component";
import { AZURE_PROVIDER_KIND, componentSecret, webhookSecret } from "../../rules/azure/provider-spec";
import { resourceGroupId, subscriptionScope } from "../../rules/azure/ids";
import { guid, location, resourceGroupName } from "../../rules/azure/names";
import { WEBHOOK_SECRET } from "../../rules/azure/pod";
import { type Tags, ccoctlTags, checkedTags } from "../../rules/azure/tags";
import { ComponentIdentity } from "./component-identity";
import {
  type ComponentIdentitiesProps,
  type ComponentIdentitiesSettings,
  COMPONENT_IDENTITIES_PROPS,
  COMPONENT_IDENTITIES_SETTINGS,
} from "./component-props";
import { refuseTakenName, refuseTakenRoleName } from "./names";
import {
  type ResourceGroupMode,
  type ResourceGroupUse,
  checkResourceGroup,
  checkSubscription,
  useResourceGroup,
} from "./place";

/**
 * The identities of OpenShift's components on Azure, like those of `ccoctl azure create-managed-identities`.
 *
 * Each CredentialsRequest gets a user-assigned identity in the OIDC resource group, a custom role with exactly its
 * permissions, role assignments in the cluster's resource groups, and a credential per service account. Other role
 * assignments of the identities are not touched.
 *
 * Children: one `ComponentIdentity` per request, named as the request; `OidcResourceGroup` and
 * `InstallationResourceGroup` if they are declared.
 */
export class ComponentIdentities extends Construct implements ComponentsDeclaration {
  /** The identity of each request, by the request's name. */
  readonly identities: ReadonlyMap<string, ComponentIdentity>;
  /** The grant of each component, in the order of the requests. */
  readonly grants: readonly ComponentGrant[];
  /** The Secret that makes OpenShift run Azure's pod identity webhook. */
  readonly secrets: ComponentsDeclaration["secrets"];

  constructor(scope: Construct, id: string, props: ComponentIdentitiesProps) {
    checkProps(new.target.name, scope, id, COMPONENT_IDENTITIES_PROPS, props);
    super(scope, id);
    const settings = at(this, () => componentSettings(this, props));
    for (const [own, use] of Object.entries(settings.groups)) useResourceGroup(this, own, use);
    const identities = settings.components.map((component) => {
      const intends = componentIntent(component);
      const { request, scopes: places } = component;
      const identity = this.#identity(props, settings, component);
      return { request, identity, grant: { request, places, ...(intends && { intends }) } };
    });
    this.identities = new Map(identities.map(({ request, identity }) => [request.name, identity]));
    this.grants = identities.map(({ request, identity, grant }) => ({
      ...grant,
      identity: identity.resourceId,
      secret: componentSecret(request, {
        clientId: identity.clientId,
        tenantId: identity.tenantId,
        region: props.region,
        subscriptionId: props.subscriptionId,
      }),
    }));
    // All tenants are the same one; there is none if there are no identities.
    const tenants = identities.map(({ identity }) => identity.tenantId);
    const tenant = props.tenantId ?? tenants.find((each) => !isLate(each)) ?? tenants[0];
    this.secrets = tenant === undefined ? [] : [webhookSecret(tenant)];
  }

  #identity(
    props: ComponentIdentitiesProps,
    { naming, groups, tags, adopted }: ComponentSettings,
    { request, identityName, roleName, permissions, scopes, reason }: PlannedComponent,
  ): ComponentIdentity {
    const adopt = adopted?.get(request.name);
    return new ComponentIdentity(this, request.name, {
      identityName,
      roleName,
      naming,
      resourceGroupName: groups.OidcResourceGroup.name,
      location: props.region,
      subscriptionId: props.subscriptionId,
      clusterName: props.clusterName,
      issuer: props.issuer,
      serviceAccounts: request.subjects,
      scopes,
      ...permissions,
      ...(reason !== undefined && { reason }),
      ...(Object.keys(tags).length > 0 && { tags }),
      ...(props.tenantId !== undefined && { tenantId: props.tenantId }),
      ...(props.provider && { provider: props.provider }),
      ...(adopt && { adopt }),
    });
  }
}

/**
 * Returns the identities of OpenShift's components on Azure, for the composed constructs.
 *
 * Declares a {@link ComponentIdentities} with the id `Default`.
 */
export function componentIdentities(settings: ComponentIdentitiesSettings): IComponentIdentities<Construct> {
  checkGiven("componentIdentities()", COMPONENT_IDENTITIES_SETTINGS, settings);
  return {
    cloud: "azure",
    job: "components",
    providerKind: AZURE_PROVIDER_KIND,
    furtherSecrets: [WEBHOOK_SECRET],
    declare: (scope, request) => new ComponentIdentities(scope, "Default", { ...settings, ...request }),
  };
}

interface ComponentSettings {
  readonly components: readonly PlannedComponent[];
  /** Existing parts by the request's name; `undefined` if nothing is adopted. */
  readonly adopted: ReadonlyMap<string, IdentityAdoption> | undefined;
  readonly naming: ComponentNaming;
  /** By the ids of their constructs; their names are literal. */
  readonly groups: Readonly<Record<"OidcResourceGroup" | "InstallationResourceGroup", ResourceGroupUse>>;
  readonly tags: Tags;
}

function componentSettings(scope: Construct, props: ComponentIdentitiesProps): ComponentSettings {
  const { adopt, provider, subscriptionId, tenantId } = props;
  clusterName(props.clusterName);
  subscriptionScope(subscriptionId);
  checkSubscription(scope, "subscriptionId", subscriptionId, provider);
  if (tenantId !== undefined) guid("tenantId", tenantId);
  const naming = namingOf(props);
  const tags = { ...(naming === "ccoctl" && ccoctlTags(props.clusterName)), ...checkedTags(props.tags) };
  const groups = componentGroups(props, tags);
  const components = planComponents(props, {
    naming,
    overrides: props.overrides ?? {},
    resourceGroups: {
      subscriptionId,
      installationResourceGroupName: groups.InstallationResourceGroup.name,
      networkResourceGroupName: props.networkResourceGroupName,
      dnsZoneResourceGroupName: props.dnszoneResourceGroupName,
    },
  });
  const { name: resourceGroupName } = groups.OidcResourceGroup;
  for (const { identityName, permissions, roleName } of components) {
    refuseTakenName(scope, { identityName, resourceGroupName, ...(provider && { provider }) });
    if (hasCustomRole(permissions)) refuseTakenRoleName(scope, { name: roleName, tenantId, provider });
  }
  for (const use of Object.values(groups)) checkResourceGroup(scope, use);
  const adopted = adopt && adoptedComponents(adopt, components, subscriptionId);
  return { components, adopted, naming, groups, tags };
}

function namingOf({ naming, adopt }: ComponentIdentitiesProps): ComponentNaming {
  if (adopt && naming !== undefined && naming !== "ccoctl")
    fail("azure-mismatch", {
      problem: "adopt imports ccoctl's resources, so the names must be those of ccoctl",
      value: naming,
      allowed: 'naming: "ccoctl", or left out',
      remedy: "remove naming, or remove adopt",
    });
  return naming ?? (adopt ? "ccoctl" : "unique");
}

/** What is known of both groups from the settings alone. */
function componentGroups(props: ComponentIdentitiesProps, tags: Tags): ComponentSettings["groups"] {
  const { subscriptionId, adopt, provider } = props;
  const group = (
    name: string,
    holds: ResourceGroupUse["holds"],
    mode: ResourceGroupMode = "declared",
  ): ResourceGroupUse => ({
    name: resourceGroupName(literal(name, "resource group")),
    holds,
    mode,
    location: location(props.region),
    tags,
    subscriptionId,
    ...(provider && { provider }),
    ...(adopt && { importId: resourceGroupId(subscriptionId, name) }),
  });
  const oidc = props.oidcResourceGroupName ?? `${props.clusterName}-oidc`;
  const installation = props.installationResourceGroupName ?? props.clusterName;
  const groups = {
    OidcResourceGroup: group(oidc, "identities", props.oidcResourceGroup),
    InstallationResourceGroup: group(installation, "cluster", props.installationResourceGroup),
  };
  if (oidc.toLowerCase() === installation.toLowerCase())
    fail("azure-conflict", {
      problem: "the identities and the cluster are to be in the same resource group",
      value: oidc,
      allowed: "a separate installation resource group, empty before the installation",
      remedy: "give oidcResourceGroupName and installationResourceGroupName different names",
    });
  return groups;
}
