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
const EQUALS = "StringEqualsIgnoreCase";
const STARTS_WITH = "StringStartsWithIgnoreCase";

const LIMITED = ACTIONS.map((action) => `!(ActionMatches{'${action}'})`).join(" AND ");
const HEAD = `((${LIMITED}) OR (`;
const TAIL = "))";
const CLAUSE = /^(StringEqualsIgnoreCase|StringStartsWithIgnoreCase)'([^'*]+)'$/;

/** The version of the condition language. */
export const CONDITION_VERSION = "2.0";

/** Greatest length in bytes (learn.microsoft.com, Azure role-based access control limits: 8 KB). */
export const CONDITION_MAX_BYTES: number = 8 * 1024;

/** Renders checked patterns; `undefined`, which stands for every repository, needs no condition. */
export function renderRepositoryCondition(patterns: readonly string[] | undefined): string | undefined {
  if (patterns === undefined) return undefined;
  return HEAD + patterns.map(clause).join(" OR ") + TAIL;
}

/**
 * Reads the patterns of a condition of the documented form, whatever its white space outside of values; a prefix
 * becomes a pattern that ends in a star. `undefined` for any other text, which says nothing about what that allows.
 */
export function readRepositoryCondition(condition: string): readonly string[] | undefined {
  const text = condition.replace(/'[^']*'|\s+/g, (part) => (part.startsWith("'") ? part : ""));
  const [head, tail] = [HEAD.replace(/ /g, ""), TAIL];
  if (!text.startsWith(head) || !text.endsWith(tail)) return undefined;
  const patterns = text.slice(head.length, -tail.length).split("OR@").map(readClause);
  return patterns.every((pattern) => pattern !== undefined) ? patterns : undefined;
}

function clause(pattern: string): string {
  return pattern.endsWith("/*")
    ? `${REPOSITORY_NAME} ${STARTS_WITH} '${pattern.slice(0, -1)}'`
    : `${REPOSITORY_NAME} ${EQUALS} '${pattern}'`;
}

function readClause(text: string, index: number): string | undefined {
  const whole = index === 0 ? text : `@${text}`;
  if (!whole.startsWith(REPOSITORY_NAME)) return undefined;
  const [, operator, value] = CLAUSE.exec(whole.slice(REPOSITORY_NAME.length)) ?? [];
  return operator === STARTS_WITH ? `${value}*` : value;
}
