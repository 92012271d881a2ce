/*
 * Renamed arguments of the azurerm provider: versions before the rename refuse the new name, later ones warn about the
 * old one, which is gone in 5.0. Source: CHANGELOG-v4.md and guides/5.0-upgrade-guide of
 * hashicorp/terraform-provider-azurerm, with the schemas of its tags.
 */

import { compareVersions } from "../../model/version";

/** The azurerm versions from which on the new arguments exist. */
export const azurermSince = {
  /** A federated identity credential no longer needs `resource_group_name`: it is that of the identity. */
  credentialWithoutGroup: "4.60",
  /** `user_assigned_identity_id` of a federated identity credential, formerly `parent_id`. */
  userAssignedIdentityId: "4.65",
  /** `storage_container_id` of a blob, formerly `storage_account_name` and `storage_container_name`. */
  storageContainerId: "4.77",
} as const;

const AT_LEAST = /^\s*(?:(?:=|>=?|~>)\s*)?v?(\d+(?:\.\d+){0,2})(?:-[\w.-]+)?\s*$/;

/**
 * The lowest version that a Terraform constraint allows, `0.0` if it states none: what this version accepts, every
 * later version of the same major accepts too.
 */
export function lowestVersion(constraint: string): string {
  const lowest = constraint.split(",").flatMap((part) => {
    const [, version] = AT_LEAST.exec(part) ?? [];
    return version === undefined ? [] : [version.includes(".") ? version : `${version}.0`];
  });
  return lowest.sort(compareVersions).at(-1) ?? "0.0";
}

/** The arguments that refer to a credential's identity. */
export function credentialIdentity(
  version: string,
  { id, resourceGroupName }: { readonly id: unknown; readonly resourceGroupName: unknown },
): Readonly<Record<string, unknown>> {
  if (compareVersions(version, azurermSince.userAssignedIdentityId) >= 0)
    return { user_assigned_identity_id: id };
  if (compareVersions(version, azurermSince.credentialWithoutGroup) >= 0) return { parent_id: id };
  return { parent_id: id, resource_group_name: resourceGroupName };
}
