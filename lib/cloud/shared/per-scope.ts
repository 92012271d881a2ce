import { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";

/** Values that constructs share by key within a scope that they have in common. */
abstract class PerScope<T> {
  readonly #scopes = new WeakMap<IConstruct, Map<string, T>>();

  protected abstract of(construct: IConstruct): IConstruct;

  get(construct: IConstruct, key: string): T | undefined {
    return this.#scopes.get(this.of(construct))?.get(key);
  }

  /** Sets the value of the key, and returns it. */
  set(construct: IConstruct, key: string, value: T): T {
    const scope = this.of(construct);
    const entries = this.#scopes.get(scope) ?? new Map<string, T>();
    this.#scopes.set(scope, entries.set(key, value));
    return value;
  }

  /** Returns the value of the key, made when it is first needed. */
  ensure(construct: IConstruct, key: string, make: () => T): T {
    return this.get(construct, key) ?? this.set(construct, key, make());
  }
}

/** Values that the constructs of an app share by key across stacks, for names that are unique in a cloud account. */
export class PerApp<T> extends PerScope<T> {
  protected override of({ node }: IConstruct): IConstruct {
    return node.root;
  }
}

/**
 * Values that the constructs of a stack share by key. Some objects can exist only once in a cloud (an OIDC provider per
 * issuer and account, a binding per member), and two declarations of one would undo each other.
 */
export class PerStack<T> extends PerScope<T> {
  protected override of(construct: IConstruct): IConstruct {
    return TerraformStack.of(construct);
  }
}
