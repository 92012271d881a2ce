import { ArtifactRegistryRepositoryIamMember } from "@cdktf/provider-google/lib/artifact-registry-repository-iam-member/index.js";
import { ProjectIamCustomRole } from "@cdktf/provider-google/lib/project-iam-custom-role/index.js";
import {
  type ProjectIamMemberConfig,
  ProjectIamMember,
} from "@cdktf/provider-google/lib/project-iam-member/index.js";
import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member/index.js";
import { StorageBucketIamMember } from "@cdktf/provider-google/lib/storage-bucket-iam-member/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import { type ObjectKind, anyObject, checkProps, list, object, optional, text } from "../../model/shape";
import { DESCRIPTION_MAX, projectId, refuseTaken } from "../../rules/google/names";
import {
  type CheckedRoleGrant,
  type GoogleRoleGrant,
  type RoleCondition,
  GOOGLE_ROLE_GRANT,
  checkPolicySize,
  checkedRoleGrant,
  iamMember,
} from "../../rules/google/permission";
import { ROLE_TITLE_MAX, customRoleId, customRoleName, permissionNames } from "../../rules/google/role";
import { shortText } from "../../rules/google/text";
import { optionalTerraformText, terraformText } from "../../rules/terraform-text";
import { waitFor } from "../shared/across-stacks";
import { keepNames } from "../shared/kept-names";
import { PerApp, PerStack } from "../shared/per-scope";
import { type AdoptableProps, ADOPTABLE_PROPS } from "./props";

/** Settings of a {@link ProjectRole}. */
export interface ProjectRoleProps extends AdoptableProps {
  /** Id of the project. */
  readonly project: string;
  /** Id of the role: 3 to 64 of letters, digits, `_` and `.`. */
  readonly roleId: string;
  /** Name for people, at most 100 characters. */
  readonly title: string;
  /** The permissions; written sorted and without duplicates. */
  readonly permissions: readonly string[];
  /**
   * Description, at most 256 characters.
   *
   * @defaultValue - none
   */
  readonly description?: string;
}

const PROJECT_ROLE_PROPS: ObjectKind<ProjectRoleProps> = object({
  ...ADOPTABLE_PROPS.shape,
  project: text,
  roleId: text,
  title: text,
  permissions: list(text),
  description: optional(text),
});

/** The custom roles that an app declares, by project and id. */
const declared = new PerApp<ProjectRole>();

/**
 * A custom role of a project.
 *
 * Google keeps the id of a deleted role for more than a month: for 7 days the role can be undeleted, which Terraform
 * does when it is declared again; after that its id is refused until it is free
 * (https://cloud.google.com/iam/docs/creating-custom-roles, "Delete a custom role"). A project has at most 300 of
 * them. Permissions that apply to organizations or folders only cannot be in a project's role.
 */
export class ProjectRole extends Construct {
  /** Full name: `projects/<project>/roles/<id>`. */
  readonly name: string;
  /** The permissions, sorted. */
  readonly permissions: readonly string[];
  /** The declared role. */
  readonly dependencies: readonly ITerraformDependable[];
  /** The Terraform resource. */
  readonly resource: ProjectIamCustomRole;

  constructor(scope: Construct, id: string, props: ProjectRoleProps) {
    checkProps(new.target.name, scope, id, PROJECT_ROLE_PROPS, props);
    const { name, permissions } = checkProjectRole(props);
    const holder = declared.get(scope, name);
    if (holder) refuseRole(props, holder);
    super(scope, id);
    this.name = name;
    this.permissions = permissions;
    this.resource = new ProjectIamCustomRole(this, "Resource", {
      project: props.project,
      roleId: props.roleId,
      title: terraformText(props.title),
      description: optionalTerraformText(props.description),
      permissions: [...permissions],
      provider: props.provider,
    });
    keepNames(this.resource, {
      names: { role_id: props.roleId, project: props.project },
      statedBy: "roleId and project",
    });
    if (props.adopt === true) this.resource.importFrom(name, props.provider);
    this.dependencies = [this.resource];
    declared.set(this, name, this);
  }

  /** Throws what the constructor throws, without declaring anything. */
  static check(scope: Construct, props: ProjectRoleProps): void {
    const holder = declared.get(scope, checkProjectRole(props).name);
    if (holder) refuseRole(props, holder);
  }
}

function refuseRole({ roleId }: ProjectRoleProps, { node }: ProjectRole): never {
  return refuseTaken(
    "custom role, with one list of permissions for all that share it,",
    roleId,
    node.path,
    'leave roleSharing out to have a role for each cluster, or state roleSharing: "existing" where another stack declares the role',
  );
}

