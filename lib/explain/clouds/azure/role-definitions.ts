/*
 * Custom roles as Terraform declares them.
 */

import { blocks, own, texts } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";

/** What a role permits. */
export interface RoleDefinitionFact {
  /** Its name; empty where only apply tells it. */
  readonly name: string;
  /** Its permissions; `undefined` where only apply tells them. */
  readonly permissions: readonly RolePermissionsFact[] | undefined;
}

/** One block of permissions: the lists, less those of `not`. */
export interface RolePermissionsFact {
  /** Actions, `*` for any text. */
  readonly actions: readonly string[];
  /** Actions taken away again. */
  readonly notActions: readonly string[];
  /** Data actions. */
  readonly dataActions: readonly string[];
  /** Data actions taken away again. */
  readonly notDataActions: readonly string[];
}

/** Attributes by which an assignment can name a role. */
const REFERENCES: readonly string[] = ["role_definition_resource_id", "id", "role_definition_id"];

/** Every custom role, by what assignments name it by, in lower case: a reference, or its name. */
export function roleDefinitions(terraform: Terraform): ReadonlyMap<string, RoleDefinitionFact> {
  const found = new Map<string, RoleDefinitionFact>();
  for (const resource of terraform.ofType("azurerm_role_definition")) {
    const fact = definitionOf(resource, terraform);
    if (fact.name !== "") found.set(nameKey(fact.name), fact);
    for (const attribute of REFERENCES)
      found.set(terraform.attribute(resource, attribute).toLowerCase(), fact);
  }
  return found;
}

/** The key of a role's name, which no id is like. */
export function nameKey(name: string): string {
  return `name ${name.toLowerCase()}`;
}

function definitionOf(resource: TerraformResource, terraform: Terraform): RoleDefinitionFact {
  const written = own(resource.values, "permissions");
  const name = terraform.text(resource, "name");
  // Of a role that is only looked up, or made by an expression, the permissions stand elsewhere.
  const isOpen = resource.adopted || typeof written === "string";
  return {
    name: isLateText(name) ? "" : name,
    permissions: isOpen
      ? undefined
      : blocks(written).map((block) => ({
          actions: texts(block["actions"]),
          notActions: texts(block["not_actions"]),
          dataActions: texts(block["data_actions"]),
          notDataActions: texts(block["not_data_actions"]),
        })),
  };
}
