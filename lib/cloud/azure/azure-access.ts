import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { AccessRights, IAccess, IWorkloadIdentities } from "../../model/workloads";
import { type AccessRole, ACCESS_ROLE, accessRoles } from "../../rules/azure/roles";
import { type ObjectKind, checkGiven, list, object } from "../../model/shape";

/** What a service account may do in Azure. */
export interface AzureAccessProps {
  /** Roles, each with what it counts for. At least one. */
  readonly roles: readonly AccessRole[];
}

const AZURE_ACCESS_PROPS: ObjectKind<AzureAccessProps> = object({
  roles: list(ACCESS_ROLE),
});

const ACCESS = Symbol.for("cdktf-workload-identity/azure/access");

/** Roles of a service account; made by {@link azureAccess}. */
export class AzureAccess implements IAccess<Construct> {
  /** Always `azure`. */
  readonly cloud: string = "azure";
  /** Checked roles, each once. */
  readonly roles: readonly AccessRole[];
  /** The roles with their scopes, as `roleBindings`. */
  readonly rights: AccessRights;

  constructor(roles: readonly AccessRole[]) {
    checkGiven(new.target.name, AZURE_ACCESS_PROPS.shape.roles, roles, "roles");
    this.roles = roles;
    this.rights = { roleBindings: roles.map(({ role, scope }) => ({ role, scope })) };
    Object.defineProperty(this, ACCESS, { value: true });
  }

  /** Throws `azure-workload-identities-needed`: an identity needs a resource group and a location, which have no default. */
  defaultIdentities(): IWorkloadIdentities<Construct> {
    return fail("azure-missing", {
      problem: "workloads need managed identities, and Azure has no default place for one",
      remedy: "give `workloadIdentities({ resourceGroupName, location })` of the /azure subpath",
    });
  }
}

/**
 * What a service account may do in Azure: roles at scopes.
 *
 * Throws `azure-roles-empty`, `azure-role-invalid`, `azure-scope-invalid`, `azure-role-broad` or
 * `azure-reason-invalid`.
 */
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

/** Returns an access made by {@link azureAccess}, also by another copy of the package; throws `azure-access-foreign`. */
export function azureAccessOf(access: IAccess<Construct>): AzureAccess {
  return isAzureAccess(access)
    ? access
    : fail("azure-foreign", {
        problem: "an access of cloud azure was not made by azureAccess()",
        value: access.rights,
        remedy: "make it with azureAccess() of the /azure subpath",
      });
}

function isAzureAccess(access: IAccess<Construct>): access is AzureAccess {
  return ACCESS in access;
}
