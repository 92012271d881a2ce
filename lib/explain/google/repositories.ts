/*
 * Repositories of Artifact Registry: where images name them, and which of them hold no images.
 *
 * Source: REST reference of projects.locations.repositories, `Format`; charts of Helm and other artefacts of OCI are in
 * those of the format DOCKER as well.
 */

import { type Known, and, is, map, match, orElse, shown } from "../../model/known";
import { type AskedName, AskedNames } from "../../rules/asked-names";
import { parseGoogleRegistryHost } from "../../rules/google/registry-host";
import { literalPattern } from "../../rules/wildcard";
import { type Answer, broken, seen, unknown } from "../answer";
import type { AskedRepository } from "../asked-image";
import { obstacle } from "../obstacle";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { ASK_AGAIN } from "../shared/words";
import { projectOf } from "./names";

/** Where images are. */
export interface Place {
  /** Id of the project. */
  readonly project: string;
  /** Location of the repositories. */
  readonly location: string;
  /** Names of the repositories. */
  readonly repositories: AskedNames;
}

const PLACES = new WeakMap<AskedRepository, Place | "none">();

/** Where images are, by host and path; `undefined` for no repository, and for a pattern that leaves the project open. */
export function placeOf(asked: AskedRepository): Place | undefined {
  const before = PLACES.get(asked) ?? readPlace(asked) ?? "none";
  PLACES.set(asked, before);
  return before === "none" ? undefined : before;
}

function readPlace({ host, paths }: AskedRepository): Place | undefined {
  const read = parseGoogleRegistryHost(host);
  if (read === undefined) return undefined;
  const parts = paths.text.split("/");
  // The colon of a domain-scoped project is a slash in images: example.com/project.
  const scoped = parts[0]?.includes(".") ? 2 : 1;
  const project = parts.slice(0, scoped).join(":");
  const repository = read.kind === "gcr" ? read.repository : parts[scoped];
  if (repository === undefined || project.includes("*")) return undefined;
  // A star is any text, slashes included, so that the repository may end within it.
  const [begun = "", ...more] = repository.split("*");
  const repositories = more.length === 0 ? AskedNames.one(repository) : AskedNames.covered(`${begun}*`);
  return { project, location: read.location, repositories };
}

const IMAGES = "DOCKER";
const PACKAGES: readonly string[] = [
  ...["APT", "GENERIC", "GO", "GOOGET", "KFP", "MAVEN", "NPM", "PYTHON", "RUBY", "YUM"],
];

/** A repository that is declared. */
interface Declared {
  readonly resource: Resource;
  /** In capitals. */
  readonly format: Known<string>;
}

/** The repositories that are declared. */
export class Repositories {
  readonly #byName = new Map<string, Declared[]>();

  constructor(terraform: Terraform) {
    for (const resource of terraform.ofType("google_artifact_registry_repository")) {
      const name = orElse(resource.stated("repository_id"), () => undefined);
      if (name === undefined) continue;
      const format = map(resource.text("format"), (text) => text?.toUpperCase() ?? IMAGES);
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), { resource, format }]);
    }
  }

  /** What declares a repository. */
  declared(place: Place, name: AskedName): readonly Resource[] {
    return this.#of(place, name).map(({ resource }) => resource);
  }

  /** What follows where images cannot be in a repository; `undefined` where they can. */
  withoutImages(place: Place, name: AskedName): Answer | undefined {
    const others = this.#of(place, name).filter(({ format }) => is(format, IMAGES) !== "yes");
    return obstacle(
      others.map((each) => formatAnswer(each, `${place.project}/${place.location}/${name.example}`)),
    );
  }

  #of(place: Place, name: AskedName): readonly Declared[] {
    const all = place.repositories.isOne
      ? (this.#byName.get(name.example) ?? [])
      : [...this.#byName].flatMap(([each, declared]) =>
          // Only of those that differ from others it matters which one is meant.
          declared.some(({ format }) => is(format, IMAGES) !== "yes") &&
          name.matches(literalPattern(each)) === "yes"
            ? declared
            : [],
        );
    return all.filter(
      ({ resource }) =>
        and(is(projectOf(resource), place.project), is(resource.stated("location"), place.location)) ===
        "yes",
    );
  }
}

function formatAnswer({ format, resource }: Declared, where: string): Answer {
  const seenAt = seen("format", resource.source);
  const remedy = `pull from a repository of the format ${IMAGES}`;
  return match(
    format,
    (text) =>
      PACKAGES.includes(text)
        ? broken(
            `${where} is a repository of the format ${text}, which holds no images`,
            remedy,
            undefined,
            seenAt,
          )
        : unknown(`whether a repository of the format ${text} holds images is not known`, remedy, seenAt),
    () => unknown(`the format of ${where} (${shown(format)}) is known only after apply`, ASK_AGAIN, seenAt),
  );
}
