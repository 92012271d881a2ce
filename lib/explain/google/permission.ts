/*
 * Whether grants let a bearer download from Artifact Registry repositories. The permission applies to a whole
 * repository: the rest of an image's path does not matter. Source:
 * cloud.google.com/artifact-registry/docs/access-control.
 */

import { grouped } from "../../model/grouped";
import { type Known, type Ternary, and, is, isKnown, joined, known, orElse, shown } from "../../model/known";
import { once, remembered } from "../../model/once";
import { type AskedName, AskedNames } from "../../rules/asked-names";
import { AskedText } from "../../rules/google/cel-claims";
import { type AskedResource, askedRepository, conditionMet } from "../../rules/google/permission";
import { parseGoogleRegistryHost, projectPath } from "../../rules/google/registry";
import { literalPattern } from "../../rules/wildcard";
import { type Answer, badness, broken, later, pass, seen, unknown } from "../answer";
import type { AskedRepository } from "../asked-image";
import type { HeldRight, PullRights, ReachedRepositories } from "../cloud";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { type Grant, REPOSITORY, type Target, grantText, targetText } from "./grants";
import { named, plainAnswer } from "../shared/words";
import { heldGrant } from "./held";
import { type Counted, type GrantTo, type Iam, allowing, grantSeen } from "./iam";
import type { Bearer } from "./members";
import { isProjectNumber, projectOf } from "./names";

/** The rights of bearers: one object for all with the same grants under the same owners. */
export function downloadsOf(iam: Iam, terraform: Terraform): (bearer: Bearer) => PullRights {
  const declared = grouped(terraform.ofType("google_artifact_registry_repository"), (each) =>
    orElse(each.stated("repository_id"), () => ""),
  );
  const made = new Map<string, PullRights>();
  return (bearer) => {
    const grants = iam.to(bearer);
    const key = grants
      .map(({ number, isTo, owner }) => `${number} ${isTo} ${owner?.address ?? ""}`)
      .join("|");
    return remembered(made, key, () => new Rights(grants, iam, declared));
  };
}

const DOWNLOAD = "artifactregistry.repositories.downloadArtifacts";
const READER = "roles/artifactregistry.reader";
const DOWNLOADING =
  /^roles\/artifactregistry\.(?:reader|writer|repoAdmin|admin|createOnPushWriter|createOnPushRepoAdmin)$/;
/**
 * Predefined roles that certainly do not permit downloads: those of the registry that are not named above, and those of
 * services unrelated to images. The service of any other role may download what it builds or runs.
 */
const OTHERS =
  /^roles\/(?:browser$|(?:artifactregistry|storage|iam|logging|monitoring|secretmanager|pubsub|bigquery|dns|cloudkms|cloudsql)\.)/i;
/** Roles of the registry whose documentation states a task, but no permissions. */
const BY_TASK = /^roles\/(?:artifactregistry\.containerRegistry|.*agent$)/i;

function downloads(role: Known<string>, iam: Iam): Ternary {
  const name = orElse(role, () => "");
  if (DOWNLOADING.test(name)) return "yes";
  return iam.holds(role, DOWNLOAD) ?? (OTHERS.test(name) && !BY_TASK.test(name) ? "no" : "unknown");
}

const LOGIN = pass("Artifact Registry accepts the federated token itself, so there is no login to permit");

class Rights implements PullRights {
  readonly #all: readonly GrantTo[];
  readonly #grants: readonly GrantTo[];
  readonly #iam: Iam;
  readonly #declared: ReadonlyMap<string, readonly Resource[]>;

  constructor(grants: readonly GrantTo[], iam: Iam, declared: ReadonlyMap<string, readonly Resource[]>) {
    this.#all = grants;
    this.#grants = grants.filter(({ grant }) => downloads(grant.role, iam) !== "no");
    this.#iam = iam;
    this.#declared = declared;
  }

  login(): Answer {
    return LOGIN;
  }

