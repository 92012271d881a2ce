import type { Construct } from "constructs";
import { fail } from "../../errors";
import { type ObjectKind, checkGiven, list, object } from "../../model/shape";
import type { AccessRights, IAccess, IWorkloadIdentities } from "../../model/workloads";
import { type AccessRole, ACCESS_ROLE, accessRoles } from "../../rules/azure/access";

/** What a service account may do in Azure. */
export interface AzureAccessProps {
  /** Roles with their scopes, at least one. */
  readonly roles: readonly AccessRole[];
}

const AZURE_ACCESS_PROPS: ObjectKind<AzureAccessProps> = object({
  roles: list(ACCESS_ROLE),
});

const ACCESS = Symbol.for("cdktf-workload-identity/azure/access");

/** Roles of a service account, returned by {@link azureAccess}. */
export class AzureAccess implements IAccess<Construct> {
  /** Always `azure`. */
  readonly cloud: string = "azure";
  /** Checked roles, each once. */
  readonly roles: readonly AccessRole[];
  /** The roles with their scopes and conditions, as `roleBindings`. */
  readonly rights: AccessRights;

  constructor(roles: readonly AccessRole[]) {
    checkGiven(new.target.name, AZURE_ACCESS_PROPS.shape.roles, roles, "roles");
    this.roles = roles;
    this.rights = { roleBindings: roles.map(({ reason: _, assignment: __, ...binding }) => binding) };
    Object.defineProperty(this, ACCESS, { value: true });
  }

  /** Throws: an identity needs a resource group and a location, which have no default. */
  defaultIdentities(): IWorkloadIdentities<Construct> {
    return fail("azure-missing", {
      problem: "workloads need managed identities, which have no default resource group and location",
      remedy:
        "add `workloadIdentities({ resourceGroupName, location })` of the /azure subpath to `identities`",
    });
  }
}

/** Returns access to Azure for a service account: roles at scopes. */
export function azureAccess(props: AzureAccessProps): AzureAccess {
  checkGiven("azureAccess()", AZURE_ACCESS_PROPS, props);
  const { roles } = props;
  return new AzureAccess(
    roles.length > 0
      ? accessRoles(roles)
      : fail("azure-missing", {
          problem: "azureAccess() names no role, so the service account could do nothing",
          allowed: "at least one role with its scope",
          remedy: "name the roles that the workload needs, or leave the access out",
        }),
  );
}

/** Returns an access made by {@link azureAccess}, also by another copy of the package. */
export function azureAccessOf(access: IAccess<Construct>): AzureAccess {
  return isAzureAccess(access)
    ? access
    : fail("azure-foreign", {
        problem: "an access of cloud azure was not created by azureAccess()",
        value: access.rights,
        remedy: "create it with azureAccess() of the /azure subpath",
      });
}

function isAzureAccess(access: IAccess<Construct>): access is AzureAccess {
  return ACCESS in access;
}
