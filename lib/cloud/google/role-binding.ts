import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member/index.js";
import { StorageBucketIamMember } from "@cdktf/provider-google/lib/storage-bucket-iam-member/index.js";
import type { ITerraformDependable, TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import {
  type CheckedRoleGrant,
  type GoogleRoleGrant,
  type RoleCondition,
  GOOGLE_ROLE_GRANT,
  checkPolicySize,
  checkedRoleGrant,
  iamMember,
} from "../../rules/google/permission";
import { optionalTerraformText, terraformText } from "../../rules/terraform-text";
import { waitFor } from "../shared/across-stacks";
import { PerStack } from "../shared/per-stack";
import { type ObjectKind, anyObject, checkProps, list, object, optional, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** Settings of a {@link RoleBinding}. */
export interface RoleBindingProps extends GoogleRoleGrant {
  /**
   * IAM policy member: `serviceAccount:<email>`, a principal of a workload identity pool, `user:`, `group:`, `domain:`;
   * `allUsers` and other members for everybody with a `reason`. May be late.
   */
  readonly member: string;
  /**
   * What must exist before the binding.
   *
   * @defaultValue - nothing
   */
  readonly dependencies?: readonly ITerraformDependable[];
  /**
   * Terraform provider of the resource; must be allowed to set the IAM policy of the project or bucket.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

const ROLE_BINDING_PROPS: ObjectKind<RoleBindingProps> = object({
  ...GOOGLE_ROLE_GRANT.shape,
  member: text,
  dependencies: optional(list(anyObject)),
  provider: optional(PROVIDER),
});

/** The bindings of a stack, by resource and by member, role and condition. */
const bindings = new PerStack<Map<string, RoleBinding>>();

/**
 * One role for one member on a project or bucket, added to the policy without touching other members.
 *
 * One that exists already is taken over without an import: adding a member that is there changes nothing.
 *
 * A policy holds at most 1,500 principals, each counted in each of its roles (https://cloud.google.com/iam/quotas);
 * those of the stack are counted.
 */
export class RoleBinding extends Construct {
  /** The Terraform resource. */
  readonly resource: ProjectIamMember | StorageBucketIamMember;

  /**
   * Throws `google-role-invalid`, `google-role-basic`, `google-role-condition`, `google-grant-target`,
   * `google-project-invalid`, `google-member-invalid`, `google-member-broad`, `google-binding-taken`,
   * `google-policy-full`, `name-too-long` and `late-value`.
   */
  constructor(scope: Construct, id: string, props: RoleBindingProps) {
    checkProps(new.target.name, scope, id, ROLE_BINDING_PROPS, props);
    const grant = checkedRoleGrant(props);
    const member = iamMember(props.member, grant.reason);
    const holders = bindingsOn(scope, grant);
    const key = keyOf(grant, member);
    const holder = holders.get(key);
    if (holder) fail("google-binding-taken", grant.role, member, holder.node.path, "RoleBinding.once");
    checkPolicy(grant, holders.size + 1);
    super(scope, id);
    const settings = {
      role: grant.role,
      member,
      condition: conditionText(grant.condition),
      provider: props.provider,
    };
    this.resource =
      grant.kind === "project"
        ? new ProjectIamMember(this, "Resource", { ...settings, project: grant.target })
        : new StorageBucketIamMember(this, "Resource", { ...settings, bucket: grant.target });
    waitFor(this.resource, props.dependencies ?? []);
    holders.set(key, this);
  }

  /** The stack's binding of that member, role, resource and condition, declared in the scope at the first call. */
  static once(scope: Construct, id: string, props: RoleBindingProps): RoleBinding {
    checkProps("RoleBinding.once()", scope, id, ROLE_BINDING_PROPS, props);
    const grant = checkedRoleGrant(props);
    return bindingsOn(scope, grant).get(keyOf(grant, props.member)) ?? new RoleBinding(scope, id, props);
  }

  /** Throws `google-policy-full` where so many more bindings would overfill a policy. */
  static checkRoom(scope: Construct, grants: readonly CheckedRoleGrant[]): void {
    const wanted = new Map<string, { readonly grant: CheckedRoleGrant; count: number }>();
    for (const grant of grants) {
      const entry = wanted.get(grant.resource) ?? { grant, count: bindingsOn(scope, grant).size };
      entry.count += 1;
      wanted.set(grant.resource, entry);
    }
    for (const { grant, count } of wanted.values()) checkPolicy(grant, count);
  }
}

function checkPolicy({ resource }: CheckedRoleGrant, count: number): void {
  checkPolicySize(
    resource,
    count,
    "spread the workloads over several projects or buckets, or let several of them use one service account",
  );
}

function conditionText(condition: RoleCondition | undefined): RoleCondition | undefined {
  if (condition === undefined) return undefined;
  const { title, expression, description } = condition;
  return {
    title: terraformText(title),
    expression: terraformText(expression),
    description: optionalTerraformText(description),
  };
}

function keyOf({ role, condition }: CheckedRoleGrant, member: string): string {
  return JSON.stringify([role, member, condition ?? null]);
}

function bindingsOn(scope: Construct, { resource }: CheckedRoleGrant): Map<string, RoleBinding> {
  return bindings.get(scope, resource) ?? bindings.set(scope, resource, new Map());
}
