/*
 * Names that Google Cloud composes, and Terraform would tell only after apply. The number of a project stands in no
 * resource of it: it is a reference, one for each pool, so that whatever names the pool by reference names one value.
 */

import {
  type Known,
  Reference,
  andThen,
  joined,
  known,
  map,
  match,
  orElse,
  partsOf,
  textOf,
  withoutPrefix,
} from "../../model/known";
import { marked, unmarkedText } from "../../model/tree";
import { serviceAccountEmail } from "../../rules/google/service-account";
import type { Resource } from "../read/block";
import type { ComputedAttribute } from "../read/terraform";

/**
 * What stands at the groups of a pattern, references included: `undefined` for a text that is certainly of another form,
 * not known for one that may have it once it is applied.
 */
export function piecesOf(text: Known<string>, pattern: RegExp): Known<readonly Known<string>[] | undefined> {
  return andThen(marked(text), ({ text: written, parts }): Known<readonly Known<string>[] | undefined> => {
    const found = pattern.exec(written);
    if (found) return known(found.slice(1).map((piece) => unmarkedText(piece ?? "", parts)));
    return map(text, () => undefined);
  });
}

const projects = new WeakMap<object, Map<string, Reference>>();

/** The project that a resource names, else the one of its provider's configuration; that need not be written anywhere. */
export function projectOf(resource: Resource): Known<string> {
  const stated = andThen(resource.text("project"), (own) =>
    own === undefined || own === "" ? resource.provider.text("project") : known(own),
  );
  const project = andThen(stated, (text): Known<string> =>
    text === undefined ? unstated(resource) : known(text),
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

/** The domain of the APIs that the resource's provider states; `undefined` where it states none. */
export function universeOf(resource: Resource): Known<string | undefined> {
  return resource.provider.text("universe_domain");
}

const numbers = new WeakMap<Resource, Known<string>>();

/** The number of a pool's project, as whatever refers to the pool has it. */
export function poolNumber(pool: Resource): Known<string> {
  const number = numbers.get(pool) ?? textOf([new Reference(`${pool.address}.name: project number`, pool)]);
  numbers.set(pool, number);
  return number;
}

/** The e-mail address of a service account. */
export function emailOf(account: Resource): Known<string> {
  const [id, project] = [account.stated("account_id"), projectOf(account)];
  return match(
    id,
    (text) =>
      text.includes("@")
        ? known(text)
        : match(
            project,
            (name) => known(serviceAccountEmail(text, name)),
            () => joined(text, "@", project, ".iam.gserviceaccount.com"),
          ),
    () => joined(id, "@", project, ".iam.gserviceaccount.com"),
  );
}

const EMAIL = /^[^@]+@([^.@]+)(?:\.(.+))?\.iam\.gserviceaccount\.com$/;

/** The project of a service account by its address; `example.com:project` is written `project.example.com`. */
export function projectOfEmail(email: Known<string>): Known<string> | undefined {
  const found = orElse(piecesOf(email, EMAIL), () => undefined);
  const [name, domain] = found ?? [];
  if (name === undefined || domain === undefined) return undefined;
  return match(
    domain,
    (text) => (text === "" ? name : joined(text, ":", name)),
    () => joined(domain, ":", name),
  );
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
const ROLE = "google_project_iam_custom_role";
const ORGANIZATION_ROLE = "google_organization_iam_custom_role";
const POOL = "google_iam_workload_identity_pool";
const REPOSITORY = "google_artifact_registry_repository";

/** The types of custom roles. */
export const ROLES: readonly string[] = [ROLE, ORGANIZATION_ROLE];

/** E-mail addresses and names of service accounts, names of custom roles, of pools and of repositories. */
export const googleComputed: readonly ComputedAttribute[] = [
  { type: ACCOUNT, attribute: "email", value: kept(emailOf) },
  {
    type: ACCOUNT,
    attribute: "member",
    value: kept((account) => joined("serviceAccount:", emailOf(account))),
  },
  { type: ACCOUNT, attribute: "name", value: kept(accountName) },
  { type: ACCOUNT, attribute: "id", value: kept(accountName) },
  ...ROLES.flatMap((type) => [
    { type, attribute: "name", value: kept(roleName) },
    { type, attribute: "id", value: kept(roleName) },
  ]),
  { type: POOL, attribute: "name", value: kept(poolName) },
  // The provider shortens what the API calls the name.
  { type: REPOSITORY, attribute: "name", value: kept((each) => each.stated("repository_id")) },
  { type: REPOSITORY, attribute: "id", value: kept(repositoryPath) },
];

/** What is not known for another reason than apply stays the reference that it was. */
function kept(value: (resource: Resource) => Known<string>): ComputedAttribute["value"] {
  return (resource) => {
    const text = value(resource);
    return partsOf(text) === undefined ? undefined : text;
  };
}
