import { Construct } from "constructs";
import { at } from "../../errors";
import type { ComponentGrant, ComponentsDeclaration, IComponentIdentities } from "../../model/components";
import { isLate } from "../../model/late";
import { type PlannedComponent, componentIntent } from "../../rules/azure/component-plan";
import { componentSecret, webhookSecret } from "../../rules/azure/component-secret";
import { WEBHOOK_SECRET } from "../../rules/azure/pod-identity-webhook";
import { AZURE_PROVIDER_KIND } from "../../rules/azure/provider-spec";
import {
  type ComponentIdentitiesProps,
  type ComponentIdentitiesSettings,
  COMPONENT_IDENTITIES_PROPS,
  COMPONENT_IDENTITIES_SETTINGS,
} from "./component-identities-props";
import { ComponentIdentity } from "./component-identity";
import { type ComponentSettings, componentSettings } from "./component-settings";
import { groupUses } from "./component-groups";
import { useResourceGroup } from "./resource-groups";
import { checkGiven, checkProps } from "../../model/shape";

/**
 * The identities of OpenShift's components on Azure: what `ccoctl azure create-managed-identities` does.
 *
 * Each CredentialsRequest has a user-assigned identity in the OIDC resource group, a custom role of exactly the
 * permissions that it asks for, role assignments in the cluster's resource groups, and a credential per service
 * account. Roles that a person gives an identity elsewhere are left alone.
 *
 * Children: one `ComponentIdentity` per request, named as the request; `OidcResourceGroup` and
 * `InstallationResourceGroup` where they are declared.
 *
 * Throws `azure-subscription-mismatch`, `azure-resource-groups-equal`, `azure-resource-group-moved`,
 * `azure-resource-group-tags`, `azure-installation-group-used`, `credentials-request-twice`,
 * `azure-component-name-taken`, `azure-identity-name-taken`, `azure-role-name-taken`, `azure-request-unknown`,
 * `azure-adopt-missing`, `azure-adopt-surplus`, `azure-adopt-contradicts`, `azure-adopt-naming`, `azure-name-invalid`,
 * `azure-guid-invalid`, `azure-tag-invalid`, `cluster-name-invalid`, `late-value`, the refusals of issuers, and naming
 * file, document and request what is wrong with one: `azure-request-kind`, `azure-request-field`,
 * `azure-request-brokered`, `azure-request-list`, `azure-request-permission`, `azure-request-empty`,
 * `azure-role-invalid`, `azure-permission-unasked`, `azure-scope-invalid`,
 * `azure-scope-broad`, `azure-reason-invalid`, `azure-role-assignable`, `azure-ccoctl-name`,
 * `azure-service-accounts-empty` and `azure-credentials-too-many`.
 */
export class ComponentIdentities extends Construct implements ComponentsDeclaration {
  /** The identity of each request, by the request's name. */
  readonly identities: ReadonlyMap<string, ComponentIdentity>;
  /** What each component got, in the order of the requests. */
  readonly grants: readonly ComponentGrant[];
  /** The Secret that makes OpenShift run Azure's pod identity webhook. */
  readonly secrets: ComponentsDeclaration["secrets"];

  constructor(scope: Construct, id: string, props: ComponentIdentitiesProps) {
    checkProps(new.target.name, scope, id, COMPONENT_IDENTITIES_PROPS, props);
    super(scope, id);
    const settings = at(this, () => componentSettings(this, props));
    for (const [own, use] of groupUses(settings.groups)) useResourceGroup(this, own, use);
    const made = settings.components.map((component) => ({
      request: component.request,
      component,
      identity: this.#identity(props, settings, component),
    }));
    this.identities = new Map(made.map(({ request, identity }) => [request.name, identity]));
    this.grants = made.map(({ request, component, identity }) => ({
      request,
      ...intentOf(component),
      places: component.scopes,
      identity: identity.resourceId,
      secret: componentSecret(request, {
        clientId: identity.clientId,
        tenantId: identity.tenantId,
        region: props.region,
        subscriptionId: props.subscriptionId,
      }),
    }));
    this.secrets = tenantsOf(
      props,
      made.map(({ identity }) => identity.tenantId),
    ).map(webhookSecret);
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
      resourceGroupName: groups.oidc.name,
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

function intentOf(component: PlannedComponent): Pick<ComponentGrant, "intends"> {
  const intends = componentIntent(component);
  return intends ? { intends } : {};
}

/** One tenant, from wherever it is known; none where there is no identity to ask. */
function tenantsOf({ tenantId }: ComponentIdentitiesProps, tenants: readonly string[]): readonly string[] {
  const known = tenantId ?? tenants.find((tenant) => !isLate(tenant)) ?? tenants[0];
  return known === undefined ? [] : [known];
}

/**
 * How the identities of OpenShift's components on Azure are made; for the composed constructs.
 *
 * Declares a {@link ComponentIdentities} with the id `Default`, and throws what it throws.
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
