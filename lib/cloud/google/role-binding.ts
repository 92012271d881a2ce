import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member/index.js";
import { StorageBucketIamMember } from "@cdktf/provider-google/lib/storage-bucket-iam-member/index.js";
import type { ITerraformDependable, TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import { POLICY_PRINCIPALS_MAX } from "../../rules/google/policy-size";
import { type CheckedRoleGrant, type GoogleRoleGrant, checkedRoleGrant } from "../../rules/google/role-grant";
import { PerStack } from "../shared/per-stack";
import { dependsOn } from "../shared/references";

/** Settings of a {@link RoleBinding}. */
export interface RoleBindingProps extends GoogleRoleGrant {
  /** IAM policy member: `serviceAccount:<email>`, or a principal of a workload identity pool. */
  readonly member: string;
  /**
   * What must exist before the binding.
   *
   * @defaultValue - nothing
   */
  readonly dependencies?: readonly ITerraformDependable[];
  /**
   * The binding exists already: a Terraform `import` block takes it into the state.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
  /**
   * Terraform provider of the resource; must be allowed to set the IAM policy of the project or bucket.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

/** The bindings of a stack, by resource and by member, role and condition. */
const bindings = new PerStack<Map<string, RoleBinding>>();

/**
 * One role for one member on a project or bucket, added to the policy without touching other members.
 *
 * A policy holds at most 1,500 principals, each counted in each of its roles (https://cloud.google.com/iam/quotas);
 * those of the stack are counted.
 */
export class RoleBinding extends Construct {
  /** The Terraform resource. */
  readonly resource: ProjectIamMember | StorageBucketIamMember;

  /**
   * Throws `google-role-invalid`, `google-role-basic`, `google-grant-target`, `google-project-invalid`,
   * `google-policy-full` and `late-value`.
   */
  constructor(scope: Construct, id: string, props: RoleBindingProps) {
    const grant = checkedRoleGrant(props);
    const { member, provider } = props;
    const holders = bindingsOn(scope, grant);
    const key = keyOf(grant, member);
    checkPolicy(grant, holders.has(key) ? holders.size : holders.size + 1);
    super(scope, id);
    const { role, condition } = grant;
    const settings = { role, member, condition, provider };
    this.resource =
      grant.kind === "project"
        ? new ProjectIamMember(this, "Resource", { ...settings, project: grant.target })
        : new StorageBucketIamMember(this, "Resource", { ...settings, bucket: grant.target });
    dependsOn(this.resource, props.dependencies ?? []);
    if (props.adopt === true)
      this.resource.importFrom(`${IMPORTED[grant.kind]}${grant.target} ${role} ${member}`, provider);
    holders.set(key, this);
  }

  /** The stack's binding of that member, role, resource and condition, declared in the scope at the first call. */
  static once(scope: Construct, id: string, props: RoleBindingProps): RoleBinding {
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

/** How Terraform's import writes a resource's name before role and member. */
const IMPORTED: Readonly<Record<CheckedRoleGrant["kind"], string>> = { project: "", bucket: "b/" };

function checkPolicy({ resource }: CheckedRoleGrant, count: number): void {
  if (count > POLICY_PRINCIPALS_MAX) fail("google-policy-full", resource, count, POLICY_PRINCIPALS_MAX);
}

function keyOf({ role, condition }: CheckedRoleGrant, member: string): string {
  return JSON.stringify([role, member, condition ?? null]);
}

function bindingsOn(scope: Construct, { resource }: CheckedRoleGrant): Map<string, RoleBinding> {
  return bindings.get(scope, resource) ?? bindings.set(scope, resource, new Map());
}