  repository(asked: AskedRepository): Answer {
    const place = placeOf(asked);
    if (place === undefined)
      return unknown(`${asked.name} does not name an Artifact Registry repository`, "check the image's name");
    const worst = place.repositories.worst((name) => this.#judged(place, name), badness);
    if (worst === undefined)
      return unknown(
        `the repositories that ${asked.name} covers cannot all be judged`,
        "declare the repositories one by one",
      );
    const { said, example } = worst;
    if (place.repositories.isOne || said.status === "pass") return said;
    const where = seen(`for example ${whereOf(place, example)}`, undefined);
    return { ...plainAnswer(said), evidence: [where, ...said.evidence] };
  }

  #judged(place: Place, name: AskedName): Answer {
    const allowed = allowing(this.#grants, {
      role: (role) => downloads(role, this.#iam),
      reaches: ({ on }) => covers(on, place, name),
      resource: () => resourceOf(place, name),
    });
    const where = whereOf(place, name.example);
    return this.#iam.settled(this.#answer(allowed, where, place, name), this.#module(allowed, place, name));
  }

  /** The declarations of the repository; for a pattern, of one that is certainly among its repositories. */
  #declaredAs({ project, location, repositories }: Place, name: AskedName): readonly Resource[] {
    const all = repositories.isOne
      ? (this.#declared.get(name.example) ?? [])
      : [...this.#declared].flatMap(([each, declared]) =>
          name.matches(literalPattern(each)) === "yes" ? declared : [],
        );
    return all.filter(
      (each) => and(is(projectOf(each), project), is(each.stated("location"), location)) === "yes",
    );
  }

  /** The answer if a module is given the repository, or the project if no grant on the repository decides. */
  #module([first]: readonly Counted[], place: Place, name: AskedName): Answer | undefined {
    const { world } = this.#iam;
    if (world.isEmpty) return undefined;
    const isOfProject = first === undefined || first.grant.on.kind === "project";
    const what = isOfProject ? "the project or the repository" : "the repository";
    const values = [known(name.example), ...(isOfProject ? [known(place.project)] : [])];
    return world.answer(what, this.#declaredAs(place, name), values);
  }

