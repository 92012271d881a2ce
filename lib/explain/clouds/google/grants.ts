/*
 * Grants on repositories, and on what stands above them, as Terraform declares them.
 */

import { hasTooManyOperators } from "../../../rules/google/role-condition";
import { admitsEveryToken } from "../../../rules/google/trivial-condition";
import { type Json, blocks, own, text } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { LATE_TEXT, knownBlocks, listed, plainText } from "../../facts/terraform-values";
import { projectOf } from "./workload-identity";

/** What a grant is on; of folders and organizations it is not known which projects they hold. */
export type GrantPlace = "repository" | "project" | "above";

/** A grant on a repository, a project, or a folder or organization. */
export interface GrantFact {
  /** The members; `undefined` for a policy that only apply will tell, which may name anybody. */
  readonly members: readonly string[] | undefined;
  /** The role; empty for a policy that only apply will tell. */
  readonly role: string;
  /** What it is on. */
  readonly place: GrantPlace;
  /** Id of the project, or name of the folder or organization; empty where it is not known. */
  readonly project: string;
  /** Location of the repository; empty for a grant on more. */
  readonly location: string;
  /** Name of the repository; empty for a grant on more. */
  readonly repository: string;
  /** True where a condition limits it in a way that is not read here. */
  readonly conditional: boolean;
  /** The expression of that condition; empty where there is none. */
  readonly condition: string;
  /** Where it stands. */
  readonly source: Source;
}

/** What the resources of a prefix are about. */
export const GRANT_PLACES: Readonly<Record<string, GrantPlace>> = {
  google_artifact_registry_repository: "repository",
  google_project: "project",
  google_folder: "above",
  google_organization: "above",
};
const FORMS: readonly string[] = ["iam_member", "iam_binding", "iam_policy"];
/** Also written as `projects/<project>/locations/<location>/repositories/<repository>`. */
const REPOSITORY = /^projects\/([^/]+)\/locations\/([^/]+)\/repositories\/([^/]+)$/;

/** Every grant. */
export function grantsOf(terraform: Terraform): readonly GrantFact[] {
  return Object.entries(GRANT_PLACES).flatMap(([prefix, place]) =>
    FORMS.flatMap((form) =>
      terraform.ofType(`${prefix}_${form}`).flatMap((resource) => {
        const where = { ...whereOf(resource, place, terraform), place, source: resource.source };
        return bindingsOf(resource, form, terraform).map((binding) => ({ ...where, ...binding }));
      }),
    ),
  );
}

/** Members and their role. */
export type Binding = Pick<GrantFact, "members" | "role" | "conditional" | "condition">;

const UNREAD: Binding = { members: undefined, role: "", conditional: false, condition: "" };
/** A condition that is never met. */
const NEVER = /^\s*\(?\s*false\s*\)?\s*$/;

/**
 * The bindings of a resource of the form `iam_member`, `iam_binding` or `iam_policy` that can ever count: none where IAM
 * refuses the condition of one, and not those with a condition that is never met.
 */
export function bindingsOf(
  resource: TerraformResource,
  form: string,
  terraform: Terraform,
): readonly Binding[] {
  const written = writtenBindings(resource, form, terraform);
  if (written.some(({ condition }) => !isLateText(condition) && hasTooManyOperators(condition))) return [];
  return written.filter(({ condition }) => !NEVER.test(condition));
}

function writtenBindings(
  resource: TerraformResource,
  form: string,
  terraform: Terraform,
): readonly Binding[] {
  const resolvedIn =
    ({ scope }: TerraformResource): Resolve =>
    (value) =>
      terraform.resolve(value, scope);
  if (form !== "iam_policy") return [bindingOf(resource.values, resolvedIn(resource))];
  const data = terraform.text(resource, "policy_data");
  const document = terraform.referred(data, "policy_data");
  if (document !== undefined && document.values["policy_data"] === undefined)
    return (
      knownBlocks(document.values["binding"])?.map((binding) => bindingOf(binding, resolvedIn(document))) ?? [
        UNREAD,
      ]
    );
  if (isLateText(data)) return [UNREAD];
  const bindings = own(parsed(data), "bindings");
  return bindings === undefined ? [UNREAD] : blocks(bindings).map((binding) => bindingOf(binding, asItIs));
}

type Resolve = (value: string) => string;

/** The texts of a document that was resolved as a whole. */
const asItIs: Resolve = (value) => value;

function bindingOf(binding: Json, resolve: Resolve): Binding {
  const { member, members, condition } = binding;
  const late = typeof members === "string";
  const named = [text(member), ...listed(members)].filter((each) => each !== "");
  const limits = (knownBlocks(condition) ?? [{ expression: LATE_TEXT }])
    .map((block) => resolve(plainText(block["expression"]) ?? ""))
    .filter((expression) => !admitsEveryToken(expression));
  return {
    members: late ? undefined : named.map(resolve),
    role: resolve(text(binding["role"])),
    conditional: limits.length > 0,
    condition: limits.join(" && "),
  };
}

/** What a resource is about. */
export function whereOf(
  resource: TerraformResource,
  place: GrantPlace,
  terraform: Terraform,
): Pick<GrantFact, "project" | "location" | "repository"> {
  if (place === "above") {
    const name = terraform.text(resource, "folder") || terraform.text(resource, "org_id");
    return { project: name, location: "", repository: "" };
  }
  if (place === "project") return { project: projectOf(resource, terraform), location: "", repository: "" };
  const name = terraform.text(resource, "repository");
  const [, project, location, repository] = REPOSITORY.exec(name) ?? [];
  return {
    project: project ?? projectOf(resource, terraform),
    location: location ?? terraform.text(resource, "location"),
    repository: repository ?? name,
  };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    // No document: nothing is read from it, and the grant stays open.
    return undefined;
  }
}
