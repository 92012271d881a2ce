/*
 * Resources that own what others grant: `iam_binding` every member of a role, `iam_policy` the whole policy. Beside one,
 * a grant of somebody else's is there or is not, by which was applied last.
 *
 * Source: the notes on google_artifact_registry_repository_iam in the Google provider's documentation.
 */

import { blocks } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import { GRANT_PLACES, type GrantFact, whereOf } from "./grants";

type Where = Pick<GrantFact, "place" | "project" | "location" | "repository">;

/** A resource that owns grants. */
interface Authority extends Where {
  /** The role whose members it owns, a reference where only apply tells it; `undefined` for those of every role. */
  readonly role: string | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** Finds who may take a grant away. */
export class Authorities {
  readonly #all: readonly Authority[];

  constructor(terraform: Terraform) {
    this.#all = Object.entries(GRANT_PLACES).flatMap(([prefix, place]) =>
      (["iam_binding", "iam_policy"] as const).flatMap((form) =>
        terraform
          .ofType(`${prefix}_${form}`)
          // The members of one role are owned for each condition by themselves.
          .filter(({ values }) => form === "iam_policy" || blocks(values["condition"]).length === 0)
          .map((resource) => ({
            ...whereOf(resource, place, terraform),
            place,
            role: form === "iam_policy" ? undefined : terraform.text(resource, "role"),
            source: resource.source,
          })),
      ),
    );
  }

  /** Who may take a grant away that is unconditional, and gives none itself; `undefined` where nobody does. */
  against(grant: GrantFact, given: readonly GrantFact[]): Source | undefined {
    return this.#all.find(
      ({ role, source, ...where }) =>
        source !== grant.source &&
        (role === undefined || role === grant.role || isLateText(role)) &&
        maySame(where, grant) &&
        !given.some((other) => other.source === source && other.role === grant.role && !other.conditional),
    )?.source;
  }
}

function maySame(one: Where, other: Where): boolean {
  const same = (key: "project" | "location" | "repository"): boolean =>
    one[key] === other[key] || [one[key], other[key]].some((value) => value === "" || isLateText(value));
  return one.place === other.place && same("project") && same("location") && same("repository");
}
