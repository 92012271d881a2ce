import {
  type TrustingRoleProps,
  TRUSTING_ROLE_PROPS,
  type AccountRolesProps,
  ACCOUNT_ROLES_PROPS,
  type RoleTrust,
} from "./role-props";
import type { TerraformProvider } from "cdktf";
import { PULL_SOURCE } from "../../model/pulls";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";
import type { EcrSource } from "./registry-source";

/** The tokens that a pull role accepts. */
export type PullRoleTrust = RoleTrust;

/** Settings of a {@link PullRole}. */
export interface PullRoleProps extends TrustingRoleProps {
  /** Registries that it may pull from, at least one, all in one partition: `ecr()`, `ecrPublic()`. */
  readonly sources: readonly EcrSource[];
}

export const PULL_ROLE_PROPS: ObjectKind<PullRoleProps> = object({
  ...TRUSTING_ROLE_PROPS.shape,
  sources: list(PULL_SOURCE),
});

/** Identifies an existing role. */
export interface PullRoleAttributes {
  /** Name of the role, without path. */
  readonly roleName: string;
  /**
   * Its account, 12 digits.
   *
   * @defaultValue - looked up by Terraform; the ARN is known after apply
   */
  readonly account?: string;
  /**
   * Any region of the partition.
   *
   * @defaultValue - looked up by Terraform; the ARN is known after apply
   */
  readonly region?: string;
  /**
   * Path of the role.
   *
   * @defaultValue "/"
   */
  readonly path?: string;
  /**
   * Terraform provider of the lookup.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

export const PULL_ROLE_ATTRIBUTES: ObjectKind<PullRoleAttributes> = object({
  roleName: text,
  account: optional(text),
  region: optional(text),
  path: optional(text),
  provider: optional(PROVIDER),
});

/** Properties of {@link pullRoles}. */
export interface PullRolesProps extends AccountRolesProps {}

export const PULL_ROLES_PROPS: ObjectKind<PullRolesProps> = ACCOUNT_ROLES_PROPS;
