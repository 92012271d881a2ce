/*
 * Names of ECR repositories. Source: the pattern of `repositoryName` in the ECR API reference (CreateRepository).
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import { isEcrHost } from "./ecr-host";

const MAX = 256;
const MIN = 2;
const NAME = /^[a-z0-9]+(?:[._-][a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-][a-z0-9]+)*)*$/;

/** True where the text is a pattern rather than the name of one repository. */
export function isRepositoryPattern(repository: string): boolean {
  return repository.includes("*");
}

/**
 * Returns a repository name, or a pattern with `*` for any text, slashes included (as IAM reads it in an ARN).
 *
 * Throws `aws-repository-invalid`, `aws-repository-with-host` or `late-value`.
 */
export function repositoryPattern(repository: string): string {
  literal(repository, "ECR repository");
  if (typeof repository !== "string" || repository.length > MAX)
    return fail("aws-repository-invalid", repository);
  // A cache of another registry may well be named like that one, `quay.io/…`, but never like ECR.
  if (isEcrHost(repository.split("/", 1)[0] ?? "")) return fail("aws-repository-with-host", repository);
  // A star stands for any text, so the rest must be a name with some text in its place.
  const example = repository.replaceAll("*", "x");
  const minimum = isRepositoryPattern(repository) ? 1 : MIN;
  return example.length >= minimum && NAME.test(example)
    ? repository
    : fail("aws-repository-invalid", repository);
}

/** Returns the name of exactly one repository; throws `aws-repository-policy-wildcard` or `aws-repository-invalid`. */
export function repositoryName(repository: string): string {
  const checked = repositoryPattern(repository);
  return isRepositoryPattern(checked) ? fail("aws-repository-policy-wildcard", repository) : checked;
}

/** Returns the patterns, each once; throws `aws-repositories-empty` where there is none, and what `repositoryPattern` throws. */
export function repositoryPatterns(repositories: readonly string[]): readonly string[] {
  if (!Array.isArray(repositories) || repositories.length === 0)
    return fail("aws-repositories-empty", repositories);
  return [...new Set(repositories.map(repositoryPattern))];
}
