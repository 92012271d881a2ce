import type { ClusterPoolProps } from "./cluster-pool-props";
import type { ComponentNaming, ComponentOverride, RoleSharing } from "./component-service-account-props";

/** What ccoctl made before. */
export interface CcoctlAdoption {
  /**
   * Ids of the service accounts by `metadata.name` of the request: the part of the e-mail address before the @. They
   * end with five random characters. `gcloud iam service-accounts list` shows them beside the display name
   * `<name>-<request>`.
   */
  readonly accounts: Readonly<Record<string, string>>;
  /**
   * Requests, by `metadata.name`, that ccoctl made nothing for, those of a newer release say; they are made.
   *
   * @defaultValue - none
   */
  readonly absent?: readonly string[];
}

/** Settings of `componentServiceAccounts`. */
export interface ComponentServiceAccountsProps extends ClusterPoolProps {
  /**
   * How pool, pool provider, service accounts and roles are named.
   *
   * @defaultValue - `derived`; `ccoctl` with `adopt`
   */
  readonly naming?: ComponentNaming;
  /**
   * The `--name` that ccoctl was given; pool and pool provider have it as their id.
   *
   * @defaultValue - the cluster's name
   */
  readonly ccoctlName?: string;
  /**
   * Take what ccoctl made into the state: Terraform `import` blocks for pool, pool provider, service accounts, custom
   * roles and members. Leave it out after the first apply.
   *
   * @defaultValue - everything is made
   */
  readonly adopt?: CcoctlAdoption;
  /**
   * Whose the custom roles are. ccoctl has one for all clusters of a project: with `project` this stack owns it, and
   * removes permissions that another release of a sibling cluster may need; the sibling states `existing`.
   *
   * @defaultValue - `cluster`; `project` with `naming: "ccoctl"`
   */
  readonly roleSharing?: RoleSharing;
  /**
   * Names, rights and conditions of single requests, by `metadata.name`.
   *
   * @defaultValue - everything as the requests say
   */
  readonly overrides?: Readonly<Record<string, ComponentOverride>>;
}