function checkProjectRole(props: ProjectRoleProps): { name: string; permissions: readonly string[] } {
  const name = customRoleName(projectId(props.project), customRoleId(props.roleId));
  shortText("title of a custom role", props.title, ROLE_TITLE_MAX);
  shortText("description of a custom role", props.description, DESCRIPTION_MAX);
  return { name, permissions: permissionNames(props.permissions) };
}

/** Settings of a {@link RoleBinding}. */
export interface RoleBindingProps extends GoogleRoleGrant, AdoptableProps {
  /**
   * IAM policy member: `serviceAccount:<email>`, a principal of a workload identity pool, `user:`, `group:`, `domain:`;
   * `allUsers` and other members that mean everyone need a `reason`. May be late.
   */
  readonly member: string;
  /**
   * What must exist before the binding.
   *
   * @defaultValue - none
   */
  readonly dependencies?: readonly ITerraformDependable[];
}

const ROLE_BINDING_PROPS: ObjectKind<RoleBindingProps> = object({
  ...ADOPTABLE_PROPS.shape,
  ...GOOGLE_ROLE_GRANT.shape,
  member: text,
  dependencies: optional(list(anyObject)),
});

type BindingSettings = Omit<ProjectIamMemberConfig, "project">;

/** The bindings of a stack, by resource and by member, role and condition. */
const bindings = new PerStack<Map<string, RoleBinding>>();

/**
 * One role for one member on a project, bucket, secret or repository, added to the policy without changing other
 * members.
 *
 * An existing binding needs no import, as adding an existing member changes nothing; with `adopt` it is imported, so that
 * the plan has nothing to add.
 *
 * A policy holds at most 1,500 principals, each counted in each of its roles (https://cloud.google.com/iam/quotas);
 * those of the stack are counted.
 */
export class RoleBinding extends Construct {
  /** The Terraform resource. */
  readonly resource:
    | ProjectIamMember
    | StorageBucketIamMember
    | SecretManagerSecretIamMember
    | ArtifactRegistryRepositoryIamMember;

  constructor(scope: Construct, id: string, props: RoleBindingProps) {
    checkProps(new.target.name, scope, id, ROLE_BINDING_PROPS, props);
    const grant = checkedRoleGrant(props);
    const member = iamMember(props.member, grant.reason);
    const holders = bindingsOn(scope, grant);
    const key = keyOf(grant, member);
    const holder = holders.get(key);
    if (holder) refuseBinding(grant.role, member, holder, "RoleBinding.once");
    checkPolicy(grant, holders.size + 1);
    super(scope, id);
    const settings = {
      role: grant.role,
      member,
      condition: conditionText(grant.condition),
      provider: props.provider,
    };
    this.resource = this.#declared(grant, settings);
    if (props.adopt === true) {
      const { kind, target, role, condition } = grant;
      const title = condition ? ` ${condition.title}` : "";
      const id = `${kind === "bucket" ? "b/" : ""}${target} ${role} ${member}${title}`;
      this.resource.importFrom(id, props.provider);
    }
    waitFor(this.resource, props.dependencies ?? []);
    holders.set(key, this);
  }

  #declared({ kind, target }: CheckedRoleGrant, settings: BindingSettings): RoleBinding["resource"] {
    if (kind === "project") return new ProjectIamMember(this, "Resource", { ...settings, project: target });
    if (kind === "bucket")
      return new StorageBucketIamMember(this, "Resource", { ...settings, bucket: target });
    if (kind === "repository")
      return new ArtifactRegistryRepositoryIamMember(this, "Resource", { ...settings, repository: target });
    return new SecretManagerSecretIamMember(this, "Resource", { ...settings, secretId: target });
  }

  /** Returns the stack's binding of a member, role, resource and condition, declared in the scope at the first call. */
  static once(scope: Construct, id: string, props: RoleBindingProps): RoleBinding {
    checkProps("RoleBinding.once()", scope, id, ROLE_BINDING_PROPS, props);
    const grant = checkedRoleGrant(props);
    return bindingsOn(scope, grant).get(keyOf(grant, props.member)) ?? new RoleBinding(scope, id, props);
  }

  /** Throws if that many further bindings would exceed a policy's limit. */
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

/** If one of two equal bindings is removed, Terraform removes the role for both. */
export function refuseBinding(role: string, member: string, { node }: Construct, once: string): never {
  return fail("google-conflict", {
    problem: `${role} for this member on the same resource is already declared in this stack, as ${node.path}; removing one of the two would remove the role for both`,
    value: member,
    allowed: "each binding of a stack once",
    remedy: `use ${once}, which declares a binding once and returns it to every caller`,
  });
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
  return bindings.ensure(scope, resource, () => new Map<string, RoleBinding>());
}
