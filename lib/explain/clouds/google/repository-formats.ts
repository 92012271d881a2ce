/*
 * Repositories of Artifact Registry that hold no images.
 *
 * Source: REST reference of projects.locations.repositories, `Format`; charts of Helm and other artefacts of OCI are in
 * those of the format DOCKER as well.
 */

import { type Answer, broken, seen, unknown } from "../../answer";
import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import { ASK_AGAIN } from "../ask-again";
import type { Place } from "./repository-place";
import { projectOf } from "./workload-identity";

const IMAGES = "DOCKER";
const PACKAGES: readonly string[] = [
  ...["APT", "GENERIC", "GO", "GOOGET", "KFP", "MAVEN", "NPM", "PYTHON", "RUBY", "YUM"],
];

/** A declared repository of another format. */
interface OtherFormat {
  /** In capitals, or a reference. */
  readonly format: string;
  /** Where it stands. */
  readonly source: Source;
}

/** Repositories of other formats by {@link Place}. */
export type OtherFormats = ReadonlyMap<string, OtherFormat>;

/** The repositories that are declared with another format. */
export function otherFormats(terraform: Terraform): OtherFormats {
  const all = new Map<string, OtherFormat>();
  for (const resource of terraform.ofType("google_artifact_registry_repository")) {
    const format = terraform.text(resource, "format");
    if (format === "" || format.toUpperCase() === IMAGES) continue;
    const place: Place = {
      project: projectOf(resource, terraform),
      location: terraform.text(resource, "location"),
      repository: terraform.text(resource, "repository_id"),
    };
    all.set(keyOf(place), { format, source: resource.source });
  }
  return all;
}

/** What follows where images cannot be in a repository; `undefined` where they can. */
export function withoutImages(place: Place, formats: OtherFormats): Answer | undefined {
  const found = formats.get(keyOf(place));
  if (found === undefined) return undefined;
  const where = seen("format", found.source);
  if (isLateText(found.format))
    return unknown(`the format of ${keyOf(place)} is known only after apply`, ASK_AGAIN, where);
  const format = found.format.toUpperCase();
  const remedy = `pull from a repository of the format ${IMAGES}`;
  return PACKAGES.includes(format)
    ? broken(
        `${keyOf(place)} is a repository of the format ${format}, which holds no images`,
        remedy,
        undefined,
        where,
      )
    : unknown(`whether a repository of the format ${format} holds images is not known`, remedy, where);
}

function keyOf({ project, location, repository }: Place): string {
  return `${project}/${location}/${repository}`;
}
