import { type CredentialsRequest, COMPONENT_REQUEST } from "../../model/credentials-request";
import {
  type ObjectKind,
  boolean,
  choice,
  either,
  list,
  object,
  optional,
  record,
  text,
} from "../../model/shape";
import {
  type ComponentPermissionsOverride,
  COMPONENT_PERMISSIONS_OVERRIDE,
  type ComponentNaming,
  componentNamings,
} from "../../rules/aws/component";
import { type IOidcProvider, OIDC_PROVIDER } from "./provider-props";
import { type RolePlace, ROLE_PLACE } from "./role-props";

/** What one component gets other than its request says. */
export interface ComponentOverride extends ComponentPermissionsOverride {
  /**
   * Name of its role; over 64 characters it is cut and ends with a hash.
   *
   * @defaultValue - derived from cluster and Secret
   */
  readonly roleName?: string;
}

const COMPONENT_OVERRIDE: ObjectKind<ComponentOverride> = object({
  ...COMPONENT_PERMISSIONS_OVERRIDE.shape,
  roleName: optional(text),
});

/** How roles of components are made, one or all of a cluster's. */
export interface ComponentRoleSettings extends RolePlace {
  /**
   * ARN of the policy that bounds the roles' permissions; `"none"` says that there is none. Must be stated where roles
   * are adopted: Terraform removes a boundary that is not stated.
   *
   * @defaultValue - none; refused where roles are adopted
   */
  readonly permissionsBoundary?: string;
  /**
   * Region of the cluster; only its partition counts, IAM has no region.
   *
   * @defaultValue - the partition of a literal OIDC provider's ARN; otherwise unknown, and ARNs known after apply
   */
  readonly region?: string;
  /**
   * The audience of the components' tokens.
   *
   * @defaultValue "openshift"
   */
  readonly audience?: string;
  /**
   * Why a token for any audience of the OIDC provider is admitted; becomes part of the description of the role.
   *
   * @defaultValue - the audience is compared exactly
   */
  readonly anyAudienceReason?: string;
  /**
   * How the role and its policy are named; `ccoctl` also keeps ccoctl's tags. A role that is adopted has ccoctl's
   * name; beside a list of adopted ones this is for the others.
   *
   * @defaultValue "derived"; "ccoctl" where roles are adopted
   */
  readonly naming?: ComponentNaming;
}

const COMPONENT_ROLE_SETTINGS: ObjectKind<ComponentRoleSettings> = object({
  ...ROLE_PLACE.shape,
  permissionsBoundary: optional(text),
  region: optional(text),
  audience: optional(text),
  anyAudienceReason: optional(text),
  naming: optional(choice(componentNamings)),
});

/** Settings of a {@link ComponentRole}. */
export interface ComponentRoleProps extends ComponentRoleSettings, ComponentOverride {
  /** What the component asks for. */
  readonly request: CredentialsRequest;
  /** Name of the cluster; with `naming: "ccoctl"` the `--name` that ccoctl was given. */
  readonly clusterName: string;
  /** The OIDC provider of the cluster's issuer. */
  readonly oidcProvider: IOidcProvider;
  /**
   * Those of further issuers whose tokens the role accepts, while the cluster moves from one to the other.
   *
   * @defaultValue - none
   */
  readonly additionalOidcProviders?: readonly IOidcProvider[];
  /**
   * True where the role exists; Terraform takes it over with an import block.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
}

export const COMPONENT_ROLE_PROPS: ObjectKind<ComponentRoleProps> = object({
  ...COMPONENT_ROLE_SETTINGS.shape,
  ...COMPONENT_OVERRIDE.shape,
  request: COMPONENT_REQUEST,
  clusterName: text,
  oidcProvider: OIDC_PROVIDER,
  additionalOidcProviders: optional(list(OIDC_PROVIDER)),
  adopt: optional(boolean),
});

/** How the roles of all components of a cluster are made. */
export interface ComponentRolesProps extends ComponentRoleSettings {
  /**
   * The OIDC provider of the cluster's issuer.
   *
   * @defaultValue - declared once per stack, with the audiences `openshift` and `sts.amazonaws.com`
   */
  readonly oidcProvider?: IOidcProvider;
  /**
   * What single components get other than their requests say, by `metadata.name`.
   *
   * @defaultValue - every request as it is
   */
  readonly overrides?: Readonly<Record<string, ComponentOverride>>;
  /**
   * The `--name` that ccoctl was given; begins names and is in tags of what is adopted, and with
   * `naming: "ccoctl"`. Refused where neither is.
   *
   * @defaultValue - the name of the cluster
   */
  readonly ccoctlName?: string;
  /**
   * What ccoctl made and Terraform takes over, with import blocks: the OIDC provider and all roles, or the OIDC
   * provider and the roles of the requests of these names. Roles that ccoctl has not made yet are left out.
   *
   * @defaultValue - everything is made
   */
  readonly adopt?: boolean | readonly string[];
}

export const COMPONENT_ROLES_PROPS: ObjectKind<ComponentRolesProps> = object({
  ...COMPONENT_ROLE_SETTINGS.shape,
  oidcProvider: optional(OIDC_PROVIDER),
  overrides: optional(record(COMPONENT_OVERRIDE)),
  ccoctlName: optional(text),
  adopt: optional(either(boolean, list(text))),
});
