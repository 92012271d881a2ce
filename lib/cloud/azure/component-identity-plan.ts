import type { Construct } from "constructs";
import { fail } from "../../errors";
import { COMPONENT_AUDIENCE } from "../../model/components";
import { Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { Subject } from "../../model/subject";
import { checkReason, invalidRole, isRoleName } from "../../rules/azure/roles";
import { componentCredentials, hasCustomRole } from "../../rules/azure/component-plan";
import { assignableScopes, checkBroadScopes } from "../../rules/azure/component-scopes";
import { type FederatedCredential, checkCredentials } from "../../rules/azure/trust";
import { statedScopes, subscriptionScope, userAssignedIdentityId } from "../../rules/azure/ids";
import { type ComponentPermissions, roleNames, roleOperations } from "../../rules/azure/provider-spec";
import type { ComponentIdentityProps } from "./component-identity-props";
import { checkSubscription } from "./provider-place";
import { refuseTakenRoleName } from "./role-names";

/** What is decided of a component's identity before it is declared. */
export interface ComponentIdentityPlan {
  /** What it may do, each once. */
  readonly permissions: ComponentPermissions;
  /** Where, each once. */
  readonly scopes: readonly string[];
  /** Where its custom role can be assigned; empty without one. */
  readonly assignableScopes: readonly string[];
  /** Name of its custom role. */
  readonly roleName: string;
  /** Who acts as it. */
  readonly credentials: readonly FederatedCredential[];
}

/** Checks the settings as a whole; throws what `ComponentIdentity` documents. */
export function componentIdentityPlan(
  construct: Construct,
  props: ComponentIdentityProps,
): ComponentIdentityPlan {
  const own = subscriptionScope(props.subscriptionId);
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
    assignableScopes: custom ? assignableScopes(own, scopes, permissions.dataActions.length > 0) : [],
    roleName,
    credentials: credentialsOf(props),
  };
}

/** Resource id of the identity, of a literal resource group. */
export function literalId({
  identityName,
  resourceGroupName,
  subscriptionId,
}: ComponentIdentityProps): string {
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
  checkCredentials(props.identityName, credentials, "spread the service accounts over two identities");
  return credentials;
}
