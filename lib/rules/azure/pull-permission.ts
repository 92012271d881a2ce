import { fail } from "../../errors";
import { isLate } from "../../model/late";
import type { LoginServer } from "./login-server";
import { CONDITION_MAX_BYTES, renderRepositoryCondition } from "./repository-condition";
import { joinPatterns } from "./repository-pattern";

/** `properties.roleAssignmentMode` of a registry, as `az acr show` prints it. */
export type RoleAssignmentMode = "LegacyRegistryPermissions" | "AbacRepositoryPermissions";

/** What a registry's mode means for a pull. */
export interface PullRole {
  /** The built-in role that the mode honours for pulls. */
  readonly roleDefinitionName: string;
  /** True where a condition can limit the role to repositories. */
  readonly limitsRepositories: boolean;
}

/** Registries in ABAC mode ignore AcrPull; the others know nothing of the repository roles. */
const ROLES: Readonly<Record<RoleAssignmentMode, PullRole>> = {
  LegacyRegistryPermissions: { roleDefinitionName: "AcrPull", limitsRepositories: false },
  AbacRepositoryPermissions: {
    roleDefinitionName: "Container Registry Repository Reader",
    limitsRepositories: true,
  },
};

/** A registry, and the part of it that may be pulled. */
export interface RegistryPull {
  /** Resource id of the registry; may be late. */
  readonly registry: string;
  /** Its login server. */
  readonly loginServer: LoginServer;
  /** Its mode. */
  readonly roleAssignmentMode: RoleAssignmentMode;
  /** Checked patterns; `undefined` for every repository. */
  readonly repositories: readonly string[] | undefined;
}

/** One role assignment. */
export interface PullPermission extends RegistryPull {
  /** Name of the built-in role. */
  readonly roleDefinitionName: string;
  /** The condition, `undefined` where the role covers the whole registry. */
  readonly condition: string | undefined;
}

/** The role that a mode honours; throws `acr-role-assignment-mode-unknown`. */
export function pullRole(mode: RoleAssignmentMode): PullRole {
  return Object.hasOwn(ROLES, mode)
    ? ROLES[mode]
    : fail("acr-role-assignment-mode-unknown", mode, Object.keys(ROLES).join(", "));
}

/**
 * The role assignments of one identity, one per registry, sorted by login server.
 *
 * Azure has one assignment per principal, role and scope and answers a second one with `RoleAssignmentExists`,
 * whatever its condition (hashicorp/terraform-provider-azurerm issue 24045), so several sources of one registry
 * become one assignment. Throws `acr-registry-contradiction` or `acr-condition-too-long`.
 */
export function pullPermissions(pulls: readonly RegistryPull[]): readonly PullPermission[] {
  const registries = new Map<string, RegistryPull>();
  for (const pull of pulls) {
    const known = registries.get(pull.loginServer.home);
    registries.set(pull.loginServer.home, known ? joined(known, pull) : pull);
  }
  checkOneLoginServerEach([...registries.values()]);
  return [...registries.keys()].sort().flatMap((home) => {
    const pull = registries.get(home);
    return pull ? [permission(pull)] : [];
  });
}

/** A text that is equal exactly for equal permissions; names the permission set of a shared identity. */
export function permissionKey(permissions: readonly PullPermission[]): readonly string[] {
  return permissions.map(({ loginServer, roleDefinitionName, repositories }) =>
    [loginServer.home, roleDefinitionName, ...(repositories ?? ["*"])].join(" "),
  );
}

function joined(one: RegistryPull, other: RegistryPull): RegistryPull {
  const { home } = one.loginServer;
  if (one.roleAssignmentMode !== other.roleAssignmentMode) {
    fail(
      "acr-registry-contradiction",
      home,
      "roleAssignmentMode",
      one.roleAssignmentMode,
      other.roleAssignmentMode,
    );
  }
  if (!isLate(one.registry) && !isLate(other.registry) && !sameId(one.registry, other.registry))
    fail("acr-registry-contradiction", home, "resource id", one.registry, other.registry);
  return { ...one, repositories: joinPatterns(one.repositories, other.repositories) };
}

function checkOneLoginServerEach(pulls: readonly RegistryPull[]): void {
  const homes = new Map<string, string>();
  for (const { registry, loginServer } of pulls.filter((pull) => !isLate(pull.registry))) {
    const id = registry.toLowerCase();
    const known = homes.get(id);
    if (known) fail("acr-registry-contradiction", registry, "loginServer", known, loginServer.home);
    homes.set(id, loginServer.home);
  }
}

function permission(pull: RegistryPull): PullPermission {
  const { roleDefinitionName, limitsRepositories } = pullRole(pull.roleAssignmentMode);
  const condition = limitsRepositories ? renderRepositoryCondition(pull.repositories) : undefined;
  const bytes = Buffer.byteLength(condition ?? "");
  if (bytes > CONDITION_MAX_BYTES)
    fail("acr-condition-too-long", pull.loginServer.home, bytes, CONDITION_MAX_BYTES);
  return { ...pull, roleDefinitionName, condition };
}

/** Azure Resource Manager compares resource ids without regard to letter case. */
function sameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
