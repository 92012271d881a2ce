/*
 * Hosts of Artifact Registry, its own and those of the former Container Registry; repositories and images in them.
 * Sources: https://cloud.google.com/artifact-registry/docs/docker/names, /docs/repositories/create-repos.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import { textOfForm } from "./names";

/** What a registry host says about where its images are. */
export interface GoogleRegistryHost {
  /** Location of the repositories. */
  readonly location: string;
  /** Name of the repository of a gcr.io host; `undefined` where the path names it. */
  readonly repository?: string;
}

/** Hosts of the former Container Registry. */
export type GcrHost = "gcr.io" | "us.gcr.io" | "eu.gcr.io" | "asia.gcr.io";

/** https://cloud.google.com/artifact-registry/docs/transition/gcr-repositories, table "gcr.io domain support". */
const GCR_LOCATIONS: Readonly<Record<string, string>> = {
  "asia.gcr.io": "asia",
  "eu.gcr.io": "europe",
  "gcr.io": "us",
  "us.gcr.io": "us",
};

const SUFFIX = "-docker.pkg.dev";

/**
 * Multi-regions, and the grammar of region names (continent, direction, number) rather than a list that ages;
 * https://cloud.google.com/artifact-registry/docs/repositories/repo-locations. A zone or another cloud's region
 * does not fit it.
 */
const LOCATION =
  /^(?:us|europe|asia|(?:africa|asia|australia|europe|me|northamerica|southamerica|us)-(?:central|north|south|east|west|northeast|northwest|southeast|southwest)[0-9]{1,2})$/;

/** Host of the Docker repositories in a location: `<location>-docker.pkg.dev`. */
export function dockerHost(location: string): string {
  const checked = textOfForm(location, {
    problem: "not a location of Artifact Registry",
    what: "location of an Artifact Registry repository",
    pattern: LOCATION,
    allowed: "us, europe, asia, or a region such as europe-west1; not a zone",
    remedy: "use the location that `gcloud artifacts repositories list` shows",
  });
  return `${checked}${SUFFIX}`;
}

/** Location of the repository behind a gcr.io host. */
export function gcrLocation(host: GcrHost): string {
  const location = parseGoogleRegistryHost(literal(host, "gcr.io host"));
  if (location?.repository !== undefined) return location.location;
  return fail("google-unknown", {
    problem: "not a gcr.io host",
    value: host,
    allowed: Object.keys(GCR_LOCATIONS).join(", "),
    remedy: "for <location>-docker.pkg.dev use artifactRegistry()",
  });
}

/** Reads a registry host; `undefined` for a host that is not one of Google's Docker registries. Never throws. */
export function parseGoogleRegistryHost(host: string): GoogleRegistryHost | undefined {
  const gcr = Object.hasOwn(GCR_LOCATIONS, host) ? GCR_LOCATIONS[host] : undefined;
  if (gcr !== undefined) return { location: gcr, repository: host };
  if (typeof host !== "string" || !host.endsWith(SUFFIX)) return undefined;
  const location = host.slice(0, -SUFFIX.length);
  return LOCATION.test(location) ? { location } : undefined;
}

export function repositoryName(repository: string): string {
  return textOfForm(repository, {
    problem: "not the name of an Artifact Registry repository",
    what: "name of an Artifact Registry repository",
    pattern: /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    allowed: "1 to 63 of a-z, 0-9 and -, starting with a letter and ending with a letter or digit",
    remedy: "give the repository only, without project and image; for gcr.io names use gcrRepository()",
  });
}

/** Path components of the OCI distribution specification, `*` in any place, empty components excluded. */
const IMAGE = /^[a-z0-9*](?:[a-z0-9._*-]*[a-z0-9*])?(?:\/[a-z0-9*](?:[a-z0-9._*-]*[a-z0-9*])?)*$/;

/**
 * Returns image patterns within a repository of a registry host, sorted and without duplicates, `*` for none. Hosts of
 * other registries may begin an image: tools that copy whole registries keep them in the path.
 */
export function imagePatterns(host: string, images: readonly string[] = ["*"]): readonly string[] {
  const checked = images.map((image) => {
    const written = literal(image, "image of an Artifact Registry repository");
    const [first = ""] = String(written).split("/", 1);
    if (first === host || first.endsWith(SUFFIX))
      refuseImage(`image begins with the registry host ${first}`, written);
    return IMAGE.test(written) ? written : refuseImage("not an image name within a repository", written);
  });
  if (images.length === 0) refuseImage("not an image name within a repository", images);
  return [...new Set(checked)].sort();
}

function refuseImage(problem: string, value: unknown): never {
  return fail("google-invalid", {
    problem,
    value,
    allowed: "path components of a-z, 0-9, ., _ and -, with * for any text; no tag and no digest",
    remedy:
      "give the part after the repository, for example web or base/*; host, project and repository are added",
  });
}

/** A project id as the path of an image writes it: the colon of a domain-scoped project becomes a slash. */
export function projectPath(project: string): string {
  return project.replace(":", "/");
}
