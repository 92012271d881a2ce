import { ProjectIamCustomRole } from "@cdktf/provider-google/lib/project-iam-custom-role/index.js";
import type { ITerraformDependable, TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import { DESCRIPTION_MAX, projectId } from "../../rules/google/names";
import { ROLE_TITLE_MAX, customRoleId, customRoleName, permissionNames } from "../../rules/google/role";
import { shortText } from "../../rules/google/text";
import { optionalTerraformText, terraformText } from "../../rules/terraform-text";
import { keepNames } from "../shared/kept-names";
import { PerApp } from "../shared/per-app";
import { type ObjectKind, boolean, checkProps, list, object, optional, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** Settings of a {@link ProjectRole}. */
export interface ProjectRoleProps {
  /** Id of the project. */
  readonly project: string;
  /** Id of the role: 3 to 64 of letters, digits, `_` and `.`. */
  readonly roleId: string;
  /** Name for people, at most 100 characters. */
  readonly title: string;
  /** The permissions; sorted and each once in the output. */
  readonly permissions: readonly string[];
  /**
   * Description, at most 256 characters.
   *
   * @defaultValue - none
   */
  readonly description?: string;
  /**
   * The role exists already: a Terraform `import` block takes it into the state.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
  /**
   * Terraform provider of the resource.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

const PROJECT_ROLE_PROPS: ObjectKind<ProjectRoleProps> = object({
  project: text,
  roleId: text,
  title: text,
  permissions: list(text),
  description: optional(text),
  adopt: optional(boolean),
  provider: optional(PROVIDER),
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

  /**
   * Throws `google-project-invalid`, `google-role-id-invalid`, `google-permission-invalid`, `name-too-long`,
   * `google-role-taken`, and `late-value`.
   */
  constructor(scope: Construct, id: string, props: ProjectRoleProps) {
    checkProps(new.target.name, scope, id, PROJECT_ROLE_PROPS, props);
    const { name, permissions } = checkProjectRole(props);
    const holder = declared.get(scope, name);
    if (holder) fail("google-role-taken", props.roleId, holder.node.path);
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
    if (holder) fail("google-role-taken", props.roleId, holder.node.path);
  }
}

function checkProjectRole(props: ProjectRoleProps): { name: string; permissions: readonly string[] } {
  const name = customRoleName(projectId(props.project), customRoleId(props.roleId));
  shortText("title of a custom role", props.title, ROLE_TITLE_MAX);
  shortText("description of a custom role", props.description, DESCRIPTION_MAX);
  return { name, permissions: permissionNames(props.permissions) };
}
