import type { ITerraformDependable } from "cdktf";
import type { Construct } from "constructs";
import { refuseUnused } from "../../rules/google/names";
import { fail } from "../../errors";
import { literal } from "../../model/late";
import { type ObjectKind, checkGiven, list, method, object, optional, text } from "../../model/shape";
import type { AccessRights, IAccess, IWorkloadIdentities } from "../../model/workloads";
import {
  type CheckedRoleGrant,
  type GoogleRoleGrant,
  GOOGLE_ROLE_GRANT,
  checkedRoleGrant,
  roleBinding,
} from "../../rules/google/permission";

/** The identity of a workload, for grants on your own resources. */
export interface GoogleGrantee {
  /** IAM policy member: `serviceAccount:<email>`, or the principal itself; late when the project number is. */
  readonly member: string;
  /** What must exist before a policy names the member; pass it to `dependsOn` of the resource. */
  readonly dependencies: readonly ITerraformDependable[];
}

/** Settings of {@link googleAccess}. */
export interface GoogleAccessProps {
  /**
   * Roles on projects and buckets.
   *
   * @defaultValue - none; `declare` makes all grants
   */
  readonly roles?: readonly GoogleRoleGrant[];
  /**
   * Declares grants on resources that `roles` does not support: a topic, a key, a dataset. Called once per workload,
   * with its own scope.
   *
   * @defaultValue - nothing further
   */
  readonly declare?: (scope: Construct, grantee: GoogleGrantee) => void;
  /**
   * Describes what `declare` grants; required with `declare`. It is recorded for `explain`, which shows it without
   * judging it.
   *
   * @defaultValue - none; required with `declare`
   */
  readonly permissions?: readonly string[];
}

const GOOGLE_ACCESS_PROPS: ObjectKind<GoogleAccessProps> = object({
  roles: optional(list(GOOGLE_ROLE_GRANT)),
  declare: optional(method),
  permissions: optional(list(text)),
});

/** What a workload may do on Google Cloud, returned by {@link googleAccess}. */
export class GoogleAccess implements IAccess<Construct> {
  /** Always `google`. */
  readonly cloud: string = "google";
  /** The roles with their project or bucket, as `roleBindings`, and what `declare` grants in words, as `described`. */
  readonly rights: AccessRights;
  /** The roles, checked. */
  readonly grants: readonly CheckedRoleGrant[];
  /** Declares further grants; `undefined` if there are none. */
  readonly declare: ((scope: Construct, grantee: GoogleGrantee) => void) | undefined;

  /** See {@link googleAccess}. */
  constructor(props: GoogleAccessProps) {
    checkGiven(new.target.name, GOOGLE_ACCESS_PROPS, props);
    const { declare } = props;
    const roles = props.roles ?? [];
    const permissions = props.permissions ?? [];
    if (roles.length === 0 && declare === undefined)
      fail("google-missing", {
        problem: "googleAccess() names no role, so it grants nothing",
        allowed: "`roles`, or `declare` with `permissions`",
        remedy: "state what the workload may do",
      });
    if ((declare === undefined) !== (permissions.length === 0))
      refuseUnused("one of declare and permissions", "without the other");
    this.grants = roles.map(checkedRoleGrant);
    this.declare = declare;
    const described = literal(permissions, "permissions");
    this.rights = {
      ...(roles.length > 0 && { roleBindings: this.grants.map(roleBinding) }),
      ...(described.length > 0 && { described }),
    };
  }

  /** Throws: a workload identity pool needs a project and its number. */
  defaultIdentities(): IWorkloadIdentities<Construct> {
    return fail("google-missing", {
      problem: "access to Google Cloud needs a project for the workload identity pool, and none is stated",
      value: this.rights,
      remedy: "add workloadServiceAccounts({ project, projectNumber, … }) to the identities",
    });
  }
}

/** Returns access to Google Cloud for a workload. */
export function googleAccess(props: GoogleAccessProps): GoogleAccess {
  checkGiven("googleAccess()", GOOGLE_ACCESS_PROPS, props);
  return new GoogleAccess(props);
}
