import { TerraformProvider, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { at } from "../../errors";
import { PerStack } from "./per-scope";

/** Finds the Terraform provider that resources of a stack use if they do not name one. */
export class DefaultProvider<Provider extends TerraformProvider> {
  readonly #found = new PerStack<Provider>();
  readonly #type: string;

  /** `type` is Terraform's name of the provider, for example `azurerm` or `google`. */
  constructor(type: string) {
    this.#type = type;
  }

  /** Returns the provider of the construct's stack, if it has already been added. */
  of(construct: IConstruct): Provider | undefined {
    const known = this.#found.get(construct, this.#type);
    if (known) return known;
    const { children } = TerraformStack.of(construct).node;
    const provider = children.find((child): child is Provider => this.#isDefault(child));
    return provider && this.#found.set(construct, this.#type, provider);
  }

  /**
   * Compares what is stated with the provider that declares a construct's resources: the given one, or the stack's
   * default one, which may be added later, so that only the synth shows it.
   */
  compare(
    construct: IConstruct,
    given: TerraformProvider | undefined,
    check: (provider: TerraformProvider) => void,
  ): void {
    const now = given ?? this.of(construct);
    if (now) return check(now);
    const validate = (): string[] => {
      const added = this.of(construct);
      if (added) at(construct, () => check(added));
      return [];
    };
    construct.node.addValidation({ validate });
  }

  #isDefault(child: IConstruct): boolean {
    return (
      TerraformProvider.isTerraformProvider(child) &&
      child.terraformResourceType === this.#type &&
      child.alias === undefined
    );
  }
}