  /** A grant on the repository of another role, a download from elsewhere, or who may download from there. */
  #near(place: Place, name: AskedName): string {
    const isThere = ({ on }: Grant): boolean => covers(on, place, name) === "yes";
    const grants = this.#all.flatMap(({ grant, isTo }) => (isTo === "yes" ? [grant] : []));
    const lacking = grants.filter((each) => isThere(each) && downloads(each.role, this.#iam) === "no");
    if (lacking.length > 0)
      return `; it has ${named(lacking.map(({ role }) => shown(role)))} there, without ${DOWNLOAD}`;
    const elsewhere = grants.filter(({ role }) => downloads(role, this.#iam) === "yes");
    if (elsewhere.length > 0) return `; it has ${named(elsewhere.map(grantText))}`;
    const others = this.#iam.grants.filter(
      (each) => isThere(each) && downloads(each.role, this.#iam) === "yes",
    );
    const members = others.flatMap((each) => orElse(each.members, () => [])).map(shown);
    return members.length > 0 ? `; it is granted to ${named([...new Set(members)])}` : "";
  }

  #answer(grants: readonly Counted[], where: string, place: Place, name: AskedName): Answer {
    const [first] = grants;
    if (first === undefined)
      return later("fail", () =>
        broken(
          `nothing grants the principal a download from ${where}${this.#near(place, name)}`,
          "grant roles/artifactregistry.reader on the repository to the principal, with the pool's project number",
          'denied: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/…"',
          this.#all.flatMap(grantSeen),
        ),
      );
    const role = shown(first.grant.role);
    if (first.doubt === "")
      return later("pass", () => pass(`${role} is granted on ${where}`, grantSeen(first)));
    const owned = grants.find(({ owner }) => owner !== undefined);
    return later("unknown", () =>
      owned
        ? unknown(
            `${role} is granted on ${where}, but another resource, which owns such grants, does not list the principal: whichever was applied last wins`,
            "add the principal to the members of the other resource, or grant only by google_artifact_registry_repository_iam_member",
            grantSeen(owned),
          )
        : unknown(
            `whether ${isKnown(first.grant.role) ? role : "a policy"} on ${targetText(first.grant.on)} covers ${where} for this principal cannot be judged: ${first.doubt}`,
            "grant roles/artifactregistry.reader on the repository to the principal, without a condition",
            grantSeen(first),
          ),
    );
  }

  held(): readonly HeldRight[] {
    return this.#all.flatMap((each) => {
      const isReader = isPlain(each) && is(each.grant.role, READER) === "yes";
      const reads = isReader ? [reachOf(each).pattern] : undefined;
      return heldGrant(each, this.#iam).map((right) => ({ ...right, reads }));
    });
  }

  reach(): readonly ReachedRepositories[] {
    const sure = this.#grants.filter(
      ({ grant: { role }, isTo }) => and(isTo, downloads(role, this.#iam)) === "yes",
    );
    return sure.flatMap((each) => reachUnder(each) ?? []);
  }
}

/** What a grant reaches; `undefined` if its condition is never met there. */
function reachUnder(granted: GrantTo): ReachedRepositories | undefined {
  const { on, condition } = granted.grant;
  if (condition === undefined) return reachOf(granted);
  const { project, location, name } = on;
  const path =
    project === undefined || location === undefined
      ? known("")
      : joined("projects/", project, "/locations/", location, "/repositories/", name);
  const full = orElse(path, () => "");
  const met = conditionMet(condition, full === "" ? undefined : askedRepository(full));
  if (met === "no") return undefined;
  return met === "yes" ? reachOf(granted) : { pattern: grantText(granted.grant), comparable: false };
}

function reachOf({ grant: { on } }: GrantTo): ReachedRepositories {
  const project = orElse(on.project ?? known(""), () => "");
  if (on.kind !== REPOSITORY || project === "")
    return { pattern: `every repository in ${targetText(on)}`, comparable: false };
  const host = `${shown(on.location ?? known(""))}-docker.pkg.dev`;
  const pattern = `${host}/${projectPath(project)}/${shown(on.name)}/*`;
  return { pattern, comparable: isKnown(on.name) };
}

/** True for a grant on one repository that is certainly in effect. */
function isPlain({ grant: { on, condition }, isTo, owner }: GrantTo): boolean {
  const isNamed = [on.name, on.project, on.location].every((each) => each !== undefined && isKnown(each));
  return on.kind === REPOSITORY && isNamed && condition === undefined && isTo === "yes" && !owner;
}

/** Whether a grant covers the repository or its project; images name projects by id, grants by id or number. */
function covers(on: Target, { project, location, repositories }: Place, name: AskedName): Ternary {
  if (on.kind === "folder" || on.kind === "organization") return "unknown";
  if (on.kind !== "project" && on.kind !== REPOSITORY) return "no";
  const isOfProject = isProjectNumber(on.project) ? "unknown" : is(on.project ?? known(""), project);
  if (on.kind === "project" || isOfProject === "no") return isOfProject;
  const repository = orElse(on.name, () => undefined);
  const isOne = repositories.isOne || repository === undefined;
  const isNamed = isOne ? is(on.name, name.example) : name.matches(literalPattern(repository));
  return and(isOfProject, is(on.location ?? known(""), location), isNamed);
}

function resourceOf({ project, location, repositories }: Place, name: AskedName): AskedResource {
  const before = `projects/${project}/locations/${location}/repositories/`;
  return askedRepository(
    repositories.isOne ? before + name.example : new AskedText((pattern) => name.matches(pattern, before)),
  );
}

interface Place {
  readonly project: string;
  readonly location: string;
  readonly repositories: AskedNames;
}

function whereOf({ project, location }: Place, repository: string): string {
  return `${project}/${location}/${repository}`;
}

/** The place of images, by host and path; `undefined` without a repository, and for a pattern without a project. */
const placeOf = once(({ host, paths }: AskedRepository): Place | undefined => {
  const read = parseGoogleRegistryHost(host);
  if (read === undefined) return undefined;
  const parts = paths.text.split("/");
  // The colon of a domain-scoped project is a slash in images: example.com/project.
  const scoped = parts[0]?.includes(".") ? 2 : 1;
  const project = parts.slice(0, scoped).join(":");
  const repository = read.repository ?? parts[scoped];
  if (repository === undefined || project.includes("*")) return undefined;
  // A star matches any text including slashes, so the repository may end within it.
  const [begun = "", ...more] = repository.split("*");
  const repositories = more.length === 0 ? AskedNames.one(repository) : AskedNames.covered(`${begun}*`);
  return { project, location: read.location, repositories };
});
