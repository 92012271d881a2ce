/*
 * Whose credentials and role assignments are: what one of their arguments refers to.
 */

import { own } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";

/** The resources of a type by the first of the attributes that is there, in lower case. */
export function grouped(
  terraform: Terraform,
  type: string,
  attributes: readonly string[],
): ReadonlyMap<string, readonly TerraformResource[]> {
  return groupedBy(terraform.ofType(type), (resource) => ownerOf(resource, attributes, terraform));
}

/** Resources by a key; those of an empty one are left out. */
export function groupedBy(
  resources: readonly TerraformResource[],
  keyOf: (resource: TerraformResource) => string,
): ReadonlyMap<string, readonly TerraformResource[]> {
  const groups = new Map<string, TerraformResource[]>();
  for (const resource of resources) {
    const key = keyOf(resource);
    const same = groups.get(key);
    if (same) same.push(resource);
    else groups.set(key, [resource]);
  }
  groups.delete("");
  return groups;
}

/** The first of the attributes that is there, in lower case; empty where none is. */
export function ownerOf(
  resource: TerraformResource,
  attributes: readonly string[],
  terraform: Terraform,
): string {
  const owner = attributes.map((attribute) => terraform.text(resource, attribute)).find((id) => id !== "");
  return (owner ?? "").toLowerCase();
}

/** True for what Azure has taken already: a state tells its id, which no configuration states. */
export function isApplied(resource: TerraformResource): boolean {
  const id = own(resource.values, "id");
  return typeof id === "string" && id !== "" && !isLateText(id);
}

/** Whether some are of an owner that only apply tells: a variable, say, or what a module gives. */
export function hasUnowned(groups: ReadonlyMap<string, unknown>): boolean {
  return [...groups.keys()].some(isUnowned);
}

/** Whether an owner is one that only apply tells. */
export function isUnowned(owner: string): boolean {
  return isLateText(owner) && !OF_RESOURCE.test(owner);
}

/**
 * An attribute of one resource: `${0#module.m.azurerm_user_assigned_identity.web.principal_id}`. What a plan does not know
 * is an attribute of what it belongs to itself.
 */
const OF_RESOURCE =
  /^\$\{\d+#(?:module\.[^.]+\.)*(?:data\.)?(?!azurerm_role_assignment\.|\w+_federated_identity_credential\.|azuread_group_member\.|azurerm_pim_)[a-z0-9]+_\w+\.[\w-]+(?:\[[^\]]*\])?\.[\w.[\]-]+\}$/;
