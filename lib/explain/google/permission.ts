/*
 * Whether grants let a bearer download from repositories of Artifact Registry. The permission is one of the repository:
 * what follows it in the path of an image does not matter.
 */

import { type Ternary, and, is, isKnown, known, orElse, shown } from "../../model/known";
import type { AskedName } from "../../rules/asked-names";
import { AskedText } from "../../rules/google/cel-variables";
import { type AskedResource, askedRepository } from "../../rules/google/grant-condition";
import { projectPath } from "../../rules/google/repository";
import { literalPattern } from "../../rules/wildcard";
import { type Answer, badness, broken, later, pass, seen, unknown, worstOf } from "../answer";
import type { AskedRepository } from "../asked-image";
import type { PullRights, ReachedRepositories } from "../cloud";
import { DOWNLOAD, type Threat, threatTo } from "./denials";
import { REPOSITORY, type Target, targetText } from "./grants";
import { type Counted, type GrantTo, type Iam, allowing, grantSeen } from "./iam";
import type { Bearer } from "./members";
import { type Place, type Repositories, placeOf } from "./repositories";

/** The rights of bearers: one object for all that have the same grants, which are owned and denied alike. */
export class Downloads {
  readonly #iam: Iam;
  readonly #repositories: Repositories;
  readonly #known = new Map<string, PullRights>();

  constructor(iam: Iam, repositories: Repositories) {
    this.#iam = iam;
    this.#repositories = repositories;
  }

  /** What a bearer may do. */
  of(bearer: Bearer): PullRights {
    const grants = this.#iam.to(bearer);
    const threats = this.#iam.denials.of(bearer, [DOWNLOAD]);
    const key = [
      ...grants.map(({ number, isTo, owner }) => `${number} ${isTo} ${owner?.address ?? ""}`),
      ...threats.map(({ denial, outcome }) => denial.resource.address + outcome),
    ].join("|");
    const before = this.#known.get(key) ?? new Rights(grants, threats, this.#iam, this.#repositories);
    this.#known.set(key, before);
    return before;
  }
}

const LOGIN = pass("Artifact Registry takes the federated token itself; there is no login to permit");

class Rights implements PullRights {
  readonly #all: readonly GrantTo[];
  /** Those whose role may allow downloads. */
  readonly #grants: readonly GrantTo[];
  readonly #threats: readonly Threat[];
  readonly #iam: Iam;
  readonly #repositories: Repositories;

  constructor(grants: readonly GrantTo[], threats: readonly Threat[], iam: Iam, repositories: Repositories) {
    this.#all = grants;
    this.#grants = grants.filter(({ grant }) => iam.roles.downloads(grant.role) !== "no");
    this.#threats = threats;
    this.#iam = iam;
    this.#repositories = repositories;
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
    const { roles, unread } = this.#iam;
    const found = allowing(this.#grants, {
      role: (role) => roles.downloads(role),
      reaches: ({ on }) => covers(on, place, name),
      resource: () => resourceOf(place, name),
    });
    const answer = this.#answer(found, place, name);
    const module = unread.isEmpty ? undefined : this.#module(found, place, name);
    const settled = this.#iam.settled(answer, threatTo(this.#threats, known(place.project)), module);
    return worstOf(settled, this.#repositories.withoutImages(place, name));
  }

  /** What modules may make of what decides: the repository, and the project where no grant on the repository does. */
  #module([first]: readonly Counted[], place: Place, name: AskedName): Answer | undefined {
    const isOfProject = first === undefined || first.grant.on.kind === "project";
    return this.#iam.unread.answer(
      isOfProject ? "the project or the repository" : "the repository",
      this.#repositories.declared(place, name),
      [known(name.example), ...(isOfProject ? [known(place.project)] : [])],
    );
  }

  #answer([first, ...others]: readonly Counted[], place: Place, name: AskedName): Answer {
    const where = `${place.project}/${place.location}/${name.example}`;
    if (first === undefined) return nothingGrants(this.#all, where);
    const role = shown(first.grant.role);
    if (first.outcome === "yes")
      return later("pass", () => pass(`${role} is granted on ${where}`, ...grantSeen(first)));
    const owned = [first, ...others].find(({ owner }) => owner !== undefined);
    return later("unknown", () =>
      owned
        ? unknown(
            `${role} is granted on ${where}, and another resource, which owns such grants, does not name the principal: the one that was applied last counts`,
            "add the principal to the members of the other resource, or grant by google_artifact_registry_repository_iam_member alone",
            ...grantSeen(owned),
          )
        : unknown(
            `whether ${isKnown(first.grant.role) ? role : "a policy"} on ${targetText(first.grant.on)} covers ${where} for this principal cannot be judged: ${first.doubt}`,
            "grant roles/artifactregistry.reader on the repository to the principal, without condition",
            ...grantSeen(first),
          ),
    );
  }

  reach(): readonly ReachedRepositories[] {
    return this.#grants
      .filter(({ grant: { role, condition }, isTo }) => {
        return and(isTo, this.#iam.roles.downloads(role)) === "yes" && condition === undefined;
      })
      .map(({ grant: { on } }) => {
        const project = orElse(on.project ?? known(""), () => "");
        if (on.kind !== REPOSITORY || project === "")
          return { pattern: `every repository in ${targetText(on)}`, comparable: false };
        const host = `${shown(on.location ?? known(""))}-docker.pkg.dev`;
        return {
          pattern: `${host}/${projectPath(project)}/${shown(on.name)}/*`,
          comparable: isKnown(on.name),
        };
      });
  }
}

/** Whether the grant is on the repository or on what holds it; images name projects by id, grants by id or number. */
function covers(on: Target, place: Place, name: AskedName): Ternary {
  if (on.kind === "folder" || on.kind === "organization") return "unknown";
  if (on.kind !== "project" && on.kind !== REPOSITORY) return "no";
  const isNumber = /^\d+$/.test(orElse(on.project ?? known(""), () => ""));
  const project = isNumber ? "unknown" : is(on.project ?? known(""), place.project);
  if (on.kind === "project" || project === "no") return project;
  const repository = orElse(on.name, () => undefined);
  const isSame = place.repositories.isOne || repository === undefined;
  return and(
    project,
    is(on.location ?? known(""), place.location),
    isSame ? is(on.name, name.example) : name.matches(literalPattern(repository)),
  );
}

function resourceOf(place: Place, name: AskedName): AskedResource {
  const before = `projects/${place.project}/locations/${place.location}/repositories/`;
  return askedRepository(
    place.repositories.isOne
      ? before + name.example
      : new AskedText((pattern) => name.matches(pattern, before)),
  );
}

function nothingGrants(all: readonly GrantTo[], where: string): Answer {
  return later("fail", () =>
    broken(
      `nothing grants the principal a download from ${where}`,
      "grant roles/artifactregistry.reader on the repository to the principal, with the pool's project number",
      'denied: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/…"',
      ...all.flatMap(grantSeen),
    ),
  );
}
