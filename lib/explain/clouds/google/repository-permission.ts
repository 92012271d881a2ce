/*
 * Whether grants let somebody download from a repository of Artifact Registry.
 */

import { type Answer, broken, pass, seen, unknown } from "../../answer";
import type { Source } from "../../facts/source";
import { isLateText } from "../../facts/terraform";
import type { Authorities } from "./authorities";
import { type DenialFact, mayConcern } from "./denials";
import { holdsDownload } from "./download-roles";
import type { CustomRoles } from "./granted-permissions";
import type { GrantFact } from "./grants";
import { type OtherFormats, withoutImages } from "./repository-formats";
import type { Place } from "./repository-place";

/** Grants that name an identity, and those that may. */
export interface Granted {
  /** Grants to a member that the identity is. */
  readonly certain: readonly GrantFact[];
  /** Grants to members that the identity may be, and policies that only apply will tell. */
  readonly possible: readonly GrantFact[];
}

/** What decides on downloads besides the grants. */
export interface PullPolicies {
  /** Custom roles. */
  readonly roles: CustomRoles;
  /** Repositories that hold no images. */
  readonly formats: OtherFormats;
  /** What wins over every grant. */
  readonly denials: readonly DenialFact[];
  /** What owns grants of others. */
  readonly authorities: Authorities;
}

/** Whether a download is permitted; denials win over every grant. */
export function repositoryPermitted(granted: Granted, place: Place, policies: PullPolicies): Answer {
  const { roles, formats, denials, authorities } = policies;
  const packages = withoutImages(place, formats);
  if (packages !== undefined) return packages;
  const where = `${place.project}/${place.location}/${place.repository}`;
  const covering = granted.certain.filter(
    (grant) => holdsDownload(grant.role, roles) && !grant.conditional && covers(grant, place) === "yes",
  );
  const certain = covering.find((grant) => authorities.against(grant, granted.certain) === undefined);
  const denial = denials.find((each) => mayConcern(each, place.project));
  if (certain) return notDenied(certain, where, denial);
  const [contested] = covering;
  if (contested) return ownedElsewhere(contested, where, authorities.against(contested, granted.certain));
  const open = [...granted.certain, ...granted.possible].find(
    (grant) =>
      covers(grant, place) !== "no" && (grant.role === "" || holdsDownload(grant.role, roles) !== false),
  );
  return open ? notJudged(open, where) : nothingGrants(granted, where);
}

function notJudged(grant: GrantFact, where: string): Answer {
  return unknown(
    `whether ${grant.role || "a policy"} on ${grant.repository || grant.project} covers ${where} for this principal cannot be judged`,
    "grant roles/artifactregistry.reader on the repository to the principal, without condition",
    seen("grant", grant.source),
  );
}

function nothingGrants({ certain }: Granted, where: string): Answer {
  return broken(
    `nothing grants the principal a download from ${where}`,
    "grant roles/artifactregistry.reader on the repository to the principal, with the pool's project number",
    'denied: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/…"',
    ...certain.map((grant) => seen(`${grant.role} elsewhere`, grant.source)),
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
