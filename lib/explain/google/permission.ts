/*
 * Whether grants let a bearer download from repositories of Artifact Registry. The permission is one of the repository:
 * what follows it in the path of an image does not matter.
 */

import { type Ternary, and, is, isKnown, known, orElse, shown } from "../../model/known";
import type { AskedName } from "../../rules/asked-names";
import { AskedText } from "../../rules/google/cel-variables";
import { askedRepository, conditionMet } from "../../rules/google/grant-condition";
import { projectPath } from "../../rules/google/repository";
import { type Pattern, literalPattern } from "../../rules/wildcard";
import { type Answer, badness, broken, later, pass, seen, unknown, worstOf } from "../answer";
import type { AskedRepository } from "../asked-image";
import type { PullRights, ReachedRepositories } from "../cloud";
import type { Resource } from "../read/block";
import type { NotRead } from "../read/scope";
import type { Terraform } from "../read/terraform";
import { Mentions } from "../shared/mentions";
import { DOWNLOAD, type Denials, type Threat, threatTo } from "./denials";
import { type Grant, type Grants, REPOSITORY, targetText } from "./grants";
import type { GrantIndex } from "./held";
import type { Bearer } from "./members";
import { Formats, type Place, placeOf } from "./repositories";
import type { Roles } from "./roles";

/** What decides on downloads besides the grants themselves. */
export interface Policies {
  /** All grants. */
  readonly grants: Grants;
  /** The grants by member. */
  readonly index: GrantIndex;
  /** Custom roles. */
  readonly roles: Roles;
  /** What wins over every grant. */
  readonly denials: Denials;
  /** What was not read. */
  readonly mentions: Mentions;
}

/** Arguments that name the resources which a module may be handed. */
export const NAMING: readonly string[] = [
  ...["project", "project_id", "repository_id", "account_id", "email", "workload_identity_pool_id", "name"],
];

/** A grant that may count, with what does not depend on the repository. */
interface Relevant {
  readonly grant: Grant;
  /** Whether bearer, role and resource are certain. */
  readonly counts: Ternary;
  readonly pattern: Pattern | undefined;
  /** Another resource that owns it, and does not name the bearer. */
  readonly owner: Resource | undefined;
}

/** The rights of bearers: one object for all that have the same grants, which are owned and denied alike. */
export class Downloads {
  readonly #policies: Policies;
  readonly #formats: Formats;
  readonly #known = new Map<string, PullRights>();

  constructor(terraform: Terraform, policies: Policies) {
    this.#policies = policies;
    this.#formats = new Formats(terraform);
  }

  /** What a bearer may do. */
  of(bearer: Bearer): PullRights {
    const { grants, index, roles, denials } = this.#policies;
    const { key, certain, possible } = index.of(bearer);
    const relevant = (grant: Grant, isBearer: Ternary): readonly Relevant[] => {
      const counts = and(isBearer, roles.downloads(grant.role));
      if (counts === "no") return [];
      const name = grant.on.kind === REPOSITORY ? orElse(grant.on.name, () => undefined) : undefined;
      const owner = counts === "yes" ? grants.against(grant, bearer.isMember) : undefined;
      return [{ grant, counts, owner, pattern: name === undefined ? undefined : literalPattern(name) }];
    };
    const all = [
      ...certain.flatMap((grant) => relevant(grant, "yes")),
      ...possible.flatMap((grant) => relevant(grant, "unknown")),
    ];
    const threats = denials.of(bearer, [DOWNLOAD]);
    const whole = [
      key,
      ...all.map(({ owner }) => owner?.address ?? ""),
      ...threats.map(({ denial, outcome }) => denial.resource.address + outcome),
    ].join("|");
    const before = this.#known.get(whole);
    if (before) return before;
    const made = new Rights({
      certain,
      all,
      threats,
      formats: this.#formats,
      mentions: this.#policies.mentions,
    });
    this.#known.set(whole, made);
    return made;
  }
}

interface Facts {
  /** Every grant to the bearer, whatever its role. */
  readonly certain: readonly Grant[];
  readonly all: readonly Relevant[];
  readonly threats: readonly Threat[];
  readonly formats: Formats;
  readonly mentions: Mentions;
}

const LOGIN = pass("Artifact Registry takes the federated token itself; there is no login to permit");

class Rights implements PullRights {
  readonly #facts: Facts;

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  login(): Answer {
    return LOGIN;
  }

