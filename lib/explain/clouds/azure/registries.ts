/*
 * Container registries, and which roles each honours.
 */

import { at, blocks, text } from "../../facts/access";
import type { Terraform, TerraformResource } from "../../facts/terraform";

/** A registry that Terraform declares or looks up. */
export interface RegistryFact {
  /** Its name, in lower case. */
  readonly name: string;
  /** `roleAssignmentMode`; empty where it is not known. */
  readonly mode: string;
  /**
   * True for one that azurerm declares without a mode, as azurerm has no argument for it: Azure then makes it with
   * `LegacyRegistryPermissions`, and only somebody else may have changed that since.
   */
  readonly isPlain: boolean;
  /** Resource ids and references that a role assignment can name it by, in lower case. */
  readonly ids: readonly string[];
}

const TYPE = "Microsoft.ContainerRegistry/registries@";

/** Every registry that was read, declared with azurerm or azapi, or changed with azapi. */
export function registries(terraform: Terraform): readonly RegistryFact[] {
  const ofAzapi = (type: string): readonly TerraformResource[] =>
    terraform.ofType(type).filter((resource) => text(resource.values["type"]).startsWith(TYPE));
  const updates = new Map(
    ofAzapi("azapi_update_resource").map((resource) => [
      terraform.text(resource, "resource_id").toLowerCase(),
      bodyMode(resource),
    ]),
  );
  const own = terraform.ofType("azurerm_container_registry");
  return [...own, ...ofAzapi("azapi_resource")].map((resource) => {
    const id = terraform.attribute(resource, "id").toLowerCase();
    const mode =
      terraform.text(resource, "role_assignment_mode") || (updates.get(id) ?? "") || bodyMode(resource);
    return {
      name: terraform.text(resource, "name").toLowerCase(),
      mode,
      isPlain: mode === "" && !resource.adopted && resource.type === "azurerm_container_registry",
      ids: [id],
    };
  });
}

function bodyMode(resource: TerraformResource): string {
  const [body] = blocks(resource.values["body"]);
  return text(at(body, "properties", "roleAssignmentMode"));
}
