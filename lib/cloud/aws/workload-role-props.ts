import type { AwsAccess } from "./aws-access";
import { type RolePlace, ROLE_PLACE } from "./federated-role-settings";
import { type RoleTrust, ROLE_TRUST } from "./role-trust";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";
import { ACCESS } from "../../model/workloads";

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

/** The kind of {@link WorkloadRoleProps}. */
export const WORKLOAD_ROLE_PROPS: ObjectKind<WorkloadRoleProps> = object({
  ...ROLE_PLACE.shape,
  trusts: list(ROLE_TRUST),
  access: list(ACCESS),
  region: optional(text),
  roleName: optional(text),
  description: optional(text),
});
