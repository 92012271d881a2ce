/*
 * Several documents of one object: which of them the cluster has, no file says.
 */

import { grouped } from "../../model/grouped";
import { type Known, notKnown, same, unread } from "../../model/known";
import { type KubernetesObject, keyOf } from "./objects";
import { type Source, sourceText } from "./source";

/** The documents of each object, by `namespace/name`. */
export function groupsOf(
  objects: readonly KubernetesObject[],
): readonly (readonly [key: string, documents: readonly KubernetesObject[]])[] {
  return [...grouped(objects, ({ value }) => keyOf(value))];
}

/** What documents of one object say together: the value where all agree, else one that is contested. */
export function agreed<T extends string | undefined>(
  what: string,
  values: readonly Known<T>[],
  documents: readonly KubernetesObject[],
): Known<T> {
  // What is known to be absent is `undefined` at run time.
  if (values.length === 0) return unread(`nothing says ${what}`);
  const first = values[0] as Known<T>;
  if (values.every((other) => same<string | undefined>(first, other) === "yes")) return first;
  return contested(
    what,
    documents.map(({ source }) => source),
  );
}

/** A value that documents contradict each other about. It is not shown: it may be secret. */
export function contested(what: string, documents: readonly Source[]): Known<never> {
  const where = documents.map(sourceText).join(", ");
  return notKnown({ kind: "contested", what: `documents contradict each other about ${what} (${where})` });
}
