/*
 * Whether grants let somebody download from a repository of Artifact Registry.
 */

import { parseGoogleRegistryHost } from "../../../rules/google/registry-host";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { Source } from "../../facts/source";
import { isLateText } from "../../facts/terraform";
import type { Repository } from "../cloud";
import type { Authorities } from "./authorities";
import { type DenialFact, mayConcern } from "./denials";
import type { GrantFact } from "./grants";

/** Roles that may download. Source: cloud.google.com/artifact-registry/docs/access-control, "Roles". */
const ROLES: ReadonlySet<string> = new Set(
  ["reader", "writer", "repoAdmin", "admin", "createOnPushWriter", "createOnPushRepoAdmin"].map(
    (name) => `roles/artifactregistry.${name}`,
  ),
);

/**
 * Roles whose permissions are not judged: the basic ones, which hold thousands that Google changes, those of service
 * agents, and everything that is no predefined role.
 */
const UNJUDGED = /^(?:roles\/(?:viewer|editor|owner|reader|writer|admin)$|roles\/.*[aA]gent$|(?!roles\/))/;

/** Grants that name an identity, and those that may. */
export interface Granted {
  /** Grants to a member that the identity is. */
  readonly certain: readonly GrantFact[];
  /** Grants to members that the identity may be, and policies that only apply will tell. */
  readonly possible: readonly GrantFact[];
}

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

/** True for a role that may download. */
export function mayDownload(role: string): boolean {
  return ROLES.has(role);
}

/** Whether a download is permitted; denials win over every grant. */
export function repositoryPermitted(
  granted: Granted,
  place: Place,
  denials: readonly DenialFact[],
  authorities: Authorities,
): Answer {
  const where = `${place.project}/${place.location}/${place.repository}`;
  const covering = granted.certain.filter(
    (grant) => mayDownload(grant.role) && !grant.conditional && covers(grant, place) === "yes",
  );
  const certain = covering.find((grant) => authorities.against(grant, granted.certain) === undefined);
  const denial = denials.find((each) => mayConcern(each, place.project));
  if (certain) return notDenied(certain, where, denial);
  const [contested] = covering;
  if (contested) return ownedElsewhere(contested, where, authorities.against(contested, granted.certain));
  const open = [...granted.certain, ...granted.possible].find(
    (grant) => covers(grant, place) !== "no" && !isUseless(grant.role),
  );
  if (open)
    return unknown(
      `whether ${open.role || "a policy"} on ${open.repository || open.project} covers ${where} for this principal cannot be judged`,
      "grant roles/artifactregistry.reader on the repository to the principal, without condition",
      seen("grant", open.source),
    );
  return broken(
    `nothing grants the principal a download from ${where}`,
    "grant roles/artifactregistry.reader on the repository to the principal, with the pool's project number",
    'denied: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/…"',
    ...granted.certain.map((grant) => seen(`${grant.role} elsewhere`, grant.source)),
  );
}

function notDenied(grant: GrantFact, where: string, denial: DenialFact | undefined): Answer {
  return denial === undefined
    ? pass(`${grant.role} is granted on ${where}`, seen("grant", grant.source))
    : unknown(
        `${grant.role} is granted on ${where}, whether a ${denial.title} takes it away cannot be judged`,
        `except the principal from the ${denial.title}`,
        seen("grant", grant.source),
        seen(denial.title, denial.source),
      );
}

function ownedElsewhere(grant: GrantFact, where: string, authority: Source | undefined): Answer {
  return unknown(
    `${grant.role} is granted on ${where}, and another resource, which owns such grants, does not name the principal: the one that was applied last counts`,
    "add the principal to the members of the other resource, or grant by google_artifact_registry_repository_iam_member alone",
    seen("grant", grant.source),
    seen("owner of the grants", authority),
  );
}

/** Whether the grant is on the repository or on what holds it. */
function covers({ place, project, location, repository }: GrantFact, asked: Place): "yes" | "no" | "perhaps" {
  if (place === "above") return "perhaps";
  // Images name projects by id, grants by id or number.
  const parts: [one: string, other: string, told: boolean][] = [
    [project, asked.project, !/^\d+$/.test(project)],
  ];
  if (place === "repository")
    parts.push([repository, asked.repository, true], [location, asked.location, true]);
  const different = parts.filter(([one, other]) => one !== other);
  if (different.length === 0) return "yes";
  return different.some(([one, , told]) => told && one !== "" && !isLateText(one)) ? "no" : "perhaps";
}

/** True for a role that surely does not include the download. */
function isUseless(role: string): boolean {
  return !mayDownload(role) && role !== "" && !isLateText(role) && !UNJUDGED.test(role);
}
