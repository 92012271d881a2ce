import { Construct } from "constructs";
import type { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import { RoleDefinition } from "@cdktf/provider-azurerm/lib/role-definition/index.js";
import { at, fail } from "../../errors";
import {
  type ComponentGrant,
  type ComponentsDeclaration,
  type IComponentIdentities,
  COMPONENT_AUDIENCE,
} from "../../model/components";
import { clusterName } from "../../model/kubernetes-name";
import { isLate, literal } from "../../model/late";
import { checkGiven, checkProps } from "../../model/shape";
import { adoptedComponents, UNREAD, assignmentKey } from "../../rules/azure/adoption";
import {
  type ComponentNaming,
  type PlannedComponent,
  componentIntent,
  hasCustomRole,
  planComponents,
  componentCredentials,
} from "../../rules/azure/component";
import {
  AZURE_PROVIDER_KIND,
  componentSecret,
  webhookSecret,
  type ComponentPermissions,
  roleNames,
  roleOperations,
} from "../../rules/azure/provider-spec";
import {
  resourceGroupId,
  subscriptionScope,
  federatedCredentialId,
  roleAssignmentId,
  roleDefinitionImportId,
  userAssignedIdentityId,
} from "../../rules/azure/ids";
import { guid, location, resourceGroupName } from "../../rules/azure/names";
import { WEBHOOK_SECRET } from "../../rules/azure/pod";
import { type Tags, ccoctlTags, checkedTags } from "../../rules/azure/tags";
import {
  type ComponentIdentitiesProps,
  type ComponentIdentitiesSettings,
  COMPONENT_IDENTITIES_PROPS,
  COMPONENT_IDENTITIES_SETTINGS,
  type ComponentIdentityProps,
  COMPONENT_IDENTITY_PROPS,
} from "./component-props";
import { refuseTakenName, refuseTakenRoleName, claimRoleName } from "./names";
import {
  type ResourceGroupMode,
  type ResourceGroupUse,
  checkResourceGroup,
  checkSubscription,
  useResourceGroup,
  declaredGroups,
} from "./place";
import { Issuer } from "../../model/issuer";
import { Subject } from "../../model/subject";
import { checkReason, invalidRole, isRoleName } from "../../rules/azure/access";
import {
  assignableScopes,
  checkBroadScopes,
  scopeResourceGroup,
  statedScopes,
} from "../../rules/azure/scope";
import { type FederatedCredential, checkCredentials } from "../../rules/azure/trust";
import { terraformText } from "../../rules/terraform-text";
import { keepNames } from "../shared/kept-names";
import { attributeOf, dependsOn } from "../shared/references";
import { DeclaredIdentityBase } from "./identity";

/**
 * The identity of one OpenShift component: a user-assigned identity, its custom role, role assignments at each scope,
 * and one federated identity credential per service account with the audience `openshift`.
 *
 * The custom role is created in the subscription and can be assigned there and in the subscriptions of further scopes.
 *
 * Children: `Resource`, `Role` where there are actions, one credential per service account under the credential's name,
 * one assignment per role and scope under the scope's resource group (`<role> at <resource group>` for roles by name).
 */
export class ComponentIdentity extends DeclaredIdentityBase {
  /** Resource id of the identity; literal if the resource group is. */
  override readonly resourceId: string;
  /** The custom role; `undefined` without actions and data actions. */
  readonly roleDefinition: RoleDefinition | undefined;
  /** The role assignments, by resource group or scope as in the construct's ids. */
  readonly roleAssignments: ReadonlyMap<string, RoleAssignment>;

  constructor(scope: Construct, id: string, props: ComponentIdentityProps) {
    checkProps(new.target.name, scope, id, COMPONENT_IDENTITY_PROPS, props);
    super(scope, id, props, (construct) => componentIdentityPlan(construct, props).credentials);
    const plan = at(this, () => componentIdentityPlan(this, props));
    this.resourceId = isLate(props.resourceGroupName) ? this.resource.id : literalId(props);
    // Records and import blocks contain the id as text.
    if (!isLate(this.resourceId))
      keepNames(this.resource, {
        names: { name: props.identityName, resource_group_name: props.resourceGroupName },
        statedBy: "identityName, or naming of many; resourceGroupName",
      });
    this.roleDefinition = this.#customRole(props, plan);
    const roles = [...(this.roleDefinition ? [undefined] : []), ...plan.permissions.roles];
    this.roleAssignments = new Map(
      roles.flatMap((role) => plan.scopes.map((place) => this.#assignment(props, role, place))),
    );
    if (props.adopt) this.#import(props);
  }

  #customRole(
    { clusterName, subscriptionId, roleDescription, tenantId, provider }: ComponentIdentityProps,
    { permissions: { actions, dataActions }, assignableScopes, roleName }: ComponentIdentityPlan,
  ): RoleDefinition | undefined {
    if (assignableScopes.length === 0) return undefined;
    const permissions = {
      ...(actions.length > 0 && { actions: [...actions] }),
      ...(dataActions.length > 0 && { dataActions: [...dataActions] }),
    };
    claimRoleName(this, { name: roleName, tenantId, provider });
    return new RoleDefinition(this, "Role", {
      name: roleName,
      scope: subscriptionScope(subscriptionId),
      description: terraformText(roleDescription ?? `Custom role for OpenShift. Owned by: ${clusterName}`),
      permissions: [permissions],
      assignableScopes: [...assignableScopes],
      ...this.providerArgument,
    });
  }

  #assignment(
    { naming, provider, reason, subscriptionId }: ComponentIdentityProps,
    role: string | undefined,
    scope: string,
  ): readonly [string, RoleAssignment] {
    const key = assignmentKey(role, scope, subscriptionId);
    const known = this.roleDefinition;
    const assignment = this.declareRoleAssignment(key, undefined, {
      scope,
      ...(role === undefined && known
        ? { roleDefinitionId: attributeOf(known, "role_definition_resource_id") }
        : { roleDefinitionName: role }),
      principalId: this.principalReference,
      ...(reason !== undefined && { description: reason }),
      // Even after `adopt` is removed.
      ...(naming === "ccoctl" && { lifecycle: { ignoreChanges: [...UNREAD] } }),
    });
    const name = scopeResourceGroup(scope, subscriptionId);
    if (name !== undefined) dependsOn(assignment, declaredGroups(this, [{ name, subscriptionId, provider }]));
    return [key, assignment];
  }

  #import({ adopt = {}, subscriptionId }: ComponentIdentityProps): void {
    const { roleDefinition, roleAssignments, serviceAccounts = [] } = adopt;
    this.resource.importFrom(this.resourceId);
    if (roleDefinition !== undefined)
      this.roleDefinition?.importFrom(roleDefinitionImportId(subscriptionId, roleDefinition));
    for (const [key, name] of roleAssignments ?? []) {
      const assignment = this.roleAssignments.get(key);
      assignment?.importFrom(roleAssignmentId(assignment.scopeInput ?? "", name));
    }
    for (const [index, credential] of this.ledger.credentials.entries()) {
      const account = credential.subject.slice(credential.subject.lastIndexOf(":") + 1);
      const isOther = credential.name !== account;
      if (isOther || !serviceAccounts.includes(account)) continue;
      const declared = this.credentials[index];
      declared?.importFrom(federatedCredentialId(this.resourceId, credential.name));
      if (declared) keepNames(declared, { names: { name: credential.name }, statedBy: "serviceAccounts" });
    }
  }
}

