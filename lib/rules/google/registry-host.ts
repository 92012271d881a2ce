/*
 * Registry hosts of Google: Artifact Registry's own, and those of the former Container Registry that Artifact
 * Registry serves now.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";

/** What a registry host says about where its images are. */
export type GoogleRegistryHost =
  | {
      /** `<location>-docker.pkg.dev`; the path names project and repository. */
      readonly kind: "artifact-registry";
      /** Location of the repositories. */
      readonly location: string;
    }
  | {
      /** A gcr.io host; the path names the project, the repository is named like the host. */
      readonly kind: "gcr";
      /** Location of the repository. */
      readonly location: string;
      /** Name of the repository. */
      readonly repository: string;
    };

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

/** Returns a location of Artifact Registry; throws `google-location-invalid` or `late-value`. */
export function registryLocation(location: string): string {
  const given = literal(location, "location of an Artifact Registry repository");
  return typeof given === "string" && LOCATION.test(given) ? given : fail("google-location-invalid", given);
}

/** Host of the Docker repositories in a location: `<location>-docker.pkg.dev`. */
export function dockerHost(location: string): string {
  return `${registryLocation(location)}${SUFFIX}`;
}

/** True for a host of Docker repositories, and for a pattern of such hosts. */
export function isDockerHost(host: string): boolean {
  return host.endsWith(SUFFIX);
}

/** Location of the repository behind a gcr.io host; throws `google-gcr-host-unknown` or `late-value`. */
export function gcrLocation(host: GcrHost): string {
  const location = parseGcr(literal(host, "gcr.io host"));
  return location ?? fail("google-gcr-host-unknown", host, Object.keys(GCR_LOCATIONS));
}

/** Reads a registry host; `undefined` for a host that is not one of Google's Docker registries. Never throws. */
export function parseGoogleRegistryHost(host: string): GoogleRegistryHost | undefined {
  const gcr = parseGcr(host);
  if (gcr !== undefined) return { kind: "gcr", location: gcr, repository: host };
  const location = host.endsWith(SUFFIX) ? host.slice(0, -SUFFIX.length) : "";
  return LOCATION.test(location) ? { kind: "artifact-registry", location } : undefined;
}

function parseGcr(host: string): string | undefined {
  return Object.hasOwn(GCR_LOCATIONS, host) ? GCR_LOCATIONS[host] : undefined;
}
