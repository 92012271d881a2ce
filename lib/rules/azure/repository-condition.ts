/*
 * The condition that limits a role assignment to repositories, written and read back.
 *
 * Form: learn.microsoft.com, "Azure attribute-based access control (Azure ABAC) repository permissions in Azure
 * Container Registry". Both data actions of the role are named: an action that no clause names is not limited.
 */

const REPOSITORY_NAME = "@Request[Microsoft.ContainerRegistry/registries/repositories:name]";
const ACTIONS: readonly string[] = [
  "Microsoft.ContainerRegistry/registries/repositories/content/read",
  "Microsoft.ContainerRegistry/registries/repositories/metadata/read",
];

const LIMITED = ACTIONS.map((action) => `!(ActionMatches{'${action}'})`);
const TAIL = "))";
const CLAUSE = /^String(Equals|StartsWith)(IgnoreCase)?'([^'*]+)'$/;

/** The version of the condition language. */
export const CONDITION_VERSION = "2.0";

/** Greatest length in bytes (learn.microsoft.com, Azure role-based access control limits: 8 KB). */
export const CONDITION_MAX_BYTES: number = 8 * 1024;

/** Names, and prefixes that end in a star; "unknown" where a condition has another form than the documented one. */
export type RepositoryLimit = readonly string[] | "unknown";

/** Renders checked patterns; `undefined`, which stands for every repository, needs no condition. */
export function renderRepositoryCondition(patterns: readonly string[] | undefined): string | undefined {
  return patterns && `((${LIMITED.join(" AND ")}) OR (${patterns.map(clause).join(" OR ")}${TAIL}`;
}

function clause(pattern: string): string {
  return pattern.endsWith("/*")
    ? `${REPOSITORY_NAME} StringStartsWithIgnoreCase '${pattern.slice(0, -1)}'`
    : `${REPOSITORY_NAME} StringEqualsIgnoreCase '${pattern}'`;
}

/**
 * Reads a condition of the documented form, whatever its white space outside of values and the actions that it names
 * besides. Names of repositories have small letters only: a value that is compared without regard to case is one of these.
 */
export function readRepositoryCondition(condition: string): RepositoryLimit {
  const text = condition.replace(/'[^']*'|\s+/g, (part) => (part.startsWith("'") ? part : ""));
  const [, actions = "", clauses = ""] = /^\(\((!.*?\}\))\)OR\((@.*)\)\)$/.exec(text) ?? [];
  const limited = actions.split("AND");
  if (!LIMITED.every((action) => limited.includes(action)) || !limited.every(isAction)) return "unknown";
  const patterns = clauses.split("OR@").map(readClause);
  return patterns.every((pattern) => pattern !== undefined) ? patterns : "unknown";
}

function isAction(text: string): boolean {
  return /^!\(ActionMatches\{'[\w./]+'\}\)$/.test(text);
}

function readClause(text: string, index: number): string | undefined {
  const whole = index === 0 ? text : `@${text}`;
  if (!whole.startsWith(REPOSITORY_NAME)) return undefined;
  const [, kind, ignoresCase, value = ""] = CLAUSE.exec(whole.slice(REPOSITORY_NAME.length)) ?? [];
  const name = ignoresCase ? value.toLowerCase() : value;
  return kind && (kind === "StartsWith" ? `${name}*` : name);
}
