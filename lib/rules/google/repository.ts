/*
 * Names within Artifact Registry: the repository, and the images in it.
 * Sources: https://cloud.google.com/artifact-registry/docs/docker/names and
 * https://cloud.google.com/artifact-registry/docs/repositories/create-repos.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import { isDockerHost } from "./registry-host";

const REPOSITORY = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Path components of the OCI distribution specification, `*` in any place, empty components excluded. */
const IMAGE = /^[a-z0-9*](?:[a-z0-9._*-]*[a-z0-9*])?(?:\/[a-z0-9*](?:[a-z0-9._*-]*[a-z0-9*])?)*$/;

/** Returns the name of a repository; throws `google-repository-invalid` or `late-value`. */
export function repositoryName(repository: string): string {
  const given = literal(repository, "name of an Artifact Registry repository");
  return typeof given === "string" && REPOSITORY.test(given)
    ? given
    : fail("google-repository-invalid", given);
}

/**
 * Returns image patterns within a repository of a registry host, sorted and without duplicates, `*` for none.
 *
 * Throws `google-image-invalid`, `google-image-with-host` or `late-value`. Hosts of other registries may begin an
 * image: tools that copy whole registries keep them in the path.
 */
export function imagePatterns(host: string, images: readonly string[] = ["*"]): readonly string[] {
  if (images.length === 0) return fail("google-image-invalid", images);
  const checked = images.map((image) => {
    const given = literal(image, "image of an Artifact Registry repository");
    const [first = ""] = String(given).split("/", 1);
    if (first === host || isDockerHost(first)) return fail("google-image-with-host", given, first);
    return IMAGE.test(given) ? given : fail("google-image-invalid", given);
  });
  return [...new Set(checked)].sort();
}

/** A project id as the path of an image writes it: the colon of a domain-scoped project becomes a slash. */
export function projectPath(project: string): string {
  return project.replace(":", "/");
}
