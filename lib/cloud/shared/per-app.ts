import type { IConstruct } from "constructs";

/** Values that the constructs of an app share by key across stacks, for names that are unique in a cloud account. */
export class PerApp<T> {
  readonly #apps = new WeakMap<IConstruct, Map<string, T>>();

  get(construct: IConstruct, key: string): T | undefined {
    return this.#apps.get(construct.node.root)?.get(key);
  }

  set(construct: IConstruct, key: string, value: T): void {
    const { root } = construct.node;
    const entries = this.#apps.get(root) ?? new Map<string, T>();
    this.#apps.set(root, entries.set(key, value));
  }
}
