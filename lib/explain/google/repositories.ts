/*
 * Repositories of Artifact Registry: where images name them, and which of them hold no images.
 *
 * Source: REST reference of projects.locations.repositories, `Format`; charts of Helm and other artefacts of OCI are in
 * those of the format DOCKER as well.
 */

import { type Known, and, is, map, match, orElse, shown } from "../../model/known";
import { type AskedName, AskedNames } from "../../rules/asked-names";
import { parseGoogleRegistryHost } from "../../rules/google/registry-host";
import { type Pattern, literalPattern } from "../../rules/wildcard";
import { type Answer, broken, seen, unknown, worstOf } from "../answer";
import type { AskedRepository } from "../asked-image";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
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

/** A repository that is declared with another format than that of images. */
interface OtherFormat {
  readonly resource: Resource;
  readonly format: Known<string>;
  readonly name: Pattern | undefined;
}

/** The repositories that hold no images. */
export class Formats {
  readonly #others: readonly OtherFormat[];

  constructor(terraform: Terraform) {
    this.#others = terraform.ofType("google_artifact_registry_repository").flatMap((resource) => {
      const format = map(resource.text("format"), (text) => text?.toUpperCase() ?? IMAGES);
      const name = orElse(resource.stated("repository_id"), () => undefined);
      const pattern = name === undefined ? undefined : literalPattern(name);
      return is(format, IMAGES) === "yes" ? [] : [{ resource, format, name: pattern }];
    });
  }

  /** What follows where images cannot be in a repository; `undefined` where they can, and where no name says which it is. */
  withoutImages(place: Place, name: AskedName): Answer | undefined {
    const answers = this.#others
      .filter(
        (each) =>
          each.name !== undefined &&
          and(
            is(projectOf(each.resource), place.project),
            is(each.resource.stated("location"), place.location),
            name.matches(each.name),
          ) === "yes",
      )
      .map((each) => formatAnswer(each, `${place.project}/${place.location}/${name.example}`));
    const [first, ...others] = answers;
    return first && worstOf(first, ...others);
  }
}

function formatAnswer({ format, resource }: OtherFormat, where: string): Answer {
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
    () =>
      unknown(
        `the format of ${where} (${shown(format)}) is known only after apply`,
        "apply, and ask again with what `terraform show -json` prints named as well",
        seenAt,
      ),
  );
}
