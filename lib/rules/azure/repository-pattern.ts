import { fail } from "../../errors";
import { literal } from "../../model/late";
import { azureClouds } from "./clouds";

const MAX = 255;

/** Repository names as registries accept them (opencontainers/distribution-spec, "Pulling manifests", `<name>`). */
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;

/**
 * Checks patterns and returns the shortest equal list, sorted; `undefined` stands for every repository.
 *
 * A pattern is a repository or a prefix that ends in a slash and a star, because those are the two comparisons
 * that a role assignment's condition can make without also taking in neighbours: `team*` would cover
 * `team-backup/x`. Throws `acr-repository-invalid` or `late-value`.
 */
export function repositoryPatterns(patterns: readonly string[] | undefined): readonly string[] | undefined {
  if (patterns === undefined) return undefined;
  if (patterns.length === 0)
    return fail("acr-repository-invalid", patterns, "list is empty; leave it out for every repository");
  for (const pattern of patterns) checkPattern(pattern);
  return patterns.includes("*") ? undefined : withoutCovered([...new Set(patterns)].sort());
}

/** The union of two lists, either of which may stand for every repository. */
export function joinPatterns(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  return one && other && withoutCovered([...new Set([...one, ...other])].sort());
}

/** True when one of the patterns, a name or a prefix and a star, covers the repository; letter case does not count, as in the conditions. */
export function coversRepository(patterns: readonly string[] | undefined, repository: string): boolean {
  const name = repository.toLowerCase();
  return patterns === undefined || patterns.some((pattern) => covers(pattern.toLowerCase(), name));
}

function checkPattern(pattern: string): void {
  const name = literal(pattern, "repositories").replace(/\/\*$/, "");
  if (pattern === "*") return;
  if (isRegistryHost(name.split("/", 1)[0] ?? ""))
    fail("acr-repository-invalid", pattern, "begins with the host of a registry");
  if (name.includes("*"))
    fail("acr-repository-invalid", pattern, "has a star elsewhere than after the last slash");
  if (name.length > MAX) fail("acr-repository-invalid", pattern, `is longer than ${MAX} characters`);
  if (!REPOSITORY.test(name)) fail("acr-repository-invalid", pattern, "is not a repository name");
}

/** Hosts of other registries may begin a repository: tools that copy whole registries keep them in the path. */
function isRegistryHost(segment: string): boolean {
  return azureClouds.some(({ acrSuffix }) => segment.toLowerCase().endsWith(`.${acrSuffix}`));
}

/** Conditions of others also have prefixes that end elsewhere than after a slash. */
function covers(pattern: string, repository: string): boolean {
  return pattern.endsWith("*") ? repository.startsWith(pattern.slice(0, -1)) : pattern === repository;
}

function withoutCovered(patterns: readonly string[]): readonly string[] {
  return patterns.filter(
    (pattern) => !patterns.some((other) => other !== pattern && covers(other, pattern.replace(/\*$/, ""))),
  );
}
