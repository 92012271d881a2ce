/*
 * Facts that no artefact shows, stated by the user: the audiences of an OIDC provider that already exists, for example.
 * They are recorded in `workload-identity.json`, where `explain` reads them.
 */

/** Facts by cloud and kind, in the form of a facts file. */
export type StatedFacts = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;

const perStack = new WeakMap<object, Map<string, Map<string, Map<string, unknown>>>>();

/** States a fact of a cloud for a stack; a repeated fact is kept once. */
export function stateFact(stack: object, cloud: string, kind: string, fact: object): void {
  const clouds = perStack.get(stack) ?? new Map<string, Map<string, Map<string, unknown>>>();
  const kinds = clouds.get(cloud) ?? new Map<string, Map<string, unknown>>();
  const facts = kinds.get(kind) ?? new Map<string, unknown>();
  perStack.set(stack, clouds.set(cloud, kinds.set(kind, facts.set(JSON.stringify(fact), fact))));
}

/** Returns the facts stated for a stack, sorted; `undefined` if there are none. */
export function statedFacts(stack: object): StatedFacts | undefined {
  const clouds = perStack.get(stack);
  return (
    clouds &&
    sorted(clouds, (kinds) => sorted(kinds, (facts) => [...sortedEntries(facts)].map(([, fact]) => fact)))
  );
}

function sorted<V, R>(map: ReadonlyMap<string, V>, of: (value: V) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(sortedEntries(map).map(([key, value]) => [key, of(value)]));
}

function sortedEntries<V>(map: ReadonlyMap<string, V>): readonly (readonly [string, V])[] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}
