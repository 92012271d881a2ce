import type { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import { RoleDefinition } from "@cdktf/provider-azurerm/lib/role-definition/index.js";
import type { Construct } from "constructs";
import { at } from "../../errors";
import { isLate } from "../../model/late";
import { assignmentKey } from "../../rules/azure/component-adoption";
import {
  federatedCredentialId,
  roleAssignmentId,
  roleDefinitionImportId,
  scopeResourceGroup,
  subscriptionScope,
} from "../../rules/azure/ids";
import { terraformText } from "../../rules/terraform-text";
import { keepNames } from "../shared/kept-names";
import { attributeOf, dependsOn } from "../shared/references";
import { type ComponentIdentityPlan, componentIdentityPlan, literalId } from "./component-identity-plan";
import { type ComponentIdentityProps, COMPONENT_IDENTITY_PROPS } from "./component-identity-props";
import { DeclaredIdentityBase } from "./declared-identity-base";
import { declaredGroups } from "./resource-groups";
import { claimRoleName } from "./role-names";
import { checkProps } from "../../model/shape";

/**
 * What azurerm cannot read back or change of a role assignment: stated when one is made, left alone on one that
 * `ccoctl` made, also after `adopt` is gone. It would be an update that azurerm does not have, or a replacement.
 */
const UNREAD: readonly string[] = ["skip_service_principal_aad_check", "description"];

/**
 * The identity of one OpenShift component: a user-assigned identity, its custom role, role assignments at each scope,
 * and one federated identity credential per service account with the audience `openshift`.
 *
 * The custom role is made in the subscription and can be assigned there, and in the subscriptions of further scopes.
 *
 * Children: `Resource`, `Role` where there are actions, one credential per service account under the credential's name,
 * one assignment per role and scope under the scope's resource group (`<role> at <resource group>` for roles by name).
 */
export class ComponentIdentity extends DeclaredIdentityBase {
  /** Resource id of the identity; literal where the resource group is. */
  override readonly resourceId: string;
  /** The custom role; `undefined` without actions and data actions. */
  readonly roleDefinition: RoleDefinition | undefined;
  /** The role assignments, by resource group or scope as in the construct's ids. */
  readonly roleAssignments: ReadonlyMap<string, RoleAssignment>;

  /**
   * Throws `azure-name-invalid`, `azure-guid-invalid`, `azure-tag-invalid`, `azure-scope-invalid`, `azure-scope-broad`,
   * `azure-reason-invalid`, `azure-request-empty`, `azure-request-list`, `azure-request-permission`,
   * `azure-role-invalid`, `azure-role-assignable`, `azure-role-name-taken`, `azure-service-accounts-empty`,
   * `azure-ccoctl-name`, `azure-identity-name-taken`, `azure-subscription-mismatch`, `azure-credentials-too-many`,
   * `late-value`, and the refusals of issuers and service accounts.
   */
  constructor(scope: Construct, id: string, props: ComponentIdentityProps) {
    checkProps(new.target.name, scope, id, COMPONENT_IDENTITY_PROPS, props);
    super(scope, id, props, (construct) => componentIdentityPlan(construct, props).credentials);
    const plan = at(this, () => componentIdentityPlan(this, props));
    this.resourceId = isLate(props.resourceGroupName) ? this.resource.id : literalId(props);
    if (!isLate(this.resourceId)) this.#keepId(props);
    this.roleDefinition = this.#customRole(props, plan);
    this.roleAssignments = new Map(this.#assignments(props, plan));
    if (props.adopt) this.#import(props);
  }

  /** Records and imports have the id as text. */
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

  #assignments(
    props: ComponentIdentityProps,
    { permissions: { roles }, scopes }: ComponentIdentityPlan,
  ): readonly (readonly [string, RoleAssignment])[] {
    const custom = this.roleDefinition ? [undefined] : [];
    return [...custom, ...roles].flatMap((role) =>
      scopes.map((scope) => this.#assignment(props, role, scope)),
    );
  }

  #assignment(
    { naming, provider, reason, subscriptionId }: ComponentIdentityProps,
    role: string | undefined,
    scope: string,
  ): readonly [string, RoleAssignment] {
    const key = assignmentKey(role, scope, subscriptionId);
    const known = this.roleDefinition;
    const assignment = this.declareRoleAssignment(key, {
      scope,
      ...(role === undefined && known
        ? { roleDefinitionId: attributeOf(known, "role_definition_resource_id") }
        : { roleDefinitionName: role }),
      principalId: this.principalReference,
      ...(reason !== undefined && { description: reason }),
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
      if (!serviceAccounts.includes(account)) continue;
      const declared = this.credentials[index];
      declared?.importFrom(federatedCredentialId(this.resourceId, credential.name));
      if (declared) keepNames(declared, { names: { name: credential.name }, statedBy: "serviceAccounts" });
    }
  }
}
