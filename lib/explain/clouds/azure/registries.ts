/*
 * Container registries, and which roles each honours.
 */

import { at, text } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { LATE_TEXT, knownBlocks } from "../../facts/terraform-values";

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
  // One that may be of any registry puts the mode of each in doubt.
  const unowned = [...updates.keys()].some((id) => isLateText(id) && !REFERRED.test(id));
  const own = terraform.ofType("azurerm_container_registry");
  return [...own, ...ofAzapi("azapi_resource")].map((resource) => {
    const id = terraform.attribute(resource, "id").toLowerCase();
    const stated = [
      terraform.text(resource, "role_assignment_mode"),
      updates.get(id) ?? "",
      bodyMode(resource),
    ];
    const mode = unowned ? LATE_TEXT : (stated.find((each) => each !== "") ?? "");
    return {
      name: terraform.text(resource, "name").toLowerCase(),
      mode: isLateText(mode) ? "" : mode,
      isPlain: mode === "" && !resource.adopted && resource.type === "azurerm_container_registry",
      ids: [id],
    };
  });
}

/** The id of one resource, which is some registry or none. */
const REFERRED = /^\$\{\d+#(?:data\.)?az\w+\.[\w-]+\.id\}$/;

/** The mode that a body states; late where an expression makes the body, or the mode. */
function bodyMode({ values }: TerraformResource): string {
  const written = knownBlocks(values["body"]);
  if (written === undefined) return parsedMode(text(values["body"]));
  const mode = text(at(written[0], "properties", "roleAssignmentMode"));
  return mode.includes("${") ? LATE_TEXT : mode;
}

/** Of a body that is JSON text, as former versions of azapi have it. */
function parsedMode(body: string): string {
  if (isLateText(body)) return LATE_TEXT;
  try {
    return text(at(JSON.parse(body) as unknown, "properties", "roleAssignmentMode"));
  } catch {
    return LATE_TEXT;
  }
}
