/*
 * Arguments of the azurerm provider that were renamed: the new name is refused before its version, the old one warns
 * from that version on and is gone in 5.0. Source: CHANGELOG-v4.md and guides/5.0-upgrade-guide of
 * hashicorp/terraform-provider-azurerm, with the schemas of its tags.
 */

import { compareVersions } from "../../model/version";

/** From which version on azurerm takes what is new. */
export const azurermSince = {
  /** A federated identity credential needs no `resource_group_name` any more: it is that of the identity. */
  credentialWithoutGroup: "4.60",
  /** `user_assigned_identity_id` of a federated identity credential, `parent_id` before. */
  userAssignedIdentityId: "4.65",
  /** `storage_container_id` of a blob, `storage_account_name` and `storage_container_name` before. */
  storageContainerId: "4.77",
} as const;

const AT_LEAST = /^\s*(?:=|>=?|~>)?\s*v?(\d+(?:\.\d+){0,2})(?:-[\w.-]+)?\s*$/;

/**
 * The lowest version that a constraint of Terraform allows, `0.0` where it states none: what that one takes, every later
 * version of the same major takes as well.
 */
export function lowestVersion(constraint: string): string {
  const lowest = constraint.split(",").flatMap((part) => {
    const [, version] = AT_LEAST.exec(part) ?? [];
    return version === undefined ? [] : [version.includes(".") ? version : `${version}.0`];
  });
  return lowest.sort(compareVersions).at(-1) ?? "0.0";
}

/** The arguments that name the identity of a credential. */
export function credentialIdentity(
  version: string,
  { id, resourceGroupName }: { readonly id: unknown; readonly resourceGroupName: unknown },
): Readonly<Record<string, unknown>> {
  if (compareVersions(version, azurermSince.userAssignedIdentityId) >= 0)
    return { user_assigned_identity_id: id };
  if (compareVersions(version, azurermSince.credentialWithoutGroup) >= 0) return { parent_id: id };
  return { parent_id: id, resource_group_name: resourceGroupName };
}
