/*
 * Everything that Terraform grants to members of IAM policies, on whatever resource.
 */

import { texts } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { type Binding, bindingsOf } from "./grants";
import { projectOf } from "./workload-identity";

/** A role on something. */
export interface MemberGrant extends Binding {
  /** What it is on, for people: `project acme`, `bucket logs`, `pubsub topic orders`. */
  readonly on: string;
  /** Where it stands. */
  readonly source: Source;
}

/** Who may act as a service account. */
export interface AccountUser extends Binding {
  /** The service account's e-mail address, or a reference. */
  readonly email: string;
  /** Where it stands. */
  readonly source: Source;
}

const GRANT = /^google_(.+)_(iam_(?:member|binding|policy))$/;
const USER = /^google_service_account_(iam_(?:member|binding|policy))$/;
/** Every grant, those on service accounts not among them. */
export function memberGrants(terraform: Terraform): readonly MemberGrant[] {
  return resourcesLike(GRANT, terraform)
    .filter(({ resource }) => !USER.test(resource.type))
    .flatMap(({ resource, match: [, kind = "", form = ""] }) =>
      bindingsOf(resource, form, terraform).map((binding) => ({
        ...binding,
        on: onWhat(resource, kind, terraform),
        source: resource.source,
      })),
    );
}

/** Every grant on a service account. */
export function accountUsers(terraform: Terraform): readonly AccountUser[] {
  return resourcesLike(USER, terraform).flatMap(({ resource, match: [, form = ""] }) =>
    bindingsOf(resource, form, terraform).map((binding) => ({
      ...binding,
      email: terraform
        .text(resource, "service_account_id")
        .replace(/^projects\/[^/]+\/serviceAccounts\//, ""),
      source: resource.source,
    })),
  );
}

/** Permissions of custom roles by their full name; `undefined` for those that only apply tells. */
export function customRoles(terraform: Terraform): ReadonlyMap<string, readonly string[] | undefined> {
  return new Map(
    terraform.ofType("google_project_iam_custom_role").map((resource) => {
      const { permissions } = resource.values;
      const known = Array.isArray(permissions) && !texts(permissions).some(isLateText);
      return [terraform.attribute(resource, "name"), known ? texts(permissions) : undefined];
    }),
  );
}

interface Found {
  readonly resource: TerraformResource;
  readonly match: RegExpExecArray;
}

function resourcesLike(pattern: RegExp, { scopes }: Terraform): readonly Found[] {
  return scopes.flatMap(({ resources }) =>
    [...resources.values()].flatMap((resource) => {
      const match = pattern.exec(resource.type);
      return match && !resource.adopted ? [{ resource, match }] : [];
    }),
  );
}

function onWhat(resource: TerraformResource, kind: string, terraform: Terraform): string {
  if (kind === "project") return `project ${projectOf(resource, terraform)}`;
  // Resources are named by the last word of their type: google_storage_bucket_iam_member by bucket.
  const name = terraform.text(resource, kind.split("_").at(-1) ?? "");
  const words = kind.replace(/^storage_bucket$/, "bucket").replaceAll("_", " ");
  return `${words}${name === "" || isLateText(name) ? "" : ` ${name}`}`;
}
