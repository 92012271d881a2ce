/*
 * The Azure part of a CredentialsRequest, and the Secrets for its component. Source:
 * openshift/cloud-credential-operator, pkg/apis/cloudcredential/v1/types_azure.go, and create_managed_identities.go of
 * pkg/cmd/provisioning/azure.
 */

import { checkedText } from "../names";
import { fail } from "../../errors";
import { CLOUDS } from "../../model/clouds";
import { type ComponentSecret, COMPONENT_TOKEN_PATH } from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { literal } from "../../model/late";
import { isRecord } from "../../model/record";
import { ofRequest } from "../../model/request-label";
import { invalidRole, isRoleName } from "./access";
import { WEBHOOK_SECRET } from "./pod";

/** `spec.providerSpec.kind` of a request for Azure. */
export const AZURE_PROVIDER_KIND: string = CLOUDS.azure.providerSpec;

/** A component's permissions on Azure, wherever its identity is assigned a role. */
export interface ComponentPermissions {
  /** Actions of its custom role without duplicates, in the order of the request; empty if it needs none. */
  readonly actions: readonly string[];
  /** Data actions of its custom role: the request's `dataPermissions`. */
  readonly dataActions: readonly string[];
  /** Names of built-in or existing custom roles: the request's `roleBindings`. */
  readonly roles: readonly string[];
}

const LISTS = ["permissions", "dataPermissions"] as const;
const BROKERED: readonly string[] = ["azureClientID", "azureRegion", "azureSubscriptionID", "azureTenantID"];
const FIELDS = CLOUDS.azure.providerFields.split(" ");

/** An operation of a resource provider, each part a word or a wildcard: learn.microsoft.com, "Azure role definitions". */
const PERMISSION = /^[A-Za-z0-9.]+(?:\/(?:\*|[A-Za-z0-9._$-]+))+$/;

/**
 * The permissions that a request asks for, without those that the caller withholds.
 *
 * Keeps the order of the request, because azurerm compares the actions of a role as a list, and drops duplicates,
 * ignoring letter case as Azure does.
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
    const requested = [...(permissions ?? []), ...(dataPermissions ?? [])].map(key);
    const unasked = withoutPermissions.find((permission) => !requested.includes(key(permission)));
    if (unasked !== undefined)
      fail("azure-unknown", {
        problem: "`withoutPermissions` contains a permission that the request does not ask for",
        value: unasked,
        allowed: "permissions and dataPermissions of the request, in any letter case",
        remedy: "correct it or remove it; after an upgrade the request may ask for other permissions",
      });
    const withheld = new Set(withoutPermissions.map(key));
    const kept = (list: readonly string[] = []): readonly string[] =>
      list.filter((permission) => !withheld.has(key(permission)));
    const granted = { actions: kept(permissions), dataActions: kept(dataPermissions), roles };
    return Object.values(granted).some((list) => list.length > 0)
      ? granted
      : fail("azure-missing", {
          problem: "the request asks for no permission and no role, so its identity could do nothing",
          allowed: "permissions, dataPermissions or roleBindings in spec.providerSpec",
          remedy: "remove the request, or withhold fewer of its permissions",
        });
  });
}

function checkSpec({ providerKind, providerSpec }: CredentialsRequest): void {
  if (providerKind !== AZURE_PROVIDER_KIND)
    fail("azure-foreign", {
      problem: "the request is not for Azure",
      value: providerKind,
      allowed: `spec.providerSpec.kind: ${AZURE_PROVIDER_KIND}`,
      remedy: "remove the requests for other clouds, or filter by cloud",
    });
  const unknown = Object.keys(providerSpec).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    fail("azure-unknown", {
      problem: "spec.providerSpec has a field that no known release of OpenShift has for Azure",
      value: unknown,
      allowed: FIELDS.join(", "),
      remedy: "correct the field's name; use a newer release of this library if OpenShift has added it",
    });
  const brokered = BROKERED.find((field) => providerSpec[field] !== undefined);
  if (brokered !== undefined)
    fail("azure-unsupported", {
      problem: `spec.providerSpec.${brokered} is set, so the cloud-credential-operator writes the Secret itself`,
      value: brokered,
      allowed: "a request without azureClientID, azureRegion, azureSubscriptionID and azureTenantID",
      remedy: "remove the request here, and declare its identity with ComponentIdentity",
    });
}

/** Actions or data actions of a role, without duplicates. */
export function roleOperations(what: string, list: unknown): readonly string[] {
  if (!Array.isArray(list)) return malformed(what, list, "a list of texts");
  return once(list.map((entry: unknown) => operation(entry)));
}

/** Names of roles, without duplicates. */
export function roleNames(what: string, list: unknown): readonly string[] {
  if (!Array.isArray(list)) return malformed(what, list, "a list of names of roles");
  return once(list.map((entry: unknown) => roleName(entry)));
}

function malformed(what: string, value: unknown, allowed: string): never {
  return fail("azure-invalid", {
    problem: `${what} is malformed`,
    value,
    allowed,
    remedy: "use the request as `oc adm release extract --credentials-requests` writes it",
  });
}

function operation(value: unknown): string {
  return checkedText("azure-invalid", value, {
    what: "permission",
    problem: "the permission is not an operation of a single named Azure resource provider",
    pattern: PERMISSION,
    allowed:
      "<resource provider>/<resource type>/<operation>, for example Microsoft.Compute/disks/read; after the provider, * may replace a part",
    remedy: "name the provider, and copy the operation from `az provider operation list`",
  });
}

function boundRoles(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return malformed(ROLE_BINDINGS, list, BINDINGS);
  return list.map((entry: unknown) =>
    isRecord(entry) && Object.hasOwn(entry, "role") && Object.keys(entry).length === 1
      ? roleName(entry["role"])
      : malformed(ROLE_BINDINGS, entry, BINDINGS),
  );
}

function roleName(value: unknown): string {
  literal(value, "role");
  return isRoleName(value) ? value : invalidRole(value);
}

const ROLE_BINDINGS = "spec.providerSpec.roleBindings";
const BINDINGS = "a list of objects whose only field is `role`, the name of a role";

function once(list: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return list.filter((entry) => !seen.has(key(entry)) && seen.add(key(entry)));
}

function key(permission: string): string {
  return permission.toLowerCase();
}

/** What a component needs to know about its identity. */
interface ComponentCredentials {
  /** Client id; late unless the identity is adopted with a literal one. */
  readonly clientId: string;
  /** Tenant; may be late. */
  readonly tenantId: string;
  readonly region: string;
  readonly subscriptionId: string;
}

/** The Secret that a component reads, with keys in ccoctl's order. */
export function componentSecret(
  { secret, cloudTokenPath }: CredentialsRequest,
  { clientId, tenantId, region, subscriptionId }: ComponentCredentials,
): ComponentSecret {
  return {
    ...secret,
    stringData: {
      azure_client_id: clientId,
      azure_tenant_id: tenantId,
      azure_region: region,
      azure_subscription_id: subscriptionId,
      azure_federated_token_file: cloudTokenPath ?? COMPONENT_TOKEN_PATH,
    },
  };
}

/** The Secret that makes OpenShift run Azure's pod identity webhook. */
export function webhookSecret(tenantId: string): ComponentSecret & {
  /** Name of its file below `manifests/`, without `.yaml`. */
  readonly file: string;
} {
  return { ...WEBHOOK_SECRET, stringData: { azure_tenant_id: tenantId } };
}
