import type { TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { type Kind, type ObjectKind, object, optional, wrongKind } from "../../model/shape";
import { PROVIDER } from "./kinds";

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
