import { type Answer, seen, unknown } from "../answer";
import { sourceText } from "../facts/source";
import type { ServiceAccountFact } from "../facts/kubernetes-facts";

/** What is said where documents contradict each other about one of these annotations; `undefined` where none do. */
export function contestedAnnotation(
  { key, contested }: ServiceAccountFact,
  names: readonly string[],
): Answer | undefined {
  const name = names.find((each) => contested?.has(each));
  const sources = (name === undefined ? undefined : contested?.get(name)) ?? [];
  if (name === undefined || sources.length === 0) return undefined;
  return unknown(
    `documents of ${key} contradict each other about the annotation ${name} (${sources.map(sourceText).join(", ")}): what the cluster has depends on how and when each is applied`,
    "keep the annotation in one document, and that the only one of the service account or applied with kubectl apply --server-side",
    ...sources.map((source) => seen("ServiceAccount", source)),
  );
}
