/*
 * What a CredentialsRequest asks of Google Cloud, and the names that ccoctl gives. Sources:
 * openshift/cloud-credential-operator, pkg/apis/cloudcredential/v1/types_gcp.go and
 * pkg/cmd/provisioning/gcp/create_service_accounts.go.
 */

import { fail } from "../../errors";
import { CLOUDS } from "../../model/clouds";
import type { ComponentIntent } from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { ofRequest } from "../../model/request-label";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";
import { stableHash } from "../names";
import type { RoleCondition } from "./permission";
import { grantableRole, permissionNames } from "./role";

/** `spec.providerSpec.kind` of a request for Google Cloud. */
export const PROVIDER_KIND: string = CLOUDS.google.providerSpec;

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

export const COMPONENT_RIGHTS_OVERRIDE: ObjectKind<ComponentRightsOverride> = object({
  permissions: optional(list(text)),
  predefinedRoles: optional(list(text)),
  reason: optional(text),
});

/** `skipServiceCheck` means nothing here: it concerns the operator's own mint mode. */
const FIELDS = CLOUDS.google.providerFields.split(" ");
const BROKERED: readonly string[] = ["serviceAccountEmail", "audience"];

/** The rights that a request asks for; refusals name the request. */
export function componentRights(
  request: CredentialsRequest,
  override: ComponentRightsOverride = {},
): ComponentRights {
  return ofRequest(request, () => {
    checkSpec(request);
    const requested = override.permissions ?? listOf(request, "permissions");
    const wanted = override.predefinedRoles ?? listOf(request, "predefinedRoles");
    const permissions = permissionNames(requested);
    const roles = [...new Set(wanted.map((role) => grantableRole(role, override.reason)))].sort();
    if (permissions.length + roles.length > 0) return { permissions, roles };
    return fail("google-missing", {
      problem: "request asks for no permission and no role",
      allowed: "permissions or predefinedRoles in spec.providerSpec",
      remedy: "leave the request out, or state its rights in `overrides`",
    });
  });
}

function checkSpec({ providerKind, providerSpec }: CredentialsRequest): void {
  if (providerKind !== PROVIDER_KIND)
    fail("google-foreign", {
      problem: "request is not for Google Cloud",
      value: providerKind,
      allowed: `spec.providerSpec.kind: ${PROVIDER_KIND}`,
      remedy: "leave the requests of other clouds out, or filter them by cloud",
    });
  const unknown = Object.keys(providerSpec).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    fail("google-unknown", {
      problem: "spec.providerSpec has a field that no release of OpenShift knows for Google Cloud",
      value: unknown,
      allowed: FIELDS.join(", "),
      remedy: "correct the field's name; use a newer release of this library if OpenShift has added it",
    });
  // The operator takes an empty text for an unset one.
  const brokered = BROKERED.find((field) => ![undefined, ""].includes(providerSpec[field] as string));
  if (brokered !== undefined)
    fail("google-unsupported", {
      problem: `spec.providerSpec.${brokered} is set, so the cloud-credential-operator writes the Secret itself`,
      value: brokered,
      allowed: "a request without serviceAccountEmail and audience",
      remedy:
        "leave the request out here, and declare its service account with ComponentServiceAccount or FederatedServiceAccount",
    });
}

function listOf({ providerSpec }: CredentialsRequest, field: string): readonly string[] {
  const value = providerSpec[field] ?? [];
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return value;
  return fail("google-invalid", {
    problem: `spec.providerSpec.${field} is not a list of texts`,
    value,
    allowed: "a list of texts",
    remedy: "write the request as `oc adm release extract --credentials-requests` does",
  });
}

/** What a component was meant to get, as a request's provider part; `undefined` where the request counts as it is. */
export function componentIntent(
  { permissions, roles }: ComponentRights,
  override: ComponentRightsOverride & { readonly condition?: RoleCondition },
): ComponentIntent | undefined {
  const { condition, reason } = override;
  const overridden = [override.permissions, override.predefinedRoles, condition];
  if (overridden.every((each) => each === undefined)) return undefined;
  return {
    rights: { permissions, predefinedRoles: roles, ...(condition && { condition }) },
    ...(reason !== undefined && { reason }),
  };
}

const ACCOUNT = { name: 12, request: 11, suffix: 5 } as const;
const DISPLAY = { name: 50, request: 49 } as const;
const ROLE = { project: 32, request: 31 } as const;

/** Description of the pool and the pool provider. */
export const CCOCTL_DESCRIPTION = "Created By OpenShift ccoctl";

/** Display name of a service account, by which ccoctl finds it, and title of a role: `<name>-<request>`, each cut. */
export function ccoctlDisplayName(name: string, request: string): string {
  return `${name.slice(0, DISPLAY.name)}-${request.slice(0, DISPLAY.request)}`;
}

/** Description of the service account and of the custom role, both with the account's display name. */
export function ccoctlDescription(displayName: string): string {
  return `${CCOCTL_DESCRIPTION} for service account ${displayName}`;
}

/**
 * Service account id in ccoctl's form, `<name>-<request>-<5 characters>`, for a request that ccoctl made nothing for.
 * Its last part is random there, and a hash of the names here.
 */
export function ccoctlAccountId(name: string, request: string): string {
  const suffix = stableHash([name, request]).slice(0, ACCOUNT.suffix);
  return `${name.slice(0, ACCOUNT.name)}-${request.slice(0, ACCOUNT.request)}-${suffix}`;
}

/** Custom role id, which has the project's name and not the cluster's: all clusters of a project share the role. */
export function ccoctlRoleId(project: string, request: string): string {
  const plain = (name: string, max: number): string => name.replace(/[^a-zA-Z0-9]/g, "").slice(0, max);
  return `${plain(project, ROLE.project)}_${plain(request, ROLE.request)}`;
}
