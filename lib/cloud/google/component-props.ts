import type { TerraformProvider } from "cdktf";
import { type CredentialsRequest, COMPONENT_REQUEST } from "../../model/credentials-request";
import { type ObjectKind, boolean, choice, object, optional, text } from "../../model/shape";
import { type ComponentRightsOverride, COMPONENT_RIGHTS_OVERRIDE } from "../../rules/google/component";
import { type RoleCondition, ROLE_CONDITION } from "../../rules/google/permission";
import { PROVIDER } from "../shared/kinds";
import { type IOidcProvider, OIDC_PROVIDER } from "./provider-props";

/** How service accounts and roles are named: by this library, or to the letter as ccoctl does. */
export type ComponentNaming = "derived" | "ccoctl";

/**
 * Whose a request's custom role is: the cluster's own; the project's, named as ccoctl names it and declared here; or
 * the project's, declared elsewhere.
 */
export type RoleSharing = "cluster" | "project" | "existing";

/** What one request gets other than its file says. */
export interface ComponentOverride extends ComponentRightsOverride {
  /**
   * Whose the custom role is.
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
   * A condition on all roles of the request, `resource.name.startsWith(…)` say. Many permissions that list or create
   * cannot be met under one.
   *
   * @defaultValue - none
   */
  readonly condition?: RoleCondition;
}

/** The kind of {@link ComponentOverride}. */
export const COMPONENT_OVERRIDE: ObjectKind<ComponentOverride> = object({
  ...COMPONENT_RIGHTS_OVERRIDE.shape,
  roleSharing: optional(choice(["cluster", "project", "existing"])),
  roleId: optional(text),
  condition: optional(ROLE_CONDITION),
});

/** Settings of a {@link ComponentServiceAccount}. */
export interface ComponentServiceAccountProps extends ComponentOverride {
  /** What the component asks for. */
  readonly request: CredentialsRequest;
  /** Name of the cluster; with `naming: "ccoctl"` the `--name` that ccoctl was given. */
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
   * Id of the Google service account. State the id of one that exists as long as it lives: with another id it is
   * another service account.
   *
   * @defaultValue - derived from cluster and request
   */
  readonly accountId?: string;
  /**
   * The service account exists: a Terraform `import` block takes it into the state. Its bindings need none.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
  /**
   * The custom role exists, and an `import` block takes it into the state: that of a sibling cluster in the same
   * project, say, while this cluster's service account is new.
   *
   * @defaultValue - as `adopt`; false with `roleSharing: "cluster"`
   */
  readonly adoptRole?: boolean;
  /**
   * Domain of Google Cloud's APIs, for the credential file.
   *
   * @defaultValue "googleapis.com"
   */
  readonly universeDomain?: string;
  /**
   * Terraform provider of all resources.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

/** The kind of {@link ComponentServiceAccountProps}. */
export const COMPONENT_SERVICE_ACCOUNT_PROPS: ObjectKind<ComponentServiceAccountProps> = object({
  ...COMPONENT_OVERRIDE.shape,
  request: COMPONENT_REQUEST,
  clusterName: text,
  project: text,
  oidcProvider: OIDC_PROVIDER,
  naming: optional(choice(["derived", "ccoctl"])),
  accountId: optional(text),
  adopt: optional(boolean),
  adoptRole: optional(boolean),
  universeDomain: optional(text),
  provider: optional(PROVIDER),
});
