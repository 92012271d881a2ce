import type { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import { RoleDefinition } from "@cdktf/provider-azurerm/lib/role-definition/index.js";
import type { Construct } from "constructs";
import { at, fail } from "../../errors";
import { COMPONENT_AUDIENCE } from "../../model/components";
import { Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { checkProps } from "../../model/shape";
import { Subject } from "../../model/subject";
import { checkReason, invalidRole, isRoleName } from "../../rules/azure/access";
import { UNREAD, assignmentKey } from "../../rules/azure/adoption";
import {
  assignableScopes,
  checkBroadScopes,
  scopeResourceGroup,
  statedScopes,
} from "../../rules/azure/scope";
import { componentCredentials, hasCustomRole } from "../../rules/azure/component";
import {
  federatedCredentialId,
  roleAssignmentId,
  roleDefinitionImportId,
  subscriptionScope,
  userAssignedIdentityId,
} from "../../rules/azure/ids";
import { type ComponentPermissions, roleNames, roleOperations } from "../../rules/azure/provider-spec";
import { type FederatedCredential, checkCredentials } from "../../rules/azure/trust";
import { terraformText } from "../../rules/terraform-text";
import { keepNames } from "../shared/kept-names";
import { attributeOf, dependsOn } from "../shared/references";
import { type ComponentIdentityProps, COMPONENT_IDENTITY_PROPS } from "./component-props";
import { DeclaredIdentityBase } from "./identity";
import { claimRoleName, refuseTakenRoleName } from "./names";
import { checkSubscription, declaredGroups } from "./place";

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
    if (!isLate(this.resourceId)) this.#keepId(props);
    this.roleDefinition = this.#customRole(props, plan);
    const roles = [...(this.roleDefinition ? [undefined] : []), ...plan.permissions.roles];
    this.roleAssignments = new Map(
      roles.flatMap((role) => plan.scopes.map((place) => this.#assignment(props, role, place))),
    );
    if (props.adopt) this.#import(props);
  }

  /** Records and import blocks contain the id as text. */
  #keepId({ identityName: name, resourceGroupName: group }: ComponentIdentityProps): void {
    keepNames(this.resource, {
      names: { name, resource_group_name: group },
      statedBy: "identityName, or naming of many; resourceGroupName",
    });
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

interface ComponentIdentityPlan {
  readonly permissions: ComponentPermissions;
  readonly scopes: readonly string[];
  /** Scopes in which its custom role can be assigned; empty without one. */
  readonly assignableScopes: readonly string[];
  readonly roleName: string;
  readonly credentials: readonly FederatedCredential[];
}

/** Checks the settings as a whole. */
function componentIdentityPlan(construct: Construct, props: ComponentIdentityProps): ComponentIdentityPlan {
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
