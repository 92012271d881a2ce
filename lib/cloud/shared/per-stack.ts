import { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";

/**
 * What the constructs of one stack share, by key: a cloud allows some objects once (an OIDC provider per issuer and
 * account, a binding per member), and two declarations of one would undo each other.
 */
export class PerStack<T> {
  readonly #stacks = new WeakMap<TerraformStack, Map<string, T>>();

  /** What the stack of a construct has under the key. */
  get(construct: IConstruct, key: string): T | undefined {
    return this.#stacks.get(TerraformStack.of(construct))?.get(key);
  }

  /** Remembers a value for the stack of a construct, and returns it. */
  set(construct: IConstruct, key: string, value: T): T {
    const stack = TerraformStack.of(construct);
    const entries = this.#stacks.get(stack) ?? new Map<string, T>();
    this.#stacks.set(stack, entries.set(key, value));
    return value;
  }
}
