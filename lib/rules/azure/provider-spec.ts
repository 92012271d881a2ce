/*
 * The Azure part of a CredentialsRequest. Source: openshift/cloud-credential-operator,
 * pkg/apis/cloudcredential/v1/types_azure.go.
 */

import { fail } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { literal } from "../../model/late";
import { isRecord } from "../../model/record";
import { ofRequest } from "../../model/request-label";
import { isRoleName } from "./role-name";

/** `spec.providerSpec.kind` of a request for Azure. */
export const AZURE_PROVIDER_KIND = "AzureProviderSpec";

/** What a component may do on Azure, wherever its identity is given a role. */
export interface ComponentPermissions {
  /** Actions of its custom role, in the order of the request, each once; empty where it needs none. */
  readonly actions: readonly string[];
  /** Data actions of its custom role: the request's `dataPermissions`. */
  readonly dataActions: readonly string[];
  /** Names of built-in or existing custom roles: the request's `roleBindings`. */
  readonly roles: readonly string[];
}

const LISTS = ["permissions", "dataPermissions"] as const;
const BROKERED: readonly string[] = ["azureClientID", "azureRegion", "azureSubscriptionID", "azureTenantID"];
const FIELDS: readonly string[] = [...LISTS, "roleBindings", ...BROKERED];

/** An operation of a resource provider, each part a word or a wildcard: learn.microsoft.com, "Azure role definitions". */
const PERMISSION = /^[A-Za-z0-9.]+(?:\/(?:\*|[A-Za-z0-9._$-]+))+$/;

/**
 * What a request asks for, less what the caller withholds.
 *
 * The order of the request is kept, because azurerm compares the actions of a role as a list. What stands twice is
 * taken once: letter case does not count to Azure. Throws, naming the request, `azure-request-kind`,
 * `azure-request-field`, `azure-request-brokered`, `azure-request-list`, `azure-request-permission`,
 * `azure-request-empty`, `azure-role-invalid`, `azure-permission-unasked` and `late-value`.
 */
export function componentPermissions(
  request: CredentialsRequest,
  withoutPermissions: readonly string[] = [],
): ComponentPermissions {
  return ofRequest(request, () => {
    checkSpec(request);
    const { providerSpec } = request;
    const [permissions, dataPermissions] = LISTS.map((field) =>
      roleOperations(`spec.providerSpec.${field}`, providerSpec[field] ?? []),
    );
    const roles = once(boundRoles(providerSpec["roleBindings"] ?? []));
    const asked = [...(permissions ?? []), ...(dataPermissions ?? [])].map(key);
    const unasked = withoutPermissions.find((permission) => !asked.includes(key(permission)));
    if (unasked !== undefined) fail("azure-permission-unasked", unasked);
    const withheld = new Set(withoutPermissions.map(key));
    const kept = (list: readonly string[] = []): readonly string[] =>
      list.filter((permission) => !withheld.has(key(permission)));
    const granted = { actions: kept(permissions), dataActions: kept(dataPermissions), roles };
    return Object.values(granted).some((list) => list.length > 0) ? granted : fail("azure-request-empty");
  });
}

function checkSpec({ providerKind, providerSpec }: CredentialsRequest): void {
  if (providerKind !== AZURE_PROVIDER_KIND) fail("azure-request-kind", providerKind);
  const unknown = Object.keys(providerSpec).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) fail("azure-request-field", unknown, FIELDS);
  const brokered = BROKERED.find((field) => providerSpec[field] !== undefined);
  if (brokered !== undefined) fail("azure-request-brokered", brokered);
}

/**
 * Actions or data actions of a role, each once; throws `azure-request-list`, `azure-request-permission` or
 * `late-value`.
 */
export function roleOperations(what: string, list: unknown): readonly string[] {
  if (!Array.isArray(list)) return fail("azure-request-list", what, list, "a list of texts");
  return once(list.map((entry: unknown) => operation(entry)));
}

/** Names of roles, each once; throws `azure-request-list`, `azure-role-invalid` or `late-value`. */
export function roleNames(what: string, list: unknown): readonly string[] {
  if (!Array.isArray(list)) return fail("azure-request-list", what, list, "a list of names of roles");
  return once(list.map((entry: unknown) => roleName(entry)));
}

function operation(value: unknown): string {
  literal(value, "permission");
  return typeof value === "string" && PERMISSION.test(value)
    ? value
    : fail("azure-request-permission", value);
}

function boundRoles(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return fail("azure-request-list", ROLE_BINDINGS, list, BINDINGS);
  return list.map((entry: unknown) =>
    isRecord(entry) && Object.hasOwn(entry, "role") && Object.keys(entry).length === 1
      ? roleName(entry["role"])
      : fail("azure-request-list", ROLE_BINDINGS, entry, BINDINGS),
  );
}

function roleName(value: unknown): string {
  literal(value, "role");
  return isRoleName(value) ? value : fail("azure-role-invalid", value);
}

const ROLE_BINDINGS = "spec.providerSpec.roleBindings";
const BINDINGS = "a list of objects with the one field `role`, the name of a role";

function once(list: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return list.filter((entry) => !seen.has(key(entry)) && seen.add(key(entry)));
}

function key(permission: string): string {
  return permission.toLowerCase();
}
