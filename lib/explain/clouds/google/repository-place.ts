import { parseGoogleRegistryHost } from "../../../rules/google/registry-host";
import type { Repository } from "../cloud";

/** A repository of Artifact Registry. */
export interface Place {
  /** Id of the project. */
  readonly project: string;
  /** Location of the repository. */
  readonly location: string;
  /** Name of the repository. */
  readonly repository: string;
}

/** Where an image's repository is, by its host and path. */
export function placeOf({ host, path }: Repository): Place | undefined {
  const read = parseGoogleRegistryHost(host);
  if (read === undefined) return undefined;
  const parts = path.split("/");
  // The colon of a domain-scoped project is a slash in images: example.com/project.
  const scoped = parts[0]?.includes(".") ? 2 : 1;
  const project = parts.slice(0, scoped).join(":");
  const repository = read.kind === "gcr" ? read.repository : parts[scoped];
  return repository === undefined ? undefined : { project, location: read.location, repository };
}
