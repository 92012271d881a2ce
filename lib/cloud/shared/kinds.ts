import { TerraformElement, TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { type Kind, wrongKind, type ObjectKind, object, optional } from "../../model/shape";

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

/** The stack in which the owner of a registry declares grants on it. */
export interface RegistryStack {
  /** The owner's stack, or a construct in it. */
  readonly scope: Construct;
  /**
   * Terraform provider of the owner's subscription or project.
   *
   * @defaultValue - the default provider of the owner's stack
   */
  readonly provider?: TerraformProvider;
}

const TITLE = "a stack, or a construct in one";
const SCOPE: Kind<Construct> = {
  title: TITLE,
  mistake: (value) => (Construct.isConstruct(value) ? undefined : wrongKind(value, TITLE)),
};

export const REGISTRY_STACK: ObjectKind<RegistryStack> = object({
  scope: SCOPE,
  provider: optional(PROVIDER),
});
