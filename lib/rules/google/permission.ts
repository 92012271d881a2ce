/*
 * What is granted, to whom, on which condition, and why.
 */

import { fail } from "../../errors";
import type { Ternary } from "../../model/known";
import { isLate, literal } from "../../model/late";
import { type ObjectKind, object, optional, text } from "../../model/shape";
import { type AskedText, UNKNOWN_CLAIM } from "./cel-claims";
import { type CelExpression, admitsEveryToken, logicalOperators } from "./cel-evaluation";
import { projectId } from "./names";
import { grantableRole } from "./role";
import { shortText, writtenReason } from "./text";

/** An IAM condition, in CEL. */
export interface RoleCondition {
  /** Name for people, 1 to 100 characters; literal. */
  readonly title: string;
  /** The expression; may be late. */
  readonly expression: string;
  /**
   * Description, at most 256 characters; may be late.
   *
   * @defaultValue - none
   */
  readonly description?: string;
}

export const ROLE_CONDITION: ObjectKind<RoleCondition> = object({
  title: text,
  expression: text,
  description: optional(text),
});

/** Logical operators in the condition of a role binding. Source: cloud.google.com/iam/quotas, "Limits". */
const OPERATORS_MAX = 12;
const TITLE_MAX = 100;
const CONDITION_DESCRIPTION_MAX = 256;

/** Checks a condition. Source: https://cloud.google.com/iam/docs/conditions-overview; REST type Expr. */
export function roleCondition(condition: RoleCondition | undefined): RoleCondition | undefined {
  if (condition === undefined) return undefined;
  const { title, expression, description } = condition;
  if (isBlank(literal(title, "title of a condition"))) refuseCondition("has no title", title);
  if (isBlank(expression)) refuseCondition("has no expression", expression);
  if (!isLate(expression)) {
    if (admitsEveryToken(expression)) refuseCondition("is always true", expression);
    // Whether `!` counts among them is not documented: with it the limit is certainly kept.
    const { joining, negating } = logicalOperators(expression);
    const count = joining + negating;
    if (count > OPERATORS_MAX)
      refuseCondition(
        `has ${count} logical operators (&&, ||, !), at most ${OPERATORS_MAX} are allowed`,
        expression,
      );
  }
  shortText("title of a condition", title, TITLE_MAX);
  shortText("description of a condition", description, CONDITION_DESCRIPTION_MAX);
  return condition;
}

function refuseCondition(reason: string, value: unknown): never {
  fail("google-invalid", {
    problem: `condition of a role ${reason}`,
    value,
    allowed: "a title, and an expression in CEL that can be false, with at most 12 logical operators",
    remedy:
      "correct it, share its terms out among several bindings, or leave the condition out where the role shall always count",
  });
}

/** True where IAM certainly refuses a binding for the operators that join the terms of its condition. */
export function hasTooManyOperators(expression: string): boolean {
  return logicalOperators(expression).joining > OPERATORS_MAX;
}

function isBlank(given: unknown): boolean {
  return typeof given !== "string" || given.trim() === "";
}

