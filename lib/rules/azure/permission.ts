/*
 * Role assignments for pulls, and the condition that limits an assignment to repositories, written and read back. Form:
 * learn.microsoft.com, "Azure attribute-based access control (Azure ABAC) repository permissions in Azure Container
 * Registry".
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { type LoginServer, joinPatterns } from "./registry";

/** `properties.roleAssignmentMode` of a registry, as `az acr show` prints it. */
export type RoleAssignmentMode = "LegacyRegistryPermissions" | "AbacRepositoryPermissions";

/** What the mode of a registry means for pulls. */
export interface PullRole {
  /** The built-in role that the mode honours for pulls. */
  readonly roleDefinitionName: string;
  /** True if a condition can limit the role to repositories. */
  readonly limitsRepositories: boolean;
}

/** Registries in ABAC mode ignore AcrPull; the others do not know the repository roles. */
const ROLES: Readonly<Record<RoleAssignmentMode, PullRole>> = {
  LegacyRegistryPermissions: { roleDefinitionName: "AcrPull", limitsRepositories: false },
  AbacRepositoryPermissions: {
    roleDefinitionName: "Container Registry Repository Reader",
    limitsRepositories: true,
  },
};

/** A registry, and the repositories in it that may be pulled. */
export interface RegistryPull {
  /** Resource id of the registry; may be late. */
  readonly registry: string;
  /** Login server of the registry. */
  readonly loginServer: LoginServer;
  /** The registry's mode, which decides which role permits pulls. */
  readonly roleAssignmentMode: RoleAssignmentMode;
  /** Checked patterns; `undefined` means every repository. */
  readonly repositories: readonly string[] | undefined;
}

export interface PullPermission extends RegistryPull {
  readonly roleDefinitionName: string;
  /** The condition; `undefined` if the role covers the whole registry. */
  readonly condition: string | undefined;
}

export function pullRole(mode: RoleAssignmentMode): PullRole {
  return Object.hasOwn(ROLES, mode)
    ? ROLES[mode]
    : fail("azure-unknown", {
        problem: "`roleAssignmentMode` is not a mode of container registries",
        value: mode,
        allowed: Object.keys(ROLES).join(", "),
        remedy: "copy it from `az acr show --query roleAssignmentMode`; the two modes honour different roles",
      });
}

/**
 * The role assignments of one identity, one per registry, sorted by login server.
 *
 * Azure has one assignment per principal, role and scope and answers a second one with `RoleAssignmentExists`,
 * whatever its condition (hashicorp/terraform-provider-azurerm issue 24045), so several sources of one registry
 * become one assignment.
 */
export function pullPermissions(pulls: readonly RegistryPull[]): readonly PullPermission[] {
  const registries = new Map<string, RegistryPull>();
  const homes = new Map<string, string>();
  for (const pull of pulls) {
    const { home } = pull.loginServer;
    const known = registries.get(home);
    registries.set(home, known ? joined(known, pull) : pull);
    const id = pull.registry.toLowerCase();
    const other = isLate(pull.registry) ? undefined : homes.get(id);
    if (other !== undefined && other !== home) contradiction(pull.registry, "loginServer", other, home);
    homes.set(id, home);
  }
  return [...registries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, pull]) => permission(pull));
}

/** A text that is equal exactly for equal permissions; identifies the permission set of a shared identity. */
export function permissionKey(permissions: readonly PullPermission[]): readonly string[] {
  return permissions.map(({ loginServer, roleDefinitionName, repositories }) =>
    [loginServer.home, roleDefinitionName, ...(repositories ?? ["*"])].join(" "),
  );
}

function joined(one: RegistryPull, other: RegistryPull): RegistryPull {
  const { home } = one.loginServer;
  const [mode, otherMode] = [one.roleAssignmentMode, other.roleAssignmentMode];
  if (mode !== otherMode) contradiction(home, "roleAssignmentMode", mode, otherMode);
  // Azure Resource Manager ignores the letter case of resource ids.
  const isOne = one.registry.toLowerCase() === other.registry.toLowerCase();
  if (!isLate(one.registry) && !isLate(other.registry) && !isOne)
    contradiction(home, "resource id", one.registry, other.registry);
  return { ...one, repositories: joinPatterns(one.repositories, other.repositories) };
}

