/*
 * Deny policies, which win over every grant; whom they except is not read here.
 */

import { type Json, blocks, texts } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import { globMatches } from "../../glob";

/** What acting as a service account takes. */
const GET_ACCESS_TOKEN = "iam.serviceAccounts.getAccessToken";

/** A deny policy. */
export interface DenialFact {
  /** Permissions as grants write them, `*` for any text; `undefined` where only apply tells them. */
  readonly permissions: readonly string[] | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** Every deny policy. */
export function denials(terraform: Terraform): readonly DenialFact[] {
  return terraform.ofType("google_iam_deny_policy").map(({ values, source }) => {
    const rules = [values["rules"], ...blocks(values["rules"]).map((rule) => rule["deny_rule"])];
    const denied = blocks(values["rules"])
      .flatMap((rule) => blocks(rule["deny_rule"]))
      .map(({ denied_permissions: permissions }) => permissions);
    // What an expression makes is a text in the configuration.
    const isOpen = [...rules, ...denied].some(
      (each) => typeof each === "string" || texts(each).some(isLateText),
    );
    // `compute.googleapis.com/instances.create` there is `compute.instances.create` in roles.
    const permissions = denied.flatMap(texts).map((each) => each.replace(/\.googleapis\.com\//, "."));
    return { permissions: isOpen ? undefined : permissions, source };
  });
}

/** Whether a deny policy may keep others from acting as service accounts. */
export function mayDenyImpersonation({ permissions }: DenialFact): boolean {
  return permissions?.some((pattern) => globMatches(pattern, GET_ACCESS_TOKEN)) ?? true;
}

/** Whether a deny policy may take away something that is asked for; a role may hold any permission. */
export function mayDeny({ permissions }: DenialFact, asked: Json | undefined): boolean {
  if (permissions === undefined || asked === undefined || texts(asked["predefinedRoles"]).length > 0)
    return true;
  return texts(asked["permissions"]).some((each) =>
    permissions.some((pattern) => globMatches(pattern, each)),
  );
}
