import type { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import { RoleDefinition } from "@cdktf/provider-azurerm/lib/role-definition/index.js";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { COMPONENT_AUDIENCE } from "../../model/components";
import { Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { Subject } from "../../model/subject";
import { assignmentKey } from "../../rules/azure/component-adoption";
import { componentCredentials } from "../../rules/azure/component-credentials";
import { assignableScopes, statedScopes } from "../../rules/azure/component-scopes";
import { type FederatedCredential, checkCredentials } from "../../rules/azure/federated-credential";
import {
  federatedCredentialId,
  roleAssignmentId,
  roleDefinitionImportId,
  userAssignedIdentityId,
} from "../../rules/azure/import-id";
import { subscriptionScope } from "../../rules/azure/scope-id";
import { attributeOf, dependsOn } from "../shared/references";
import type { ComponentIdentityProps } from "./component-identity-props";
import { DeclaredIdentityBase } from "./declared-identity-base";
import { declaredGroups } from "./resource-groups";

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
   * Throws `azure-name-invalid`, `azure-guid-invalid`, `azure-scope-invalid`, `azure-request-empty`, `late-value`,
   * `azure-identity-name-taken`, `azure-credentials-too-many`, and the refusals of issuers and service accounts.
   */
  constructor(scope: Construct, id: string, props: ComponentIdentityProps) {
    super(scope, id, props, () => checkedCredentials(props));
    this.resourceId = isLate(props.resourceGroupName) ? this.resource.id : literalId(props);
    this.roleDefinition = this.#customRole(props);
    this.roleAssignments = new Map(this.#assignments(props));
    if (props.adopt) this.#import(props);
  }

  #customRole(props: ComponentIdentityProps): RoleDefinition | undefined {
    const { actions = [], dataActions = [], clusterName } = props;
    if (actions.length + dataActions.length === 0) return undefined;
    const own = subscriptionScope(props.subscriptionId);
    const permissions = {
      ...(actions.length > 0 && { actions: [...actions] }),
      ...(dataActions.length > 0 && { dataActions: [...dataActions] }),
    };
    return new RoleDefinition(this, "Role", {
      name: props.identityName,
      scope: own,
      description: props.roleDescription ?? `Custom role for OpenShift. Owned by: ${clusterName}`,
      permissions: [permissions],
      assignableScopes: [...assignableScopes(own, props.scopes)],
      ...this.providerArgument,
    });
  }

  #assignments(props: ComponentIdentityProps): readonly (readonly [string, RoleAssignment])[] {
    const custom = this.roleDefinition ? [undefined] : [];
    return [...custom, ...(props.roles ?? [])].flatMap((role) =>
      statedScopes(props.scopes).map((scope) => this.#assignment(props, role, scope)),
    );
  }

  #assignment(
    props: ComponentIdentityProps,
    role: string | undefined,
    scope: string,
  ): readonly [string, RoleAssignment] {
    const key = assignmentKey(role, scope, props.subscriptionId);
    const known = this.roleDefinition;
    const assignment = this.declareRoleAssignment(key, {
      scope,
      ...(role === undefined && known
        ? { roleDefinitionId: attributeOf(known, "role_definition_resource_id") }
        : { roleDefinitionName: role }),
      principalId: this.principalReference,
    });
    const group = scope.slice(scope.lastIndexOf("/") + 1);
    dependsOn(assignment, declaredGroups(this, [group], props.provider));
    return [key, assignment];
  }

  #import({ adopt = {}, subscriptionId }: ComponentIdentityProps): void {
    const { roleDefinition, roleAssignments, serviceAccounts = [] } = adopt;
    this.resource.importFrom(this.resourceId);
    if (roleDefinition !== undefined)
      this.roleDefinition?.importFrom(roleDefinitionImportId(subscriptionId, roleDefinition));
    for (const [key, name] of roleAssignments ?? []) {
      const assignment = this.roleAssignments.get(key);
      if (!assignment) continue;
      assignment.importFrom(roleAssignmentId(assignment.scopeInput ?? "", name));
      // Azure does not answer it, so that stating it would show a difference that is none.
      assignment.resetSkipServicePrincipalAadCheck();
    }
    for (const [index, credential] of this.ledger.credentials.entries()) {
      const account = credential.subject.slice(credential.subject.lastIndexOf(":") + 1);
      if (!serviceAccounts.includes(account)) continue;
      this.credentials[index]?.importFrom(federatedCredentialId(this.resourceId, credential.name));
    }
  }
}

function literalId({ identityName, resourceGroupName, subscriptionId }: ComponentIdentityProps): string {
  return userAssignedIdentityId({ subscriptionId, resourceGroupName }, identityName);
}

function checkedCredentials(props: ComponentIdentityProps): readonly FederatedCredential[] {
  const { actions = [], dataActions = [], roles = [], identityName } = props;
  if (actions.length + dataActions.length + roles.length === 0) fail("azure-request-empty");
  subscriptionScope(props.subscriptionId);
  statedScopes(props.scopes);
  if (props.adopt) literalId(props);
  const trust = {
    clusterName: props.clusterName,
    issuer: Issuer.of(props.issuer),
    audience: COMPONENT_AUDIENCE,
    subjects: props.serviceAccounts.map((serviceAccount) => Subject.of(serviceAccount)),
  };
  const credentials = componentCredentials(trust, props.naming ?? "unique");
  checkCredentials(identityName, credentials, "spread the service accounts over two identities");
  return credentials;
}
