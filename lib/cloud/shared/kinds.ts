import { TerraformElement, TerraformProvider } from "cdktf";
import { type Kind, wrongKind } from "../../model/shape";

const PROVIDER_TITLE = "a Terraform provider, such as new AwsProvider(…)";

/** The kind of a `provider`; only the compiler checks that it is of the right cloud. */
export const PROVIDER: Kind<TerraformProvider> = {
  title: PROVIDER_TITLE,
  mistake: (value) =>
    TerraformProvider.isTerraformProvider(value) ? undefined : wrongKind(value, PROVIDER_TITLE),
};

export function elementOf(title: string, terraformResourceType: string): Kind<TerraformElement> {
  return {
    title,
    mistake: (value) =>
      TerraformElement.isTerraformElement(value) && hasType(value, terraformResourceType)
        ? undefined
        : wrongKind(value, title),
  };
}

function hasType(element: object, type: string): boolean {
  return "terraformResourceType" in element && element.terraformResourceType === type;
}
