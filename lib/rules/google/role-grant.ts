/*
 * A role on one resource: what is granted, where, on which condition, and why.
 */

import { fail } from "../../errors";
import { grantableRole } from "./custom-role";
import { projectId } from "./ids";
import { writtenReason } from "./reason";
import { type RoleCondition, ROLE_CONDITION, roleCondition } from "./role-condition";
import { type ObjectKind, object, optional, text } from "../../model/shape";

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
   * Why a basic role (`roles/editor`, say), or a role for everybody, is needed; at most 200 bytes of UTF-8. Stands in
   * the description of the service account that the grant is for, and in the record of the cluster.
   *
   * @defaultValue - none; basic roles and roles for everybody are refused
   */
  readonly reason?: string;
}

/** The kind of {@link GoogleRoleGrant}. */
export const GOOGLE_ROLE_GRANT: ObjectKind<GoogleRoleGrant> = object({
  role: text,
  project: optional(text),
  bucket: optional(text),
  condition: optional(ROLE_CONDITION),
  reason: optional(text),
});

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
  /** Why a basic role, or a role for everybody, is needed. */
  readonly reason: string | undefined;
}

/**
 * Checks a grant. Throws `google-role-invalid`, `google-role-basic`, `google-role-condition`, `google-grant-target`,
 * `google-project-invalid`, `name-too-long` and `late-value`.
 */
export function checkedRoleGrant(grant: GoogleRoleGrant): CheckedRoleGrant {
  const { project, bucket } = grant;
  const role = grantableRole(grant.role, grant.reason);
  const shared = { role, condition: roleCondition(grant.condition), reason: writtenReason(grant.reason) };
  if (project !== undefined && bucket === undefined) {
    const target = projectId(project);
    return { ...shared, kind: "project", target, resource: `project ${target}` };
  }
  if (project !== undefined || typeof bucket !== "string" || bucket === "")
    return fail("google-grant-target", role);
  return { ...shared, kind: "bucket", target: bucket, resource: `bucket ${bucket}` };
}

/** A grant as the record of the cluster has it. */
export function roleBinding({
  role,
  kind,
  target,
  condition,
  reason,
}: CheckedRoleGrant): Readonly<Record<string, unknown>> {
  return { role, [kind]: target, ...(condition && { condition }), ...(reason !== undefined && { reason }) };
}