  repository(asked: AskedRepository): Answer {
    const place = placeOf(asked);
    if (place === undefined)
      return unknown(`${asked.name} names no repository of Artifact Registry`, "check the image");
    const worst = place.repositories.worst((name) => this.#judged(place, name), badness);
    if (worst === undefined)
      return unknown(
        `the repositories that ${asked.name} covers cannot all be judged`,
        "declare the repositories one by one",
      );
    if (place.repositories.isOne || worst.said.status === "pass") return worst.said;
    const { status, reason, evidence, remedy, log } = worst.said;
    const example = seen(`for example ${place.project}/${place.location}/${worst.example}`, undefined);
    return {
      status,
      reason,
      evidence: [example, ...evidence],
      remedy,
      ...(log === undefined ? {} : { log }),
    };
  }

  #judged(place: Place, name: AskedName): Answer {
    const answer = this.#granted(place, name);
    const format = this.#facts.formats.withoutImages(place, name);
    const threat = threatTo(this.#facts.threats, known(place.project));
    const denied =
      threat && (answer.status === "pass" || threat.outcome === "yes") ? denial(threat, answer) : undefined;
    return worstOf(answer, format, denied);
  }

  #granted(place: Place, name: AskedName): Answer {
    const where = (): string => `${place.project}/${place.location}/${name.example}`;
    let [open, owned]: (Relevant | undefined)[] = [];
    for (const each of this.#facts.all) {
      const outcome = and(each.counts, covers(each, place, name), isMet(each.grant, place, name));
      if (outcome === "no") continue;
      if (outcome === "unknown") open ??= each;
      else if (each.owner) owned ??= each;
      else return this.#unlessTouched(each.grant, place, where);
    }
    if (owned) return ownedElsewhere(owned, where);
    if (open) return notJudged(open.grant, where);
    const call = this.#facts.mentions.of(place.project, projectPath(place.project), name.example);
    if (call)
      return later("unknown", () =>
        touched(`nothing that was read grants the principal a download from ${where()}`, call),
      );
    return nothingGrants(this.#facts.certain, where);
  }

  /** What a module makes of a repository or project that it is handed is not read. */
  #unlessTouched(grant: Grant, place: Place, where: () => string): Answer {
    const call = this.#facts.mentions.of(grant.on.kind === REPOSITORY ? nameOf(grant) : place.project);
    return call
      ? later("unknown", () => touched(`${shown(grant.role)} is granted on ${where()}`, call))
      : later("pass", () =>
          pass(`${shown(grant.role)} is granted on ${where()}`, seen("grant", grant.resource.source)),
        );
  }

  reach(): readonly ReachedRepositories[] {
    return this.#facts.all
      .filter(({ counts, grant }) => counts === "yes" && grant.condition === undefined)
      .map(({ grant: { on } }) => {
        const path = orElse(on.project ?? known(""), () => "");
        return on.kind === REPOSITORY && path !== ""
          ? {
              pattern: `${shown(on.location ?? known(""))}-docker.pkg.dev/${projectPath(path)}/${shown(on.name)}/*`,
              comparable: isKnown(on.name),
            }
          : { pattern: `every repository in ${targetText(on)}`, comparable: false };
      });
  }
}

function nameOf({ on }: Grant): string | undefined {
  return orElse(on.name, () => undefined);
}

/** Whether the grant is on the repository or on what holds it; images name projects by id, grants by id or number. */
function covers({ grant: { on }, pattern }: Relevant, place: Place, name: AskedName): Ternary {
  if (on.kind === "folder" || on.kind === "organization") return "unknown";
  if (on.kind !== "project" && on.kind !== REPOSITORY) return "no";
  const isNumber = /^\d+$/.test(orElse(on.project ?? known(""), () => ""));
  const project = isNumber ? "unknown" : is(on.project ?? known(""), place.project);
  if (on.kind === "project") return project;
  const repository = pattern ? name.matches(pattern) : "unknown";
  return and(project, is(on.location ?? known(""), place.location), repository);
}

function isMet({ condition }: Grant, place: Place, name: AskedName): Ternary {
  if (condition === undefined) return "yes";
  const before = `projects/${place.project}/locations/${place.location}/repositories/`;
  const asked = place.repositories.isOne
    ? before + name.example
    : new AskedText((pattern) => name.matches(pattern, before));
  return conditionMet(condition, askedRepository(asked));
}

const GRANT_IT = "grant roles/artifactregistry.reader on the repository to the principal, without condition";

function notJudged(grant: Grant, where: () => string): Answer {
  return later("unknown", () =>
    unknown(
      `whether ${isKnown(grant.role) ? shown(grant.role) : "a policy"} on ${targetText(grant.on)} covers ${where()} for this principal cannot be judged`,
      GRANT_IT,
      seen("grant", grant.resource.source),
    ),
  );
}

function ownedElsewhere({ grant, owner }: Relevant, where: () => string): Answer {
  return later("unknown", () =>
    unknown(
      `${shown(grant.role)} is granted on ${where()}, and another resource, which owns such grants, does not name the principal: the one that was applied last counts`,
      "add the principal to the members of the other resource, or grant by google_artifact_registry_repository_iam_member alone",
      seen("grant", grant.resource.source),
      seen("owner of the grants", owner?.source),
    ),
  );
}

/** What is said where something that was not read mentions what decides. */
export function touched(reason: string, { source, reason: why }: NotRead): Answer {
  return unknown(
    `${reason}; ${why} mentions it, and what that makes of it is not known`,
    "name what `terraform show -json` prints as well",
    seen("not read", source),
  );
}

function nothingGrants(certain: readonly Grant[], where: () => string): Answer {
  return later("fail", () =>
    broken(
      `nothing grants the principal a download from ${where()}`,
      "grant roles/artifactregistry.reader on the repository to the principal, with the pool's project number",
      'denied: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/…"',
      ...certain.map(({ role, resource }) => seen(`${shown(role)} elsewhere`, resource.source)),
    ),
  );
}

function denial({ denial: { title, resource }, outcome }: Threat, { reason, evidence }: Answer): Answer {
  const where = [...evidence, seen(title, resource.source)];
  const remedy = `except the principal from the ${title}`;
  return outcome === "yes"
    ? broken(
        `a ${title} denies the principal downloads`,
        remedy,
        `denied: Permission "${DOWNLOAD}" denied by a ${title}`,
        ...where,
      )
    : unknown(`${reason}, whether a ${title} takes it away cannot be judged`, remedy, ...where);
}
