import type { IConstruct } from "constructs";

/** What the constructs of one app share, by key, whatever their stacks: names that a cloud account has once. */
export class PerApp<T> {
  readonly #apps = new WeakMap<IConstruct, Map<string, T>>();

  /** What the app of a construct has under the key. */
  get(construct: IConstruct, key: string): T | undefined {
    return this.#apps.get(construct.node.root)?.get(key);
  }

  /** Remembers a value for the app of a construct. */
  set(construct: IConstruct, key: string, value: T): void {
    const { root } = construct.node;
    const entries = this.#apps.get(root) ?? new Map<string, T>();
    this.#apps.set(root, entries.set(key, value));
  }
}