/** A role on a project, a bucket, a secret or a repository; one of them is given. */
export interface GoogleRoleGrant {
  /** Full name: `roles/storage.objectViewer`, or `projects/<project>/roles/<id>`. */
  readonly role: string;
  /**
   * Id of the project on which the role is granted.
   *
   * @defaultValue - another resource is given
   */
  readonly project?: string;
  /**
   * Name of the bucket on which the role is granted; may be late.
   *
   * @defaultValue - another resource is given
   */
  readonly bucket?: string;
  /**
   * Secret of Secret Manager on which the role is granted, `projects/<project>/secrets/<id>`; may be late.
   *
   * @defaultValue - another resource is given
   */
  readonly secret?: string;
  /**
   * Repository of Artifact Registry on which the role is granted,
   * `projects/<project>/locations/<location>/repositories/<repository>`; may be late.
   *
   * @defaultValue - another resource is given
   */
  readonly repository?: string;
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

export const GOOGLE_ROLE_GRANT: ObjectKind<GoogleRoleGrant> = object({
  role: text,
  project: optional(text),
  bucket: optional(text),
  secret: optional(text),
  repository: optional(text),
  condition: optional(ROLE_CONDITION),
  reason: optional(text),
});

const GRANTED_ON = ["project", "bucket", "secret", "repository"] as const;

/** A grant whose parts were checked. */
export interface CheckedRoleGrant {
  /** Full name of the role. */
  readonly role: string;
  /** What the role is granted on. */
  readonly kind: "project" | "bucket" | "secret" | "repository";
  /** Its id or name. */
  readonly target: string;
  /** Kind and name, for people and as a key. */
  readonly resource: string;
  /** The condition, if there is one. */
  readonly condition: RoleCondition | undefined;
  /** Why a basic role, or a role for everybody, is needed. */
  readonly reason: string | undefined;
}

export function checkedRoleGrant(grant: GoogleRoleGrant): CheckedRoleGrant {
  const [kind = "project", ...more] = GRANTED_ON.filter((each) => grant[each] !== undefined);
  const target = grant[kind] ?? "";
  const role = grantableRole(grant.role, grant.reason);
  const shared = { role, condition: roleCondition(grant.condition), reason: writtenReason(grant.reason) };
  if (more.length === 0 && target !== "") {
    if (kind === "project") projectId(target);
    else checkTarget(kind, target);
    return { ...shared, kind, target, resource: `${kind} ${target}` };
  }
  return fail("google-invalid", {
    problem: "a role is granted on one project, on one bucket, on one secret or on one repository",
    value: role,
    allowed: "`project`, `bucket`, `secret` or `repository` beside `role`, one of the four",
    remedy: "write one entry for each; for other resources use `declare`, which receives the member",
  });
}

/** Sources: Cloud Storage, "Bucket names"; Secret Manager API reference, projects.secrets; Artifact Registry API reference, projects.locations.repositories. */
const NAMES = {
  bucket: [/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/, "the name alone, without gs:// and without a path"],
  secret: [/^projects\/[a-z0-9:.-]+\/secrets\/[A-Za-z0-9_-]{1,255}$/, "projects/<project>/secrets/<id>"],
  repository: [
    /^projects\/[a-z0-9:.-]+\/locations\/[a-z0-9-]+\/repositories\/[a-z][a-z0-9.-]{0,62}$/,
    "projects/<project>/locations/<location>/repositories/<repository>",
  ],
} as const;

function checkTarget(kind: keyof typeof NAMES, value: string): void {
  const [form, allowed] = NAMES[kind];
  if (!isLate(value) && !form.test(value))
    fail("google-invalid", {
      problem:
        kind === "bucket"
          ? "a bucket on which a role is granted is not a name of a bucket"
          : `a ${kind} on which a role is granted is not named in full`,
      value,
      allowed,
      remedy:
        kind === "bucket"
          ? "use `name` of the bucket's resource, or write the name"
          : `use \`id\` of the ${kind}'s resource, or write the name in full`,
    });
}

/** A grant as the record of the cluster has it. */
export function roleBinding(grant: CheckedRoleGrant): Readonly<Record<string, unknown>> {
  const { role, kind, target, condition, reason } = grant;
  return { role, [kind]: target, ...(condition && { condition }), ...(reason !== undefined && { reason }) };
}

const EMAIL = "[^\\s@:/]+@[^\\s@:/]+";
const WORKLOAD_POOL = "projects/[1-9][0-9]*/locations/global/workloadIdentityPools/[^/\\s]+";
const WORKFORCE_POOL = "locations/global/workforcePools/[^/\\s]+";
const IN_POOL = `iam\\.googleapis\\.com/(?:${WORKLOAD_POOL}|${WORKFORCE_POOL})`;

/** Identities by name, and groups. */
const NAMED: readonly RegExp[] = [
  new RegExp(`^(?:serviceAccount|user|group):${EMAIL}$`),
  /^serviceAccount:[^\s@/]+\.svc\.id\.goog\[[a-z0-9-]+\/[a-z0-9.-]+\]$/,
  /^domain:[a-z0-9-]+(?:\.[a-z0-9-]+)+$/,
  new RegExp(`^principal://${IN_POOL}/subject/\\S+$`),
  new RegExp(`^principalSet://${IN_POOL}/(?:group|namespace|attribute\\.[a-z0-9_]+)/\\S+$`),
];

/** Everybody, everybody of a pool, everybody of a cluster. */
const BROAD: readonly RegExp[] = [
  /^(?:allUsers|allAuthenticatedUsers)$/,
  new RegExp(`^principalSet://${IN_POOL}/(?:\\*|kubernetes\\.cluster/\\S+)$`),
];

/**
 * Returns a member of an IAM policy, a late one as it is. Everybody, and everybody of a pool or cluster, needs a
 * reason. Source: https://cloud.google.com/iam/docs/principal-identifiers; members of deleted identities and the
 * conveniences of buckets (`projectViewer:` and the like) are left out.
 */
export function iamMember(value: string, reason: string | undefined): string {
  if (isLate(value)) return value;
  const isOf = (forms: readonly RegExp[]): boolean =>
    typeof value === "string" && forms.some((form) => form.test(value));
  if (isOf(NAMED) || (isOf(BROAD) && reason !== undefined)) return value;
  if (isOf(BROAD))
    return fail("google-unsafe", {
      problem:
        "a role is granted to everybody, or to everybody of a workload identity pool, and no reason is stated",
      value,
      allowed: "a service account, a principal, or such a member with a written `reason`",
      remedy: "name those that need the role; say in `reason` why everybody shall have it",
    });
  return fail("google-invalid", {
    problem: "not a member of an IAM policy that a role is granted to here",
    value,
    allowed:
      "serviceAccount:<email>, user:<email>, group:<email>, domain:<domain>, principal://iam.googleapis.com/… or principalSet://iam.googleapis.com/… of a pool, allUsers, allAuthenticatedUsers",
    remedy: "use `member` of the service account's construct, or the principal of the pool provider",
  });
}

/** Principals that the allow policy of one resource may name (https://cloud.google.com/iam/quotas). */
const POLICY_PRINCIPALS_MAX = 1500;

/** Checks how many principals a policy would name; those that others add count too, but cannot be seen here. */
export function checkPolicySize(resource: string, count: number, remedy: string): void {
  if (count > POLICY_PRINCIPALS_MAX)
    fail("google-limit", {
      problem: `the allow policy of ${resource} would name ${count} principals`,
      value: count,
      allowed: `at most ${POLICY_PRINCIPALS_MAX} principals in one allow policy, each counted in each of its roles, those that others add included`,
      remedy,
    });
}

/** What a condition may say of the resource that is asked for. */
export interface AskedResource {
  /** `projects/<project>/locations/<location>/repositories/<repository>`, or one of such names. */
  readonly name: string | AskedText;
  /** `artifactregistry.googleapis.com`. */
  readonly service: string;
  /** `artifactregistry.googleapis.com/Repository`. */
  readonly type: string;
}

/** Of a repository in Artifact Registry. Source: cloud.google.com/iam/docs/conditions-resource-attributes. */
export function askedRepository(name: string | AskedText): AskedResource {
  const service = "artifactregistry.googleapis.com";
  return { name, service, type: `${service}/Repository` };
}

const REQUEST = { time: UNKNOWN_CLAIM, host: UNKNOWN_CLAIM, path: UNKNOWN_CLAIM, auth: UNKNOWN_CLAIM };
const UNKNOWN_RESOURCE = { name: UNKNOWN_CLAIM, service: UNKNOWN_CLAIM, type: UNKNOWN_CLAIM };

/** Whether the condition is met; when a request comes, and what resource it asks for where none is given, is not known. */
export function conditionMet(condition: CelExpression, resource?: AskedResource): Ternary {
  const answer = condition.evaluate({ resource: { ...(resource ?? UNKNOWN_RESOURCE) }, request: REQUEST });
  // What fails to be evaluated is not met.
  if (answer.kind === "error") return "no";
  if (answer.kind === "unknown" || typeof answer.value !== "boolean") return "unknown";
  return answer.value ? "yes" : "no";
}
