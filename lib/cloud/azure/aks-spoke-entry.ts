import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import { Construct } from "constructs";
import { type AccessPrincipal, ACCESS_PRINCIPAL } from "../../model/access-principal";
import { isRoleDefinitionId } from "../../rules/azure/roles";
import { type AksAssignment, AKS_ASSIGNMENT } from "../../rules/azure/spoke";
import { waitFor } from "../shared/across-stacks";
import { type ObjectKind, checkProps, list, object, optional } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** Settings of an {@link AksSpokeEntry}. */
export interface AksSpokeEntryProps {
  /** The service principal that is let in, by its object id. */
  readonly principal: AccessPrincipal;
  /** The roles, each with its scope. */
  readonly assignments: readonly AksAssignment[];
  /**
   * Terraform provider of the cluster's subscription.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

const AKS_SPOKE_ENTRY_PROPS: ObjectKind<AksSpokeEntryProps> = object({
  principal: ACCESS_PRINCIPAL,
  assignments: list(AKS_ASSIGNMENT),
  provider: optional(PROVIDER),
});

/**
 * A managed identity in an AKS cluster: its role assignments, each a child under its key.
 *
 * An identity that was made again has another object id, so that Terraform replaces the assignments with it.
 */
export class AksSpokeEntry extends Construct {
  /** The role assignments, in the order of `assignments`. */
  readonly roleAssignments: readonly RoleAssignment[];

  constructor(scope: Construct, id: string, props: AksSpokeEntryProps) {
    checkProps(new.target.name, scope, id, AKS_SPOKE_ENTRY_PROPS, props);
    super(scope, id);
    const { principal, assignments, provider } = props;
    this.roleAssignments = assignments.map(({ key, role, scope: at }) => {
      const assignment = new RoleAssignment(this, key, {
        scope: at,
        ...(isRoleDefinitionId(role) ? { roleDefinitionId: role } : { roleDefinitionName: role }),
        principalId: principal.name,
        // The service principal of a new identity reaches Entra's replicas late: neither look it up, nor its type.
        principalType: "ServicePrincipal",
        skipServicePrincipalAadCheck: true,
        ...(provider && { provider }),
      });
      waitFor(assignment, principal.dependencies);
      return assignment;
    });
  }
}
