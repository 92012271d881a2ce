/*
 * Deny policies, which win over every grant, principal access boundary policies, which limit what grants reach, and
 * service perimeters, which keep requests from outside away; whom they concern is not read here.
 */

import { type Json, texts } from "../../facts/access";
import type { Source } from "../../facts/source";
import { type Terraform, isLateText } from "../../facts/terraform";
import { LATE_TEXT, knownBlocks, listed } from "../../facts/terraform-values";
import { globMatches } from "../../glob";

/** What acting as a service account takes. */
const GET_ACCESS_TOKEN = "iam.serviceAccounts.getAccessToken";
/** What pulling an image takes. */
export const DOWNLOAD = "artifactregistry.repositories.downloadArtifacts";

/** What takes grants away again. */
export interface DenialFact {
  /** What it is. */
  readonly title: "deny policy" | "principal access boundary policy" | "service perimeter";
  /** Id of the one project that it is attached to; empty where it may be attached to another one. */
  readonly project: string;
  /** Permissions as grants write them, `*` for any text; `undefined` where only apply tells them. */
  readonly permissions: readonly string[] | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** Every deny policy, service perimeter, and principal access boundary policy, which may take away any permission. */
export function denials(terraform: Terraform): readonly DenialFact[] {
  const boundaries = terraform
    .ofType("google_iam_principal_access_boundary_policy")
    .map(({ source }): DenialFact => ({
      title: "principal access boundary policy",
      project: "",
      permissions: undefined,
      source,
    }));
  return [...denyPolicies(terraform), ...perimeters(terraform), ...boundaries];
}

/** Projects may also be named by number, which is not compared with ids. */
const PARENT = /^cloudresourcemanager\.googleapis\.com\/projects\/([a-z][^/]*)$/;

function denyPolicies(terraform: Terraform): readonly DenialFact[] {
  return terraform.ofType("google_iam_deny_policy").map((resource) => {
    const { values, source } = resource;
    const [, project = ""] = PARENT.exec(terraform.text(resource, "parent").replace(/%2F/gi, "/")) ?? [];
    const rules = knownBlocks(values["rules"]);
    const denying = rules?.map((rule) => knownBlocks(rule["deny_rule"]));
    const denied = denying
      ?.flatMap((rule) => rule ?? LATE_RULE)
      .flatMap((rule) => listed(rule["denied_permissions"]));
    const isOpen = denied === undefined || denied.some(isLateText);
    // `compute.googleapis.com/instances.create` there is `compute.instances.create` in roles.
    const permissions = denied?.map((each) => each.replace(/\.googleapis\.com\//, "."));
    return { title: "deny policy", project, permissions: isOpen ? undefined : permissions, source };
  });
}

const PERIMETER = "google_access_context_manager_service_perimeter";

/** Their projects are named by number, and by resources of their own; `spec` is what would be, and denies nothing. */
function perimeters(terraform: Terraform): readonly DenialFact[] {
  const single = terraform.ofType(PERIMETER).map((resource) => ({ resource, written: resource.values }));
  const several = terraform.ofType(`${PERIMETER}s`).flatMap((resource) =>
    (knownBlocks(resource.values["service_perimeters"]) ?? [LATE_PERIMETER]).map((written) => ({
      resource,
      written,
    })),
  );
  return [...single, ...several].flatMap(
    ({ resource: { scope, source }, written }): readonly DenialFact[] => {
      const enforced = knownBlocks(written["status"]) ?? LATE_STATUS;
      const services = enforced
        .flatMap((status) => listed(status["restricted_services"]))
        .map((service) => terraform.resolve(service, scope));
      if (services.length === 0) return [];
      const permissions = services.map((service) => service.replace(/\.googleapis\.com$/, ".*"));
      const isOpen = services.some(isLateText);
      return [
        { title: "service perimeter", project: "", permissions: isOpen ? undefined : permissions, source },
      ];
    },
  );
}

/** What only apply tells of a perimeter. */
const LATE_STATUS: readonly Json[] = [{ restricted_services: LATE_TEXT }];
const LATE_PERIMETER: Json = { status: LATE_TEXT };

/** What only apply tells of a rule. */
const LATE_RULE: readonly Json[] = [{ denied_permissions: LATE_TEXT }];

/** Those that may speak of downloads. */
export function downloadDenials(terraform: Terraform): readonly DenialFact[] {
  return denials(terraform).filter(
    ({ permissions }) => permissions?.some((pattern) => globMatches(pattern, DOWNLOAD)) ?? true,
  );
}

/** Whether it may be about what a project holds, which is empty where it is not known. */
export function mayConcern(denial: DenialFact, project: string): boolean {
  return (
    denial.project === "" || isLateText(project) || !/^[a-z]/.test(project) || denial.project === project
  );
}

/** Whether it may keep others from acting as service accounts. */
export function mayDenyImpersonation({ permissions }: DenialFact): boolean {
  return permissions?.some((pattern) => globMatches(pattern, GET_ACCESS_TOKEN)) ?? true;
}

/** Whether it may take away something that is asked for; a role may hold any permission. */
export function mayDeny({ permissions }: DenialFact, asked: Json | undefined): boolean {
  if (permissions === undefined || asked === undefined || texts(asked["predefinedRoles"]).length > 0)
    return true;
  return texts(asked["permissions"]).some((each) =>
    permissions.some((pattern) => globMatches(pattern, each)),
  );
}
