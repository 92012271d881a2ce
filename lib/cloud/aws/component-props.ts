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

/** Changes to what one component requests. */
export interface ComponentOverride extends ComponentPermissionsOverride {
  /**
   * Name of its role; a name over 64 characters is cut and ends with a hash.
   *
   * @defaultValue - derived from cluster and Secret
   */
  readonly roleName?: string;
}

const COMPONENT_OVERRIDE: ObjectKind<ComponentOverride> = object({
  ...COMPONENT_PERMISSIONS_OVERRIDE.shape,
  roleName: optional(text),
});

/** Settings shared by {@link ComponentRole} and {@link componentRoles}. */
export interface ComponentRoleSettings extends RolePlace {
  /**
   * ARN of the roles' permissions boundary; `"none"` states that there is none. Required if roles are adopted, because
   * Terraform removes a boundary that is not stated.
   *
   * @defaultValue - none; refused if roles are adopted
   */
  readonly permissionsBoundary?: string;
  /**
   * Region of the cluster; only its partition matters, because IAM has no regions.
   *
   * @defaultValue - the partition of a literal OIDC provider's ARN; otherwise ARNs are known after apply
   */
  readonly region?: string;
  /**
   * The audience of the components' tokens.
   *
   * @defaultValue "openshift"
   */
  readonly audience?: string;
  /**
   * Why tokens for any audience of the OIDC provider are accepted; becomes part of the role's description.
   *
   * @defaultValue - the audience is compared exactly
   */
  readonly anyAudienceReason?: string;
  /**
   * How the role and its policy are named; `ccoctl` also keeps ccoctl's tags. An adopted role keeps ccoctl's name; if
   * only some are adopted, this applies to the others.
   *
   * @defaultValue "derived"; "ccoctl" if roles are adopted
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
  /** The component's CredentialsRequest. */
  readonly request: CredentialsRequest;
  /** Name of the cluster; with `naming: "ccoctl"` the `--name` that ccoctl was given. */
  readonly clusterName: string;
  /** The OIDC provider of the cluster's issuer. */
  readonly oidcProvider: IOidcProvider;
  /**
   * OIDC providers of further issuers whose tokens the role accepts while the cluster moves to another issuer.
   *
   * @defaultValue - none
   */
  readonly additionalOidcProviders?: readonly IOidcProvider[];
  /**
   * Whether the role exists and Terraform adopts it with an import block.
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

/** Properties of {@link componentRoles}. */
export interface ComponentRolesProps extends ComponentRoleSettings {
  /**
   * The OIDC provider of the cluster's issuer.
   *
   * @defaultValue - declared once per stack, with the audiences `openshift` and `sts.amazonaws.com`
   */
  readonly oidcProvider?: IOidcProvider;
  /**
   * Changes to what single components request, by `metadata.name` of the CredentialsRequest.
   *
   * @defaultValue - every request is granted as it is
   */
  readonly overrides?: Readonly<Record<string, ComponentOverride>>;
  /**
   * The `--name` that was given to ccoctl: prefix of names and part of tags of adopted resources, and with `naming:
   * "ccoctl"`. Refused if neither applies.
   *
   * @defaultValue - the name of the cluster
   */
  readonly ccoctlName?: string;
  /**
   * Resources of ccoctl that Terraform adopts with import blocks: the OIDC provider and all roles, or the OIDC provider
   * and the roles of the named requests. Do not name requests without a role of ccoctl.
   *
   * @defaultValue - everything is created
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
