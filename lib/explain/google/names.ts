/*
 * Names that Google Cloud composes and Terraform learns only at apply. No resource states the number of a pool's
 * project: it is one reference for each pool, so that all texts that refer to the pool hold the same value.
 */

import {
  type Known,
  andThen,
  is,
  joined,
  known,
  map,
  match,
  orElse,
  partsOf,
  same,
  withoutPrefix,
} from "../../model/known";
import { marked, unmarkedText } from "../../model/tree";
import { serviceAccountEmail } from "../../rules/google/names";
import type { Resource } from "../read/block";
import type { ComputedAttribute } from "../read/terraform";
import { computed } from "../shared/computed";
import { unstated } from "../shared/unstated";

/**
 * The groups of a pattern, references included: `undefined` for a text that certainly has another form, unknown for one
 * that may match after apply.
 */
function groupsOf(text: Known<string>, pattern: RegExp): Known<readonly Known<string>[] | undefined> {
  return andThen(marked(text), ({ text: written, parts }): Known<readonly Known<string>[] | undefined> => {
    const matched = pattern.exec(written);
    if (matched) return known(matched.slice(1).map((piece) => unmarkedText(piece ?? "", parts)));
    return map(text, () => undefined);
  });
}

/** The groups of a pattern, references included; empty if the text does not certainly match. */
export function piecesOf(text: Known<string>, pattern: RegExp): readonly Known<string>[] {
  return orElse(groupsOf(text, pattern), () => undefined) ?? [];
}

/** The result of a function for the groups of a pattern, or for none if the text has another form. */
export function taken<T>(
  text: Known<string>,
  pattern: RegExp,
  take: (pieces: readonly Known<string>[]) => Known<T>,
): Known<T> {
  return andThen(groupsOf(text, pattern), (pieces) => take(pieces ?? []));
}

/** The project that a resource names, else the one of its Terraform provider, which need not be written anywhere. */
export function projectOf(resource: Resource): Known<string> {
  const project = andThen(resource.text("project"), (own) =>
    andThen(own ? known(own) : resource.provider.text("project"), (text) =>
      text === undefined
        ? unstated(resource.scope, `the project of provider ${resource.providerKey}`)
        : known(text),
    ),
  );
  return typeof partsOf(project)?.[0] === "string" ? withoutPrefix(project, "projects/") : project;
}

export function poolNumber(pool: Resource): Known<string> {
  return unstated(pool, `${pool.address}.name: project number`, pool);
}

/** True for a project that is named by number, which cannot be compared with ids. */
export function isProjectNumber(project: Known<string> | undefined): boolean {
  return project !== undefined && /^\d+$/.test(orElse(project, () => ""));
}

/** An index by name; part of a name may be known only after apply. */
export class ByName<T> {
  readonly #all: readonly (readonly [name: Known<string>, thing: T])[];
  readonly #literal: ReadonlyMap<string, T>;

  constructor(all: readonly (readonly [name: Known<string>, thing: T])[]) {
    this.#all = all;
    this.#literal = new Map(all.map(([name, thing]) => [orElse(name, () => ""), thing]));
  }

  get names(): readonly Known<string>[] {
    return this.#all.map(([name]) => name);
  }

  get(name: Known<string>): T | undefined {
    return match(
      name,
      (text) => this.#literal.get(text),
      () => this.#all.find(([each]) => same(each, name) === "yes")?.[1],
    );
  }
}

/** The e-mail address of a service account; a data source may state it as `account_id`. */
export function emailOf(account: Resource): Known<string> {
  const [id, project] = [account.stated("account_id"), projectOf(account)];
  if (orElse(id, () => "").includes("@")) return id;
  return match(
    project,
    (name) => joined(id, serviceAccountEmail("", name)),
    () => joined(id, "@", project, ".iam.gserviceaccount.com"),
  );
}

const EMAIL = /@([^.@]+)(?:\.([^@]+))?\.iam\.gserviceaccount\.com$/;

/** The project in a service account's address; `example.com:project` is written `project.example.com` there. */
export function projectOfEmail(email: Known<string>): Known<string> | undefined {
  const [name, domain] = piecesOf(email, EMAIL);
  if (name === undefined || domain === undefined) return undefined;
  return is(domain, "") === "yes" ? name : joined(domain, ":", name);
}

const ORGANIZATION_ROLE = "google_organization_iam_custom_role";
export const ROLES: readonly string[] = ["google_project_iam_custom_role", ORGANIZATION_ROLE];

export function roleName(role: Resource): Known<string> {
  const owner =
    role.type === ORGANIZATION_ROLE
      ? joined("organizations/", role.stated("org_id"))
      : joined("projects/", projectOf(role));
  return joined(owner, "/roles/", role.stated("role_id"));
}

const ACCOUNT = "google_service_account";
const REPOSITORY = "google_artifact_registry_repository";

export const googleComputed: readonly ComputedAttribute[] = [
  computed(ACCOUNT, ["email"], emailOf),
  computed(ACCOUNT, ["member"], (each) => joined("serviceAccount:", emailOf(each))),
  computed(ACCOUNT, ["name", "id"], (each) =>
    joined("projects/", projectOf(each), "/serviceAccounts/", emailOf(each)),
  ),
  ...ROLES.map((type) => computed(type, ["name", "id"], roleName)),
  computed("google_iam_workload_identity_pool", ["name"], (each) => {
    const id = each.stated("workload_identity_pool_id");
    return joined("projects/", poolNumber(each), "/locations/global/workloadIdentityPools/", id);
  }),
  // The Terraform provider shortens the name in the API.
  computed(REPOSITORY, ["name"], (each) => each.stated("repository_id")),
  computed(REPOSITORY, ["id"], (each) => {
    const place = joined("projects/", projectOf(each), "/locations/", each.stated("location"));
    return joined(place, "/repositories/", each.stated("repository_id"));
  }),
].flat();
