/*
 * Everything that Terraform grants to members of IAM policies, on whatever resource.
 */

import { texts } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import type { Authority } from "./authority";
import { type Binding, bindingsOf } from "./grants";
import { projectOf } from "./workload-identity";

/** A role on something. */
export interface MemberGrant extends Binding {
  /** Kind of what it is on: `project`, `bucket`, `pubsub topic`. */
  readonly kind: string;
  /** Id or name of what it is on; empty where it is not known. */
  readonly target: string;
  /** Both together, for people: `project acme`, `bucket logs`, `pubsub topic orders`. */
  readonly on: string;
  /** Where it stands. */
  readonly source: Source;
}

/** A custom role. */
export interface CustomRoleFact {
  /** Its permissions; `undefined` where only apply tells them, or whether it counts. */
  readonly permissions: readonly string[] | undefined;
  /** True for one that is disabled or deleted: bindings to it grant nothing. */
  readonly off: boolean;
}

/** Who may act as a service account. */
export interface AccountUser extends Binding {
  /** The service account's e-mail address, or a reference. */
  readonly email: string;
  /** Where it stands. */
  readonly source: Source;
}

/** What resources rule a policy besides adding to it: a whole role of it, or all of it. */
export interface RuledPolicy extends Authority {
  /** What the policy is of: `project acme`, `service account <e-mail>`. */
  readonly on: string;
}

const GRANT = /^google_(.+)_(iam_(?:member|binding|policy))$/;
const USER = /^google_service_account_(iam_(?:member|binding|policy))$/;

/** Every grant, those on service accounts not among them. */
export function memberGrants(terraform: Terraform): readonly MemberGrant[] {
  return resourcesLike(GRANT, terraform)
    .filter(({ resource }) => !USER.test(resource.type))
    .flatMap(({ resource, match: [, kind = "", form = ""] }) => {
      const place = placeOf(resource, kind, terraform);
      const where = { ...place, on: inWords(place), source: resource.source };
      return bindingsOf(resource, form, terraform).map((binding) => ({ ...binding, ...where }));
    });
}

/** Every resource that rules a whole role of a policy, or all of it. */
export function ruledPolicies(terraform: Terraform): readonly RuledPolicy[] {
  return resourcesLike(GRANT, terraform)
    .filter(({ match: [, , form] }) => form !== "iam_member")
    .flatMap(({ resource, match: [, kind = "", form = ""] }): RuledPolicy[] => {
      const isUser = USER.test(resource.type);
      const place = isUser
        ? { kind: ACCOUNT, target: emailOf(resource, terraform) }
        : placeOf(resource, kind, terraform);
      if (place.target === "") return [];
      const bindings = bindingsOf(resource, form, terraform);
      const { role, condition } = bindings[0] ?? { role: "", condition: "" };
      const ruled = form === "iam_policy" ? {} : { role, condition };
      return [{ on: inWords(place), bindings, source: resource.source, ...ruled }];
    });
}

/** Every grant on a service account. */
export function accountUsers(terraform: Terraform): readonly AccountUser[] {
  return resourcesLike(USER, terraform).flatMap(({ resource, match: [, form = ""] }) =>
    bindingsOf(resource, form, terraform).map((binding) => ({
      ...binding,
      email: emailOf(resource, terraform),
      source: resource.source,
    })),
  );
}

/** Custom roles by their full name. Source: cloud.google.com/iam/docs/creating-custom-roles, "Disabling a custom role". */
export function customRoles(terraform: Terraform): ReadonlyMap<string, CustomRoleFact> {
  return new Map(
    terraform.ofType("google_project_iam_custom_role").map((resource) => {
      const { permissions, deleted } = resource.values;
      const stage = terraform.text(resource, "stage");
      const known = Array.isArray(permissions) && !texts(permissions).some(isLateText) && !isLateText(stage);
      const fact: CustomRoleFact = {
        permissions: known ? texts(permissions) : undefined,
        off: stage === "DISABLED" || deleted === true || deleted === "true",
      };
      return [terraform.attribute(resource, "name"), fact];
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

/** How a service account's own policy is told in words. */
const ACCOUNT = "service account";

function emailOf(resource: TerraformResource, terraform: Terraform): string {
  return terraform.text(resource, "service_account_id").replace(/^projects\/[^/]+\/serviceAccounts\//, "");
}

function placeOf(
  resource: TerraformResource,
  kind: string,
  terraform: Terraform,
): Pick<MemberGrant, "kind" | "target"> {
  if (kind === "project") return { kind, target: projectOf(resource, terraform) };
  // Resources are named by the last word of their type: google_storage_bucket_iam_member by bucket.
  const name = terraform.text(resource, kind.split("_").at(-1) ?? "").replace(/^b\//, "");
  return {
    kind: kind.replace(/^storage_bucket$/, "bucket").replaceAll("_", " "),
    target: isLateText(name) ? "" : name,
  };
}

function inWords({ kind, target }: Pick<MemberGrant, "kind" | "target">): string {
  return target === "" ? kind : `${kind} ${target}`;
}
