/*
 * Deny policies, which win over every grant; whom they except is not read here.
 */

import { type Json, texts } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import { LATE_TEXT, knownBlocks, listed } from "../../facts/terraform-values";
import { globMatches } from "../../glob";

/** What acting as a service account takes. */
const GET_ACCESS_TOKEN = "iam.serviceAccounts.getAccessToken";
/** What pulling an image takes. */
const DOWNLOAD = "artifactregistry.repositories.downloadArtifacts";

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
    const rules = knownBlocks(values["rules"]);
    const denying = rules?.map((rule) => knownBlocks(rule["deny_rule"]));
    const denied = denying
      ?.flatMap((rule) => rule ?? LATE_RULE)
      .flatMap((rule) => listed(rule["denied_permissions"]));
    const isOpen = denied === undefined || denied.some(isLateText);
    // `compute.googleapis.com/instances.create` there is `compute.instances.create` in roles.
    const permissions = denied?.map((each) => each.replace(/\.googleapis\.com\//, "."));
    return { permissions: isOpen ? undefined : permissions, source };
  });
}

/** What only apply tells of a rule. */
const LATE_RULE: readonly Json[] = [{ denied_permissions: LATE_TEXT }];

/** Deny policies that may speak of downloads; whom they except is not read here. */
export function downloadDenials(terraform: Terraform): readonly Source[] {
  return denials(terraform)
    .filter(({ permissions }) => permissions?.some((pattern) => globMatches(pattern, DOWNLOAD)) ?? true)
    .map(({ source }) => source);
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
