import { type Subject, SUBJECT } from "../../model/subject";
import { type ClusterPoolProps, CLUSTER_POOL_PROPS } from "./cluster-pool-props";
import {
  type ComponentNaming,
  type ComponentOverride,
  type RoleSharing,
  COMPONENT_OVERRIDE,
} from "./component-service-account-props";
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
   * Ids of service accounts by `metadata.name` of the request: the part of the e-mail address before the @. Those that
   * ccoctl made end with five random characters; `gcloud iam service-accounts list` shows them beside the display name
   * `<name>-<request>`. They stay stated as long as the service accounts live.
   *
   * @defaultValue - derived; with `naming: "ccoctl"`, each request must be here or in `absentAccounts`
   */
  readonly accountIds?: Readonly<Record<string, string>>;
  /**
   * With `naming: "ccoctl"`: requests, by `metadata.name`, that ccoctl made no service account for, those of a newer
   * release say. One is made under an id of ccoctl's form. `all` for each that is not in `accountIds`.
   *
   * @defaultValue - none
   */
  readonly absentAccounts?: readonly string[] | "all";
  /**
   * Take what ccoctl made into the state: Terraform `import` blocks for pool, pool provider, the service accounts of
   * `accountIds` and their custom roles. Bindings need none. Leave it out after the first apply; the other settings
   * stay.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
  /**
   * Beside `adopt`: the requests whose custom roles exist, by `metadata.name`, where those are not just the ones with
   * an entry in `accountIds`. A sibling cluster of the project may have made a role before this cluster's service
   * account, say.
   *
   * @defaultValue - those with an entry in `accountIds`; none with `roleSharing: "cluster"`
   */
  readonly adoptRoles?: readonly string[];
  /**
   * Kubernetes service accounts, as `namespace/name`, that use the pool provider besides the components: operators of
   * the Operator Lifecycle Manager, say. The condition admits them; what they may do is granted elsewhere.
   *
   * @defaultValue - none; with `adopt`, a warning says that others are cut off
   */
  readonly serviceAccounts?: readonly (string | Subject)[];
  /**
   * Whose the custom roles are. ccoctl has one for all clusters of a project: with `project` this stack owns it, and
   * removes permissions that another release of a sibling cluster may need; the sibling states `existing`. `overrides`
   * can say otherwise for single requests.
   *
   * @defaultValue - `cluster`; `project` with `naming: "ccoctl"`
   */
  readonly roleSharing?: RoleSharing;
  /**
   * Roles, rights and conditions of single requests, by `metadata.name`.
   *
   * @defaultValue - everything as the requests say
   */
  readonly overrides?: Readonly<Record<string, ComponentOverride>>;
}

/** The kind of {@link ComponentServiceAccountsProps}. */
export const COMPONENT_SERVICE_ACCOUNTS_PROPS: ObjectKind<ComponentServiceAccountsProps> = object({
  ...CLUSTER_POOL_PROPS.shape,
  naming: optional(choice(["derived", "ccoctl"])),
  ccoctlName: optional(text),
  accountIds: optional(record(text)),
  absentAccounts: optional(either(list(text), choice(["all"]))),
  adopt: optional(boolean),
  adoptRoles: optional(list(text)),
  serviceAccounts: optional(list(SUBJECT)),
  roleSharing: optional(choice(["cluster", "project", "existing"])),
  overrides: optional(record(COMPONENT_OVERRIDE)),
});
