/*
 * The Google part of a CredentialsRequest.
 * Source: openshift/api, operator-independent type GCPProviderSpec of cloudcredential.openshift.io/v1
 * (openshift/cloud-credential-operator, pkg/apis/cloudcredential/v1/types_gcp.go).
 */

import { fail } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { ofRequest } from "../../model/request-label";
import { grantableRole, permissionNames } from "./custom-role";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";

/** `spec.providerSpec.kind` of a request for Google Cloud. */
export const PROVIDER_KIND = "GCPProviderSpec";

/** The rights that a component needs in its project. */
export interface ComponentRights {
  /** Permissions of its custom role, sorted, each once; empty where it needs none. */
  readonly permissions: readonly string[];
  /** Full names of predefined or existing roles, sorted, each once. */
  readonly roles: readonly string[];
}

/** What the caller has another request than the file's for. */
export interface ComponentRightsOverride {
  /**
   * Permissions in place of the request's; an empty list for no custom role.
   *
   * @defaultValue - those of the request
   */
  readonly permissions?: readonly string[];
  /**
   * Roles in place of the request's `predefinedRoles`.
   *
   * @defaultValue - those of the request
   */
  readonly predefinedRoles?: readonly string[];
  /**
   * Why a basic role (`roles/editor`, say) is needed; at most 200 bytes of UTF-8. Stands in the description of the
   * service account.
   *
   * @defaultValue - none; basic roles are refused
   */
  readonly reason?: string;
}

/** The kind of {@link ComponentRightsOverride}. */
export const COMPONENT_RIGHTS_OVERRIDE: ObjectKind<ComponentRightsOverride> = object({
  permissions: optional(list(text)),
  predefinedRoles: optional(list(text)),
  reason: optional(text),
});

const FIELDS: readonly string[] = [
  "permissions",
  "predefinedRoles",
  "skipServiceCheck",
  "serviceAccountEmail",
  "audience",
];
const BROKERED: readonly string[] = ["serviceAccountEmail", "audience"];

/**
 * The rights that a request asks for.
 *
 * `skipServiceCheck` means nothing here: it concerns the operator's own mint mode. Throws, naming the request,
 * `google-request-kind`, `google-request-field`, `google-request-brokered`, `google-request-empty`,
 * `google-permission-invalid`, `google-role-invalid`, `google-role-basic`, `name-too-long` and
 * `late-value`.
 */
export function componentRights(
  request: CredentialsRequest,
  override: ComponentRightsOverride = {},
): ComponentRights {
  return ofRequest(request, () => {
    const { providerKind, providerSpec } = request;
    if (providerKind !== PROVIDER_KIND) return fail("google-request-kind", providerKind);
    const unknown = Object.keys(providerSpec).find((field) => !FIELDS.includes(field));
    if (unknown !== undefined) return fail("google-request-field", unknown, FIELDS);
    const brokered = BROKERED.find((field) => isSet(providerSpec[field]));
    if (brokered !== undefined) return fail("google-request-brokered", brokered);
    const asked = override.permissions ?? listOf(providerSpec, "permissions");
    const wanted = override.predefinedRoles ?? listOf(providerSpec, "predefinedRoles");
    const permissions = permissionNames(asked);
    const roles = [...new Set(wanted.map((role) => grantableRole(role, override.reason)))].sort();
    return permissions.length + roles.length === 0 ? fail("google-request-empty") : { permissions, roles };
  });
}

/** The operator takes an empty text for an unset one. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== "";
}

function listOf(spec: CredentialsRequest["providerSpec"], field: string): readonly string[] {
  const value = spec[field] ?? [];
  return isTexts(value) ? value : fail("google-request-list", field, value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
