import { type CredentialsRequest, COMPONENT_REQUEST } from "../../model/credentials-request";
import { type ObjectKind, boolean, choice, object, optional, text } from "../../model/shape";
import { type ComponentRightsOverride, COMPONENT_RIGHTS_OVERRIDE } from "../../rules/google/component";
import { type RoleCondition, ROLE_CONDITION } from "../../rules/google/permission";
import { type IOidcProvider, OIDC_PROVIDER } from "./provider-props";
import { type AdoptableProps, type UniverseProps, ADOPTABLE_PROPS, UNIVERSE_PROPS } from "./props";

/** How service accounts and roles are named: by this library, or exactly as ccoctl does. */
export type ComponentNaming = "derived" | "ccoctl";

/**
 * Owner of a request's custom role: `cluster` for the cluster's own; `project` for one of the project with ccoctl's
 * name, declared here; `existing` for one of the project that is declared elsewhere.
 */
export type RoleSharing = "cluster" | "project" | "existing";

/** Changes to what one request asks for. */
export interface ComponentOverride extends ComponentRightsOverride {
  /**
   * Owner of the custom role.
   *
   * @defaultValue - `cluster`; `project` with `naming: "ccoctl"`
   */
  readonly roleSharing?: RoleSharing;
  /**
   * Id of the custom role.
   *
   * @defaultValue - derived from cluster and request, or from project and request
   */
  readonly roleId?: string;
  /**
   * A condition on all roles of the request, for example `resource.name.startsWith(…)`. Many permissions to list or
   * create never satisfy one.
   *
   * @defaultValue - none
   */
  readonly condition?: RoleCondition;
}

export const COMPONENT_OVERRIDE: ObjectKind<ComponentOverride> = object({
  ...COMPONENT_RIGHTS_OVERRIDE.shape,
  roleSharing: optional(choice(["cluster", "project", "existing"])),
  roleId: optional(text),
  condition: optional(ROLE_CONDITION),
});

/** Settings of a {@link ComponentServiceAccount}. */
export interface ComponentServiceAccountProps extends ComponentOverride, AdoptableProps, UniverseProps {
  /** The component's CredentialsRequest. */
  readonly request: CredentialsRequest;
  /** Name of the cluster; with `naming: "ccoctl"` the `--name` that was given to ccoctl. */
  readonly clusterName: string;
  /** Id of the project of service account, custom role and bindings. */
  readonly project: string;
  /** The pool provider that trusts the cluster; one of its audiences is `openshift`. */
  readonly oidcProvider: IOidcProvider;
  /**
   * How service account and role are named.
   *
   * @defaultValue "derived"
   */
  readonly naming?: ComponentNaming;
  /**
   * Id of the Google service account. Keep stating the id of an existing one: with another id it would be another
   * service account.
   *
   * @defaultValue - derived from cluster and request
   */
  readonly accountId?: string;
  /**
   * Whether the custom role exists and is imported into the state, for example that of a sibling cluster in the same
   * project, while this cluster's service account is new.
   *
   * @defaultValue - as `adopt`; false with `roleSharing: "cluster"`
   */
  readonly adoptRole?: boolean;
}

export const COMPONENT_SERVICE_ACCOUNT_PROPS: ObjectKind<ComponentServiceAccountProps> = object({
  ...ADOPTABLE_PROPS.shape,
  ...UNIVERSE_PROPS.shape,
  ...COMPONENT_OVERRIDE.shape,
  request: COMPONENT_REQUEST,
  clusterName: text,
  project: text,
  oidcProvider: OIDC_PROVIDER,
  naming: optional(choice(["derived", "ccoctl"])),
  accountId: optional(text),
  adoptRole: optional(boolean),
});
