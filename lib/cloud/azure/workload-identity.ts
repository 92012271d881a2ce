import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import type { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import type { Construct } from "constructs";
import { isLate } from "../../model/late";
import {
  type AccessRole,
  ACCESS_ROLE,
  accessRoles,
  isRoleDefinitionId,
  roleKey,
} from "../../rules/azure/roles";
import type { AzureCloudName } from "../../rules/azure/clouds";
import type { FederatedCredential } from "../../rules/azure/trust";
import {
  WEBHOOK_CLIENT_ID_ANNOTATION,
  WEBHOOK_TENANT_ID_ANNOTATION,
} from "../../rules/azure/pod-identity-webhook";
import { stableHash } from "../../rules/names";
import { DeclaredIdentityBase } from "./declared-identity-base";
import { type PullTrust, PULL_TRUST, trustCredentials } from "./trust";
import { type ObjectKind, checkProps, list, object, optional, record, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** The identity of a workload. */
export interface WorkloadIdentityProps {
  /** Name, 3 to 128 letters, digits, `_` and `-`; Azure compares names without regard to letter case. */
  readonly identityName: string;
  /** Resource group that will hold the identity; may be late. */
  readonly resourceGroupName: string;
  /** Region of the identity, for example `westeurope`; may be late. */
  readonly location: string;
  /** Service accounts that may act as the identity. */
  readonly trusts: readonly PullTrust[];
  /** What it may do; no role for an identity that is given rights elsewhere, on an AKS cluster say. */
  readonly roles: readonly AccessRole[];
  /**
   * Tenant of the identity, a GUID. Stating it makes the annotation final at synth.
   *
   * @defaultValue - the identity's own attribute, known after apply
   */
  readonly tenantId?: string;
  /**
   * Tags of the identity.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * The Azure cloud of the identity.
   *
   * @defaultValue "AzurePublicCloud"
   */
  readonly cloud?: AzureCloudName;
  /**
   * The Terraform provider of the identity's subscription.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

const WORKLOAD_IDENTITY_PROPS: ObjectKind<WorkloadIdentityProps> = object({
  identityName: text,
  resourceGroupName: text,
  location: text,
  trusts: list(PULL_TRUST),
  roles: list(ACCESS_ROLE),
  tenantId: optional(text),
  tags: optional(record(text)),
  cloud: optional(text),
  provider: optional(PROVIDER),
});

/**
 * A user-assigned identity for workloads: pods get its token from Azure's pod identity webhook.
 *
 * Children: `Resource`, one credential per service account under the credential's name, one assignment per role:
 * `Access_<hash of role and scope>`, or where one of them is late `Access_<place among the late ones>`.
 */
export class WorkloadIdentity extends DeclaredIdentityBase {
  /** Resource id of the identity; late. */
  override readonly resourceId: string;
  /** The role assignments, in the order of the roles. */
  readonly roleAssignments: readonly RoleAssignment[];

  /**
   * Throws `azure-name-invalid`, `azure-guid-invalid`, `azure-identity-name-taken`, the refusals of `azureAccess`,
   * `azure-credentials-too-many`, `azure-credential-duplicate`, and the refusals of issuers and service accounts.
   */
  constructor(scope: Construct, id: string, props: WorkloadIdentityProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_IDENTITY_PROPS, props);
    super(scope, id, props, () => checkedCredentials(props));
    this.resourceId = this.resource.id;
    this.roleAssignments = assignmentIds(accessRoles(props.roles)).map(([own, role]) =>
      this.#assignment(own, role),
    );
  }

  /** The two annotations of a service account that the webhook reads; the client id is late. */
  get annotations(): Readonly<Record<string, string>> {
    return {
      [WEBHOOK_CLIENT_ID_ANNOTATION]: this.clientId,
      [WEBHOOK_TENANT_ID_ANNOTATION]: this.tenantId,
    };
  }

  #assignment(id: string, { role, scope, reason }: AccessRole): RoleAssignment {
    return this.declareRoleAssignment(id, {
      scope,
      ...(isRoleDefinitionId(role) ? { roleDefinitionId: role } : { roleDefinitionName: role }),
      principalId: this.principalReference,
      ...(reason !== undefined && { description: reason }),
    });
  }
}

function checkedCredentials(props: WorkloadIdentityProps): readonly FederatedCredential[] {
  accessRoles(props.roles);
  const remedy = "put the service accounts on more identities; workloadIdentities makes one each";
  return trustCredentials(props.identityName, props.trusts, props.cloud, [], remedy);
}

/** A late value is never hashed: those are told apart by their place. */
function assignmentIds(roles: readonly AccessRole[]): readonly (readonly [string, AccessRole])[] {
  let late = 0;
  return roles.map((role) => {
    const known = !isLate(role.role) && !isLate(role.scope);
    return [`Access_${known ? stableHash([roleKey(role.role, role.scope)]) : String(late++)}`, role];
  });
}
