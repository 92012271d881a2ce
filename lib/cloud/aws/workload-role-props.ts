import type { AwsAccess } from "./aws-access";
import type { RolePlace } from "./federated-role-settings";
import type { RoleTrust } from "./role-trust";

/** Settings of a {@link WorkloadRole}. */
export interface WorkloadRoleProps extends RolePlace {
  /** Whose tokens it accepts, one or several clusters. */
  readonly trusts: readonly RoleTrust[];
  /** What it may do by its own policies; none for a role that is only let in elsewhere, by an EKS cluster say. */
  readonly access: readonly AwsAccess[];
  /**
   * Any region of the partition; IAM itself has none.
   *
   * @defaultValue - the partition of a literal OIDC provider's ARN; otherwise unknown, and the ARN known after apply
   */
  readonly region?: string;
  /**
   * Name of the role; over 64 characters it is cut and ends with a hash.
   *
   * @defaultValue - derived from the construct's path
   */
  readonly roleName?: string;
  /**
   * What the role is for, Latin-1; with the reasons for what is wide at most 1000 characters.
   *
   * @defaultValue - says who uses it
   */
  readonly description?: string;
}
