import { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";

/**
 * Values that the constructs of a stack share by key. Some objects can exist only once in a cloud (an OIDC provider per
 * issuer and account, a binding per member), and two declarations of one would undo each other.
 */
export class PerStack<T> {
  readonly #stacks = new WeakMap<TerraformStack, Map<string, T>>();

  get(construct: IConstruct, key: string): T | undefined {
    return this.#stacks.get(TerraformStack.of(construct))?.get(key);
  }

  set(construct: IConstruct, key: string, value: T): T {
    const stack = TerraformStack.of(construct);
    const entries = this.#stacks.get(stack) ?? new Map<string, T>();
    this.#stacks.set(stack, entries.set(key, value));
    return value;
  }
}
