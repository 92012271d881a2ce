import { type RolePlace, ROLE_PLACE } from "./federated-role-settings";
import { type IOidcProvider, OIDC_PROVIDER } from "./oidc-provider-props";
import { type ObjectKind, object, optional, text } from "../../model/shape";

/** How the roles of one cluster's workloads are made. */
export interface WorkloadRolesProps extends RolePlace {
  /**
   * Any region of the partition; with `account` it makes the roles' ARNs, and the annotations with them, literal.
   *
   * @defaultValue - the partition of `oidcProvider` with a literal ARN; otherwise unknown
   */
  readonly region?: string;
  /**
   * The OIDC provider of the cluster's issuer.
   *
   * @defaultValue - declared once per stack
   */
  readonly oidcProvider?: IOidcProvider;
  /**
   * The audience of the tokens; another one than usual is told to the pod identity webhook by annotation.
   *
   * @defaultValue "sts.amazonaws.com"
   */
  readonly audience?: string;
  /**
   * Put before every role name `<cluster>_<namespace>_<service account>_access`, at most 32 characters.
   *
   * @defaultValue - none
   */
  readonly namePrefix?: string;
}

/** The kind of {@link WorkloadRolesProps}. */
export const WORKLOAD_ROLES_PROPS: ObjectKind<WorkloadRolesProps> = object({
  ...ROLE_PLACE.shape,
  region: optional(text),
  oidcProvider: optional(OIDC_PROVIDER),
  audience: optional(text),
  namePrefix: optional(text),
});