function contradiction(registry: string, what: string, one: string, other: string): never {
  return fail("azure-mismatch", {
    problem: `two sources of the registry ${registry} state a different ${what}`,
    value: other,
    allowed: one,
    remedy: `state the same ${what} in every acr() of this registry`,
  });
}

function permission(pull: RegistryPull): PullPermission {
  const { roleDefinitionName, limitsRepositories } = pullRole(pull.roleAssignmentMode);
  const condition = limitsRepositories ? renderRepositoryCondition(pull.repositories) : undefined;
  const bytes = Buffer.byteLength(condition ?? "");
  if (bytes > CONDITION_MAX_BYTES)
    fail("azure-limit", {
      problem: `the condition that limits the repositories of ${pull.loginServer.home} has ${bytes} bytes`,
      value: bytes,
      allowed: `at most ${CONDITION_MAX_BYTES} bytes per role assignment`,
      remedy:
        "name common prefixes such as team/* instead of single repositories, or split the pulls over more service accounts",
    });
  return { ...pull, roleDefinitionName, condition };
}

const REPOSITORY_NAME = "@Request[Microsoft.ContainerRegistry/registries/repositories:name]";
// Both data actions of the role: the condition does not limit an action that no clause names.
const ACTIONS: readonly string[] = [
  "Microsoft.ContainerRegistry/registries/repositories/content/read",
  "Microsoft.ContainerRegistry/registries/repositories/metadata/read",
];

const LIMITED = ACTIONS.map((action) => `!(ActionMatches{'${action}'})`);
const ACTION = /^!\(ActionMatches\{'[\w./]+'\}\)$/;
const TAIL = "))";
const CLAUSE = /^String(Equals|StartsWith)(IgnoreCase)?'([^'*]+)'$/;

/** The version of the condition language. */
export const CONDITION_VERSION = "2.0";

/** Maximum length in bytes (learn.microsoft.com, Azure role-based access control limits: 8 KB). */
export const CONDITION_MAX_BYTES: number = 8 * 1024;

/** Names, and prefixes that end in a star; "unknown" if a condition does not have the documented form. */
export type RepositoryLimit = readonly string[] | "unknown";

/** Renders checked patterns; `undefined` means every repository and needs no condition. */
export function renderRepositoryCondition(patterns: readonly string[] | undefined): string | undefined {
  return patterns && `((${LIMITED.join(" AND ")}) OR (${patterns.map(clause).join(" OR ")}${TAIL}`;
}

function clause(pattern: string): string {
  return pattern.endsWith("/*")
    ? `${REPOSITORY_NAME} StringStartsWithIgnoreCase '${pattern.slice(0, -1)}'`
    : `${REPOSITORY_NAME} StringEqualsIgnoreCase '${pattern}'`;
}

/**
 * Reads a condition of the documented form, with any white space outside values and any further actions. Repository
 * names have only lower-case letters, so a value that is compared without regard to case can match only its lower-case
 * form.
 */
export function readRepositoryCondition(condition: string): RepositoryLimit {
  const text = condition.replace(/'[^']*'|\s+/g, (part) => (part.startsWith("'") ? part : ""));
  const [actions = "", clauses = "", ...more] = text.split(/(?<=\}\))\)OR\((?=@)/);
  if (!actions.startsWith("((!") || !clauses.endsWith("))") || more.length > 0) return "unknown";
  const limited = actions.slice(2).split("AND");
  if (!LIMITED.every((action) => limited.includes(action)) || !limited.every((each) => ACTION.test(each)))
    return "unknown";
  const patterns = clauses.slice(0, -2).split("OR@").map(readClause);
  return patterns.every((pattern) => pattern !== undefined) ? patterns : "unknown";
}

function readClause(text: string, index: number): string | undefined {
  const whole = index === 0 ? text : `@${text}`;
  if (!whole.startsWith(REPOSITORY_NAME)) return undefined;
  const [, kind, ignoresCase, value = ""] = CLAUSE.exec(whole.slice(REPOSITORY_NAME.length)) ?? [];
  const name = ignoresCase ? value.toLowerCase() : value;
  return kind && (kind === "StartsWith" ? `${name}*` : name);
}
