import { type TerraformResource, TerraformStack } from "cdktf";
import { isRecord } from "../../model/record";
import { lowestVersion } from "../../rules/azure/azurerm-version";
import { defaultProvider } from "./provider-place";

const OVERRIDE = ["terraform", "required_providers", "azurerm", "version"];

/**
 * The lowest version of azurerm that a resource will run with: of the stack's `required_providers`, which an override
 * changes, and which is the version of the bindings otherwise. Only at synth is either final.
 */
export function azurermVersion(resource: TerraformResource): string {
  // cdktf keeps a stack's overrides private, and merges them into what it writes.
  const overrides: unknown = Reflect.get(TerraformStack.of(resource), "rawOverrides");
  const stated = OVERRIDE.reduce<unknown>(
    (outer, key) => (isRecord(outer) ? outer[key] : undefined),
    overrides,
  );
  if (typeof stated === "string") return lowestVersion(stated);
  const provider = resource.provider ?? defaultProvider(resource);
  const bindings = provider?.terraformGeneratorMetadata ?? resource.terraformGeneratorMetadata;
  return lowestVersion(bindings?.providerVersion ?? bindings?.providerVersionConstraint ?? "");
}