type ComponentIdentityPlan = ReturnType<typeof componentIdentityPlan>;

function componentIdentityPlan(construct: Construct, props: ComponentIdentityProps) {
  const subscription = subscriptionScope(props.subscriptionId);
  checkSubscription(construct, "subscriptionId", props.subscriptionId, props.provider);
  const permissions = permissionsOf(props);
  const scopes = statedScopes(props.scopes);
  if (props.reason !== undefined) checkReason(props.reason);
  checkBroadScopes(scopes, props.reason);
  if (props.adopt) literalId(props);
  const { roleName = props.identityName, tenantId, provider } = props;
  if (!isLate(roleName) && !isRoleName(roleName)) invalidRole(roleName);
  const custom = hasCustomRole(permissions);
  if (custom) refuseTakenRoleName(construct, { name: roleName, tenantId, provider });
  return {
    permissions,
    scopes,
    assignableScopes: custom
      ? assignableScopes(subscription, scopes, permissions.dataActions.length > 0)
      : [],
    roleName,
    credentials: credentialsOf(props),
  };
}

function literalId({ identityName, resourceGroupName, subscriptionId }: ComponentIdentityProps): string {
  return userAssignedIdentityId({ subscriptionId, resourceGroupName }, identityName);
}

function permissionsOf({ actions, dataActions, roles }: ComponentIdentityProps): ComponentPermissions {
  const permissions = {
    actions: roleOperations("actions", actions ?? []),
    dataActions: roleOperations("dataActions", dataActions ?? []),
    roles: roleNames("roles", roles ?? []),
  };
  return Object.values(permissions).some((list) => list.length > 0)
    ? permissions
    : fail("azure-missing", {
        problem: "request asks for no permission and no role, so its identity could do nothing",
        allowed: "permissions, dataPermissions or roleBindings in spec.providerSpec",
        remedy: "leave the request out, or withhold less of it",
      });
}

function credentialsOf(props: ComponentIdentityProps): readonly FederatedCredential[] {
  const trust = {
    clusterName: props.clusterName,
    issuer: Issuer.of(props.issuer),
    audience: COMPONENT_AUDIENCE,
    subjects: props.serviceAccounts.map((serviceAccount) => Subject.of(serviceAccount)),
  };
  const credentials = componentCredentials(trust, props.naming ?? "unique");
  checkCredentials(props.identityName, credentials, "distribute the service accounts over two identities");
  return credentials;
}

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

type ComponentSettings = ReturnType<typeof componentSettings>;

function componentSettings(scope: Construct, props: ComponentIdentitiesProps) {
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
function componentGroups(props: ComponentIdentitiesProps, tags: Tags) {
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
