/*
 * Names that Google Cloud composes, and that Terraform learns only when it applies. The number of a project is in no
 * resource of it: it is a reference, one for each pool, so that whatever names the pool by reference names one value.
 */

import {
  type Known,
  Reference,
  andThen,
  is,
  joined,
  known,
  map,
  match,
  orElse,
  partsOf,
  same,
  textOf,
  withoutPrefix,
} from "../../model/known";
import { marked, unmarkedText } from "../../model/tree";
import { serviceAccountEmail } from "../../rules/google/service-account";
import type { Resource } from "../read/block";
import type { ComputedAttribute } from "../read/terraform";

/**
 * The groups of a pattern, references included: `undefined` for a text that is certainly of another form, not known for
 * one that may have it once it is applied.
 */
function groupsOf(text: Known<string>, pattern: RegExp): Known<readonly Known<string>[] | undefined> {
  return andThen(marked(text), ({ text: written, parts }): Known<readonly Known<string>[] | undefined> => {
    const found = pattern.exec(written);
    if (found) return known(found.slice(1).map((piece) => unmarkedText(piece ?? "", parts)));
    return map(text, () => undefined);
  });
}

/** The groups of a pattern, references included; none where the text is not certainly of that form. */
export function piecesOf(text: Known<string>, pattern: RegExp): readonly Known<string>[] {
  return orElse(groupsOf(text, pattern), () => undefined) ?? [];
}

/** What a function makes of the groups of a pattern: of none where the text is of another form. */
export function taken<T>(
  text: Known<string>,
  pattern: RegExp,
  take: (pieces: readonly Known<string>[]) => Known<T>,
): Known<T> {
  return andThen(groupsOf(text, pattern), (pieces) => take(pieces ?? []));
}

const projects = new WeakMap<object, Map<string, Reference>>();

/** The project that a resource names, else the one of its provider's configuration; that need not be written anywhere. */
export function projectOf(resource: Resource): Known<string> {
  const project = andThen(resource.text("project"), (own) =>
    andThen(own ? known(own) : resource.provider.text("project"), (text) =>
      text === undefined ? unstated(resource) : known(text),
    ),
  );
  return typeof partsOf(project)?.[0] === "string" ? withoutPrefix(project, "projects/") : project;
}

/** One value for all resources of a provider's configuration. */
function unstated({ scope, providerKey }: Resource): Known<string> {
  const all = projects.get(scope) ?? new Map<string, Reference>();
  projects.set(scope, all);
  const project = all.get(providerKey) ?? new Reference(`the project of provider ${providerKey}`);
  all.set(providerKey, project);
  return textOf([project]);
}

/** Things by a name, of which a part may be known only after apply. */
export class ByName<T> {
  readonly #all: readonly (readonly [name: Known<string>, thing: T])[];
  readonly #literal: ReadonlyMap<string, T>;

  constructor(all: readonly (readonly [name: Known<string>, thing: T])[]) {
    this.#all = all;
    this.#literal = new Map(all.map(([name, thing]) => [orElse(name, () => ""), thing]));
  }

  /** What certainly has that name. */
  get(name: Known<string>): T | undefined {
    return match(
      name,
      (text) => this.#literal.get(text),
      () => this.#all.find(([each]) => same(each, name) === "yes")?.[1],
    );
  }
}

/** The domain of the APIs that the resource's provider states; `undefined` where it states none, or it is not known. */
export function universeOf(resource: Resource): string | undefined {
  return orElse(resource.provider.text("universe_domain"), () => undefined);
}

const numbers = new WeakMap<Resource, Known<string>>();

/** The number of a pool's project, as whatever refers to the pool has it. */
export function poolNumber(pool: Resource): Known<string> {
  const number = numbers.get(pool) ?? textOf([new Reference(`${pool.address}.name: project number`, pool)]);
  numbers.set(pool, number);
  return number;
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

const EMAIL = /^[^@]+@([^.@]+)(?:\.(.+))?\.iam\.gserviceaccount\.com$/;

/** The project of a service account by its address; `example.com:project` is written `project.example.com`. */
export function projectOfEmail(email: Known<string>): Known<string> | undefined {
  const [name, domain] = piecesOf(email, EMAIL);
  if (name === undefined || domain === undefined) return undefined;
  return is(domain, "") === "yes" ? name : joined(domain, ":", name);
}

function accountName(account: Resource): Known<string> {
  return joined("projects/", projectOf(account), "/serviceAccounts/", emailOf(account));
}

/** Full name of a custom role of a project or an organization. */
export function roleName(role: Resource): Known<string> {
  const id = role.stated("role_id");
  if (role.type === ORGANIZATION_ROLE) return joined("organizations/", role.stated("org_id"), "/roles/", id);
  return joined("projects/", projectOf(role), "/roles/", id);
}

function poolName(pool: Resource): Known<string> {
  const id = pool.stated("workload_identity_pool_id");
  return joined("projects/", poolNumber(pool), "/locations/global/workloadIdentityPools/", id);
}

function repositoryPath(repository: Resource): Known<string> {
  const [project, location] = [projectOf(repository), repository.stated("location")];
  const id = repository.stated("repository_id");
  return joined("projects/", project, "/locations/", location, "/repositories/", id);
}

const ACCOUNT = "google_service_account";
const ORGANIZATION_ROLE = "google_organization_iam_custom_role";
const REPOSITORY = "google_artifact_registry_repository";

/** The types of custom roles. */
export const ROLES: readonly string[] = ["google_project_iam_custom_role", ORGANIZATION_ROLE];

/** Attributes that are computed, by type. */
export const googleComputed: readonly ComputedAttribute[] = [
  computed(ACCOUNT, ["email"], emailOf),
  computed(ACCOUNT, ["member"], (account) => joined("serviceAccount:", emailOf(account))),
  computed(ACCOUNT, ["name", "id"], accountName),
  ...ROLES.map((type) => computed(type, ["name", "id"], roleName)),
  computed("google_iam_workload_identity_pool", ["name"], poolName),
  // The provider shortens what the API calls the name.
  computed(REPOSITORY, ["name"], (each) => each.stated("repository_id")),
  computed(REPOSITORY, ["id"], repositoryPath),
].flat();

/** What is not known for another reason than apply stays the reference that it was. */
function computed(
  type: string,
  attributes: readonly string[],
  value: (resource: Resource) => Known<string>,
): readonly ComputedAttribute[] {
  const kept = (resource: Resource): Known<string> | undefined => {
    const text = value(resource);
    return partsOf(text) && text;
  };
  return attributes.map((attribute) => ({ type, attribute, value: kept }));
}
