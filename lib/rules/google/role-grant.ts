/*
 * A role on one resource: what is granted, where, and on which condition.
 * Source: https://cloud.google.com/iam/docs/conditions-overview; REST type Expr for the members of a condition.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";
import { grantableRole } from "./custom-role";
import { projectId } from "./ids";

/** An IAM condition, in CEL. */
export interface RoleCondition {
  /** Name for people, at most 100 characters. */
  readonly title: string;
  /** The expression. */
  readonly expression: string;
  /**
   * Description, at most 256 characters.
   *
   * @defaultValue - none
   */
  readonly description?: string;
}

/** A role on a project or on a bucket. */
export interface GoogleRoleGrant {
  /** Full name: `roles/storage.objectViewer`, or `projects/<project>/roles/<id>`. */
  readonly role: string;
  /**
   * Id of the project on which the role is granted.
   *
   * @defaultValue - `bucket` is given
   */
  readonly project?: string;
  /**
   * Name of the bucket on which the role is granted; may be late.
   *
   * @defaultValue - `project` is given
   */
  readonly bucket?: string;
  /**
   * A condition on the grant.
   *
   * @defaultValue - none
   */
  readonly condition?: RoleCondition;
  /**
   * Why a basic role (`roles/editor`, say) is needed.
   *
   * @defaultValue - none; basic roles are refused
   */
  readonly reason?: string;
}

/** A grant whose parts were checked. */
export interface CheckedRoleGrant {
  /** Full name of the role. */
  readonly role: string;
  /** What the role is granted on. */
  readonly kind: "project" | "bucket";
  /** Its id or name. */
  readonly target: string;
  /** Kind and name, for people and as a key. */
  readonly resource: string;
  /** The condition, if there is one. */
  readonly condition: RoleCondition | undefined;
  /** Why a basic role is needed. */
  readonly reason: string | undefined;
}

const TITLE_MAX = 100;

/**
 * Checks a grant. Throws `google-role-invalid`, `google-role-basic`, `google-grant-target`, `google-project-invalid`,
 * `name-too-long` and `late-value`.
 */
export function checkedRoleGrant(grant: GoogleRoleGrant): CheckedRoleGrant {
  const { project, bucket, condition, reason } = grant;
  const role = grantableRole(grant.role, reason);
  const shared = { role, condition, reason };
  if (condition !== undefined && literal(condition.title, "title of a condition").length > TITLE_MAX)
    fail("name-too-long", "title of a condition", condition.title, TITLE_MAX);
  if (project !== undefined && bucket === undefined) {
    const target = projectId(project);
    return { ...shared, kind: "project", target, resource: `project ${target}` };
  }
  if (project !== undefined || typeof bucket !== "string" || bucket === "")
    return fail("google-grant-target", role);
  return { ...shared, kind: "bucket", target: bucket, resource: `bucket ${bucket}` };
}

/** A grant in words: role, resource, and condition and reason where there are any. */
export function roleGrantText({ role, kind, target, condition, reason }: CheckedRoleGrant): string {
  const where = isLate(target) ? `a ${kind} of this configuration` : `${kind} ${target}`;
  const when = condition === undefined ? "" : ` on condition ${condition.title}`;
  return `${role} on ${where}${when}${reason === undefined ? "" : ` (reason: ${reason})`}`;
}
